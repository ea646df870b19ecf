// From rows to leaves, or to the nodes whose rule a row's cells leave open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "predict/flat_tree.hpp"

namespace bsnsing {

// Writes the node that each row ends in; tree and columns must have been checked.
//
// Where a column had missing cells at fit, a missing cell says no to every question but
// Test::missing. Elsewhere its answer is unknown, as is that of a level never seen; Test::missing
// itself is never unknown. A rule is unknown unless its known answers settle it whatever the
// others would be (Kleene's logic), and a row whose rule is unknown ends there. All others end in
// leaves.
void apply_tree(const FlatTree& tree, std::span<const ColumnView> columns, std::size_t n_rows,
                std::size_t n_threads, std::int64_t* ends);

}  // namespace bsnsing
