// From rows to leaves, or to the nodes whose rule a row's cells leave open; and both ways from
// there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "predict/flat_tree.hpp"

namespace bsnsing {

// Writes the node that each row ends in, and returns the rows, ascending, whose end is no leaf;
// tree and columns must have been checked.
//
// Where a column had missing cells at fit, a missing cell says no to every question but
// Test::missing. Elsewhere its answer is unknown, as is that of a level never seen; Test::missing
// itself is never unknown. A rule is unknown unless its known answers settle it whatever the
// others would be (Kleene's logic), and a row whose rule is unknown ends there. All others end in
// leaves.
std::vector<std::int64_t> apply_tree(const FlatTree& tree, std::span<const ColumnView> columns,
                                     std::size_t n_rows, std::size_t n_threads, std::int64_t* ends);

// What nodes hold for the rows that end in them.
struct NodeValues {
    std::span<const double> values;  // n_values of each node, of which those of leaves are read
    std::size_t n_values = 0;
    std::span<const double> yes_share;  // per node: what its yes child counts; the other the rest
};

// Writes the values of each of `rows` if from its start it goes both ways wherever its rule is
// unknown: those of its leaf, or the mean of what it gets below both children, each counting by its
// share: no + share * (yes - no). So written, the mean of equals is the same number, and means of
// values from 0 to 1 stay there, however they are rounded.
void mix_leaves(const FlatTree& tree, std::span<const ColumnView> columns,
                std::span<const std::int64_t> rows, std::span<const std::int64_t> starts,
                const NodeValues& held, std::size_t n_threads, double* out);

}  // namespace bsnsing
