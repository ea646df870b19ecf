// Limits that users put on the questions of a rule, beyond its size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/literal.hpp"

namespace bsnsing {

// What is known of columns, over the questions of a pool. Empty lists say nothing.
struct PoolKnowledge {
    static constexpr std::int8_t kUnordered = 2;
    static constexpr std::size_t kNoClass = static_cast<std::size_t>(-1);

    std::vector<std::uint32_t> column_of;  // of each question
    // Columns that no rule may mix: pairs, the lesser first, in order; and by group, 0 for none.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> apart;
    std::vector<std::uint32_t> group_of;
    // Per question: whether "yes" may only raise (1) or lower (-1) the share of a class, by the
    // order of its column; 0 where that is free, kUnordered where a question knows no order.
    std::vector<std::int8_t> sign;
    std::size_t ordered_class = kNoClass;  // no class: it has no case
    double low = 0;                        // children's shares lie between these
    double high = 1;
    // Columns that are in the tree already, and how many others a rule may ask about.
    std::vector<char> is_used;
    std::size_t max_new = 0;
    std::vector<double> price;    // per column, in the unit of the criterion
    std::vector<char> is_closed;  // per column: not to be asked about here

    bool is_empty() const {
        return apart.empty() && group_of.empty() && sign.empty() && is_used.empty() &&
               price.empty() && is_closed.empty();
    }
};

// The coefficients of a rule's questions add up to no less than `lower` and no more than `upper`.
struct LinearLimit {
    std::vector<double> coefficients;  // per question
    double lower = 0;
    double upper = 0;
};

class RuleLimits {
  public:
    RuleLimits() = default;
    // `column_of`, where given: at most one question of each column.
    RuleLimits(std::vector<LinearLimit> linear, std::vector<std::uint32_t> column_of)
        : linear_(std::move(linear)), column_of_(std::move(column_of)) {
        std::vector<char> is_taken;
        for (const LinearLimit& l : linear_) {
            const auto [least, most] =
                std::minmax_element(l.coefficients.begin(), l.coefficients.end());
            least_.push_back(l.coefficients.empty() ? 0.0 : std::min(0.0, *least));
            most_.push_back(l.coefficients.empty() ? 0.0 : std::max(0.0, *most));
            is_taken.resize(l.coefficients.size(), 0);
            is_apart_.push_back(l.lower > 0 && is_apart(l.coefficients, is_taken) ? 1 : 0);
        }
    }

    void add(PoolKnowledge knowledge) { knowledge_ = std::move(knowledge); }

    bool is_empty() const { return linear_.empty() && column_of_.empty() && knowledge_.is_empty(); }

    bool allow(const std::vector<Literal>& literals) const { return may_become(literals, 0); }

    // Whether `n_more` further questions at most could make it an allowed rule; false is certain.
    bool may_become(const std::vector<Literal>& literals, std::size_t n_more) const {
        if (!column_of_.empty() && has_column_twice(literals)) return false;
        if (!knowledge_.is_empty() && !may_ask_together(literals)) return false;
        const auto more = static_cast<double>(n_more);
        std::size_t n_missing = 0;  // limits that need a further question each
        for (std::size_t i = 0; i < linear_.size(); ++i) {
            double sum = 0;
            for (const Literal& l : literals) sum += linear_[i].coefficients[l.question];
            if (sum + more * least_[i] > linear_[i].upper ||
                sum + more * most_[i] < linear_[i].lower)
                return false;
            if (is_apart_[i] && sum < linear_[i].lower) ++n_missing;
        }
        return n_missing <= n_more;
    }

