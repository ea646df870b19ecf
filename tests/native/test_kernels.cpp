// Every kernel gives the plain loops' results to the last bit.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "bits/aligned.hpp"
#include "check.hpp"
#include "inputs.hpp"
#include "kernels/kernels.hpp"
#include "search/packed.hpp"
#include "search/settings.hpp"

namespace bsnsing::test {
namespace {

const Kernels& plain_kernels() {
    return *available_kernels().back();
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

AlignedVector<Word> random_words(Random& random, std::size_t n) {
    AlignedVector<Word> words(n);
    for (Word& w : words) {
        const std::uint64_t kind = random.below(8);
        w = kind == 0 ? 0 : kind == 1 ? ~Word{0} : random.word();
    }
    return words;
}

void check_counts(const Kernels& kernels, Random& random, std::size_t n_words) {
    const AlignedVector<Word> a = random_words(random, n_words * kLanes);
    const AlignedVector<Word> b = random_words(random, n_words * kLanes);
    const AlignedVector<Word> column = random_words(random, n_words);
    constexpr std::size_t kStride = 3 * kLanes;
    for (const double weight : {1.0, 3.0, 0x1p40}) {
        std::vector<double> expected(kLanes * kStride);
        for (double& x : expected) x = static_cast<double>(random.below(1000));
        std::vector<double> found = expected;
        for (const bool starts : {false, true}) {
            plain_kernels().count_tile(a.data(), b.data(), n_words, weight, starts, expected.data(),
                                       kStride);
            kernels.count_tile(a.data(), b.data(), n_words, weight, starts, found.data(), kStride);
            CHECK(same_bits(expected, found));
        }

        plain_kernels().count_column(column.data(), b.data(), n_words, weight, expected.data());
        kernels.count_column(column.data(), b.data(), n_words, weight, found.data());
        CHECK(same_bits(expected, found));
    }
}

void check_packed_counts(const Kernels& kernels, Random& random, std::size_t n_words) {
    const AlignedVector<Word> a = random_words(random, n_words * kLanes);
    const AlignedVector<Word> b = random_words(random, n_words * kLanes);
    // Weights 4 and 1 of the upper class, 2 and 1 of the lower one.
    const std::size_t part = n_words / 4;
    const std::vector<PackedSegment> segments = {
        {0, part, 2}, {part, part, 15}, {2 * part, part, 1}, {3 * part, n_words - 3 * part, 0}};
    constexpr std::size_t kStride = 2 * kLanes;
    std::vector<std::uint32_t> found(kLanes * kStride, 77);
    kernels.count_tile_packed(a.data(), b.data(), segments.data(), segments.size(), found.data(),
                              kStride);
    std::vector<double> weighted(kLanes * kStride, 77);
    kernels.count_tile_weighted(a.data(), b.data(), segments.data(), segments.size(),
                                weighted.data(), kStride);
    constexpr std::uint32_t kShifts[] = {18, 16, 1, 0};
    for (std::size_t i = 0; i < kLanes; ++i)
        for (std::size_t k = 0; k < kLanes; ++k) {
            std::uint32_t expected = 0;
            for (std::size_t s = 0; s < segments.size(); ++s)
                for (std::size_t w = 0; w < segments[s].n_words; ++w) {
                    const std::size_t word = (segments[s].first_word + w) * kLanes;
                    expected += static_cast<std::uint32_t>(std::popcount(a[word + i] & b[word + k]))
                                << kShifts[s];
                }
            CHECK(found[i * kStride + k] == expected);
            CHECK(weighted[i * kStride + k] == static_cast<double>(expected));
            CHECK(weighted[i * kStride + kLanes + k] == 77);
            CHECK(found[i * kStride + kLanes + k] == 77);
        }
}

void check_pack_range(const Kernels& kernels, Random& random, std::size_t n_rows) {
    std::vector<std::uint8_t> bins(n_rows);
    for (std::uint8_t& bin : bins) bin = static_cast<std::uint8_t>(random.below(256));
    for (int i = 0; i < 20; ++i) {
        const auto low = static_cast<std::uint8_t>(i == 0 ? 0 : random.below(256));
        const auto length =
            static_cast<std::uint8_t>(i < 2    ? 255 - low
                                      : i == 2 ? 0
                                               : random.below(std::uint64_t{256} - low));
        AlignedVector<Word> lanes(words_for(n_rows) * kLanes, Word{0x5a5a});
        kernels.pack_range(bins.data(), n_rows, low, length, lanes.data());
        for (std::size_t w = 0; w < words_for(n_rows); ++w) {
            Word expected = 0;
            for (std::size_t k = 0; k < kWordBits && w * kWordBits + k < n_rows; ++k) {
                const int bin = bins[w * kWordBits + k];
                expected |= Word{bin >= low && bin < low + length} << k;
            }
            CHECK(lanes[w * kLanes] == expected);
            CHECK(lanes[w * kLanes + 1] == 0x5a5a);  // the neighbours are someone else's
        }
    }
}

template <class T, class FindOnes>
void check_ones(const FindOnes& find_ones, Random& random) {
    constexpr std::size_t kRows = 64;
    constexpr std::size_t kStride = 11;
    const T others[] = {T{2}, T{-1}, T{0.5}, std::numeric_limits<T>::quiet_NaN()};
    for (int round = 0; round < 20; ++round) {
        std::vector<T> cells(kRows * kStride);
        for (T& cell : cells)
            cell = random.chance(0.002) ? others[random.below(4)]
                   : random.chance(0.5) ? T{1}
                   : random.chance(0.5) ? T{0}
                                        : -T{0};
        const std::size_t n_rows = 1 + random.below(kRows);
        std::vector<std::uint8_t> ones(kRows, 0xcc);
        const unsigned other = find_ones(cells.data(), kStride, n_rows, ones.data());
        for (std::size_t c = 0; c < 8; ++c) {
            bool has_other = false;
            for (std::size_t i = 0; i < n_rows; ++i) {
                const T cell = cells[i * kStride + c];
                CHECK(((ones[i] >> c & 1U) != 0) == (cell == 1));
                has_other = has_other || !(cell == 0 || cell == 1);
            }
            CHECK(((other >> c & 1U) != 0) == has_other);
        }
    }
}

void check_parting(const Kernels& kernels, Random& random, std::size_t n_rows) {
    std::vector<std::uint8_t> codes(n_rows);
    for (std::uint8_t& code : codes) code = static_cast<std::uint8_t>(random.below(256));
    AlignedVector<Word> bits = random_words(random, words_for(n_rows));
    AlignedVector<Word> mask = random_words(random, words_for(n_rows));
    if (n_rows % kWordBits != 0) {
        const Word rows = (Word{1} << (n_rows % kWordBits)) - 1;
        bits.back() &= rows;
        mask.back() &= rows;
    }
    const auto bit = [](const AlignedVector<Word>& words, std::size_t i) {
        return (words[i / kWordBits] >> (i % kWordBits)) & 1U;
    };
    std::vector<std::uint8_t> expected[2];
    std::vector<Word> expected_bits[2];
    for (std::size_t i = 0; i < n_rows; ++i) {
        const std::size_t side = bit(mask, i) != 0 ? 0 : 1;
        if (expected[side].size() % kWordBits == 0) expected_bits[side].push_back(0);
        expected_bits[side].back() |= bit(bits, i) << (expected[side].size() % kWordBits);
        expected[side].push_back(codes[i]);
    }
    std::vector<std::uint8_t> yes(n_rows + kPartSlack), no(n_rows + kPartSlack);
    const std::size_t n_yes =
        kernels.part_codes(codes.data(), n_rows, mask.data(), yes.data(), no.data());
    CHECK(n_yes == expected[0].size());
    CHECK(std::equal(expected[0].begin(), expected[0].end(), yes.begin()));
    CHECK(std::equal(expected[1].begin(), expected[1].end(), no.begin()));
    std::vector<Word> yes_bits(expected_bits[0].size(), ~Word{0});
    std::vector<Word> no_bits(expected_bits[1].size(), ~Word{0});
    kernels.part_bits(bits.data(), n_rows, mask.data(), yes_bits.data(), no_bits.data());
    CHECK(yes_bits == expected_bits[0] && no_bits == expected_bits[1]);
    std::vector<Word> taken(expected_bits[0].size(), ~Word{0});
    kernels.take_bits(bits.data(), bits.size(), mask.data(), taken.data());
    CHECK(taken == expected_bits[0]);
}

// Counts as a search would have them, made from a small random problem.
struct Scans {
    Objective objective;
    std::vector<double> xlogx;
    std::size_t n_questions = 0;
    std::size_t stride = 0;
    std::vector<double> own, singles, both;                  // of pairs with question 0
    std::vector<double> size, lean, with_totals, with_self;  // of each question
    std::vector<double> gain, most_after;                    // of the rule "question 0"
    std::vector<double> with_last, last_both;  // of that rule with question 1 as its last
    Screen screen;                             // of a criterion that has one

    Scans(const Problem& p, Criterion criterion)
        : objective(p.objective(criterion, 5)),
          n_questions(p.n_questions),
          stride(round_up_to_lanes(p.n_questions)) {
        const auto by_question = [&](const auto& is_in) {
            std::vector<double> counts(p.n_classes * stride, 0.0);
            for (std::size_t q = 0; q < n_questions; ++q) {
                const std::vector<double> n =
                    p.cases([&](std::size_t row) { return is_in(row, q); });
                for (std::size_t j = 0; j < p.n_classes; ++j) counts[j * stride + q] = n[j];
            }
            return counts;
        };
        own = p.cases([&](std::size_t row) { return p.answer(row, 0); });
        with_last = p.cases([&](std::size_t row) { return p.answer(row, 0) || p.answer(row, 1); });
        singles = by_question([&](std::size_t row, std::size_t q) { return p.answer(row, q); });
        both = by_question(
            [&](std::size_t row, std::size_t q) { return p.answer(row, 0) && p.answer(row, q); });
        gain = by_question(
            [&](std::size_t row, std::size_t q) { return !p.answer(row, 0) && p.answer(row, q); });
        last_both = by_question(
            [&](std::size_t row, std::size_t q) { return p.answer(row, 1) && p.answer(row, q); });
        most_after = gain;
        for (std::size_t j = 0; j < p.n_classes; ++j)
            for (std::size_t q = n_questions - 1; q-- > 0;)
                most_after[j * stride + q] =
                    std::max(most_after[j * stride + q], most_after[j * stride + q + 1]);
    }

    const Screen* screen_or_null() const { return screen.classes.empty() ? nullptr : &screen; }

    // What the quicker ways to judge pairs go by; see Leans and Moments.
    void sum_up() {
        for (auto* sums : {&size, &lean, &with_totals, &with_self}) sums->assign(stride, 0.0);
        for (std::size_t j = 0; j < objective.n_classes; ++j)
            for (std::size_t q = 0; q < stride; ++q) {
                const double n = singles[j * stride + q];
                const double scale = screen.classes.empty() ? 1.0 : screen.classes[j].inverse;
                size[q] += n;
                with_totals[q] += objective.totals[j] * n * scale;
                with_self[q] += n * n * scale;
                if (objective.n_classes == 2)
                    lean[q] += j == 0 ? n * objective.totals[1] : -n * objective.totals[0];
            }
    }

    void weigh_classes(Random& random) {
        for (double& w : objective.class_weights) w = 0.25 + random.unit();
        objective.whole_numbers = false;
    }
    void tabulate() {
        xlogx = tabulate_xlogx(objective.total);
        objective.xlogx = xlogx.data();
    }

    PairScan pairs(const Formulas& formulas, double limit, double grain) const {
        PairScan scan;
        scan.objective = &objective;
        scan.formulas = formulas;
        scan.n_questions = n_questions;
        scan.stride = stride;
        scan.first = 1;
        scan.own = own.data();
        scan.singles = singles.data();
        scan.both = both.data();
        scan.both_stride = stride;
        scan.limit = limit;
        scan.grain = grain;
        scan.screen = screen_or_null();
        if (!size.empty() && objective.n_classes == 2)
            scan.leans = {size.data(), lean.data()};
        else if (!size.empty())
            scan.moments = {size.data(), with_totals.data(), with_self.data()};
        return scan;
    }
    ExtendScan extensions(const Formulas& formulas, double limit, double grain) const {
        ExtendScan scan;
        scan.objective = &objective;
        scan.formulas = formulas;
        scan.n_literals = n_questions;
        scan.stride = stride;
        scan.first = 1;
        scan.base = own.data();
        scan.gain = gain.data();
        scan.limit = limit;
        scan.grain = grain;
        scan.n_more = 2;
        scan.most_after = most_after.data();
        scan.most_single = singles.data();
        scan.open_limit = limit;
        scan.screen = screen_or_null();
        return scan;
    }
    LastScan last(const Formulas& formulas, double limit) const {
        LastScan scan;
        scan.objective = &objective;
        scan.formulas = formulas;
        scan.n_literals = n_questions;
        scan.stride = stride;
        scan.first = 2;
        scan.base = with_last.data();
        scan.gain = gain.data();
        scan.singles = singles.data();
        scan.both = last_both.data();
        scan.both_stride = stride;
        scan.open_limit = limit;
        scan.screen = screen_or_null();
        return scan;
    }
};

bool same_hits(const std::vector<Hit>& a, const std::vector<Hit>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Hit& x, const Hit& y) {
        return x.question == y.question && x.negated == y.negated && x.is_xor == y.is_xor &&
               x.first_negated == y.first_negated && x.swapped == y.swapped &&
               same_bits({&x.value, 1}, {&y.value, 1});
    });
}

std::vector<Hit> scan_pairs(const Kernels& kernels, PairScan scan) {
    ScanMemory memory(scan.objective->n_classes);
    scan.memory = memory.data();
    std::vector<Hit> hits(scan.stride * kHitsPerQuestion);
    hits.resize(kernels.scan_pairs(scan, hits.data()));
    return hits;
}

std::vector<Hit> scan_extensions(const Kernels& kernels, ExtendScan scan,
                                 std::vector<std::uint32_t>& openings) {
    ScanMemory memory(scan.objective->n_classes);
    scan.memory = memory.data();
    std::vector<Hit> hits(scan.stride * kHitsPerQuestion);
    openings.resize(scan.stride);
    std::size_t n_openings = 0;
    hits.resize(kernels.scan_extensions(scan, hits.data(), openings.data(), &n_openings));
    openings.resize(n_openings);
    return hits;
}

std::vector<std::uint32_t> scan_last(const Kernels& kernels, LastScan scan) {
    ScanMemory memory(scan.objective->n_classes);
    scan.memory = memory.data();
    std::vector<std::uint32_t> blocks(scan.stride / kLanes);
    blocks.resize(kernels.scan_last(scan, blocks.data()));
    return blocks;
}

// A limit that about half of the rules pass.
double middle_value(const std::vector<Hit>& hits) {
    std::vector<double> values;
    for (const Hit& hit : hits) values.push_back(hit.value);
    std::sort(values.begin(), values.end());
    return values.empty() ? 0.0 : values[values.size() / 2];
}

void check_scans(const Kernels& kernels, const Scans& scans, const Formulas& formulas) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::vector<Hit> all =
        scan_pairs(plain_kernels(), scans.pairs(formulas, kInfinity, kInfinity));
    for (const double limit : {kInfinity, middle_value(all)})
        for (const double grain : {kInfinity, 0.0}) {
            const PairScan pairs = scans.pairs(formulas, limit, grain);
            CHECK(same_hits(scan_pairs(plain_kernels(), pairs), scan_pairs(kernels, pairs)));

            const ExtendScan extend = scans.extensions(formulas, limit, grain);
            std::vector<std::uint32_t> expected;
            std::vector<std::uint32_t> found;
            CHECK(same_hits(scan_extensions(plain_kernels(), extend, expected),
                            scan_extensions(kernels, extend, found)));
            CHECK(expected == found);

            const LastScan last = scans.last(formulas, limit);
            CHECK(scan_last(plain_kernels(), last) == scan_last(kernels, last));
        }
}

