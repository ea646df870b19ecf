// AVX2 (Haswell, Zen 1 and later): popcounts by table lookup on half bytes.
#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#include <cmath>
#include <numbers>

#include "kernels/kernels.hpp"
#include "kernels/target_region.hpp"

BSNSING_TARGET_BEGIN("avx2,bmi2,popcnt", "avx2,bmi2,popcnt")

namespace bsnsing {
namespace {

using Part = __m256d;

inline Part load_part(const double* p) {
    return _mm256_loadu_pd(p);
}
inline void store_part(double* p, Part x) {
    _mm256_storeu_pd(p, x);
}
inline Part all_of(double x) {
    return _mm256_set1_pd(x);
}
// Loads one by one: where gathering is quicker, it is not by much, and elsewhere it is slower.
inline Part look_up(const double* table, Part places) {
    alignas(16) std::int32_t at[4];
    _mm_store_si128(reinterpret_cast<__m128i*>(at), _mm256_cvttpd_epi32(places));
    return _mm256_set_pd(table[at[3]], table[at[2]], table[at[1]], table[at[0]]);
}
inline Part at_most(Part a, Part b) {
    return _mm256_min_pd(a, b);
}
inline Part at_least(Part a, Part b) {
    return _mm256_max_pd(a, b);
}
inline unsigned below(Part a, Part b) {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)));
}

inline Word extract_bits(Word word, Word mask) {
    return _pext_u64(word, mask);
}

inline unsigned row_equals(const float* cells, float x) {
    const __m256 is_equal = _mm256_cmp_ps(_mm256_loadu_ps(cells), _mm256_set1_ps(x), _CMP_EQ_OQ);
    return static_cast<unsigned>(_mm256_movemask_ps(is_equal));
}
inline unsigned four_equal(const double* cells, double x) {
    const __m256d is_equal = _mm256_cmp_pd(_mm256_loadu_pd(cells), _mm256_set1_pd(x), _CMP_EQ_OQ);
    return static_cast<unsigned>(_mm256_movemask_pd(is_equal));
}
inline unsigned row_equals(const double* cells, double x) {
    return four_equal(cells, x) | four_equal(cells + 4, x) << 4U;
}

#include "kernels/ones_loops.inl"
#include "kernels/pack_loop.inl"
#include "kernels/part_loops.inl"
#include "kernels/scan_loops.inl"

using IntPart = std::int32_t __attribute__((vector_size(32)));
using FloatPart = float __attribute__((vector_size(32)));

inline IntPart load_ints(const std::int32_t* p) {
    return reinterpret_cast<IntPart>(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline IntPart all_ints(std::int32_t x) {
    return reinterpret_cast<IntPart>(_mm256_set1_epi32(x));
}
inline IntPart dot_halves(IntPart a, IntPart b) {
    return reinterpret_cast<IntPart>(
        _mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
inline FloatPart to_float(IntPart x) {
    return reinterpret_cast<FloatPart>(_mm256_cvtepi32_ps(reinterpret_cast<__m256i>(x)));
}
inline FloatPart all_floats(float x) {
    return reinterpret_cast<FloatPart>(_mm256_set1_ps(x));
}
inline void store_floats(float* p, FloatPart x) {
    _mm256_storeu_ps(p, reinterpret_cast<__m256>(x));
}
inline unsigned float_below(FloatPart a, FloatPart b) {
    return static_cast<unsigned>(_mm256_movemask_ps(
        _mm256_cmp_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), _CMP_LT_OQ)));
}

#include "kernels/packed_loops.inl"

inline __m256i load(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

inline __m256i count_bytes(__m256i v) {
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                           2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low_half = _mm256_set1_epi8(0x0f);
    const __m256i low = _mm256_and_si256(v, low_half);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(v, 4), low_half);
    return _mm256_add_epi8(_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high));
}

// Counts below 2^52 become doubles by writing them into the mantissa of 2^52.
inline __m256d to_double(__m256i counts) {
    const __m256d magic = _mm256_set1_pd(0x1p52);
    return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(counts, _mm256_castpd_si256(magic))),
                         magic);
}

inline void add_counts(double* out, __m256i counts, double weight) {
    const __m256d scaled = _mm256_mul_pd(to_double(counts), _mm256_set1_pd(weight));
    _mm256_storeu_pd(out, _mm256_add_pd(_mm256_loadu_pd(out), scaled));
}

