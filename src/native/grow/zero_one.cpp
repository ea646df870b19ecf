#include "grow/zero_one.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace bsnsing {
namespace {

// Rows read at a time: what they hold of a line's columns stays in the nearest cache.
constexpr std::size_t kRows = 256;

// The lowest bits of eight bytes, the first byte's first.
Word lowest_bits(const std::uint8_t* bytes) {
    static_assert(std::endian::native == std::endian::little);
    constexpr Word kGather = 0x0102040810204080U;
    Word eight = 0;
    std::memcpy(&eight, bytes, sizeof(eight));
    return (eight * kGather) >> 56U;
}

// `bytes` has room up to the end of the last word, and zeros there.
void pack_words(const std::uint8_t* bytes, std::size_t n_words, Word* out) {
    for (std::size_t w = 0; w < n_words; ++w) {
        Word word = 0;
        for (std::size_t i = 0; i < kWordBits; i += 8)
            word |= lowest_bits(bytes + w * kWordBits + i) << i;
        out[w] = word;
    }
}

// Reads rows begin..end of a column; false if there is anything but 0 and 1.
template <class T>
bool read_piece(const T* numbers, std::ptrdiff_t stride, std::size_t begin, std::size_t end,
                Word* out) {
    // Without gaps first: comparing is then vector code.
    T cells[kRows];
    std::uint8_t ones[kRows] = {};
    const std::size_t n = end - begin;
    const T* from = numbers + static_cast<std::ptrdiff_t>(begin) * stride;
    for (std::size_t i = 0; i < n; ++i) cells[i] = from[static_cast<std::ptrdiff_t>(i) * stride];
    unsigned n_other = 0;
    for (std::size_t i = 0; i < n; ++i) {
        ones[i] = cells[i] == T{1} ? 1 : 0;
        n_other += cells[i] == T{1} || cells[i] == T{0} ? 0U : 1U;
    }
    pack_words(ones, words_for(n), out);
    return n_other == 0;
}

bool has_both_values(const UnfilledVector<Word>& bits, std::size_t n_rows) {
    std::size_t n_ones = 0;
    for (const Word word : bits) n_ones += static_cast<std::size_t>(std::popcount(word));
    return n_ones > 0 && n_ones < n_rows;
}

}  // namespace

std::vector<UnfilledVector<Word>> read_zero_one(std::span<const NumberView> columns,
                                                std::size_t n_rows) {
    std::vector<UnfilledVector<Word>> bits(columns.size());
    std::vector<std::size_t> reading;  // columns that have had nothing else so far
    for (std::size_t c = 0; c < columns.size(); ++c) reading.push_back(c);
    for (std::size_t begin = 0; begin < n_rows && !reading.empty(); begin += kRows) {
        const std::size_t end = std::min(n_rows, begin + kRows);
        std::erase_if(reading, [&](std::size_t c) {
            // Most other columns show it in their first rows: memory only for those that do not.
            if (begin == 0) bits[c].resize(std::min(words_for(n_rows), kRows / kWordBits));
            if (begin == kRows) bits[c].resize(words_for(n_rows));
            Word* out = bits[c].data() + begin / kWordBits;
            const bool is_zero_one = visit_numbers(columns[c], [&](const auto* numbers) {
                return read_piece(numbers, columns[c].stride, begin, end, out);
            });
            if (!is_zero_one) bits[c] = {};
            return !is_zero_one;
        });
    }
    for (UnfilledVector<Word>& column : bits)
        if (!has_both_values(column, n_rows)) column = {};
    return bits;
}

UnfilledVector<Word> pack_bytes(const std::uint8_t* bytes, std::size_t n_rows) {
    UnfilledVector<Word> bits(words_for(n_rows));
    const std::size_t n_whole = n_rows / kWordBits;
    pack_words(bytes, n_whole, bits.data());
    std::uint8_t last[kWordBits] = {};
    std::copy(bytes + n_whole * kWordBits, bytes + n_rows, last);
    if (n_whole < bits.size()) pack_words(last, 1, bits.data() + n_whole);
    return bits;
}

}  // namespace bsnsing
