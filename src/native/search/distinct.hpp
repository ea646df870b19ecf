// Questions that say the same as an earlier one: leaving them out changes no result.
#pragma once

#include <cstdint>
#include <vector>

#include "bits/bit_blocks.hpp"
#include "search/scan.hpp"

namespace bsnsing {

// Positions of the questions that differ from all earlier ones and, with `complements`, also from
// their negations. A rule with one of the others ties with the rule that has the earlier question
// in its place, and loses the tie by position.
std::vector<std::uint32_t> distinct_questions(const BitBlocks& blocks, const RowLayout& rows,
                                              bool complements);

// The questions at these positions alone.
BitBlocks select_questions(const BitBlocks& blocks, const std::vector<std::uint32_t>& positions);

}  // namespace bsnsing
