// Columns of 0 and 1, the most common ones in coded tables, read straight into bits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bits/aligned.hpp"
#include "bits/number_view.hpp"
#include "bits/words.hpp"

namespace bsnsing {

// Per column its ones, 64 rows to a word; nothing for a column that has other or missing cells, or
// only one value. Columns of one row-major matrix are best read together.
std::vector<UnfilledVector<Word>> read_zero_one(std::span<const NumberView> columns,
                                                std::size_t n_rows);

// Bits from bytes that are 0 or 1.
UnfilledVector<Word> pack_bytes(const std::uint8_t* bytes, std::size_t n_rows);

}  // namespace bsnsing