    // Whether the children's shares of a class are in the order that is known, and within bounds.
    // `left` are the cases per class that answer yes, of `totals`.
    bool keep_order(const std::vector<Literal>& literals, bool is_xor, const double* left,
                    const std::vector<double>& totals, const std::vector<double>& weights) const {
        if (knowledge_.sign.empty()) return true;
        int order = 0;
        for (const Literal& l : literals)
            if (knowledge_.sign[l.question] != 0)
                order = l.negated ? -knowledge_.sign[l.question] : knowledge_.sign[l.question];
        if (is_xor && order != 0) return false;
        if (knowledge_.ordered_class == PoolKnowledge::kNoClass) return true;
        double yes = 0;
        double no = 0;
        for (std::size_t j = 0; j < totals.size(); ++j) {
            yes += left[j] * weights[j];
            no += (totals[j] - left[j]) * weights[j];
        }
        if (!(yes > 0) || !(no > 0)) return true;  // only classes that count nothing
        const std::size_t c = knowledge_.ordered_class;
        const double yes_share = left[c] * weights[c] / yes;
        const double no_share = (totals[c] - left[c]) * weights[c] / no;
        constexpr double kRounding = 1e-12;
        return order * (yes_share - no_share) >= -kRounding &&
               std::min(yes_share, no_share) >= knowledge_.low - kRounding &&
               std::max(yes_share, no_share) <= knowledge_.high + kRounding;
    }

    bool has_prices() const { return !knowledge_.price.empty(); }

    // What the columns of a rule cost together, each once.
    double price(const std::vector<Literal>& literals) const {
        double sum = 0;
        for (std::size_t i = 0; has_prices() && i < literals.size(); ++i)
            if (is_first_of_column(literals, i)) sum += knowledge_.price[column(literals[i])];
        return sum;
    }

  private:
    std::uint32_t column(const Literal& l) const { return knowledge_.column_of[l.question]; }

    bool is_first_of_column(const std::vector<Literal>& literals, std::size_t place) const {
        for (std::size_t i = 0; i < place; ++i)
            if (column(literals[i]) == column(literals[place])) return false;
        return true;
    }

    // What more questions cannot mend: columns that are not to be mixed, too many new ones, and
    // directions that contradict each other.
    bool may_ask_together(const std::vector<Literal>& literals) const {
        const PoolKnowledge& k = knowledge_;
        std::size_t n_new = 0;
        int order = 0;
        for (std::size_t i = 0; i < literals.size(); ++i) {
            const std::uint32_t own = column(literals[i]);
            if (!k.is_closed.empty() && k.is_closed[own]) return false;
            for (std::size_t j = 0; j < i; ++j)
                if (is_apart(own, column(literals[j]))) return false;
            if (!k.is_used.empty() && !k.is_used[own] && is_first_of_column(literals, i)) ++n_new;
            if (k.sign.empty() || k.sign[literals[i].question] == 0) continue;
            const int sign =
                literals[i].negated ? -k.sign[literals[i].question] : k.sign[literals[i].question];
            if (sign == PoolKnowledge::kUnordered || sign == -PoolKnowledge::kUnordered ||
                (order != 0 && order != sign))
                return false;
            order = sign;
        }
        return k.is_used.empty() || n_new <= k.max_new;
    }

    bool is_apart(std::uint32_t a, std::uint32_t b) const {
        const std::vector<std::uint32_t>& group = knowledge_.group_of;
        if (!group.empty() && group[a] != 0 && group[b] != 0 && group[a] != group[b]) return true;
        return std::binary_search(knowledge_.apart.begin(), knowledge_.apart.end(),
                                  std::pair(std::min(a, b), std::max(a, b)));
    }

    // Whether no question that helps to reach this lower end helps with one before; takes them.
    static bool is_apart(const std::vector<double>& coefficients, std::vector<char>& is_taken) {
        for (std::size_t q = 0; q < coefficients.size(); ++q)
            if (coefficients[q] > 0 && is_taken[q]) return false;
        for (std::size_t q = 0; q < coefficients.size(); ++q)
            if (coefficients[q] > 0) is_taken[q] = 1;
        return true;
    }

    bool has_column_twice(const std::vector<Literal>& literals) const {
        for (std::size_t i = 1; i < literals.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (column_of_[literals[i].question] == column_of_[literals[j].question])
                    return true;
        return false;
    }

    std::vector<LinearLimit> linear_;
    std::vector<std::uint32_t> column_of_;
    std::vector<double> least_;  // most that one question can take from a sum, and add to it
    std::vector<double> most_;
    std::vector<char> is_apart_;
    PoolKnowledge knowledge_;
};

}  // namespace bsnsing