bool contains(const std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

// A screen excludes no rule that is good enough: the hits are the same, whether pairs have sums to
// go by or not, and what is open without it is open with it.
void check_screened(const Kernels& kernels, const Scans& plain, const Formulas& formulas) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Scans screened = plain;
    screened.screen = entropy_screen(plain.objective);
    Scans summed = screened;
    if (plain.objective.whole_numbers) summed.sum_up();
    check_scans(kernels, summed, formulas);
    std::vector<Hit> all = scan_pairs(kernels, plain.pairs(formulas, kInfinity, kInfinity));
    std::sort(all.begin(), all.end(), [](const Hit& a, const Hit& b) { return a.value < b.value; });
    for (std::size_t i = 0; i < all.size(); i += 1 + all.size() / 10) {
        const double limit = all[i].value * (1 + 1e-12);
        const std::vector<Hit> hits = scan_pairs(kernels, plain.pairs(formulas, limit, kInfinity));
        CHECK(same_hits(hits, scan_pairs(kernels, screened.pairs(formulas, limit, kInfinity))));
        CHECK(same_hits(hits, scan_pairs(kernels, summed.pairs(formulas, limit, kInfinity))));
        std::vector<std::uint32_t> open;
        std::vector<std::uint32_t> left_open;
        CHECK(same_hits(
            scan_extensions(kernels, plain.extensions(formulas, limit, kInfinity), open),
            scan_extensions(kernels, screened.extensions(formulas, limit, kInfinity), left_open)));
        CHECK(contains(left_open, open));
        CHECK(contains(scan_last(kernels, screened.last(formulas, limit)),
                       scan_last(kernels, plain.last(formulas, limit))));
    }
}

