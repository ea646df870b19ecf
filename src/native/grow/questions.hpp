// The yes/no questions worth asking of a node's rows about one column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grow/columns.hpp"
#include "grow/groups.hpp"
#include "grow/node_table.hpp"

namespace bsnsing {

enum class Test : std::uint8_t { greater, less, equal, in, missing };

// Rows whose code lies in [low, high) answer yes; for `in`, those whose code is listed.
struct Question {
    std::uint32_t column = 0;
    Test test = Test::equal;
    double value = 0;  // threshold, value, or position of the level
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::vector<std::uint32_t> levels;
};

struct AskOptions {
    std::size_t n_segments = 20;
    std::size_t max_levels = 30;
    std::size_t max_values_as_levels = 10;
    double bin_size = 5;  // cases, in the unit of the weights
    // Thresholds for every class in turn, not for the target only: wherever the classes change.
    bool every_class = false;
    // Rules may negate questions: one question per threshold then serves both directions.
    bool negation = false;
};

// Appends the questions about one column, in a fixed order: `>` and `<` by threshold, `==`, `in`,
// `is missing`. Questions that all rows or none answer with yes are left out. The result depends
// on the cases per value only, not on the order of the rows.
void ask_column(const ColumnShape& column, std::uint32_t column_index, const NodeTable& node,
                std::uint32_t target_class, const AskOptions& options,
                std::vector<Question>& questions);
// The same of a node whose cases have been counted.
void ask_column(const ColumnShape& column, std::uint32_t column_index,
                const ClassHistogram& histogram, std::uint32_t target_class,
                const AskOptions& options, std::vector<Question>& questions);

}  // namespace bsnsing
