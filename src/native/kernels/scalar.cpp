// The plain loops: what every other kernel file must agree with.
#include <bit>
#include <cmath>
#include <numbers>

#include "kernels/kernels.hpp"

namespace bsnsing {
namespace {

using Part = double;

inline Part load_part(const double* p) {
    return *p;
}
inline void store_part(double* p, Part x) {
    *p = x;
}
inline Part all_of(double x) {
    return x;
}
inline Part look_up(const double* table, Part place) {
    return table[static_cast<std::size_t>(place)];
}
inline Part at_most(Part a, Part b) {
    return a < b ? a : b;
}
inline Part at_least(Part a, Part b) {
    return a > b ? a : b;
}
inline unsigned below(Part a, Part b) {
    return a < b ? 1U : 0U;
}

inline Word extract_bits(Word word, Word mask) {
    Word out = 0;
    for (unsigned n = 0; mask != 0; mask &= mask - 1, ++n)
        out |= ((word >> std::countr_zero(mask)) & 1U) << n;
    return out;
}

template <class T>
unsigned row_equals(const T* cells, T x) {
    unsigned equal = 0;
    for (unsigned c = 0; c < 8; ++c) equal |= (cells[c] == x ? 1U : 0U) << c;
    return equal;
}

#include "kernels/ones_loops.inl"
#include "kernels/pack_loop.inl"
#include "kernels/part_loops.inl"
#include "kernels/scan_loops.inl"

using IntPart = std::int32_t;
using FloatPart = float;

inline IntPart load_ints(const std::int32_t* p) {
    return *p;
}
inline IntPart all_ints(std::int32_t x) {
    return x;
}
inline IntPart dot_halves(IntPart a, IntPart b) {
    const auto low = [](IntPart x) { return static_cast<std::int16_t>(x & 0xffff); };
    const auto high = [](IntPart x) { return static_cast<std::int16_t>(x >> 16); };
    return low(a) * low(b) + high(a) * high(b);
}
inline FloatPart to_float(IntPart x) {
    return static_cast<float>(x);
}
inline FloatPart all_floats(float x) {
    return x;
}
inline void store_floats(float* p, FloatPart x) {
    *p = x;
}
inline unsigned float_below(FloatPart a, FloatPart b) {
    return a < b ? 1U : 0U;
}

#include "kernels/packed_loops.inl"

template <class Number>
void count_segments(const Word* a, const Word* b, const PackedSegment* segments,
                    std::size_t n_segments, Number* out, std::size_t stride) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i)
        for (std::size_t k = 0; k < kLanes; ++k) {
            std::uint64_t packed = 0;
            for (std::size_t s = 0; s < n_segments; ++s) {
                const PackedSegment& segment = segments[s];
                const std::size_t end = segment.first_word + segment.n_words;
                for (std::size_t w = segment.first_word; w < end; ++w)
                    packed += static_cast<std::uint64_t>(
                        std::popcount(a[w * kLanes + i] & b[w * kLanes + k]));
                packed <<= segment.shift;
            }
            out[i * stride + k] = static_cast<Number>(packed);
        }
}

void count_column(const Word* column, const Word* block, std::size_t n_words, double weight,
                  double* out) noexcept {
    std::uint64_t counts[kLanes] = {};
    for (std::size_t w = 0; w < n_words; ++w)
        for (std::size_t k = 0; k < kLanes; ++k)
            counts[k] +=
                static_cast<std::uint64_t>(std::popcount(column[w] & block[w * kLanes + k]));
    for (std::size_t k = 0; k < kLanes; ++k) out[k] += weight * static_cast<double>(counts[k]);
}

void count_tile(const Word* a, const Word* b, std::size_t n_words, double weight, bool starts,
                double* out, std::size_t stride) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i) {
        std::uint64_t counts[kLanes] = {};
        for (std::size_t w = 0; w < n_words; ++w)
            for (std::size_t k = 0; k < kLanes; ++k)
                counts[k] += static_cast<std::uint64_t>(
                    std::popcount(a[w * kLanes + i] & b[w * kLanes + k]));
        for (std::size_t k = 0; k < kLanes; ++k)
            out[i * stride + k] =
                (starts ? 0.0 : out[i * stride + k]) + weight * static_cast<double>(counts[k]);
    }
}

}  // namespace

extern const Kernels kScalarKernels;
const Kernels kScalarKernels = {"scalar",
                                count_tile,
                                count_segments<double>,
                                count_segments<std::uint32_t>,
                                count_column,
                                pack_plain,
                                part_codes_plain,
                                part_bits,
                                find_ones<float>,
                                find_ones<double>,
                                take_bits,
                                scan_pairs,
                                scan_pairs_packed,
                                scan_extensions,
                                scan_last};

}  // namespace bsnsing