// The packed scan gives the plain loops' hits, and among them every rule that the scan in doubles
// finds below the limit.
void check_packed_scans(const Kernels& kernels, const Problem& p, const Formulas& formulas) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const Scans scans(p, Criterion::gini);
    const RowOrder order = p.order();
    const BitBlocks blocks = p.blocks();
    const Pool pool(blocks, order.layout, scans.objective);
    CHECK(PackedPool::fits(pool));
    const PackedPool packed(pool);
    std::vector<std::uint32_t> both(packed.n_class_pairs() * packed.stride(), 0);
    for (std::size_t j = 0; j < p.n_classes; ++j)
        for (std::size_t q = 0; q < p.n_questions; ++q)
            both[j / 2 * packed.stride() + q] +=
                static_cast<std::uint32_t>(scans.both[j * scans.stride + q]) << (j % 2 * 16);
    const auto run = [&](const Kernels& k, double limit, double grain) {
        PackedScan scan = packed.scan_of(0);
        scan.formulas = formulas;
        scan.both = both.data();
        scan.both_stride = packed.stride();
        scan.limit = limit;
        scan.grain = grain;
        std::vector<Hit> hits(packed.stride() * kHitsPerQuestion);
        hits.resize(k.scan_pairs_packed(scan, hits.data()));
        return hits;
    };
    const double middle = middle_value(run(plain_kernels(), kInfinity, kInfinity));
    for (const double limit : {kInfinity, middle})
        for (const double grain : {kInfinity, 0.0}) {
            const std::vector<Hit> hits = run(kernels, limit, grain);
            CHECK(same_hits(run(plain_kernels(), limit, grain), hits));
            if (grain == 0.0) continue;
            for (const Hit& exact : scan_pairs(kernels, scans.pairs(formulas, limit, grain)))
                CHECK(std::any_of(hits.begin(), hits.end(), [&](const Hit& hit) {
                    return hit.question == exact.question && hit.negated == exact.negated &&
                           hit.first_negated == exact.first_negated && hit.is_xor == exact.is_xor &&
                           std::abs(hit.value - exact.value) <= 1e-5 * scans.objective.total;
                }));
        }
}

