// What users say of cases and rules, and its form for a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "search/limits.hpp"
#include "search/objective.hpp"
#include "search/scan.hpp"

namespace bsnsing {

struct ClassOptions {
    std::size_t n_classes = 2;
    double unit = 1;                    // weight that makes one case
    std::vector<double> class_weights;  // empty: all one

    // Throws std::invalid_argument, like all checks here.
    void check() const;
    double weight_of(std::size_t class_index) const {
        return class_weights.empty() ? 1.0 : class_weights[class_index];
    }
};

// The class and weight of each row.
struct CaseView {
    std::span<const std::int32_t> classes;
    std::span<const std::int64_t> weights;  // empty: all one
    ClassOptions options;
};

struct SearchOptions {
    std::size_t max_rules = 2;
    Criterion criterion = Criterion::gini;
    Formulas formulas;
    double min_samples_leaf = 1;  // cases
    bool distinct_children = false;
    double time_limit = 0;  // seconds per node
    std::size_t n_threads = 1;
    std::optional<double> greedy_level;  // greedy instead of exact search

    void check() const;
    void check_classes(std::size_t n_classes) const;
};

// Limits over the columns of a table.
struct ColumnLimits {
    std::vector<std::uint32_t> forbidden;  // columns that may not be asked about
    std::vector<LinearLimit> linear;       // coefficients per column
    bool one_per_column = false;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> apart;  // columns that no rule may mix
    std::vector<std::uint32_t> group_of;  // per column; those of two groups are apart, 0 is in none
    std::vector<std::int8_t> monotone;    // per column: 1 if it raises the share of a class, or -1
    std::uint32_t ordered_class = 0;      // that class

    void check(std::size_t n_columns) const;
};

// What is known of one node's rules beside that.
struct NodeLimits {
    double low = 0;  // shares of the ordered class in its children
    double high = 1;
    std::optional<std::size_t> max_new;  // columns that are not used yet in a rule
    std::vector<std::uint32_t> used;     // columns
    std::vector<double> prices;          // per column, in the unit of the criterion; or none
    std::vector<std::uint32_t> closed;   // columns that its rules may not ask about

    void check(std::size_t n_columns) const;
};

// Limits over the questions of a pool.
struct QuestionLimits {
    std::vector<LinearLimit> linear;       // coefficients per question
    std::vector<std::uint32_t> column_of;  // at most one question of each column

    void check(std::size_t n_questions) const;
};

}  // namespace bsnsing
