#include "forest/grow.hpp"

#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "forest/cuts.hpp"
#include "forest/random.hpp"
#include "forest/sums.hpp"

namespace bsnsing {
namespace {

// Rows of a node are a range of one list, which cuts part in place; their order stays.
template <class Buckets>
class TreeGrower {
  public:
    using Sums = Buckets::Sums;

    TreeGrower(const ForestCases& cases, const TreeOptions& options)
        : cases_(cases),
          options_(options),
          random_(options.seed, options.number),
          columns_(cases.codes.n_columns),
          sums_(cases.n_classes),
          finder_(cases.n_classes) {
        std::iota(columns_.begin(), columns_.end(), 0U);
        tree_.shares = NodeShares(cases.n_classes);
        if (!tree_.shares.is_dense()) place_of_.resize(cases.n_classes);
    }

    ForestTree grow(Watch& watch) {
        constexpr std::size_t kMany = 2000;  // rows that take long enough to look at the clock
        draw_rows();
        std::vector<Open> open = {{0, 0, rows_.size()}};
        tree_.add_node(0, static_cast<std::uint32_t>(rows_.size()));
        while (!open.empty()) {
            const Open node = open.back();
            open.pop_back();
            if (node.end - node.begin > kMany && watch.check()) break;
            read_cases(node);
            if (const Cut cut = find_cut(node); cut.purity >= 0) {
                const std::size_t middle = part_rows(node, cut);
                const std::uint32_t left = add_children(node, middle, cut);
                open.push_back({left + 1, middle, node.end});
                open.push_back({left, node.begin, middle});
            }
        }
        tree_.shares.finish(tree_.nodes.size());
        return std::move(tree_);
    }

  private:
    struct Open {
        std::uint32_t node;
        std::size_t begin;
        std::size_t end;
    };

    // Rows of no weight take part in the draw, and in nothing else.
    void draw_rows() {
        const auto n_rows = static_cast<std::uint32_t>(cases_.codes.n_rows);
        std::vector<std::uint32_t> n_times(n_rows);
        for (std::size_t i = 0; i < options_.n_draws; ++i) ++n_times[random_.below(n_rows)];
        tree_.is_drawn.resize(n_rows);
        amount_of_.resize(n_rows);
        for (const std::uint32_t row : cases_.order) {
            if (n_times[row] == 0) continue;
            tree_.is_drawn[row] = true;
            const std::uint32_t weight = n_times[row] * cases_.weights[row];
            if (weight == 0) continue;
            amount_of_[row] = Sums::amount(static_cast<std::uint32_t>(cases_.labels[row]), weight);
            rows_.push_back(row);
        }
        amounts_.resize(rows_.size());
        right_rows_.resize(rows_.size());
    }

    std::span<std::uint32_t> rows_of(const Open& node) {
        return std::span(rows_).subspan(node.begin, node.end - node.begin);
    }

    // What the rows of a node add up to; the tree keeps the shares of the classes.
    void read_cases(const Open& node) {
        const std::span<const std::uint32_t> rows = rows_of(node);
        if constexpr (std::is_same_v<Sums, ManyClassSums>)
            if (!tree_.shares.is_dense()) return read_present_classes(node, rows);
        sums_.sum_up(rows.size(), [&](std::size_t i) { return amounts_[i] = amount_of_[rows[i]]; });
        float* shares = tree_.shares.dense(node.node);
        if (rows.empty()) return;
        for (std::size_t c = 0; c < cases_.n_classes; ++c) shares[c] = share(c);
    }

    // The same of many classes: those of the node are numbered anew, so that a node of few rows
    // takes no longer where there are more classes elsewhere.
    void read_present_classes(const Open& node, std::span<const std::uint32_t> rows) {
        present_.clear();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Amount amount = amount_of_[rows[i]];
            const std::uint32_t label = Sums::label_of(amount);
            std::uint32_t& place = place_of_[label];
            if (place >= present_.size() || present_[place] != label) {
                place = static_cast<std::uint32_t>(present_.size());
                present_.push_back(label);
            }
            amounts_[i] = Sums::amount(place, Sums::weight_of(amount));
        }
        sums_.set_classes(present_.size());
        sums_.sum_up(rows.size(), [&](std::size_t i) { return amounts_[i]; });
        tree_.shares.begin(node.node);
        for (std::size_t c = 0; c < present_.size(); ++c)
            tree_.shares.add(node.node, present_[c], share(c));
    }

