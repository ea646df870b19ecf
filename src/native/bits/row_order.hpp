// The order of a node's rows: segment by segment, by class and weight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bits/bit_blocks.hpp"

namespace bsnsing {

struct RowOrder {
    RowLayout layout;
    std::vector<std::uint32_t> rows;  // row numbers, segment after segment, ascending in each
};

// Throws std::invalid_argument unless classes lie in 0..n_classes-1 and weights, one per row if
// there are any, are not negative.
void check_cases(std::span<const std::int32_t> classes, std::size_t n_classes,
                 std::span<const std::int64_t> weights);

// Each row stands in one segment per set bit of its weight (all weights are 1 if none are given);
// rows of weight zero stand in none.
RowOrder order_rows(std::span<const std::int32_t> classes, std::size_t n_classes,
                    std::span<const std::int64_t> weights);

}  // namespace bsnsing
