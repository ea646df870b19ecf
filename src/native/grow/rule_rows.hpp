// The rows of a node that answer yes to a rule.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grow/answers.hpp"
#include "grow/chooser.hpp"
#include "work/watch.hpp"

namespace bsnsing {

// As a bit column.
AlignedVector<Word> rows_of_rule(const ColumnSchema& columns, const NodeTable& node,
                                 const NodeRule& rule, std::size_t n_threads);

// Cases per class of a bit column.
std::vector<double> count_rows(const RowLayout& layout, const AlignedVector<Word>& rows);

// Cases that answer yes by rule and class: entry (rule r, class j) is [r * n_classes + j].
// Incomplete if stopped.
std::vector<std::int64_t> count_rules(const ColumnSchema& columns, const NodeTable& node,
                                      std::span<const NodeRule> rules, std::size_t n_threads,
                                      Watch& watch);

}  // namespace bsnsing
