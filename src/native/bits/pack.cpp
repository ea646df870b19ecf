#include "bits/pack.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace bsnsing {
namespace {

// Eight answers of one row as eight bytes, zero past the end.
std::uint64_t load_answers(const std::uint8_t* p, std::size_t n) {
    std::uint64_t bytes = 0;
    for (std::size_t k = 0; k < n; ++k) bytes |= std::uint64_t{p[k]} << (8 * k);
    return bytes;
}

std::uint64_t load_eight(const std::uint8_t* p) {
    std::uint64_t bytes = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&bytes, p, sizeof bytes);
        return bytes;
    }
    return load_answers(p, 8);
}

}  // namespace

BitBlocks pack_answers(const std::uint8_t* answers, std::size_t n_questions,
                       const RowOrder& order) {
    BitBlocks blocks(n_questions, order.layout.n_words);
    std::uint64_t seen = 0;
    const std::uint32_t* rows = order.rows.data();
    for (const Segment& s : order.layout.segments) {
        for (std::size_t w = 0; w < s.n_words; ++w) {
            const std::uint32_t* word_rows = rows + w * kWordBits;
            const std::size_t n = std::min(kWordBits, s.n_rows - w * kWordBits);
            for (std::size_t q = 0; q < n_questions; q += kLanes) {
                const std::size_t n_lanes = std::min(kLanes, n_questions - q);
                Word words[kLanes] = {};
                // Eight rows of eight 0/1 bytes, each shifted by its row, or-ed together: byte k
                // then holds the eight answers to question k.
                for (std::size_t start = 0; start < n; start += 8) {
                    std::uint64_t bits = 0;
                    for (std::size_t i = 0; i < std::min<std::size_t>(8, n - start); ++i) {
                        const std::uint8_t* p = answers + word_rows[start + i] * n_questions + q;
                        const std::uint64_t bytes =
                            n_lanes == kLanes ? load_eight(p) : load_answers(p, n_lanes);
                        seen |= bytes;
                        bits |= bytes << i;
                    }
                    for (std::size_t k = 0; k < kLanes; ++k)
                        words[k] |= ((bits >> (8 * k)) & 0xffU) << start;
                }
                Word* out = blocks.lane(q) + (s.first_word + w) * kLanes;
                std::copy(words, words + n_lanes, out);
            }
        }
        rows += s.n_rows;
    }
    if ((seen & ~std::uint64_t{0x0101010101010101}) != 0)
        throw std::invalid_argument("answers must be 0 or 1");
    return blocks;
}

}  // namespace bsnsing
