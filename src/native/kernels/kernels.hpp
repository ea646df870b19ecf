// The loops that touch every row or every rule, one table per instruction set.
// All tables give the same numbers to the last bit; tests walk available_kernels() and compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bits/words.hpp"
#include "search/scan.hpp"

namespace bsnsing {

struct Kernels {
    const char* name;

    // out[i * stride + k] += weight * |lane i of a AND lane k of b|, for the 8 x 8 pairs of lanes;
    // with `starts`, what was in `out` is overwritten.
    void (*count_tile)(const Word* a, const Word* b, std::size_t n_words, double weight,
                       bool starts, double* out, std::size_t stride) noexcept;
    // The same for all segments of a class, each counted by its weight; `out` is overwritten.
    void (*count_tile_weighted)(const Word* a, const Word* b, const PackedSegment* segments,
                                std::size_t n_segments, double* out, std::size_t stride) noexcept;
    // The same for the segments of two classes, packed into one number.
    void (*count_tile_packed)(const Word* a, const Word* b, const PackedSegment* segments,
                              std::size_t n_segments, std::uint32_t* out,
                              std::size_t stride) noexcept;
    // out[k] += weight * |column AND lane k of block|.
    void (*count_column)(const Word* column, const Word* block, std::size_t n_words, double weight,
                         double* out) noexcept;
    // Bit i of the column is low <= bins[i] < low + length; words are written kLanes apart.
    void (*pack_range)(const std::uint8_t* bins, std::size_t n_rows, std::uint8_t low,
                       std::uint8_t length, Word* lane) noexcept;

    // Parts codes, in order, by the bits of `mask`: those of set bits go to `yes`, the others to
    // `no`. Up to kPartSlack bytes past either end may be overwritten. Returns how many went to
    // `yes`.
    std::size_t (*part_codes)(const std::uint8_t* codes, std::size_t n_rows, const Word* mask,
                              std::uint8_t* yes, std::uint8_t* no) noexcept;
    // The same for a bit column; `yes` and `no` start at a word, and bits past their ends are zero.
    void (*part_bits)(const Word* bits, std::size_t n_rows, const Word* mask, Word* yes,
                      Word* no) noexcept;

    // Bit c of ones[i] says whether cells[i * stride + c] is 1, for eight cells of each row.
    // Returns a bit for each of the eight that is anything but 0 and 1 in some row.
    std::uint8_t (*find_ones_float)(const float* cells, std::ptrdiff_t stride, std::size_t n_rows,
                                    std::uint8_t* ones) noexcept;
    std::uint8_t (*find_ones_double)(const double* cells, std::ptrdiff_t stride, std::size_t n_rows,
                                     std::uint8_t* ones) noexcept;
    // Writes the bits that `mask` selects, without gaps; bits past their end are zero.
    void (*take_bits)(const Word* bits, std::size_t n_words, const Word* mask,
                      Word* taken) noexcept;

    // The scans write to buffers with room for every possible result and return how many they
    // wrote.
    std::size_t (*scan_pairs)(const PairScan& scan, Hit* hits) noexcept;
    std::size_t (*scan_pairs_packed)(const PackedScan& scan, Hit* hits) noexcept;
    std::size_t (*scan_extensions)(const ExtendScan& scan, Hit* hits, std::uint32_t* openings,
                                   std::size_t* n_openings) noexcept;
    // Writes the first positions of the blocks of eight in which some rule may be better.
    std::size_t (*scan_last)(const LastScan& scan, std::uint32_t* blocks) noexcept;
};

// How far part_codes may write past the end of its results.
inline constexpr std::size_t kPartSlack = 64;

// Results one scan can write per question: four sign patterns, XOR, each in two orientations.
inline constexpr std::size_t kHitsPerQuestion = 10;

// Usable on this CPU, best first; "scalar" is always there.
std::span<const Kernels* const> available_kernels();

// The table in use: the best one, or the one named by BSNSING_KERNELS or use_kernels().
const Kernels& active_kernels();

// Chooses by name for the whole process; throws std::invalid_argument for one that is not usable.
void use_kernels(const char* name);

}  // namespace bsnsing
