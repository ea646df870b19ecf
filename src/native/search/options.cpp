#include "search/options.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace bsnsing {
namespace {

void check_coefficients(const std::vector<LinearLimit>& limits, std::size_t n_subjects,
                        const char* subjects) {
    for (const LinearLimit& limit : limits) {
        bool is_nan = std::isnan(limit.lower) || std::isnan(limit.upper);
        for (const double c : limit.coefficients) is_nan = is_nan || std::isnan(c);
        if (is_nan) throw std::invalid_argument("limits must be numbers; got NaN");
        if (limit.coefficients.size() != n_subjects)
            throw std::invalid_argument("a limit has " + std::to_string(limit.coefficients.size()) +
                                        " coefficients for " + std::to_string(n_subjects) + ' ' +
                                        subjects);
    }
}

}  // namespace

void ClassOptions::check() const {
    if (n_classes < 2)
        throw std::invalid_argument("n_classes must be at least 2; got " +
                                    std::to_string(n_classes));
    if (!(unit > 0) || !std::isfinite(unit))
        throw std::invalid_argument("unit must be a positive number; got " + std::to_string(unit));
    if (!class_weights.empty() && class_weights.size() != n_classes)
        throw std::invalid_argument(
            "one weight per class is needed: " + std::to_string(class_weights.size()) + " for " +
            std::to_string(n_classes) + " classes");
    for (const double w : class_weights)
        if (!(w >= 0) || !std::isfinite(w))
            throw std::invalid_argument("class weights must not be negative; got " +
                                        std::to_string(w));
}

void SearchOptions::check() const {
    if (max_rules == 0) throw std::invalid_argument("max_rules must be at least 1; got 0");
    if (n_threads == 0 || n_threads > 0x7fffffffU)
        throw std::invalid_argument("n_threads must be at least 1 and at most 2147483647; got " +
                                    std::to_string(n_threads));
    if (!formulas.as_or && !formulas.as_and && !formulas.as_xor)
        throw std::invalid_argument("operators must name at least one of 'or', 'and' and 'xor'");
    if (std::isnan(min_samples_leaf) || std::isnan(time_limit) ||
        std::isnan(greedy_level.value_or(1.0)))
        throw std::invalid_argument(
            "min_samples_leaf, time_limit and greedy_level must be numbers; got NaN");
}

void SearchOptions::check_classes(std::size_t n_classes) const {
    if (facts_of(criterion).two_classes_only && n_classes != 2)
        throw std::invalid_argument("criterion '" + std::string(facts_of(criterion).name) +
                                    "' tells two classes apart; got " + std::to_string(n_classes));
}

void ColumnLimits::check(std::size_t n_columns) const {
    check_coefficients(linear, n_columns, "columns");
    for (const std::uint32_t column : forbidden)
        if (column >= n_columns)
            throw std::invalid_argument("column " + std::to_string(column) +
                                        " cannot be forbidden: the table has " +
                                        std::to_string(n_columns));
    for (const auto& [a, b] : apart)
        if (a >= n_columns || b >= n_columns)
            throw std::invalid_argument("columns " + std::to_string(a) + " and " +
                                        std::to_string(b) + " cannot be apart: the table has " +
                                        std::to_string(n_columns));
    if ((!group_of.empty() && group_of.size() != n_columns) ||
        (!monotone.empty() && monotone.size() != n_columns))
        throw std::invalid_argument("group_of and monotone need an entry for each of the " +
                                    std::to_string(n_columns) + " columns");
}

void NodeLimits::check(std::size_t n_columns) const {
    if (!prices.empty() && prices.size() != n_columns)
        throw std::invalid_argument("there are " + std::to_string(prices.size()) + " prices for " +
                                    std::to_string(n_columns) + " columns");
    for (const double price : prices)
        if (!(price >= 0))
            throw std::invalid_argument("prices must not be negative; got " +
                                        std::to_string(price));
    for (const std::vector<std::uint32_t>* listed : {&used, &closed})
        for (const std::uint32_t column : *listed)
            if (column >= n_columns)
                throw std::invalid_argument("there is no column " + std::to_string(column) +
                                            ": the table has " + std::to_string(n_columns));
}

void QuestionLimits::check(std::size_t n_questions) const {
    check_coefficients(linear, n_questions, "questions");
    if (!column_of.empty() && column_of.size() != n_questions)
        throw std::invalid_argument("column_of has " + std::to_string(column_of.size()) +
                                    " columns for " + std::to_string(n_questions) + " questions");
}

}  // namespace bsnsing
