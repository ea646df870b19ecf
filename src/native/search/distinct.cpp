#include "search/distinct.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace bsnsing {
namespace {

// What to xor each word of a question with so that its first row answers no. A question and its
// negation then look the same.
Word flip_of(const BitBlocks& blocks, std::size_t question, bool complements) {
    return complements && (blocks.lane(question)[0] & 1U) != 0 ? ~Word{0} : Word{0};
}

// The bits of a word that stand for rows.
std::vector<Word> row_masks(const RowLayout& rows) {
    std::vector<Word> masks(rows.n_words, ~Word{0});
    for (const Segment& s : rows.segments)
        if (s.n_rows % kWordBits != 0)
            masks[s.first_word + s.n_words - 1] = (Word{1} << (s.n_rows % kWordBits)) - 1;
    return masks;
}

std::vector<std::uint64_t> hash_questions(const BitBlocks& blocks, const std::vector<Word>& masks,
                                          bool complements) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
    std::vector<std::uint64_t> hashes(round_up_to_lanes(blocks.n_questions()));
    for (std::size_t b = 0; b < blocks.n_blocks(); ++b) {
        std::array<Word, kLanes> flip{};
        std::array<std::uint64_t, kLanes> hash{};
        for (std::size_t k = 0; k < kLanes && b * kLanes + k < blocks.n_questions(); ++k)
            flip[k] = flip_of(blocks, b * kLanes + k, complements);
        const Word* words = blocks.block(b);
        for (std::size_t w = 0; w < masks.size(); ++w)
            for (std::size_t k = 0; k < kLanes; ++k) {
                hash[k] = (hash[k] ^ ((words[w * kLanes + k] ^ flip[k]) & masks[w])) * kOdd;
                hash[k] ^= hash[k] >> 29U;
            }
        std::copy(hash.begin(), hash.end(),
                  hashes.begin() + static_cast<std::ptrdiff_t>(b * kLanes));
    }
    hashes.resize(blocks.n_questions());
    return hashes;
}

bool is_same(const BitBlocks& blocks, const std::vector<Word>& masks, std::size_t a, std::size_t b,
             bool complements) {
    const Word flip = flip_of(blocks, a, complements) ^ flip_of(blocks, b, complements);
    for (std::size_t w = 0; w < masks.size(); ++w) {
        const Word difference = blocks.lane(a)[w * kLanes] ^ blocks.lane(b)[w * kLanes] ^ flip;
        if ((difference & masks[w]) != 0) return false;
    }
    return true;
}

}  // namespace

std::vector<std::uint32_t> distinct_questions(const BitBlocks& blocks, const RowLayout& rows,
                                              bool complements) {
    std::vector<std::uint32_t> kept;
    if (rows.n_words == 0) return kept;
    const std::vector<Word> masks = row_masks(rows);
    const std::vector<std::uint64_t> hashes = hash_questions(blocks, masks, complements);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted;
    for (std::uint32_t q = 0; q < blocks.n_questions(); ++q) sorted.emplace_back(hashes[q], q);
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t start = 0; start < sorted.size();) {
        std::size_t end = start;
        const std::size_t first_kept = kept.size();
        for (; end < sorted.size() && sorted[end].first == sorted[start].first; ++end) {
            const std::uint32_t q = sorted[end].second;
            const bool is_known = std::any_of(
                kept.begin() + static_cast<std::ptrdiff_t>(first_kept), kept.end(),
                [&](std::uint32_t k) { return is_same(blocks, masks, k, q, complements); });
            if (!is_known) kept.push_back(q);
        }
        start = end;
    }
    std::sort(kept.begin(), kept.end());
    return kept;
}

BitBlocks select_questions(const BitBlocks& blocks, const std::vector<std::uint32_t>& positions) {
    BitBlocks selected = BitBlocks::unfilled(positions.size(), blocks.n_words());
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const Word* from = blocks.lane(positions[i]);
        Word* to = selected.lane(i);
        for (std::size_t w = 0; w < blocks.n_words(); ++w) to[w * kLanes] = from[w * kLanes];
    }
    return selected;
}

}  // namespace bsnsing
