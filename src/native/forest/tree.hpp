// One tree of a forest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/codes.hpp"

namespace bsnsing {

// Where rows of a node go: codes up to `last` to the left child, the others to the right one, which
// comes next. A leaf leads to itself.
struct ForestNode {
    std::uint32_t column = 0;
    std::uint32_t left = 0;
    std::uint8_t last = 255;
    std::uint8_t shift = 0;  // added to codes first: 1 makes the code of missing cells the least

    std::uint32_t next(std::uint8_t code) const {
        return left + static_cast<std::uint32_t>(static_cast<std::uint8_t>(code + shift) > last);
    }
};

// Node 0 is the root, and children come after their parents.
struct ForestTree {
    std::vector<ForestNode> nodes;
    std::vector<std::uint32_t> parent;  // the root is its own
    std::vector<std::uint32_t> n_rows;  // that the tree was grown on, each counted once
    std::vector<double> gain;           // what a node's cut saves of its Gini impurity, in cases
    std::vector<float> shares;          // of the classes of a node, node after node
    std::vector<bool> is_drawn;         // per row of the table, whether the tree may know it

    bool is_leaf(std::uint32_t node) const { return nodes[node].left == node; }
    void add_node(std::uint32_t of_parent, std::uint32_t n_node_rows) {
        const auto self = static_cast<std::uint32_t>(nodes.size());
        nodes.push_back({.left = self});
        parent.push_back(of_parent);
        n_rows.push_back(n_node_rows);
        gain.push_back(0);
    }

    // The nearest node from here up that has so many rows; at last the root.
    std::uint32_t nearest(std::uint32_t node, std::uint32_t least_rows) const {
        while (n_rows[node] < least_rows && node != 0) node = parent[node];
        return node;
    }

    // Makes leaves of all nodes of fewer rows, each with the shares of its nearest node.
    void cut_back(std::uint32_t least_rows);

    // The leaves of some rows of a table of codes, which has `width` codes per row.
    void find_leaves(const std::uint8_t* cells, std::size_t width,
                     std::span<const std::uint32_t> rows, std::uint32_t* leaves) const;
};

}  // namespace bsnsing
