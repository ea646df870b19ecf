#include "forest/forest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "forest/grow.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// Weights as whole numbers: times a power of two, so that no tree draws more than 2^30 in all.
std::vector<std::uint32_t> whole_weights(std::span<const double> weights, std::size_t n_rows,
                                         std::size_t n_draws) {
    constexpr int kMostBits = 30;
    if (weights.empty()) return std::vector<std::uint32_t>(n_rows, 1);
    int bits_of_greatest = 0;
    int bits_of_draws = 0;
    std::frexp(*std::max_element(weights.begin(), weights.end()), &bits_of_greatest);
    std::frexp(static_cast<double>(n_draws), &bits_of_draws);
    const int shift = kMostBits - bits_of_greatest - bits_of_draws;
    std::vector<std::uint32_t> whole(n_rows);
    std::transform(weights.begin(), weights.end(), whole.begin(), [&](double weight) {
        return static_cast<std::uint32_t>(std::nearbyint(std::ldexp(weight, shift)));
    });
    return whole;
}

// Rows as they are or, of more than two classes, class after class: see ManyClassSums.
std::vector<std::uint32_t> row_order(const ForestLabels& labels) {
    std::vector<std::uint32_t> order(labels.labels.size());
    std::iota(order.begin(), order.end(), 0U);
    if (labels.n_classes > 2)
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return labels.labels[a] < labels.labels[b];
        });
    return order;
}

// Some rows of a table, row after row, as walking down a tree wants them.
class RowBlock {
  public:
    void read(const CodeMatrix& codes, std::size_t first, std::size_t n_rows) {
        width = codes.n_columns;
        cells.resize(n_rows * width);
        for (std::size_t c = 0; c < width; ++c)
            for (std::size_t i = 0; i < n_rows; ++i)
                cells[i * width + c] = codes.column(c)[first + i];
    }

    std::size_t width = 0;
    std::vector<std::uint8_t> cells;
    std::vector<std::uint32_t> rows;    // of the block, to be led down a tree ...
    std::vector<std::uint32_t> leaves;  // ... and where they end
};

// Calls work(block, first row, number of rows) for blocks of rows, on several threads.
template <class Work>
void for_each_block(const CodeMatrix& codes, std::size_t n_threads, Interrupt& interrupt,
                    const Work& work) {
    // Few enough to stay in the cache, enough to read each tree seldom.
    constexpr std::size_t kCells = std::size_t{1} << 17U;
    const std::size_t size =
        std::clamp<std::size_t>(kCells / std::max<std::size_t>(1, codes.n_columns), 64, 4096);
    const std::size_t n_blocks = (codes.n_rows + size - 1) / size;
    n_threads = useful_threads(n_threads, n_blocks);
    std::vector<RowBlock> memory(n_threads);
    Watch watch(interrupt, kNoLimit);
    parallel_for(
        n_blocks, n_threads,
        [&](std::size_t number, std::size_t thread) {
            if (watch.check()) return;
            const std::size_t first = number * size;
            const std::size_t n_rows = std::min(size, codes.n_rows - first);
            RowBlock& block = memory[thread];
            block.read(codes, first, n_rows);
            work(block, first, n_rows);
        },
        [&] { watch.check(); });
}

// Makes the sums of a row sum up to one, unless they are zeros.
void normalize(double* sums, std::size_t n_classes) {
    const double total = std::accumulate(sums, sums + n_classes, 0.0);
    if (total > 0)
        for (std::size_t c = 0; c < n_classes; ++c) sums[c] /= total;
}

}  // namespace

Forest::Forest(const CodeMatrix& codes, const ForestLabels& labels, const ForestOptions& options,
               std::size_t n_threads, Interrupt& interrupt)
    : n_classes_(labels.n_classes),
      n_columns_(codes.n_columns),
      trees_(options.n_best_trees + options.n_random_trees) {
    const std::vector<std::uint32_t> weights =
        whole_weights(labels.weights, codes.n_rows, options.n_draws);
    const std::vector<std::uint32_t> order = row_order(labels);
    const ForestCases cases{codes, labels.labels, weights, labels.n_classes, order};
    Watch watch(interrupt, kNoLimit);
    parallel_for(
        trees_.size(), n_threads,
        [&](std::size_t number, std::size_t) {
            if (watch.check()) return;
            const bool is_random = number >= options.n_best_trees;
            const TreeOptions of_tree{is_random,
                                      is_random ? options.n_random_columns : options.n_best_columns,
                                      options.n_draws, options.seed, number};
            trees_[number] = grow_forest_tree(cases, of_tree, watch);
        },
        [&] { watch.check(); });
}

