// A rule as the search sees it, and the best one so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
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

// The best feasible rule so far, and the limits it sets for what is still worth looking at.
class Incumbent {
  public:
    // Rules that `limits` do not allow, even if `n_more` questions may follow, do not count.
    Incumbent(const Objective& objective, const ValueGrid& grid, const RuleLimits& limits,
              std::size_t n_more = 0)
        : objective_(&objective),
          grid_(&grid),
          limits_(limits.is_empty() ? nullptr : &limits),
          n_more_(n_more) {}

    bool has_limits() const { return limits_ != nullptr; }

    bool is_found() const { return found_; }
    const Rule& rule() const { return rule_; }
    const std::vector<double>& left() const { return left_; }
    WideInteger key() const { return key_; }

    // Values that may still win, by value or by a tie, lie below this.
    double limit() const {
        return found_ ? grid_->upper_edge(key_) : std::numeric_limits<double>::infinity();
    }

    // Bounds below which a rule may still win that is no simpler than one over the questions
    // `simplest` (ascending). Where even that one would lose a tie, only better values count.
    double open_limit(const std::vector<std::uint32_t>& simplest) const {
        if (!found_) return std::numeric_limits<double>::infinity();
        return loses_ties(simplest) ? grid_->lower_edge(key_) : grid_->upper_edge(key_);
    }

    // `left`: cases per class that the rule sends to "yes".
    void offer(const Rule& rule, const double* left) {
        if (!is_feasible(*objective_, left)) return;
        if (limits_ != nullptr && !limits_->may_become(rule.literals, n_more_)) return;
        const WideInteger key = grid_->key(*objective_, left);
        if (found_ && (key > key_ || (key == key_ && !is_simpler(rule, rule_)))) return;
        found_ = true;
        key_ = key;
        rule_ = rule;
        left_.assign(left, left + objective_->n_classes);
    }

    void offer(const Incumbent& other) {
        if (other.found_) offer(other.rule_, other.left_.data());
    }

  private:
    bool loses_ties(const std::vector<std::uint32_t>& simplest) const {
        if (simplest.size() != rule_.literals.size())
            return simplest.size() > rule_.literals.size();
        for (std::size_t i = 0; i < simplest.size(); ++i)
            if (simplest[i] != rule_.literals[i].question)
                return simplest[i] > rule_.literals[i].question;
        return false;
    }

    const Objective* objective_;
    const ValueGrid* grid_;
    const RuleLimits* limits_;
    std::size_t n_more_;
    bool found_ = false;
    WideInteger key_ = 0;
    Rule rule_;
    std::vector<double> left_;
};

}  // namespace bsnsing
