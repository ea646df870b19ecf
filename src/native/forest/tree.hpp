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

// Shares of the classes at each node of a tree: of few classes all of them, of many only those that
// are there, since most nodes have few rows.
class NodeShares {
  public:
    static constexpr std::size_t kFewClasses = 8;

    explicit NodeShares(std::size_t n_classes = 0) : n_classes_(n_classes) {}

    bool is_dense() const { return n_classes_ <= kFewClasses; }
    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_nodes() const {
        return is_dense() ? shares_.size() / n_classes_ : of_node_.size();
    }
    // Where the shares of a node are to be written, of few classes.
    float* dense(std::uint32_t node) {
        const std::size_t end = (std::size_t{node} + 1) * n_classes_;
        if (shares_.size() < end) shares_.resize(2 * end);
        return shares_.data() + end - n_classes_;
    }
    // The next node whose shares are added, of many classes.
    void begin(std::uint32_t node) {
        if (of_node_.size() <= node) of_node_.resize(2 * (std::size_t{node} + 1));
        of_node_[node] = {shares_.size(), shares_.size()};
    }
    void add(std::uint32_t node, std::uint32_t class_index, float share) {
        classes_.push_back(class_index);
        shares_.push_back(share);
        of_node_[node].end = shares_.size();
    }
    // What a node says, class by class: of few classes or many.
    void set(std::uint32_t node, std::span<const std::uint32_t> classes,
             std::span<const float> shares) {
        if (!is_dense()) begin(node);
        for (std::size_t i = 0; i < classes.size(); ++i) {
            if (is_dense())
                dense(node)[classes[i]] = shares[i];
            else
                add(node, classes[i], shares[i]);
        }
    }
    // Adds the classes that are there, and their shares.
    void append_to(std::uint32_t node, std::vector<std::uint32_t>& classes,
                   std::vector<float>& shares) const {
        if (!is_dense()) {
            const auto [begin, end] = of_node_[node];
            for (std::size_t i = begin; i < end; ++i) {
                classes.push_back(classes_[i]);
                shares.push_back(shares_[i]);
            }
            return;
        }
        const float* own = shares_.data() + std::size_t{node} * n_classes_;
        for (std::uint32_t c = 0; c < n_classes_; ++c) {
            if (own[c] == 0.0F) continue;
            classes.push_back(c);
            shares.push_back(own[c]);
        }
    }
    // Every node of the tree has shares from here on: zeros where none were given.
    void finish(std::size_t n_nodes) {
        if (is_dense())
            shares_.resize(n_nodes * n_classes_);
        else
            of_node_.resize(n_nodes);
    }

    // A node says what another one says.
    void repeat(std::uint32_t node, std::uint32_t other) {
        if (is_dense())
            std::copy_n(shares_.begin() + static_cast<std::ptrdiff_t>(other * n_classes_),
                        n_classes_,
                        shares_.begin() + static_cast<std::ptrdiff_t>(node * n_classes_));
        else
            of_node_[node] = of_node_[other];
    }
    void add_to(double* sums, std::uint32_t node) const {
        if (is_dense()) {
            const float* own = shares_.data() + std::size_t{node} * n_classes_;
            for (std::size_t c = 0; c < n_classes_; ++c) sums[c] += double{own[c]};
            return;
        }
        const auto [begin, end] = of_node_[node];
        for (std::size_t i = begin; i < end; ++i) sums[classes_[i]] += double{shares_[i]};
    }

  private:
    struct Range {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    std::size_t n_classes_;
    std::vector<float> shares_;
    std::vector<std::uint32_t> classes_;  // of many classes, whose share each is ...
    std::vector<Range> of_node_;          // ... and where those of a node are
};

// Node 0 is the root, and children come after their parents.
struct ForestTree {
    std::vector<ForestNode> nodes;
    std::vector<std::uint32_t> parent;  // the root is its own
    std::vector<std::uint32_t> n_rows;  // that the tree was grown on, each counted once
    std::vector<double> gain;           // what a node's cut saves of its Gini impurity, in cases
    NodeShares shares;                  // of the classes of a node
    std::vector<bool> is_drawn;         // per row of the table, whether the tree may know it

    bool is_leaf(std::uint32_t node) const { return nodes[node].left == node; }
    void add_node(std::uint32_t of_parent, std::uint32_t n_node_rows) {
        const auto self = static_cast<std::uint32_t>(nodes.size());
        nodes.push_back({.left = self});
        parent.push_back(of_parent);
        n_rows.push_back(n_node_rows);
        gain.push_back(0);
    }

    // The nearest node from here up that has at least `least_rows` rows; at last the root.
    std::uint32_t nearest(std::uint32_t node, std::uint32_t least_rows) const {
        while (n_rows[node] < least_rows && node != 0) node = parent[node];
        return node;
    }

    // Makes leaves of all nodes of fewer rows, each with the shares of its nearest node.
    void cut_back(std::uint32_t least_rows);

    // The nodes that rows can come to, and no more than predictions need.
    ForestTree reached() const;
    // Whether all leads to nodes and columns that are there, and on: a tree that was stored may be
    // damaged.
    bool is_sound(std::size_t n_columns) const;

    // The leaves of some rows of a table of codes, which has `width` codes per row.
    void find_leaves(const std::uint8_t* cells, std::size_t width,
                     std::span<const std::uint32_t> rows, std::uint32_t* leaves) const;
};

}  // namespace bsnsing
