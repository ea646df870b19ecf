// Columns as codes, against sorting the distinct values.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "grow/columns.hpp"
#include "inputs.hpp"

namespace bsnsing::test {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::uint32_t code_at(const EncodedColumn& column, std::size_t row) {
    if (column.is_bits())
        return static_cast<std::uint32_t>(column.bits[row / kWordBits] >> (row % kWordBits)) & 1U;
    return column.visit([row](const auto* codes) { return std::uint32_t{codes[row]}; });
}

std::size_t width_for(std::size_t n_codes) {
    return n_codes < 256 ? 1 : n_codes < 65536 ? 2 : 4;
}

void check_encoding(const EncodedColumn& column, const std::vector<double>& data) {
    std::vector<double> values;
    for (const double x : data)
        if (!std::isnan(x)) values.push_back(x);
    const bool has_missing = values.size() < data.size();
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    CHECK(column.values == values && column.n_codes == values.size());
    CHECK(column.has_missing == has_missing);
    CHECK(column.width == width_for(values.size()));
    CHECK(column.n_rows == data.size() && column.is_bits() == (values.size() == 2 && !has_missing));
    CHECK(column.bytes.size() == (column.is_bits() ? 0 : data.size() * column.width));
    CHECK(column.bits.size() == (column.is_bits() ? words_for(data.size()) : 0));
    for (const double x : column.values) CHECK(x != 0 || !std::signbit(x));
    bool is_right = true;
    for (std::size_t row = 0; row < data.size(); ++row) {
        const auto place = std::lower_bound(values.begin(), values.end(), data[row]);
        const std::size_t expected = std::isnan(data[row])
                                         ? values.size()
                                         : static_cast<std::size_t>(place - values.begin());
        is_right = is_right && code_at(column, row) == expected;
    }
    CHECK(is_right);
    const bool is_boolean =
        !values.empty() &&
        std::all_of(values.begin(), values.end(), [](double x) { return x == 0 || x == 1; });
    CHECK(column.kind == (is_boolean ? ColumnKind::boolean : ColumnKind::numeric));
}

void check_numbers(const std::vector<double>& data) {
    check_encoding(encode_numbers(data), data);
}

// Any finite number at all, huge and tiny ones as likely as others.
double random_number(Random& random) {
    while (true) {
        const auto x = std::bit_cast<double>(random.word());
        if (std::isfinite(x)) return x;
    }
}

void test_hand_made() {
    using Limits = std::numeric_limits<double>;
    check_numbers({});
    check_numbers({kMissing, kMissing});
    check_numbers({0, 1, 1});
    check_numbers({0, 0});
    check_numbers({1, kMissing});
    check_numbers({-0.0, 0.0, 1});
    check_numbers({-0.0, 0.5, 0.0, -0.5, kMissing, -kMissing});
    check_numbers({0, 1, 2, kMissing, 4095});
    check_numbers({0, 4096});
    check_numbers({-1, 0, 1});
    check_numbers({Limits::max(), -Limits::max(), Limits::min(), Limits::denorm_min(),
                   -Limits::denorm_min(), 0, 1e-300, 1e300, std::nextafter(1.0, 2.0), 1});
}

void test_random_numbers(Random& random) {
    // Below and above the size at which another sort takes over.
    for (const std::size_t n : {10U, 1499U, 1500U, 1501U, 5000U}) {
        std::vector<double> wild(n);
        for (double& x : wild) x = random.chance(0.1) ? kMissing : random_number(random);
        check_numbers(wild);
        std::vector<double> tied(n);  // few distinct values, of both signs
        for (double& x : tied) x = static_cast<double>(random.below(50)) / 8 - 3;
        check_numbers(tied);
        std::vector<double> whole(n);
        for (double& x : whole)
            x = random.chance(0.1) ? kMissing : static_cast<double>(random.below(4096));
        check_numbers(whole);
    }
}

void test_widths() {
    for (const std::size_t n_values : {255U, 256U, 65535U, 65536U})
        for (const double step : {1.0, 0.5})  // whole numbers and others
            for (const bool has_missing : {false, true}) {
                std::vector<double> data(n_values);
                for (std::size_t i = 0; i < n_values; ++i)
                    data[i] = step * static_cast<double>(n_values - i);
                if (has_missing) data.push_back(kMissing);
                check_numbers(data);
            }
}

// Columns wherever they lie: in a row-major matrix, in one piece, backwards.
void test_many_columns(Random& random) {
    for (const std::size_t n_rows : {0U, 1U, 256U, 700U}) {
        constexpr std::size_t kColumns = 11;
        std::vector<double> matrix(n_rows * kColumns + 1);
        for (double& x : matrix) x = random.chance(0.1) ? kMissing : random_number(random);
        std::vector<NumberView> views;
        std::vector<std::vector<double>> expected;
        for (std::size_t c = 0; c < kColumns; ++c) {
            views.push_back({matrix.data() + c, kColumns});
            expected.emplace_back();
            for (std::size_t i = 0; i < n_rows; ++i)
                expected.back().push_back(matrix[i * kColumns + c]);
        }
        views.push_back({matrix.data(), 1});
        expected.emplace_back(matrix.begin(), matrix.begin() + static_cast<std::ptrdiff_t>(n_rows));
        views.push_back({matrix.data() + matrix.size() - 1, -1});
        expected.emplace_back(matrix.rbegin(),
                              matrix.rbegin() + static_cast<std::ptrdiff_t>(n_rows));
        for (const std::size_t n_threads : {1U, 2U}) {
            const std::vector<EncodedColumn> columns =
                encode_number_columns(views, n_rows, {}, n_threads);
            CHECK(columns.size() == views.size());
            for (std::size_t c = 0; c < columns.size(); ++c)
                check_encoding(columns[c], expected[c]);
        }
    }
}

// 0/1 columns side by side, some with a cell that is neither, in any number of columns.
template <class T>
void check_zero_one(NumberType type, const std::vector<double>& others, Random& random) {
    for (const std::size_t n_columns : {1U, 7U, 8U, 19U, 40U})
        for (const std::size_t n_rows : {1U, 63U, 64U, 65U, 500U}) {
            std::vector<double> matrix(n_rows * n_columns);
            for (double& x : matrix) x = random.chance(0.5) ? 1 : 0;
            for (std::size_t c = 0; c < n_columns; c += 3)
                matrix[random.below(n_rows) * n_columns + c] = others[random.below(others.size())];
            std::vector<T> typed;
            for (const double x : matrix) typed.push_back(static_cast<T>(x));
            std::vector<NumberView> views;
            for (std::size_t c = 0; c < n_columns; ++c)
                views.push_back({typed.data() + c, static_cast<std::ptrdiff_t>(n_columns), type});
            const std::vector<EncodedColumn> columns = encode_number_columns(views, n_rows, {}, 1);
            for (std::size_t c = 0; c < n_columns; ++c) {
                std::vector<double> expected;
                for (std::size_t i = 0; i < n_rows; ++i)
                    expected.push_back(matrix[i * n_columns + c]);
                check_encoding(columns[c], expected);
            }
        }
}

void test_zero_one(Random& random) {
    check_zero_one<double>(NumberType::f64, {2, 0.5, -1, kMissing}, random);
    check_zero_one<float>(NumberType::f32, {2, 0.5, -1, kMissing}, random);
    check_zero_one<std::int8_t>(NumberType::i8, {2, -1, -128}, random);
    check_zero_one<std::uint16_t>(NumberType::u16, {2, 256}, random);
    check_zero_one<std::int64_t>(NumberType::i64, {2, -1, 0x1p40, -0x1p40}, random);
}

// Without rows there may be no cells at all, nor a place where they would be.
void test_no_rows() {
    const std::vector<NumberView> views(9, {nullptr, 1, NumberType::f64});
    for (const EncodedColumn& column : encode_number_columns(views, 0, {}, 1)) {
        CHECK(column.n_rows == 0);
        CHECK(column.values.empty());
    }
}

// The same numbers in every type that holds them give the same codes.
template <class T>
void check_type(NumberType type, const std::vector<double>& data) {
    std::vector<T> typed;
    for (const double x : data) typed.push_back(static_cast<T>(x));
    const NumberView view{typed.data(), 1, type};
    check_encoding(encode_number_columns({&view, 1}, data.size(), {}, 1).front(), data);
}

void test_types(Random& random) {
    for (const std::uint64_t n_values : {1U, 2U, 3U, 100U})
        for (const double first : {0.0, -20.0}) {
            std::vector<double> data;
            for (int i = 0; i < 900; ++i)
                data.push_back(first + static_cast<double>(random.below(n_values)));
            check_type<float>(NumberType::f32, data);
            check_type<std::int8_t>(NumberType::i8, data);
            check_type<std::int16_t>(NumberType::i16, data);
            check_type<std::int32_t>(NumberType::i32, data);
            check_type<std::int64_t>(NumberType::i64, data);
            if (first < 0) continue;
            check_type<std::uint8_t>(NumberType::u8, data);
            check_type<std::uint16_t>(NumberType::u16, data);
            check_type<std::uint32_t>(NumberType::u32, data);
            check_type<std::uint64_t>(NumberType::u64, data);
        }
    check_type<std::int64_t>(NumberType::i64, {-0x1p62, 0x1p62, 5, 5000, -1});
    check_type<std::uint64_t>(NumberType::u64, {0x1p63, 0, 4096, 4095});
    check_type<float>(NumberType::f32, {0.5, kMissing, 1, 0x1p100, -2.25});
}

// Every value lies in its bin, bins do not overlap, and a weight is as good as repeated rows.
void check_bins(const std::vector<double>& data, std::size_t max_bins) {
    const EncodedColumn column = encode_numbers(data, {max_bins, {}});
    CHECK(column.n_codes <= max_bins && column.is_binned());
    CHECK(column.values.size() == column.n_codes && column.lowest.size() == column.n_codes);
    for (std::uint32_t c = 0; c < column.n_codes; ++c) {
        CHECK(column.lowest[c] <= column.values[c]);
        CHECK(c == 0 || column.values[c - 1] < column.lowest[c]);
    }
    std::vector<double> n_cases(column.n_codes, 0.0);
    for (std::size_t row = 0; row < data.size(); ++row) {
        const std::uint32_t code = code_at(column, row);
        CHECK(std::isnan(data[row]) == (code == column.n_codes));
        if (std::isnan(data[row])) continue;
        CHECK(column.lowest[code] <= data[row] && data[row] <= column.values[code]);
        n_cases[code] += 1;
    }
    for (const double n : n_cases) CHECK(n > 0);

    std::vector<double> twice;
    std::vector<std::int64_t> weights;
    for (std::size_t row = 0; row < data.size(); ++row) {
        weights.push_back(1 + static_cast<std::int64_t>(row % 3));
        for (std::int64_t i = 0; i < weights.back(); ++i) twice.push_back(data[row]);
    }
    const EncodedColumn weighted = encode_numbers(data, {max_bins, weights});
    const EncodedColumn repeated = encode_numbers(twice, {max_bins, {}});
    CHECK(weighted.values == repeated.values && weighted.lowest == repeated.lowest);
}

// Rows that weigh one each are sorted one by one; without weights they are dealt into buckets.
template <class T>
void check_buckets(NumberType type, const std::vector<T>& data) {
    const NumberView view{data.data(), 1, type};
    const std::vector<std::int64_t> weights(data.size(), 1);
    for (const std::size_t max_bins : {1U, 2U, 100U, 255U, 1024U}) {
        const auto encode = [&](const EncodeOptions& options) {
            return encode_number_columns({&view, 1}, data.size(), options, 1).front();
        };
        const EncodedColumn dealt = encode({max_bins, {}});
        const EncodedColumn sorted = encode({max_bins, weights});
        CHECK(dealt.has_missing == sorted.has_missing);
        CHECK(dealt.values == sorted.values && dealt.lowest == sorted.lowest);
        CHECK(dealt.bytes == sorted.bytes && dealt.bits == sorted.bits);
    }
}

void test_buckets(Random& random) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    for (const int n_rows : {1100, 5000, 80000}) {
        std::vector<double> wild, narrow, tied, with_infinite;
        std::vector<float> single;
        std::vector<std::int64_t> whole;
        for (int i = 0; i < n_rows; ++i) {
            wild.push_back(random.chance(0.1) ? kMissing : random_number(random));
            narrow.push_back(1e9 + random.unit() + (random.chance(0.001) ? 1e12 : 0));
            tied.push_back(random.chance(0.6) ? random.chance(0.5) ? 0.0 : -0.0
                                              : random.unit() - 0.5);
            with_infinite.push_back(random.chance(0.3)   ? kInfinite
                                    : random.chance(0.3) ? -kInfinite
                                                         : random.unit());
            single.push_back(static_cast<float>(random.unit() * random.unit()));
            // Neighbours that are one double.
            whole.push_back((std::int64_t{1} << 60) +
                            static_cast<std::int64_t>(random.below(1U << 20)));
        }
        for (const auto& data : {wild, narrow, tied}) check_buckets(NumberType::f64, data);
        if (n_rows > 1100) check_buckets(NumberType::f64, with_infinite);
        check_buckets(NumberType::f32, single);
        if (n_rows > 5000) check_buckets(NumberType::i64, whole);
    }
}

