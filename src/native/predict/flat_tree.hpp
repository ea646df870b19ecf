// A fitted tree as prediction reads it, and the columns it asks about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/number_view.hpp"

namespace bsnsing {

// A column of the table to predict: numbers (NaN missing) or level codes (-1 missing, codes past
// the fitted levels never seen). Columns that no question asks about need not be given.
struct ColumnView {
    NumberView cells;
    bool is_given = false;
};

// A fitted tree as flat arrays; node 0 is the root and a child of -1 marks a leaf.
struct FlatTree {
    std::vector<std::int32_t> yes;
    std::vector<std::int32_t> no;
    std::vector<std::uint8_t> operators;      // Operator per node
    std::vector<std::int32_t> first_literal;  // per node, and one past the end
    std::vector<std::int32_t> columns;        // per literal
    std::vector<std::uint8_t> tests;          // Test
    std::vector<double> values;
    std::vector<std::uint8_t> negated;
    std::vector<std::int32_t> first_level;  // per literal, and one past the end
    std::vector<std::int32_t> levels;       // ascending within a literal
    std::vector<std::int32_t> n_levels;     // per column, known at fit; -1: it has numbers
    std::vector<bool> has_missing;          // per column: whether it had missing cells at fit

    bool is_levels(std::size_t column) const { return n_levels[column] >= 0; }
    // Throws std::invalid_argument unless every index stays inside its array and every child
    // comes after its parent, so that a damaged model file cannot lead anywhere: not in circles
    // either.
    void check() const;
    // The same unless there are as many columns as at fit, and those asked about are given.
    void check_columns(std::span<const ColumnView> given) const;
};

}  // namespace bsnsing
