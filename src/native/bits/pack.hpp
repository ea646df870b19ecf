// From a 0/1 matrix to bit blocks.
#pragma once

#include <cstdint>

#include "bits/bit_blocks.hpp"
#include "bits/row_order.hpp"

namespace bsnsing {

// `answers` is row-major, n_rows x n_questions; throws std::invalid_argument for a value that is
// neither 0 nor 1.
BitBlocks pack_answers(const std::uint8_t* answers, std::size_t n_questions, const RowOrder& order);

}  // namespace bsnsing
