// AVX-512 with vector popcount (Ice Lake, Zen 4 and later): eight questions to a register.
#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#include <cmath>
#include <numbers>

#include "kernels/kernels.hpp"
#include "kernels/target_region.hpp"

BSNSING_TARGET_BEGIN(
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,bmi2,popcnt,prefer-vector-"
    "width=512",
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,bmi2,popcnt")

namespace bsnsing {
namespace {

using Part = __m512d;

inline Part load_part(const double* p) {
    return _mm512_loadu_pd(p);
}
inline void store_part(double* p, Part x) {
    _mm512_storeu_pd(p, x);
}
inline Part all_of(double x) {
    return _mm512_set1_pd(x);
}
// With a mask, because GCC 12 warns of the undefined lanes that the plain forms never read.
inline Part at_most(Part a, Part b) {
    return _mm512_maskz_min_pd(0xff, a, b);
}
inline Part at_least(Part a, Part b) {
    return _mm512_maskz_max_pd(0xff, a, b);
}
inline unsigned below(Part a, Part b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
// Loads one by one: where gathering is quicker, it is not by much, and elsewhere it is slower.
inline Part look_up(const double* table, Part places) {
    alignas(32) std::int32_t at[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(at), _mm512_maskz_cvttpd_epi32(0xff, places));
    return _mm512_set_pd(table[at[7]], table[at[6]], table[at[5]], table[at[4]], table[at[3]],
                         table[at[2]], table[at[1]], table[at[0]]);
}

inline Word extract_bits(Word word, Word mask) {
    return _pext_u64(word, mask);
}

inline unsigned row_equals(const float* cells, float x) {
    return _mm256_cmp_ps_mask(_mm256_loadu_ps(cells), _mm256_set1_ps(x), _CMP_EQ_OQ);
}
inline unsigned row_equals(const double* cells, double x) {
    return _mm512_cmp_pd_mask(_mm512_loadu_pd(cells), _mm512_set1_pd(x), _CMP_EQ_OQ);
}

#include "kernels/ones_loops.inl"
#include "kernels/part_loops.inl"
#include "kernels/scan_loops.inl"

using IntPart = std::int32_t __attribute__((vector_size(64)));
using FloatPart = float __attribute__((vector_size(64)));

inline IntPart load_ints(const std::int32_t* p) {
    return reinterpret_cast<IntPart>(_mm512_loadu_si512(p));
}
inline IntPart all_ints(std::int32_t x) {
    return reinterpret_cast<IntPart>(_mm512_set1_epi32(x));
}
inline IntPart dot_halves(IntPart a, IntPart b) {
    return reinterpret_cast<IntPart>(
        _mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
inline FloatPart to_float(IntPart x) {
    return reinterpret_cast<FloatPart>(
        _mm512_maskz_cvtepi32_ps(0xffff, reinterpret_cast<__m512i>(x)));
}
inline FloatPart all_floats(float x) {
    return reinterpret_cast<FloatPart>(_mm512_set1_ps(x));
}
inline void store_floats(float* p, FloatPart x) {
    _mm512_storeu_ps(p, reinterpret_cast<__m512>(x));
}
inline unsigned float_below(FloatPart a, FloatPart b) {
    return _mm512_cmp_ps_mask(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), _CMP_LT_OQ);
}

#include "kernels/packed_loops.inl"

inline __m512i load(const void* p) {
    return _mm512_loadu_si512(p);
}

inline void add_counts(double* out, __m512i counts, __m512d weight) {
    const __m512d scaled = _mm512_mul_pd(_mm512_cvtepu64_pd(counts), weight);
    _mm512_storeu_pd(out, _mm512_add_pd(_mm512_loadu_pd(out), scaled));
}

// One load of b serves eight popcounts, so the popcount port is the limit, not the loads.
void count_tile(const Word* a, const Word* b, std::size_t n_words, double weight, bool starts,
                double* out, std::size_t stride) noexcept {
    __m512i counts[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) counts[i] = _mm512_setzero_si512();
    for (std::size_t w = 0; w < n_words; ++w) {
        const __m512i other = load(b + w * kLanes);
        for (std::size_t i = 0; i < kLanes; ++i) {
            const __m512i own = _mm512_set1_epi64(static_cast<long long>(a[w * kLanes + i]));
            const __m512i both = _mm512_and_si512(own, other);
            counts[i] = _mm512_add_epi64(counts[i], _mm512_popcnt_epi64(both));
        }
    }
    const __m512d scale = _mm512_set1_pd(weight);
    if (starts)
        for (std::size_t i = 0; i < kLanes; ++i)
            _mm512_storeu_pd(out + i * stride, _mm512_mul_pd(_mm512_cvtepu64_pd(counts[i]), scale));
    else
        for (std::size_t i = 0; i < kLanes; ++i) add_counts(out + i * stride, counts[i], scale);
}

// Counts of the segments, one number after the other shifted in turn.
inline void count_segments(const Word* a, const Word* b, const PackedSegment* segments,
                           std::size_t n_segments, __m512i* packed) {
    for (std::size_t i = 0; i < kLanes; ++i) packed[i] = _mm512_setzero_si512();
    for (std::size_t s = 0; s < n_segments; ++s) {
        const std::size_t end = segments[s].first_word + segments[s].n_words;
        for (std::size_t w = segments[s].first_word; w < end; ++w) {
            const __m512i other = load(b + w * kLanes);
            for (std::size_t i = 0; i < kLanes; ++i) {
                const __m512i own = _mm512_set1_epi64(static_cast<long long>(a[w * kLanes + i]));
                packed[i] =
                    _mm512_add_epi64(packed[i], _mm512_popcnt_epi64(_mm512_and_si512(own, other)));
            }
        }
        if (segments[s].shift == 0) continue;
        const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(segments[s].shift));
        for (std::size_t i = 0; i < kLanes; ++i)
            packed[i] = _mm512_maskz_sll_epi64(0xff, packed[i], shift);
    }
}

void count_tile_weighted(const Word* a, const Word* b, const PackedSegment* segments,
                         std::size_t n_segments, double* out, std::size_t stride) noexcept {
    __m512i packed[kLanes];
    count_segments(a, b, segments, n_segments, packed);
    for (std::size_t i = 0; i < kLanes; ++i)
        _mm512_storeu_pd(out + i * stride, _mm512_cvtepu64_pd(packed[i]));
}

void count_tile_packed(const Word* a, const Word* b, const PackedSegment* segments,
                       std::size_t n_segments, std::uint32_t* out, std::size_t stride) noexcept {
    __m512i packed[kLanes];
    count_segments(a, b, segments, n_segments, packed);
    for (std::size_t i = 0; i < kLanes; ++i)
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i * stride),
                            _mm512_maskz_cvtepi64_epi32(0xff, packed[i]));
}

void count_column(const Word* column, const Word* block, std::size_t n_words, double weight,
                  double* out) noexcept {
    // Two sums, because one would wait for the latency of its own addition.
    __m512i even = _mm512_setzero_si512();
    __m512i odd = _mm512_setzero_si512();
    std::size_t w = 0;
    for (; w + 2 <= n_words; w += 2) {
        const __m512i first = _mm512_set1_epi64(static_cast<long long>(column[w]));
        const __m512i second = _mm512_set1_epi64(static_cast<long long>(column[w + 1]));
        even = _mm512_add_epi64(
            even, _mm512_popcnt_epi64(_mm512_and_si512(first, load(block + w * kLanes))));
        odd = _mm512_add_epi64(
            odd, _mm512_popcnt_epi64(_mm512_and_si512(second, load(block + (w + 1) * kLanes))));
    }
    if (w < n_words) {
        const __m512i first = _mm512_set1_epi64(static_cast<long long>(column[w]));
        even = _mm512_add_epi64(
            even, _mm512_popcnt_epi64(_mm512_and_si512(first, load(block + w * kLanes))));
    }
    add_counts(out, _mm512_add_epi64(even, odd), _mm512_set1_pd(weight));
}

void pack_range(const std::uint8_t* bins, std::size_t n_rows, std::uint8_t low, std::uint8_t length,
                Word* lane) noexcept {
    const __m512i offset = _mm512_set1_epi8(static_cast<char>(low));
    const __m512i limit = _mm512_set1_epi8(static_cast<char>(length));
    std::size_t start = 0;
    for (; start + kWordBits <= n_rows; start += kWordBits) {
        const __m512i shifted = _mm512_sub_epi8(load(bins + start), offset);
        lane[start / kWordBits * kLanes] = _mm512_cmplt_epu8_mask(shifted, limit);
    }
    if (start < n_rows) {
        const __mmask64 rows = (Word{1} << (n_rows - start)) - 1;
        const __m512i shifted =
            _mm512_sub_epi8(_mm512_maskz_loadu_epi8(rows, bins + start), offset);
        lane[start / kWordBits * kLanes] = _mm512_mask_cmplt_epu8_mask(rows, shifted, limit);
    }
}

// Whole vectors are stored, packed to the front; what is past the packed bytes is overwritten by
// the next store.
std::size_t part_codes(const std::uint8_t* codes, std::size_t n_rows, const Word* mask,
                       std::uint8_t* yes, std::uint8_t* no) noexcept {
    std::uint8_t* const first = yes;
    std::size_t start = 0;
    for (; start + kWordBits <= n_rows; start += kWordBits) {
        const __m512i cells = load(codes + start);
        const Word chosen = mask[start / kWordBits];
        _mm512_storeu_si512(yes, _mm512_maskz_compress_epi8(chosen, cells));
        _mm512_storeu_si512(no, _mm512_maskz_compress_epi8(~chosen, cells));
        const auto n_yes = static_cast<std::size_t>(_mm_popcnt_u64(chosen));
        yes += n_yes;
        no += kWordBits - n_yes;
    }
    return static_cast<std::size_t>(yes - first) +
           part_codes_plain(codes + start, n_rows - start, mask + start / kWordBits, yes, no);
}

}  // namespace

extern const Kernels kAvx512Kernels;
const Kernels kAvx512Kernels = {
    "avx512",   count_tile, count_tile_weighted, count_tile_packed, count_column,
    pack_range, part_codes, part_bits,           find_ones<float>,  find_ones<double>,
    take_bits,  scan_pairs, scan_pairs_packed,   scan_extensions,   scan_last};

}  // namespace bsnsing

BSNSING_TARGET_END

#endif
