// Growing one tree of a forest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "forest/codes.hpp"
#include "forest/tree.hpp"
#include "work/watch.hpp"

namespace bsnsing {

// What a forest learns from. Weights are whole numbers; draws of them are less than 2^31 in sum.
struct ForestCases {
    CodeMatrix codes;
    std::span<const std::int32_t> labels;
    std::span<const std::uint32_t> weights;
    std::size_t n_classes;
    std::span<const std::uint32_t> order;  // all rows; of more than two classes, class after class
};

struct TreeOptions {
    bool is_random;         // one cut by chance of each column that is tried, not the best one
    std::size_t n_columns;  // tried at each node; more until one can be cut
    std::size_t n_draws;    // of rows, with replacement
    std::uint64_t seed;
    std::uint64_t number;  // of the tree in its forest
};

// Grows it until nodes are of one class or cannot be cut. Ends early, with any tree, when the
// watch stops.
ForestTree grow_forest_tree(const ForestCases& cases, const TreeOptions& options, Watch& watch);

}  // namespace bsnsing
