// From questions to bit columns: the answers of a node's rows.
#pragma once

#include <span>
#include <vector>

#include "bits/bit_blocks.hpp"
#include "grow/node_table.hpp"
#include "grow/questions.hpp"

namespace bsnsing {

// Questions about one column must stand next to each other. Uses `memory` if it is large enough.
BitBlocks answer_questions(std::span<const EncodedColumn> columns,
                           std::span<const Question> questions, const NodeTable& node,
                           std::size_t n_threads, UnfilledVector<Word> memory = {});

}  // namespace bsnsing
