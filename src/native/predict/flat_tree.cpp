#include "predict/flat_tree.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "grow/questions.hpp"
#include "search/rule.hpp"

namespace bsnsing {
namespace {

void require(bool fact, const char* message) {
    if (!fact) throw std::invalid_argument(std::string("damaged tree: ") + message);
}

}  // namespace

void FlatTree::check() const {
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
    require(has_missing.size() == n_levels.size(), "arrays per column differ in length");
    for (std::size_t i = 0; i < n_literals; ++i) {
        require(is_inside(columns[i], n_levels.size()) &&
                    tests[i] <= static_cast<std::uint8_t>(Test::missing),
                "a question asks about no column");
        require(static_cast<Test>(tests[i]) != Test::in ||
                    is_levels(static_cast<std::size_t>(columns[i])),
                "a question asks about levels of a column that has numbers");
    }
}

void FlatTree::check_columns(std::span<const ColumnView> given) const {
    if (given.size() != n_levels.size())
        throw std::invalid_argument("the tree knows " + std::to_string(n_levels.size()) +
                                    " columns, not " + std::to_string(given.size()));
    for (const std::int32_t column : columns)
        if (!given[static_cast<std::size_t>(column)].is_given)
            throw std::invalid_argument("the tree asks about column " + std::to_string(column) +
                                        ", which is not given");
}

}  // namespace bsnsing
