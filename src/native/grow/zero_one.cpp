#include "grow/zero_one.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "kernels/kernels.hpp"

namespace bsnsing {
namespace {

constexpr std::size_t kEight = 8;

// The lowest bits of eight bytes, the first byte's first.
Word lowest_bits(const std::uint8_t* bytes) {
    static_assert(std::endian::native == std::endian::little);
    constexpr Word kGather = 0x0102040810204080U;
    Word eight = 0;
    std::memcpy(&eight, bytes, sizeof(eight));
    return (eight * kGather) >> 56U;
}

// Eight bytes as a square of bits, turned: bit j of byte i becomes bit i of byte j.
Word transposed(Word square) {
    const auto swap = [&square](unsigned shift, Word mask) {
        const Word moved = (square ^ (square >> shift)) & mask;
        square ^= moved ^ (moved << shift);
    };
    swap(7, 0x00aa00aa00aa00aaU);
    swap(14, 0x0000cccc0000ccccU);
    swap(28, 0x00000000f0f0f0f0U);
    return square;
}

// `bytes` has room up to the end of the last word, and zeros there.
void pack_words(const std::uint8_t* bytes, std::size_t n_words, Word* out) {
    for (std::size_t w = 0; w < n_words; ++w) {
        Word word = 0;
        for (std::size_t i = 0; i < kWordBits; i += kEight)
            word |= lowest_bits(bytes + w * kWordBits + i) << i;
        out[w] = word;
    }
}

// Reads at most 64 rows of eight neighbouring columns; see Kernels.
template <class T>
std::uint8_t find_ones(const T* cells, std::ptrdiff_t stride, std::size_t n_rows,
                       std::uint8_t* ones) {
    if constexpr (std::is_same_v<T, float>) {
        return active_kernels().find_ones_float(cells, stride, n_rows, ones);
    } else if constexpr (std::is_same_v<T, double>) {
        return active_kernels().find_ones_double(cells, stride, n_rows, ones);
    } else {
        // Whole numbers: 0 and 1 have no other bit than the lowest.
        std::make_unsigned_t<T> seen[kEight] = {};
        for (std::size_t i = 0; i < n_rows; ++i, cells += stride) {
            std::uint8_t lowest[kEight];
            for (std::size_t c = 0; c < kEight; ++c) {
                const auto bits = static_cast<std::make_unsigned_t<T>>(cells[c]);
                seen[c] |= bits;
                lowest[c] = static_cast<std::uint8_t>(bits) & 1U;
            }
            ones[i] = static_cast<std::uint8_t>(lowest_bits(lowest));
        }
        unsigned other = 0;
        for (std::size_t c = 0; c < kEight; ++c) other |= (seen[c] > 1 ? 1U : 0U) << c;
        return static_cast<std::uint8_t>(other);
    }
}

// A word of ones for each of eight columns side by side, of at most 64 rows from `begin` on.
// Returns a bit for each column in which there is anything but 0 and 1.
template <class T>
unsigned read_eight(const NumberView& first, std::size_t begin, std::size_t n_rows, Word* words) {
    std::uint8_t ones[kWordBits] = {};  // per row, a bit per column
    const T* cells =
        static_cast<const T*>(first.data) + static_cast<std::ptrdiff_t>(begin) * first.stride;
    const unsigned other = find_ones(cells, first.stride, n_rows, ones);
    std::uint8_t bytes[kEight][kEight];  // per column, a bit per row
    for (std::size_t i = 0; i < kEight; ++i) {
        Word square = 0;
        std::memcpy(&square, ones + i * kEight, sizeof(square));
        square = transposed(square);
        for (std::size_t c = 0; c < kEight; ++c)
            bytes[c][i] = static_cast<std::uint8_t>(square >> (c * kEight));
    }
    std::memcpy(words, bytes, sizeof(bytes));
    return other;
}

// The same for one column.
template <class T>
unsigned read_one(const NumberView& column, std::size_t begin, std::size_t n_rows, Word* words) {
    std::uint8_t ones[kWordBits] = {};
    unsigned n_other = 0;
    const T* cell =
        static_cast<const T*>(column.data) + static_cast<std::ptrdiff_t>(begin) * column.stride;
    for (std::size_t i = 0; i < n_rows; ++i, cell += column.stride) {
        ones[i] = *cell == T{1} ? 1 : 0;
        n_other += *cell == T{1} || *cell == T{0} ? 0U : 1U;
    }
    pack_words(ones, 1, words);
    return n_other > 0 ? 1U : 0U;
}

// One or eight columns that are read together.
class Reader {
  public:
    // Takes eight of the columns from `first` on if they are neighbours in a row, else one.
    Reader(std::span<const NumberView> columns, std::size_t first, UnfilledVector<Word>* bits)
        : head_(columns[first]), bits_(bits) {
        visit_numbers(head_, [&](const auto* numbers) {
            using T = std::remove_const_t<std::remove_pointer_t<decltype(numbers)>>;
            const auto is_neighbour = [&](std::size_t c) {
                const NumberView& view = columns[first + c];
                return view.type == head_.type && view.stride == head_.stride &&
                       view.data == numbers + c;
            };
            std::size_t n = 1;
            while (n < kEight && first + n < columns.size() && is_neighbour(n)) ++n;
            n_columns_ = n == kEight ? kEight : 1;
            read_ = n == kEight ? read_eight<T> : read_one<T>;
        });
    }

