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
    CHECK(column.bytes.size() == data.size() * column.width);
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
                encode_number_columns(views, n_rows, n_threads);
            CHECK(columns.size() == views.size());
            for (std::size_t c = 0; c < columns.size(); ++c)
                check_encoding(columns[c], expected[c]);
        }
    }
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
    test_levels(random);
}

}  // namespace bsnsing::test