// Counts of one column, `step` words apart, with the four lanes at `lanes`.
inline __m256i count_four(const Word* column, std::size_t step, const Word* lanes,
                          std::size_t n_words) {
    constexpr std::size_t kMostBeforeOverflow = 31;  // 31 * 8 bits still fit a byte
    __m256i total = _mm256_setzero_si256();
    for (std::size_t w = 0; w < n_words;) {
        const std::size_t end =
            n_words - w < kMostBeforeOverflow ? n_words : w + kMostBeforeOverflow;
        __m256i bytes = _mm256_setzero_si256();
        for (; w < end; ++w) {
            const __m256i own = _mm256_set1_epi64x(static_cast<long long>(column[w * step]));
            bytes = _mm256_add_epi8(bytes,
                                    count_bytes(_mm256_and_si256(own, load(lanes + w * kLanes))));
        }
        total = _mm256_add_epi64(total, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
    }
    return total;
}

void count_tile(const Word* a, const Word* b, std::size_t n_words, double weight, bool starts,
                double* out, std::size_t stride) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i)
        for (std::size_t k = 0; k < kLanes; k += 4) {
            double* to = out + i * stride + k;
            if (starts) _mm256_storeu_pd(to, _mm256_setzero_pd());
            add_counts(to, count_four(a + i, kLanes, b + k, n_words), weight);
        }
}

// Counts of the segments, each with the four lanes at `lanes`, shifted in turn.
inline __m256i count_segments(const Word* column, const Word* lanes, const PackedSegment* segments,
                              std::size_t n_segments) {
    __m256i packed = _mm256_setzero_si256();
    for (std::size_t s = 0; s < n_segments; ++s) {
        const std::size_t first = segments[s].first_word * kLanes;
        packed = _mm256_add_epi64(
            packed, count_four(column + first, kLanes, lanes + first, segments[s].n_words));
        packed = _mm256_sll_epi64(packed, _mm_cvtsi32_si128(static_cast<int>(segments[s].shift)));
    }
    return packed;
}

void count_tile_weighted(const Word* a, const Word* b, const PackedSegment* segments,
                         std::size_t n_segments, double* out, std::size_t stride) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i)
        for (std::size_t k = 0; k < kLanes; k += 4)
            _mm256_storeu_pd(out + i * stride + k,
                             to_double(count_segments(a + i, b + k, segments, n_segments)));
}

void count_tile_packed(const Word* a, const Word* b, const PackedSegment* segments,
                       std::size_t n_segments, std::uint32_t* out, std::size_t stride) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i)
        for (std::size_t k = 0; k < kLanes; k += 4) {
            const __m256i packed = count_segments(a + i, b + k, segments, n_segments);
            // The lower halves of the four numbers.
            const __m256i halves =
                _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i * stride + k),
                             _mm256_castsi256_si128(halves));
        }
}

void count_column(const Word* column, const Word* block, std::size_t n_words, double weight,
                  double* out) noexcept {
    for (std::size_t k = 0; k < kLanes; k += 4)
        add_counts(out + k, count_four(column, 1, block + k, n_words), weight);
}

void pack_range(const std::uint8_t* bins, std::size_t n_rows, std::uint8_t low, std::uint8_t length,
                Word* lane) noexcept {
    const __m256i offset = _mm256_set1_epi8(static_cast<char>(low));
    const __m256i limit = _mm256_set1_epi8(static_cast<char>(length));
    const auto pack_half = [&](const std::uint8_t* p) {
        const __m256i shifted = _mm256_sub_epi8(load(p), offset);
        const __m256i outside = _mm256_cmpeq_epi8(_mm256_max_epu8(shifted, limit), shifted);
        const std::uint32_t inside = ~static_cast<std::uint32_t>(_mm256_movemask_epi8(outside));
        return Word{inside};
    };
    std::size_t start = 0;
    for (; start + kWordBits <= n_rows; start += kWordBits)
        lane[start / kWordBits * kLanes] =
            pack_half(bins + start) | (pack_half(bins + start + 32) << 32U);
    pack_plain(bins + start, n_rows - start, low, length, lane + start / kWordBits * kLanes);
}

}  // namespace

extern const Kernels kAvx2Kernels;
const Kernels kAvx2Kernels = {
    "avx2",     count_tile,       count_tile_weighted, count_tile_packed, count_column,
    pack_range, part_codes_plain, part_bits,           find_ones<float>,  find_ones<double>,
    take_bits,  scan_pairs,       scan_pairs_packed,   scan_extensions,   scan_last};

}  // namespace bsnsing

BSNSING_TARGET_END

#endif
