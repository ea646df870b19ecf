// Answers are bits, 64 rows to a word. The unused bits of a last word are zero, always.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bsnsing {

using Word = std::uint64_t;

inline constexpr std::size_t kWordBits = 64;

// Questions are stored eight at a time, word by word (see bit_blocks.hpp), because eight 64-bit
// lanes are one AVX-512 register: counting needs no horizontal sums.
inline constexpr std::size_t kLanes = 8;

constexpr std::size_t words_for(std::size_t n_rows) {
    return (n_rows + kWordBits - 1) / kWordBits;
}

constexpr std::size_t round_up_to_lanes(std::size_t n) {
    return (n + kLanes - 1) / kLanes * kLanes;
}

}  // namespace bsnsing
