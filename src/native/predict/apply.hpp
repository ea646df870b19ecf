// From rows to leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bits/number_view.hpp"
#include "grow/questions.hpp"

namespace bsnsing {

// A fitted tree as flat arrays; node 0 is the root and a child of -1 marks a leaf.
struct FlatTree {
    std::span<const std::int32_t> yes;
    std::span<const std::int32_t> no;
    std::span<const std::uint8_t> operators;      // Operator per node
    std::span<const std::int32_t> first_literal;  // per node, and one past the end
    std::span<const std::int32_t> columns;        // per literal
    std::span<const std::uint8_t> tests;          // Test
    std::span<const double> values;
    std::span<const std::uint8_t> negated;
    std::span<const std::int32_t> first_level;  // per literal, and one past the end
    std::span<const std::int32_t> levels;       // ascending within a literal

    // Throws std::invalid_argument unless every index stays inside its array and every child
    // comes after its parent, so that a damaged model file cannot lead anywhere.
    void check(std::size_t n_columns) const;
};

// A column of the table to predict: numbers (NaN missing) or level codes (-1 missing, codes past
// the fitted levels never seen). Columns that no question asks about need no data.
struct ColumnView {
    NumberView cells;
    bool is_levels = false;
};

// Writes each row's leaf.
void apply_tree(const FlatTree& tree, std::span<const ColumnView> columns, std::size_t n_rows,
                std::size_t n_threads, std::int64_t* leaves);

}  // namespace bsnsing