void check_all_scans(const Kernels& kernels, Random& random, const Problem& p) {
    constexpr Formulas kFormulas[] = {{true, false, false, false},
                                      {true, false, false, true},
                                      {true, true, true, true},
                                      {false, true, false, true},
                                      {false, false, true, false}};
    for (const Formulas& formulas : kFormulas) check_packed_scans(kernels, p, formulas);
    for (const Criterion criterion : every_criterion()) {
        if (facts_of(criterion).two_classes_only && p.n_classes != 2) continue;
        for (const Formulas& formulas : kFormulas)
            for (const bool is_weighted : {false, true}) {
                Scans scans(p, criterion);
                if (is_weighted) scans.weigh_classes(random);
                check_scans(kernels, scans, formulas);
                if (!is_weighted) {
                    Scans summed = scans;
                    summed.sum_up();
                    check_scans(kernels, summed, formulas);
                }
                if (facts_of(criterion).is_screened) check_screened(kernels, scans, formulas);
                scans.objective.distinct_children = true;
                check_scans(kernels, scans, formulas);
                if (!facts_of(criterion).uses_xlogx || is_weighted) continue;
                scans.tabulate();
                check_scans(kernels, scans, formulas);
            }
    }
}

void test_choice() {
    const std::string before = active_kernels().name;
    CHECK(std::string(plain_kernels().name) == "scalar");
    for (const Kernels* kernels : available_kernels()) {
        use_kernels(kernels->name);
        CHECK(&active_kernels() == kernels);
    }
    CHECK(is_refused([] { use_kernels("abacus"); }));
    use_kernels(before.c_str());
}

}  // namespace

