// From questions to bit columns: the answers of a node's rows.
#pragma once

#include <span>
#include <vector>

#include "bits/bit_blocks.hpp"
#include "grow/node_table.hpp"
#include "grow/questions.hpp"

namespace bsnsing {

// Quickest where questions about one column stand next to each other. Uses `memory` if it is large
// enough.
BitBlocks answer_questions(const ColumnSchema& columns, std::span<const Question> questions,
                           const NodeTable& node, std::size_t n_threads,
                           UnfilledVector<Word> memory = {});

}  // namespace bsnsing
