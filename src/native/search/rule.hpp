// A rule as the search sees it, and the best one so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "search/limits.hpp"
#include "search/literal.hpp"
#include "search/objective.hpp"
#include "search/scan.hpp"

namespace bsnsing {

enum class Operator : std::uint8_t { logical_or, logical_and, exclusive_or };

struct Rule {
    std::vector<Literal> literals;  // by position
    Operator op = Operator::logical_or;

    std::size_t n_negated() const {
        std::size_t n = 0;
        for (const Literal& l : literals) n += l.negated ? 1 : 0;
        return n;
    }
};

// Fewest questions, then smallest positions, then fewest negations, then OR before AND before XOR.
inline bool is_simpler(const Rule& a, const Rule& b) {
    if (a.literals.size() != b.literals.size()) return a.literals.size() < b.literals.size();
    for (std::size_t i = 0; i < a.literals.size(); ++i)
        if (a.literals[i].question != b.literals[i].question)
            return a.literals[i].question < b.literals[i].question;
    const auto form = [](const Rule& r) { return std::tuple(r.n_negated(), r.op); };
    if (form(a) != form(b)) return form(a) < form(b);
    for (std::size_t i = 0; i < a.literals.size(); ++i)
        if (a.literals[i].negated != b.literals[i].negated) return b.literals[i].negated;
    return false;
}

struct RankedRule {
    Rule rule;
    std::vector<double> left;  // cases per class that the rule sends to "yes"
    WideInteger key = 0;       // its value, on the grid by which values are compared
};

// The best feasible rules so far, and the limits they set for what is still worth looking at.
class Incumbent {
  public:
    // Rules that `limits` do not allow, even if `n_more` questions may follow, do not count.
    Incumbent(const Objective& objective, const ValueGrid& grid, const RuleLimits& limits,
              std::size_t n_more = 0, std::size_t n_best = 1)
        : objective_(&objective),
          grid_(&grid),
          limits_(limits.is_empty() ? nullptr : &limits),
          n_more_(n_more),
          n_best_(n_best) {}

    bool has_limits() const { return limits_ != nullptr; }
    bool keeps_several() const { return n_best_ > 1; }

    bool is_found() const { return !ranked_.empty(); }
    // Of the best one; of none, an empty rule.
    const Rule& rule() const { return best().rule; }
    const std::vector<double>& left() const { return best().left; }
    WideInteger key() const { return best().key; }
    const std::vector<RankedRule>& ranked() const { return ranked_; }  // best first
    // What the columns of the best rule cost; part of its value.
    double price() const { return limits_ == nullptr ? 0.0 : limits_->price(rule().literals); }

    // Values that may still win, by value or by a tie, lie below this.
    double limit() const {
        return is_full() ? grid_->upper_edge(ranked_.back().key)
                         : std::numeric_limits<double>::infinity();
    }

    // Bounds below which a rule may still win that is no simpler than one over the questions
    // `simplest` (ascending). Where even that one would lose a tie, only better values count.
    double open_limit(const std::vector<std::uint32_t>& simplest) const {
        if (!is_full()) return std::numeric_limits<double>::infinity();
        const RankedRule& last = ranked_.back();
        return loses_ties(simplest, last.rule) ? grid_->lower_edge(last.key)
                                               : grid_->upper_edge(last.key);
    }

    // `left`: cases per class that the rule sends to "yes".
    void offer(const Rule& rule, const double* left) {
        if (!is_feasible(*objective_, left)) return;
        if (limits_ != nullptr && !limits_->may_become(rule.literals, n_more_)) return;
        if (limits_ != nullptr &&
            !limits_->keep_order(rule.literals, rule.op == Operator::exclusive_or, left,
                                 objective_->totals, objective_->class_weights))
            return;
        const double own_price = limits_ == nullptr ? 0.0 : limits_->price(rule.literals);
        const WideInteger key = grid_->key(*objective_, left, own_price);
        const auto comes_before = [&](const RankedRule& other) {
            return other.key < key || (other.key == key && !is_simpler(rule, other.rule));
        };
        if (is_full() && comes_before(ranked_.back())) return;
        std::size_t place = ranked_.size();
        while (place > 0 && !comes_before(ranked_[place - 1])) --place;
        // Some rules are met more than once.
        if (place > 0 && ranked_[place - 1].key == key &&
            !is_simpler(ranked_[place - 1].rule, rule))
            return;
        RankedRule found;
        if (is_full()) {  // its memory serves again
            found = std::move(ranked_.back());
            ranked_.pop_back();
        }
        found.rule = rule;
        found.left.assign(left, left + objective_->n_classes);
        found.key = key;
        ranked_.insert(ranked_.begin() + static_cast<std::ptrdiff_t>(place), std::move(found));
    }

    void offer(const Incumbent& other) {
        for (const RankedRule& ranked : other.ranked_) offer(ranked.rule, ranked.left.data());
    }

  private:
    const RankedRule& best() const {
        static const RankedRule none;
        return ranked_.empty() ? none : ranked_.front();
    }

    bool is_full() const { return ranked_.size() == n_best_; }

    static bool loses_ties(const std::vector<std::uint32_t>& simplest, const Rule& rule) {
        if (simplest.size() != rule.literals.size()) return simplest.size() > rule.literals.size();
        for (std::size_t i = 0; i < simplest.size(); ++i)
            if (simplest[i] != rule.literals[i].question)
                return simplest[i] > rule.literals[i].question;
        return false;
    }

    const Objective* objective_;
    const ValueGrid* grid_;
    const RuleLimits* limits_;
    std::size_t n_more_;
    std::size_t n_best_;
    std::vector<RankedRule> ranked_;
};

}  // namespace bsnsing
