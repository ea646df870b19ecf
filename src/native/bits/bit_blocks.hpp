// The answers of a node's rows to its questions, and how the rows are laid out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bits/aligned.hpp"
#include "bits/words.hpp"

namespace bsnsing {

// A run of rows that share a class and a weight. A row of integer weight 5 = 1 + 4 stands in two
// segments of its class, those of weight 1 and 4: weighted counting stays a matter of popcounts.
struct Segment {
    std::uint32_t class_index = 0;
    std::int64_t weight = 1;
    std::size_t first_word = 0;
    std::size_t n_words = 0;
    std::size_t n_rows = 0;
};

// Who the rows are: segments in class order, and the totals they add up to.
struct RowLayout {
    std::size_t n_classes = 0;
    std::size_t n_words = 0;
    std::vector<Segment> segments;

    // Appends a segment behind the others.
    void add(std::uint32_t class_index, std::int64_t weight, std::size_t n_rows) {
        segments.push_back({class_index, weight, n_words, words_for(n_rows), n_rows});
        n_words += words_for(n_rows);
    }

    std::vector<double> class_totals() const {
        std::vector<double> totals(n_classes, 0.0);
        for (const Segment& s : segments)
            totals[s.class_index] += static_cast<double>(s.weight) * static_cast<double>(s.n_rows);
        return totals;
    }
};

// Bit columns, eight questions to a block: word w of block b is eight neighbouring words, one per
// question. Lanes past the last question stay zero.
class BitBlocks {
  public:
    BitBlocks() = default;
    BitBlocks(std::size_t n_questions, std::size_t n_words)
        : n_questions_(n_questions),
          n_words_(n_words),
          words_(round_up_to_lanes(n_questions) * n_words, Word{0}) {}

    // For who writes every word of every question: only the lanes past the last one are set. Uses
    // `memory` if it is large enough.
    static BitBlocks unfilled(std::size_t n_questions, std::size_t n_words,
                              UnfilledVector<Word> memory = {}) {
        BitBlocks blocks;
        blocks.n_questions_ = n_questions;
        blocks.n_words_ = n_words;
        const std::size_t size = round_up_to_lanes(n_questions) * n_words;
        if (memory.capacity() >= size) blocks.words_ = std::move(memory);
        blocks.words_.resize(size);
        if (n_questions % kLanes != 0)
            std::fill_n(blocks.words_.data() + (blocks.n_blocks() - 1) * n_words * kLanes,
                        n_words * kLanes, Word{0});
        return blocks;
    }

    std::size_t n_questions() const { return n_questions_; }
    std::size_t n_words() const { return n_words_; }
    std::size_t n_blocks() const { return (n_questions_ + kLanes - 1) / kLanes; }

    const Word* block(std::size_t b) const { return words_.data() + b * n_words_ * kLanes; }

    // Word w of question q is lane(q)[w * kLanes].
    Word* lane(std::size_t q) {
        return words_.data() + (q / kLanes) * n_words_ * kLanes + q % kLanes;
    }
    const Word* lane(std::size_t q) const { return const_cast<BitBlocks*>(this)->lane(q); }

    UnfilledVector<Word> take_memory() && { return std::move(words_); }

  private:
    std::size_t n_questions_ = 0;
    std::size_t n_words_ = 0;
    UnfilledVector<Word> words_;
};

}  // namespace bsnsing
