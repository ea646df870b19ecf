// A forest of random and extremely random trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/codes.hpp"
#include "forest/tree.hpp"
#include "work/watch.hpp"

namespace bsnsing {

struct ForestOptions {
    std::size_t n_best_trees;    // with the best cut of each column that is tried ...
    std::size_t n_best_columns;  // ... at each node
    std::size_t n_random_trees;  // with one cut by chance of each column that is tried ...
    std::size_t n_random_columns;
    std::size_t n_draws;
    std::uint64_t seed;
};

// Labels below n_classes, and weights or none.
struct ForestLabels {
    std::span<const std::int32_t> labels;
    std::span<const double> weights;
    std::size_t n_classes;
};

class Forest {
  public:
    // The result does not depend on the number of threads; when interrupted, it is of no use.
    Forest(const CodeMatrix& codes, const ForestLabels& labels, const ForestOptions& options,
           std::size_t n_threads, Interrupt& interrupt);

    // Of trees that were stored, which know no rows: it can predict, and no more. Throws
    // std::invalid_argument if one is damaged.
    Forest(std::size_t n_classes, std::size_t n_columns, std::vector<ForestTree> trees);

    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_columns() const { return n_columns_; }
    std::span<const ForestTree> trees() const { return trees_; }

    // Mean shares of each row, of the first rows the forest was grown on, by the trees that did not
    // draw it, cut back to each of the leaf sizes (ascending): sizes x rows x classes. Zeros where
    // all trees drew it.
    std::vector<double> out_of_bag(const CodeMatrix& codes,
                                   std::span<const std::uint32_t> leaf_rows, std::size_t n_threads,
                                   Interrupt& interrupt) const;
    // From here on leaves have at least `leaf_rows` rows.
    void cut_back(std::uint32_t leaf_rows);
    // Mean shares by all trees: rows x classes.
    std::vector<double> predict(const CodeMatrix& codes, std::size_t n_threads,
                                Interrupt& interrupt) const;
    // Share of each column in the Gini impurity that a tree saves, mean of the trees.
    std::vector<double> importances() const;

  private:
    std::size_t n_classes_;
    std::size_t n_columns_;
    std::vector<ForestTree> trees_;
};

}  // namespace bsnsing