Forest::Forest(std::size_t n_classes, std::size_t n_columns, std::vector<ForestTree> trees)
    : n_classes_(n_classes), n_columns_(n_columns), trees_(std::move(trees)) {
    for (const ForestTree& tree : trees_)
        if (!tree.is_sound(n_columns)) throw std::invalid_argument("damaged tree of a forest");
}

std::vector<double> Forest::out_of_bag(const CodeMatrix& codes,
                                       std::span<const std::uint32_t> leaf_rows,
                                       std::size_t n_threads, Interrupt& interrupt) const {
    const std::size_t per_size = codes.n_rows * n_classes_;
    std::vector<double> sums(leaf_rows.size() * per_size);
    for_each_block(
        codes, n_threads, interrupt, [&](RowBlock& block, std::size_t first, std::size_t n_rows) {
            for (const ForestTree& tree : trees_) {
                block.rows.clear();
                for (std::uint32_t i = 0; i < n_rows; ++i)
                    if (!tree.is_drawn[first + i]) block.rows.push_back(i);
                block.leaves.resize(block.rows.size());
                tree.find_leaves(block.cells.data(), block.width, block.rows, block.leaves.data());
                for (std::size_t i = 0; i < block.rows.size(); ++i) {
                    std::uint32_t node = block.leaves[i];
                    for (std::size_t s = 0; s < leaf_rows.size(); ++s) {
                        node = tree.nearest(node, leaf_rows[s]);
                        tree.shares.add_to(
                            &sums[s * per_size + (first + block.rows[i]) * n_classes_], node);
                    }
                }
            }
        });
    for (std::size_t i = 0; i < leaf_rows.size() * codes.n_rows; ++i)
        normalize(&sums[i * n_classes_], n_classes_);
    return sums;
}

void Forest::cut_back(std::uint32_t leaf_rows) {
    for (ForestTree& tree : trees_) tree.cut_back(leaf_rows);
}

std::vector<double> Forest::predict(const CodeMatrix& codes, std::size_t n_threads,
                                    Interrupt& interrupt) const {
    std::vector<double> sums(codes.n_rows * n_classes_);
    for_each_block(
        codes, n_threads, interrupt, [&](RowBlock& block, std::size_t first, std::size_t n_rows) {
            block.rows.resize(n_rows);
            std::iota(block.rows.begin(), block.rows.end(), 0U);
            block.leaves.resize(n_rows);
            for (const ForestTree& tree : trees_) {
                tree.find_leaves(block.cells.data(), block.width, block.rows, block.leaves.data());
                for (std::size_t i = 0; i < n_rows; ++i)
                    tree.shares.add_to(&sums[(first + i) * n_classes_], block.leaves[i]);
            }
            for (std::size_t i = 0; i < n_rows; ++i)
                normalize(&sums[(first + i) * n_classes_], n_classes_);
        });
    return sums;
}

std::vector<double> Forest::importances() const {
    std::vector<double> sums(n_columns_);
    std::vector<double> gains(n_columns_);
    for (const ForestTree& tree : trees_) {
        double total = 0;
        for (std::uint32_t node = 0; node < tree.nodes.size(); ++node) {
            if (tree.gain[node] == 0) continue;
            gains[tree.nodes[node].column] += tree.gain[node];
            total += tree.gain[node];
        }
        for (std::size_t c = 0; c < n_columns_; ++c)
            if (total > 0) sums[c] += gains[c] / total;
        std::fill(gains.begin(), gains.end(), 0.0);
    }
    normalize(sums.data(), n_columns_);
    return sums;
}

}  // namespace bsnsing