void test_kernels() {
    test_choice();
    for (const Kernels* kernels : available_kernels()) {
        std::printf("  %s\n", kernels->name);
        Random random(2);
        for (const std::size_t n_words : {0U, 1U, 2U, 3U, 31U, 32U, 33U, 63U, 64U, 65U, 1000U})
            check_counts(*kernels, random, n_words);
        for (const std::size_t n_words : {0U, 1U, 2U, 4U, 7U, 40U})
            check_packed_counts(*kernels, random, n_words);
        for (const std::size_t n_rows : {0U, 1U, 63U, 64U, 65U, 128U, 1000U})
            check_pack_range(*kernels, random, n_rows);
        for (const std::size_t n_rows : {0U, 1U, 63U, 64U, 65U, 128U, 700U, 1000U})
            for (int i = 0; i < 5; ++i) check_parting(*kernels, random, n_rows);
        check_ones<float>(kernels->find_ones_float, random);
        check_ones<double>(kernels->find_ones_double, random);
        for (const std::size_t n_classes : {2U, 3U, 16U, 17U, 40U})
            for (const std::size_t n_questions : {2U, 8U, 21U}) {
                const bool weighted = n_questions == 8;
                check_all_scans(*kernels, random,
                                random_problem(random, 150, n_questions, n_classes, weighted));
            }
    }
}

}  // namespace bsnsing::test