    std::size_t n_columns() const { return n_columns_; }
    // Whether all columns have had something else.
    bool is_done() const { return other_ == (1U << n_columns_) - 1; }

    void read(std::size_t begin, std::size_t n_rows) {
        Word words[kEight];
        other_ |= read_(head_, begin, std::min(kWordBits, n_rows - begin), words);
        for (std::size_t c = 0; c < n_columns_; ++c) {
            if ((other_ >> c & 1U) != 0) continue;
            // Most other columns show it in their first rows: memory only for those that do not.
            if (begin == 0) bits_[c].resize(words_for(n_rows));
            bits_[c][begin / kWordBits] = words[c];
        }
    }

    void drop_others() {
        for (std::size_t c = 0; c < n_columns_; ++c)
            if ((other_ >> c & 1U) != 0) bits_[c] = {};
    }

  private:
    NumberView head_;
    UnfilledVector<Word>* bits_;
    std::size_t n_columns_ = 1;
    unsigned (*read_)(const NumberView&, std::size_t, std::size_t, Word*) = nullptr;
    unsigned other_ = 0;
};

bool has_both_values(const UnfilledVector<Word>& bits, std::size_t n_rows) {
    std::size_t n_ones = 0;
    for (const Word word : bits) n_ones += static_cast<std::size_t>(std::popcount(word));
    return n_ones > 0 && n_ones < n_rows;
}

}  // namespace

std::vector<UnfilledVector<Word>> read_zero_one(std::span<const NumberView> columns,
                                                std::size_t n_rows) {
    std::vector<UnfilledVector<Word>> bits(columns.size());
    if (n_rows == 0) return bits;  // there may be no cells to point to
    std::vector<Reader> readers;
    for (std::size_t c = 0; c < columns.size(); c += readers.back().n_columns())
        readers.emplace_back(columns, c, &bits[c]);
    std::vector<Reader*> reading;
    for (Reader& reader : readers) reading.push_back(&reader);
    // A few rows of all columns at a time: each line of a row-major matrix is then loaded once.
    for (std::size_t begin = 0; begin < n_rows && !reading.empty(); begin += kWordBits)
        std::erase_if(reading, [&](Reader* reader) {
            reader->read(begin, n_rows);
            return reader->is_done();
        });
    for (Reader& reader : readers) reader.drop_others();
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
