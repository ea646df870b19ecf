// Rows in order and answers in bits, and back again.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "check.hpp"
#include "inputs.hpp"

namespace bsnsing::test {
namespace {

bool is_set(const BitBlocks& blocks, std::size_t question, std::size_t word, std::size_t bit) {
    return (blocks.lane(question)[word * kLanes] >> bit) & 1U;
}

void check_order(const Problem& p) {
    const RowOrder order = p.order();
    const RowLayout& layout = order.layout;
    CHECK(layout.class_totals() == p.cases([](std::size_t) { return true; }));
    std::vector<std::int64_t> weight_sums(p.n_rows(), 0);
    std::size_t place = 0;
    std::size_t n_words = 0;
    for (const Segment& s : layout.segments) {
        CHECK(s.first_word == n_words && s.n_words == words_for(s.n_rows) && s.n_rows > 0);
        n_words += s.n_words;
        for (std::size_t i = 0; i < s.n_rows; ++i, ++place) {
            const std::uint32_t row = order.rows[place];
            CHECK(p.classes[row] == static_cast<std::int32_t>(s.class_index));
            CHECK(i == 0 || order.rows[place - 1] < row);
            weight_sums[row] += s.weight;
        }
    }
    CHECK(place == order.rows.size() && n_words == layout.n_words);
    for (std::size_t row = 0; row < p.n_rows(); ++row)
        CHECK(weight_sums[row] == (p.weights.empty() ? 1 : p.weights[row]));
}

void check_packing(const Problem& p) {
    const RowOrder order = p.order();
    const BitBlocks blocks = p.blocks();
    for (std::size_t q = 0; q < round_up_to_lanes(p.n_questions); ++q) {
        std::size_t place = 0;
        for (const Segment& s : order.layout.segments)
            for (std::size_t i = 0; i < s.n_words * kWordBits; ++i) {
                // Bits past the last row and lanes past the last question are zero.
                const bool expected =
                    q < p.n_questions && i < s.n_rows && p.answer(order.rows[place + i], q);
                CHECK(is_set(blocks, q, s.first_word + i / kWordBits, i % kWordBits) == expected);
                if (i + 1 == s.n_words * kWordBits) place += s.n_rows;
            }
    }
}

void test_large_weights() {
    Problem p;
    p.n_classes = 2;
    p.classes = {1, 0, 1};
    p.weights = {(std::int64_t{1} << 62) + 1, 0, 3};
    check_order(p);
    CHECK(p.order().rows.size() == 4);  // 2^62 + 1 and 2 + 1: four segments of one row
}

void test_bad_input() {
    const std::vector<std::int32_t> classes = {0, 2};
    const std::vector<std::int32_t> negative = {0, -1};
    const std::vector<std::int64_t> one_weight = {1};
    const std::vector<std::int64_t> minus = {1, -1};
    CHECK(is_refused([&] { order_rows(classes, 2, {}); }));
    CHECK(is_refused([&] { order_rows(negative, 2, {}); }));
    CHECK(is_refused([&] { order_rows(classes, 3, one_weight); }));
    CHECK(is_refused([&] { order_rows(classes, 3, minus); }));
    for (const std::size_t n_questions : {3U, 8U, 9U}) {
        std::vector<std::uint8_t> answers(2 * n_questions, 1);
        answers.back() = 2;
        const RowOrder order = order_rows(classes, 3, {});
        CHECK(is_refused([&] { pack_answers(answers.data(), n_questions, order); }));
    }
}

// Pieces of memory never overlap, small and large, whoever had them before.
void test_memory(Random& random) {
    std::vector<UnfilledVector<std::uint8_t>> pieces(12);
    std::vector<std::uint8_t> marks(pieces.size(), 0);
    for (std::size_t round = 0; round < 400; ++round) {
        const std::size_t i = random.below(pieces.size());
        for (std::size_t k = 0; k < pieces.size(); ++k)
            if (!pieces[k].empty())
                CHECK(pieces[k].front() == marks[k] && pieces[k].back() == marks[k]);
        const std::size_t n_bytes = std::size_t{1} << (10 + random.below(13));
        pieces[i] = UnfilledVector<std::uint8_t>(n_bytes + random.below(n_bytes));
        CHECK(reinterpret_cast<std::uintptr_t>(pieces[i].data()) % 64 == 0);
        marks[i] = static_cast<std::uint8_t>(round % 251);
        std::fill(pieces[i].begin(), pieces[i].end(), marks[i]);
    }
}

}  // namespace

void test_bits() {
    Random random(1);
    for (const std::size_t n_rows : {0U, 1U, 7U, 63U, 64U, 65U, 300U})
        for (const std::size_t n_questions : {1U, 8U, 13U})
            for (const bool weighted : {false, true}) {
                const Problem p = random_problem(random, n_rows, n_questions, 3, weighted);
                check_order(p);
                check_packing(p);
            }
    test_memory(random);
    test_large_weights();
    test_bad_input();
}

}  // namespace bsnsing::test