void test_bins(Random& random) {
    std::vector<double> wild, few, whole, skewed;
    for (int i = 0; i < 5000; ++i) {
        wild.push_back(random.chance(0.1) ? kMissing : random_number(random));
        few.push_back(static_cast<double>(random.below(700)) / 8 - 30);
        whole.push_back(static_cast<double>(random.below(3000)));
        skewed.push_back(random.chance(0.8) ? 0.0 : random.unit());
    }
    for (const auto& data : {wild, few, whole, skewed})
        for (const std::size_t max_bins : {2U, 16U, 255U, 256U, 300U, 600U})
            check_bins(data, max_bins);
    // Equal shares, and a frequent value keeps to itself.
    std::vector<double> even(1000);
    for (std::size_t i = 0; i < even.size(); ++i) even[i] = static_cast<double>(i) / 4;
    CHECK((encode_numbers(even, {4, {}}).lowest == std::vector<double>{0, 62.5, 125, 187.5}));
    CHECK(encode_numbers(skewed, {10, {}}).values.front() == 0.0);
    // Few values stay as they are.
    CHECK(!encode_numbers(few, {700, {}}).is_binned());
}

void test_levels(Random& random) {
    for (const std::size_t n_levels : {0U, 3U, 255U, 256U, 65536U})
        for (const bool has_missing : {false, true}) {
            std::vector<std::int32_t> codes;
            for (int i = 0; i < 200 && n_levels > 0; ++i)
                codes.push_back(static_cast<std::int32_t>(random.below(n_levels)));
            if (has_missing) codes.insert(codes.begin(), -1);
            const EncodedColumn column = encode_levels(codes, n_levels);
            CHECK(column.kind == ColumnKind::categorical && column.n_codes == n_levels);
            CHECK(column.width == width_for(n_levels) && column.has_missing == has_missing);
            for (std::size_t row = 0; row < codes.size(); ++row)
                CHECK(code_at(column, row) ==
                      (codes[row] < 0 ? n_levels : static_cast<std::size_t>(codes[row])));
        }
}

}  // namespace

void test_columns() {
    Random random(4);
    test_hand_made();
    test_random_numbers(random);
    test_widths();
    test_many_columns(random);
    test_zero_one(random);
    test_no_rows();
    test_types(random);
    test_bins(random);
    test_buckets(random);
    test_levels(random);
}

}  // namespace bsnsing::test