    float share(std::size_t class_index) const {
        return static_cast<float>(static_cast<double>(sums_.weight(class_index)) /
                                  static_cast<double>(sums_.total()));
    }

    // The best cut of some columns, drawn by chance.
    Cut find_cut(const Open& node) {
        Cut best;
        if (sums_.squares() == sums_.total() * sums_.total()) return best;  // one class, or none
        const std::span<const std::uint32_t> rows = rows_of(node);
        const NodeCases<Sums> cases{rows, std::span(amounts_).first(rows.size()), sums_};
        const std::size_t n_columns = columns_.size();
        for (std::size_t i = 0; i < n_columns; ++i) {
            if (i >= options_.n_columns && best.purity >= 0) break;
            std::swap(columns_[i],
                      columns_[i + random_.below(static_cast<std::uint32_t>(n_columns - i))]);
            const std::uint32_t column = columns_[i];
            const std::uint8_t* codes = cases_.codes.column(column);
            if (options_.is_random)
                finder_.try_one(cases, codes, column, random_, best);
            else
                finder_.try_all(cases, codes, column, best);
        }
        return best;
    }

    // Puts the rows that go left first; returns where the others begin.
    std::size_t part_rows(const Open& node, const Cut& cut) {
        const std::span<std::uint32_t> rows = rows_of(node);
        const std::uint8_t* codes = cases_.codes.column(cut.column);
        const ForestNode way = to_node(cut, 0);
        std::size_t n_left = 0;
        std::size_t n_right = 0;
        for (const std::uint32_t row : rows) {  // without branches: either way is hard to foresee
            const std::size_t is_right = way.next(codes[row]);
            rows[n_left] = row;
            right_rows_[n_right] = row;
            n_left += 1 - is_right;
            n_right += is_right;
        }
        std::copy_n(right_rows_.begin(), n_right,
                    rows.begin() + static_cast<std::ptrdiff_t>(n_left));
        return node.begin + n_left;
    }

    std::uint32_t add_children(const Open& node, std::size_t middle, Cut cut) {
        const auto left = static_cast<std::uint32_t>(tree_.nodes.size());
        const std::size_t n_left = middle - node.begin;
        const std::size_t n_right = node.end - middle;
        // Where the node has no missing cells, those of other rows go where most rows go.
        if (!cut.has_missing) cut.is_missing_left = n_left > n_right;
        tree_.nodes[node.node] = to_node(cut, left);
        tree_.gain[node.node] = cut.purity - purity(sums_);
        tree_.add_node(node.node, static_cast<std::uint32_t>(n_left));
        tree_.add_node(node.node, static_cast<std::uint32_t>(n_right));
        return left;
    }

    static ForestNode to_node(const Cut& cut, std::uint32_t left) {
        const std::uint8_t shift = cut.is_missing_left ? 1 : 0;
        return {cut.column, left, static_cast<std::uint8_t>(cut.last + shift), shift};
    }

    const ForestCases& cases_;
    const TreeOptions& options_;
    Random random_;
    ForestTree tree_;
    std::vector<std::uint32_t> columns_;  // all, those drawn last in front
    std::vector<std::uint32_t> rows_;
    std::vector<std::uint32_t> right_rows_;
    std::vector<Amount> amount_of_;  // per row of the table
    std::vector<Amount> amounts_;    // per row of the node that is looked at, as is sums_
    Sums sums_;
    std::vector<std::uint32_t> present_;   // classes of that node, where there are many ...
    std::vector<std::uint32_t> place_of_;  // ... and per class where it is among these, if it is
    CutFinder<Buckets> finder_;
};

}  // namespace

ForestTree grow_forest_tree(const ForestCases& cases, const TreeOptions& options, Watch& watch) {
    if (cases.n_classes <= 2) return TreeGrower<TwoClassBuckets>(cases, options).grow(watch);
    return TreeGrower<ManyClassBuckets>(cases, options).grow(watch);
}

}  // namespace bsnsing
