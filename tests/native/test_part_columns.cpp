// Numeric columns in parts, against plain loops over all numbers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "check.hpp"
#include "grow/engine.hpp"
#include "grow/part_columns.hpp"
#include "inputs.hpp"

namespace bsnsing::test {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kColumns = 3;

// A row-major matrix: a column of many values, one of few, and one of a value that many rows share.
struct Part {
    std::vector<double> cells;
    std::vector<std::int64_t> weights;
    std::vector<NumberView> views;

    Part(Random& random, std::size_t n_rows, bool is_weighted) : cells(n_rows * kColumns) {
        for (std::size_t i = 0; i < n_rows; ++i) {
            cells[i * kColumns] = random.unit() - 0.5;
            cells[i * kColumns + 1] = static_cast<double>(random.below(7)) - 3;
            cells[i * kColumns + 2] = random.chance(0.5) ? 0.0 : random.unit();
            for (std::size_t c = 0; c < kColumns; ++c)
                if (random.chance(0.05)) cells[i * kColumns + c] = kMissing;
            if (is_weighted) weights.push_back(1 + static_cast<std::int64_t>(random.below(9)));
        }
        for (std::size_t c = 0; c < kColumns; ++c)
            views.push_back({cells.data() + c, static_cast<std::ptrdiff_t>(kColumns)});
    }

