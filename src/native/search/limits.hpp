// Limits that users put on the questions of a rule, beyond its size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/literal.hpp"

namespace bsnsing {

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

    bool is_empty() const { return linear_.empty() && column_of_.empty(); }

    bool allow(const std::vector<Literal>& literals) const { return may_become(literals, 0); }

    // Whether `n_more` further questions at most could make it an allowed rule; false is certain.
    bool may_become(const std::vector<Literal>& literals, std::size_t n_more) const {
        if (!column_of_.empty() && has_column_twice(literals)) return false;
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

  private:
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
};

}  // namespace bsnsing
