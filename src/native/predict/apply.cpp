#include "predict/apply.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "search/rule.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

bool answers_yes(const FlatTree& tree, std::size_t literal, const ColumnView& column,
                 std::size_t row) {
    const auto test = static_cast<Test>(tree.tests[literal]);
    const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(row) * column.stride;
    if (column.numbers != nullptr) {
        const double x = column.numbers[place];
        const double value = tree.values[literal];
        switch (test) {
            case Test::greater:
                return x > value;  // false for NaN, as are the next two
            case Test::less:
                return x < value;
            case Test::equal:
                return x == value;
            default:
                return std::isnan(x);
        }
    }
    const std::int32_t code = column.codes[place];
    if (test == Test::missing) return code < 0;
    const auto begin = tree.levels.begin() + tree.first_level[literal];
    const auto end = tree.levels.begin() + tree.first_level[literal + 1];
    return std::binary_search(begin, end, code);
}

bool holds(const FlatTree& tree, std::size_t node, std::span<const ColumnView> columns,
           std::size_t row) {
    const auto op = static_cast<Operator>(tree.operators[node]);
    const bool is_and = op == Operator::logical_and;
    bool result = is_and;
    const auto end = static_cast<std::size_t>(tree.first_literal[node + 1]);
    for (auto i = static_cast<std::size_t>(tree.first_literal[node]); i < end; ++i) {
        const auto column = static_cast<std::size_t>(tree.columns[i]);
        const bool yes = answers_yes(tree, i, columns[column], row) != (tree.negated[i] != 0);
        if (op == Operator::exclusive_or)
            result = result != yes;
        else if (yes != is_and)
            return yes;
    }
    return result;
}

void require(bool fact, const char* message) {
    if (!fact) throw std::invalid_argument(std::string("damaged tree: ") + message);
}

}  // namespace

void FlatTree::check(std::size_t n_columns) const {
    const std::size_t n_nodes = yes.size();
    const std::size_t n_literals = columns.size();
    require(n_nodes > 0 && no.size() == n_nodes && operators.size() == n_nodes &&
                first_literal.size() == n_nodes + 1,
            "arrays per node differ in length");
    require(tests.size() == n_literals && values.size() == n_literals &&
                negated.size() == n_literals && first_level.size() == n_literals + 1,
            "arrays per question differ in length");
    const auto is_inside = [](std::int32_t i, std::size_t n) {
        return i >= 0 && static_cast<std::size_t>(i) < n;
    };
    require(
        first_literal[0] == 0 && first_literal[n_nodes] == static_cast<std::int64_t>(n_literals),
        "questions do not belong to nodes");
    require(
        first_level[0] == 0 && first_level[n_literals] == static_cast<std::int64_t>(levels.size()),
        "levels do not belong to questions");
    require(std::is_sorted(first_literal.begin(), first_literal.end()) &&
                std::is_sorted(first_level.begin(), first_level.end()),
            "places are out of order");
    for (std::size_t i = 0; i < n_nodes; ++i) {
        require((yes[i] < 0) == (no[i] < 0), "a node has one child");
        if (yes[i] < 0) continue;
        const auto self = static_cast<std::int64_t>(i);
        require(is_inside(yes[i], n_nodes) && is_inside(no[i], n_nodes) && yes[i] > self &&
                    no[i] > self,
                "a child does not come after its parent");
        require(operators[i] <= static_cast<std::uint8_t>(Operator::exclusive_or),
                "unknown operator");
    }
    for (std::size_t i = 0; i < n_literals; ++i)
        require(is_inside(columns[i], n_columns) &&
                    tests[i] <= static_cast<std::uint8_t>(Test::missing),
                "a question asks about no column");
}

void apply_tree(const FlatTree& tree, std::span<const ColumnView> columns, std::size_t n_rows,
                std::size_t n_threads, std::int64_t* leaves) {
    constexpr std::size_t kChunk = 8192;
    const std::size_t n_chunks = (n_rows + kChunk - 1) / kChunk;
    parallel_for(n_chunks, n_threads, [&](std::size_t chunk, std::size_t) {
        const std::size_t end = std::min(n_rows, (chunk + 1) * kChunk);
        for (std::size_t row = chunk * kChunk; row < end; ++row) {
            std::size_t node = 0;
            while (tree.yes[node] >= 0)
                node = static_cast<std::size_t>(holds(tree, node, columns, row) ? tree.yes[node]
                                                                                : tree.no[node]);
            leaves[row] = static_cast<std::int64_t>(node);
        }
    });
}

}  // namespace bsnsing