    std::size_t n_rows() const { return cells.size() / kColumns; }
    double cell(std::size_t row, std::size_t column) const {
        return cells[row * kColumns + column];
    }
    std::int64_t cases(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
    PartNumbers numbers(std::size_t n_threads) const {
        return {views, n_rows(), weights, n_threads, nullptr};
    }
    std::map<double, std::int64_t> counted(std::size_t column) const {
        std::map<double, std::int64_t> found;
        for (std::size_t i = 0; i < n_rows(); ++i)
            if (!std::isnan(cell(i, column))) found[cell(i, column)] += cases(i);
        return found;
    }
};

bool agree(const ValueCases& found, const std::map<double, std::int64_t>& expected) {
    std::size_t i = 0;
    if (found.values.size() != expected.size()) return false;
    for (const auto& [value, n_cases] : expected) {
        if (found.values[i] != value || found.cases[i] != n_cases) return false;
        ++i;
    }
    return true;
}

void check_outlines(const Part& part, std::size_t n_threads) {
    const std::vector<ColumnOutline> outlines = outline_columns(part.numbers(n_threads), 64);
    for (std::size_t c = 0; c < kColumns; ++c) {
        const auto expected = part.counted(c);
        CHECK(outlines[c].is_few == (expected.size() <= ColumnOutline::kMostValues));
        if (outlines[c].is_few) {
            CHECK(agree(outlines[c].all, expected));
        } else {
            CHECK(std::is_sorted(outlines[c].sample.begin(), outlines[c].sample.end()));
            for (const double x : outlines[c].sample) CHECK(expected.count(x) == 1);
        }
    }
}

// Bounds at every `step`-th value, buckets between them, and what is in every other bucket.
void check_buckets(const Part& part, std::size_t step, std::size_t n_threads) {
    std::vector<std::vector<double>> bounds(kColumns);
    std::vector<std::span<const double>> views;
    for (std::size_t c = 0; c < kColumns; ++c) {
        std::size_t i = 0;
        for (const auto& [value, n_cases] : part.counted(c))
            if (i++ % step == step / 2) bounds[c].push_back(value);
        views.emplace_back(bounds[c]);
    }
    const std::vector<DealtColumn> dealt = deal_columns(part.numbers(n_threads), views);
    std::vector<std::vector<std::uint8_t>> is_open(kColumns);
    std::vector<DealtView> opened;
    for (std::size_t c = 0; c < kColumns; ++c) {
        std::vector<std::int64_t> cases(bounds[c].size() + 1, 0);
        bool is_right = true;
        for (std::size_t i = 0; i < part.n_rows(); ++i) {
            const double x = part.cell(i, c);
            const auto place = std::lower_bound(bounds[c].begin(), bounds[c].end(), x);
            const auto expected = std::isnan(x)
                                      ? DealtColumn::kMissing
                                      : static_cast<std::uint16_t>(place - bounds[c].begin());
            is_right = is_right && dealt[c].buckets[i] == expected;
            if (!std::isnan(x)) cases[expected] += part.cases(i);
        }
        CHECK(is_right);
        CHECK(dealt[c].cases == cases);
        const auto values = part.counted(c);
        if (!values.empty()) {
            CHECK(dealt[c].least == values.begin()->first);
            CHECK(dealt[c].greatest == values.rbegin()->first);
        }
        for (std::size_t b = 0; b <= bounds[c].size(); ++b)
            is_open[c].push_back(static_cast<std::uint8_t>(b % 2));
        opened.push_back({dealt[c].buckets, bounds[c], is_open[c]});
    }
    const std::vector<ValueCases> inside = values_in(part.numbers(n_threads), opened);
    for (std::size_t c = 0; c < kColumns; ++c) {
        auto expected = part.counted(c);
        std::erase_if(expected, [&](const auto& item) {
            const auto b = std::lower_bound(bounds[c].begin(), bounds[c].end(), item.first);
            return (b - bounds[c].begin()) % 2 == 0;
        });
        CHECK(agree(inside[c], expected));
    }
}

std::uint32_t code_at(const ColumnCodes& codes, std::size_t row) {
    return codes.visit([row](const auto* typed) { return std::uint32_t{typed[row]}; });
}

// Codes that begin at every `step`-th value, by looking for them and by buckets.
void check_codes(const Part& part, std::size_t step, std::size_t n_threads) {
    std::vector<std::vector<double>> begins(kColumns);
    std::vector<std::vector<double>> bounds(kColumns);
    std::vector<std::span<const double>> begin_views;
    std::vector<std::span<const double>> bound_views;
    for (std::size_t c = 0; c < kColumns; ++c) {
        std::size_t i = 0;
        for (const auto& [value, n_cases] : part.counted(c)) {
            if (i % step == 0) begins[c].push_back(value);
            if (i % 3 == 1) bounds[c].push_back(value);
            ++i;
        }
        begin_views.emplace_back(begins[c]);
        bound_views.emplace_back(bounds[c]);
    }
    const std::vector<DealtColumn> dealt = deal_columns(part.numbers(n_threads), bound_views);
    std::vector<std::vector<std::uint8_t>> is_open(kColumns);
    std::vector<DealtView> opened;
    for (std::size_t c = 0; c < kColumns; ++c) {
        is_open[c].assign(bounds[c].size() + 1, 0);
        for (const double begin : begins[c]) {
            const auto b = std::lower_bound(bounds[c].begin(), bounds[c].end(), begin);
            is_open[c][static_cast<std::size_t>(b - bounds[c].begin())] = 1;
        }
        opened.push_back({dealt[c].buckets, bounds[c], is_open[c]});
    }
    const std::vector<ColumnCodes> looked_for = encode_from(part.numbers(n_threads), begin_views);
    const std::vector<ColumnCodes> by_bucket =
        encode_dealt(part.numbers(n_threads), opened, begin_views);
    for (std::size_t c = 0; c < kColumns; ++c) {
        bool is_right = true;
        for (std::size_t i = 0; i < part.n_rows(); ++i) {
            const double x = part.cell(i, c);
            const auto next = std::upper_bound(begins[c].begin(), begins[c].end(), x);
            const std::size_t code = std::isnan(x)
                                         ? begins[c].size()
                                         : static_cast<std::size_t>(next - begins[c].begin()) - 1;
            is_right = is_right && code_at(looked_for[c], i) == code;
            is_right = is_right && code_at(by_bucket[c], i) == code;
        }
        CHECK(is_right);
        CHECK(looked_for[c].width == (begins[c].size() < 256 ? 1U : 2U));
    }
}

// A column that is made of codes is the one that they were made of.
void test_columns_of_codes(Random& random) {
    for (const std::size_t n_values : {2U, 9U, 300U}) {
        std::vector<double> numbers(1000);
        for (double& x : numbers) x = 0.5 * static_cast<double>(random.below(n_values));
        const EncodedColumn column = encode_numbers(numbers);
        const std::vector<std::uint32_t> codes = list_codes(column, column);
        EncodedColumn again;
        if (n_values < 256) {
            const std::vector<std::uint8_t> short_codes(codes.begin(), codes.end());
            again = column_of(column, short_codes);
            CHECK(is_refused([&] { column_of(column, codes); }));  // wider than needed
        } else {
            const std::vector<std::uint16_t> short_codes(codes.begin(), codes.end());
            again = column_of(column, short_codes);
        }
        CHECK(list_codes(again, again) == codes);
        CHECK(again.is_bits() == column.is_bits() && again.bytes == column.bytes);
    }
    const ColumnShape shape{ColumnKind::numeric, 3, false, {1, 2, 3}, {}};
    CHECK(is_refused([&] { column_of(shape, std::vector<std::uint8_t>{0, 3}); }));
    CHECK(is_refused([&] { column_of(shape, std::vector<std::uint16_t>{0, 1}); }));
}

// What one engine does to its nodes, the engine it branched from does not see.
void test_branches() {
    std::vector<double> numbers(200);
    std::vector<std::int32_t> classes(200);
    for (std::size_t i = 0; i < 200; ++i) {
        numbers[i] = static_cast<double>(i % 50);
        classes[i] = static_cast<std::int32_t>(i % 3 == 0);
    }
    EngineOptions options;
    options.class_weights = {1, 1};
    Engine engine(Columns(std::vector<EncodedColumn>{encode_numbers(numbers)}), classes, 2, {},
                  options);
    Interrupt interrupt;
    const std::size_t root = 0;
    const auto before = engine.histograms({&root, 1}, interrupt);
    std::vector<std::vector<Question>> asked = engine.ask({&root, 1}, 1U);
    CHECK(!asked.front().empty());
    NodeRule rule;
    rule.questions = {asked.front().front()};
    rule.rule.literals.resize(1);
    Engine branch(engine);
    const auto children = branch.split({&root, 1}, {&rule, 1});
    CHECK(is_refused([&] { branch.table(root); }));
    CHECK(engine.histograms({&root, 1}, interrupt) == before);
    const std::size_t both[] = {children[0].first, children[0].second};
    Engine further(branch);
    further.close(both);
    const auto parts = branch.histograms(both, interrupt);
    for (std::size_t i = 0; i < before[0][0].size(); ++i)
        CHECK(parts[0][0][i] + parts[1][0][i] == before[0][0][i]);
}

}  // namespace

void test_part_columns() {
    Random random(11);
    for (const std::size_t n_rows : {0U, 1U, 700U, 5000U})
        for (const bool is_weighted : {false, true})
            for (const std::size_t n_threads : {1U, 2U}) {
                const Part part(random, n_rows, is_weighted);
                check_outlines(part, n_threads);
                check_buckets(part, 5, n_threads);
                check_codes(part, 7, n_threads);
                check_codes(part, 1, n_threads);
            }
    test_columns_of_codes(random);
    test_branches();
}

}  // namespace bsnsing::test
