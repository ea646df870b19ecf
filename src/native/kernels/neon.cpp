// NEON, which every 64-bit ARM CPU has: two questions to a register.
#if defined(__aarch64__)

#include <arm_neon.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "kernels/kernels.hpp"

namespace bsnsing {
namespace {

using Part = float64x2_t;

inline Part load_part(const double* p) {
    return vld1q_f64(p);
}
inline void store_part(double* p, Part x) {
    vst1q_f64(p, x);
}
inline Part all_of(double x) {
    return vdupq_n_f64(x);
}
inline Part look_up(const double* table, Part places) {
    const double found[2] = {table[static_cast<std::size_t>(vgetq_lane_f64(places, 0))],
                             table[static_cast<std::size_t>(vgetq_lane_f64(places, 1))]};
    return vld1q_f64(found);
}
inline Part at_most(Part a, Part b) {
    return vminq_f64(a, b);
}
inline Part at_least(Part a, Part b) {
    return vmaxq_f64(a, b);
}
inline unsigned below(Part a, Part b) {
    const uint64x2_t is_below = vcltq_f64(a, b);
    return static_cast<unsigned>((vgetq_lane_u64(is_below, 0) & 1U) |
                                 (vgetq_lane_u64(is_below, 1) & 2U));
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

using IntPart = std::int32_t __attribute__((vector_size(16)));
using FloatPart = float __attribute__((vector_size(16)));

inline IntPart load_ints(const std::int32_t* p) {
    return reinterpret_cast<IntPart>(vld1q_s32(p));
}
inline IntPart all_ints(std::int32_t x) {
    return reinterpret_cast<IntPart>(vdupq_n_s32(x));
}
inline IntPart dot_halves(IntPart a, IntPart b) {
    const IntPart low = ((a << 16) >> 16) * ((b << 16) >> 16);
    return low + (a >> 16) * (b >> 16);
}
inline FloatPart to_float(IntPart x) {
    return reinterpret_cast<FloatPart>(vcvtq_f32_s32(reinterpret_cast<int32x4_t>(x)));
}
inline FloatPart all_floats(float x) {
    return reinterpret_cast<FloatPart>(vdupq_n_f32(x));
}
inline void store_floats(float* p, FloatPart x) {
    vst1q_f32(p, reinterpret_cast<float32x4_t>(x));
}
inline unsigned float_below(FloatPart a, FloatPart b) {
    const uint32x4_t is_below =
        vcltq_f32(reinterpret_cast<float32x4_t>(a), reinterpret_cast<float32x4_t>(b));
    const uint32x4_t bit = {1U, 2U, 4U, 8U};
    return vaddvq_u32(vandq_u32(is_below, bit));
}

#include "kernels/packed_loops.inl"

// Counts of one column, `step` words apart, with the two lanes at `lanes`.
inline uint64x2_t count_two(const Word* column, std::size_t step, const Word* lanes,
                            std::size_t n_words) {
    uint64x2_t total = vdupq_n_u64(0);
    for (std::size_t w = 0; w < n_words; ++w) {
        const uint64x2_t both =
            vandq_u64(vdupq_n_u64(column[w * step]), vld1q_u64(lanes + w * kLanes));
        const uint8x16_t bytes = vcntq_u8(vreinterpretq_u8_u64(both));
        total = vaddq_u64(total, vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(bytes))));
    }
    return total;
}

inline void add_counts(double* out, uint64x2_t counts, double weight) {
    vst1q_f64(out, vaddq_f64(vld1q_f64(out), vmulq_n_f64(vcvtq_f64_u64(counts), weight)));
}

void count_tile(const Word* a, const Word* b, std::size_t n_words, double weight, bool starts,
                double* out, std::size_t stride) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i)
        for (std::size_t k = 0; k < kLanes; k += 2) {
            double* to = out + i * stride + k;
            if (starts) vst1q_f64(to, vdupq_n_f64(0.0));
            add_counts(to, count_two(a + i, kLanes, b + k, n_words), weight);
        }
}

// Counts of the segments, each with the two lanes at `lanes`, shifted in turn.
inline uint64x2_t count_segments(const Word* column, const Word* lanes,
                                 const PackedSegment* segments, std::size_t n_segments) {
    uint64x2_t packed = vdupq_n_u64(0);
    for (std::size_t s = 0; s < n_segments; ++s) {
        const std::size_t first = segments[s].first_word * kLanes;
        packed = vaddq_u64(packed,
                           count_two(column + first, kLanes, lanes + first, segments[s].n_words));
        packed = vshlq_u64(packed, vdupq_n_s64(static_cast<int>(segments[s].shift)));
    }
    return packed;
}

void count_tile_weighted(const Word* a, const Word* b, const PackedSegment* segments,
                         std::size_t n_segments, double* out, std::size_t stride) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i)
        for (std::size_t k = 0; k < kLanes; k += 2)
            vst1q_f64(out + i * stride + k,
                      vcvtq_f64_u64(count_segments(a + i, b + k, segments, n_segments)));
}

void count_tile_packed(const Word* a, const Word* b, const PackedSegment* segments,
                       std::size_t n_segments, std::uint32_t* out, std::size_t stride) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i)
        for (std::size_t k = 0; k < kLanes; k += 2)
            vst1_u32(out + i * stride + k,
                     vmovn_u64(count_segments(a + i, b + k, segments, n_segments)));
}

void count_column(const Word* column, const Word* block, std::size_t n_words, double weight,
                  double* out) noexcept {
    for (std::size_t k = 0; k < kLanes; k += 2)
        add_counts(out + k, count_two(column, 1, block + k, n_words), weight);
}

}  // namespace

extern const Kernels kNeonKernels;
const Kernels kNeonKernels = {
    "neon",     count_tile,       count_tile_weighted, count_tile_packed, count_column,
    pack_plain, part_codes_plain, part_bits,           find_ones<float>,  find_ones<double>,
    take_bits,  scan_pairs,       scan_pairs_packed,   scan_extensions,   scan_last};

}  // namespace bsnsing

#endif
