// Questions, rules and accounts as plain tuples: how they cross the binding.
#pragma once

#include <tuple>

#include "bindings/arrays.hpp"
#include "grow/chooser.hpp"

namespace bsnsing {

// (column, test, value, levels)
using QuestionFields = std::tuple<std::int64_t, int, double, std::vector<std::int64_t>>;
// (questions, negated, operator)
using CodedRule = std::tuple<std::vector<QuestionFields>, std::vector<bool>, int>;
// (is_worthwhile, questions, negated, operator, left, value, bound, optimal, n_counted, n_excluded,
// seconds, given)
using Account =
    std::tuple<bool, std::vector<QuestionFields>, std::vector<bool>, int, std::vector<double>,
               double, double, bool, double, double, double, std::vector<std::int64_t>>;

std::vector<QuestionFields> to_fields(std::span<const Question> questions,
                                      const ColumnSchema& columns);
CodedRule to_coded(const NodeRule& rule, const ColumnSchema& columns);
// Without a rule, the account still tells whether that is proven.
Account to_account(const NodeSplit& split, const ColumnSchema& columns);

// These throw std::invalid_argument for fields that make no question or rule.
std::vector<Question> from_fields(const std::vector<QuestionFields>& fields,
                                  const ColumnSchema& columns);
NodeRule from_coded(const CodedRule& coded, const ColumnSchema& columns);

// Calls convert(item) for each.
template <class Items, class Convert>
auto convert_all(const Items& items, const Convert& convert) {
    std::vector<decltype(convert(*items.begin()))> converted;
    converted.reserve(items.size());
    for (const auto& item : items) converted.push_back(convert(item));
    return converted;
}

// Nodes, columns and classes as users name them; a negative number names none.
std::size_t to_position(std::int64_t number, const char* what);
std::uint32_t to_code(std::int64_t number, const char* what);
std::vector<std::size_t> to_nodes(const std::vector<std::int64_t>& numbers);

}  // namespace bsnsing
