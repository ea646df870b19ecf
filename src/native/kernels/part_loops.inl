// Parting the cells of a column by a mask of rows. Include after `extract_bits`, which gathers the
// bits of a word that a mask selects. No include guard: it is meant to be included once per kernel
// file.

// Both sides are written every time, which costs less than a branch that is hard to foresee.
std::size_t part_codes_plain(const std::uint8_t* codes, std::size_t n_rows, const Word* mask,
                             std::uint8_t* yes, std::uint8_t* no) noexcept {
    std::size_t n_yes = 0;
    std::size_t n_no = 0;
    for (std::size_t i = 0; i < n_rows; ++i) {
        const std::size_t goes_to_yes = (mask[i / kWordBits] >> (i % kWordBits)) & 1U;
        yes[n_yes] = codes[i];
        no[n_no] = codes[i];
        n_yes += goes_to_yes;
        n_no += 1 - goes_to_yes;
    }
    return n_yes;
}

// Appends a few bits at a time to a bit column.
struct BitAppender {
    Word* out;
    Word pending = 0;
    unsigned n_pending = 0;

    void append(Word bits, unsigned n) {
        pending |= bits << n_pending;
        n_pending += n;
        if (n_pending < kWordBits) return;
        *out++ = pending;
        n_pending -= kWordBits;
        // Those that did not fit; none if the word is exactly full.
        pending = n_pending == 0 ? 0 : bits >> (n - n_pending);
    }
    void finish() {
        if (n_pending > 0) *out = pending;
    }
};

void part_bits(const Word* bits, std::size_t n_rows, const Word* mask, Word* yes,
               Word* no) noexcept {
    BitAppender to_yes{yes};
    BitAppender to_no{no};
    for (std::size_t start = 0; start < n_rows; start += kWordBits) {
        const Word word = bits[start / kWordBits];
        const Word chosen = mask[start / kWordBits];
        const std::size_t left = n_rows - start;
        const unsigned n = left < kWordBits ? static_cast<unsigned>(left) : kWordBits;
        const auto n_yes = static_cast<unsigned>(__builtin_popcountll(chosen));
        const Word rows = n < kWordBits ? (Word{1} << n) - 1 : ~Word{0};
        to_yes.append(extract_bits(word, chosen), n_yes);
        to_no.append(extract_bits(word, ~chosen & rows), n - n_yes);
    }
    to_yes.finish();
    to_no.finish();
}

void take_bits(const Word* bits, std::size_t n_words, const Word* mask, Word* taken) noexcept {
    BitAppender out{taken};
    for (std::size_t w = 0; w < n_words; ++w)
        out.append(extract_bits(bits[w], mask[w]),
                   static_cast<unsigned>(__builtin_popcountll(mask[w])));
    out.finish();
}
