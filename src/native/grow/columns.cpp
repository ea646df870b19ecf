#include "grow/columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "work/parallel.hpp"

namespace bsnsing {
namespace {

// A number as an integer of the same order, with its row.
struct Keyed {
    std::uint64_t key;
    std::uint32_t row;
};

std::uint64_t ordered_bits(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);  // -0 and 0 are one value
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
    return bits & kSign ? ~bits : bits | kSign;
}

double from_ordered_bits(std::uint64_t key) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
    return std::bit_cast<double>(key & kSign ? key & ~kSign : ~key);
}

// Least significant digit first; digits that all keys share are skipped.
void radix_sort(std::vector<Keyed>& keys) {
    constexpr std::size_t kDigitBits = 11;
    constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;
    std::vector<Keyed> other(keys.size());
    for (std::size_t shift = 0; shift < 64; shift += kDigitBits) {
        std::array<std::size_t, kBuckets> starts{};
        for (const Keyed& k : keys) ++starts[(k.key >> shift) & (kBuckets - 1)];
        if (std::find(starts.begin(), starts.end(), keys.size()) != starts.end()) continue;
        std::size_t sum = 0;
        for (std::size_t& s : starts) sum += std::exchange(s, sum);
        for (const Keyed& k : keys) other[starts[(k.key >> shift) & (kBuckets - 1)]++] = k;
        keys.swap(other);
    }
}

void sort_keys(std::vector<Keyed>& keys) {
    constexpr std::size_t kFew = 1500;
    if (keys.size() < kFew)
        std::sort(keys.begin(), keys.end(),
                  [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
    else
        radix_sort(keys);
}

// Makes room for codes 0..n_codes (the last means missing) and fills them with "missing".
void allocate_codes(EncodedColumn& column, std::size_t n_rows) {
    column.width = column.n_codes < 0x100U ? 1 : column.n_codes < 0x10000U ? 2 : 4;
    column.bytes.resize(n_rows * column.width);
    column.visit([&](const auto* codes) {
        using Code = std::remove_const_t<std::remove_pointer_t<decltype(codes)>>;
        auto* out = reinterpret_cast<Code*>(column.bytes.data());
        std::fill(out, out + n_rows, static_cast<Code>(column.n_codes));
    });
}

void note_missing(EncodedColumn& column, std::size_t n_rows) {
    column.has_missing = column.visit([&](const auto* codes) {
        return std::any_of(codes, codes + n_rows, [&](auto c) { return c == column.n_codes; });
    });
}

bool is_zero_one(const std::vector<double>& values) {
    return !values.empty() &&
           std::all_of(values.begin(), values.end(), [](double v) { return v == 0 || v == 1; });
}

// Small whole numbers, the most common columns of all, need no sorting: one table says which
// occur. Returns false if the column is of another kind.
bool encode_small_integers(std::span<const double> numbers, EncodedColumn& column) {
    constexpr double kMost = 4096;
    std::vector<std::uint32_t> code_of(static_cast<std::size_t>(kMost), 0);
    std::size_t n_used = 0;
    for (const double x : numbers) {
        if (std::isnan(x)) continue;
        if (!(x >= 0 && x < kMost)) return false;
        const auto whole = static_cast<std::uint32_t>(x);
        if (static_cast<double>(whole) != x) return false;
        code_of[whole] = 1;
        n_used = std::max<std::size_t>(n_used, whole + 1);
    }
    for (std::size_t v = 0; v < n_used; ++v) {
        if (code_of[v] == 0) continue;
        code_of[v] = column.n_codes++;
        column.values.push_back(static_cast<double>(v));
    }
    allocate_codes(column, numbers.size());
    column.visit([&](const auto* codes) {
        using Code = std::remove_const_t<std::remove_pointer_t<decltype(codes)>>;
        auto* out = reinterpret_cast<Code*>(column.bytes.data());
        for (std::size_t i = 0; i < numbers.size(); ++i)
            if (!std::isnan(numbers[i]))
                out[i] = static_cast<Code>(code_of[static_cast<std::size_t>(numbers[i])]);
    });
    return true;
}

void encode_by_sorting(std::span<const double> numbers, EncodedColumn& column) {
    std::vector<Keyed> keys;
    keys.reserve(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (!std::isnan(numbers[i]))
            keys.push_back({ordered_bits(numbers[i]), static_cast<std::uint32_t>(i)});
    sort_keys(keys);
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (i == 0 || keys[i].key != keys[i - 1].key)
            column.values.push_back(from_ordered_bits(keys[i].key));
    column.n_codes = static_cast<std::uint32_t>(column.values.size());
    allocate_codes(column, numbers.size());
    column.visit([&](const auto* codes) {
        using Code = std::remove_const_t<std::remove_pointer_t<decltype(codes)>>;
        auto* out = reinterpret_cast<Code*>(column.bytes.data());
        Code code = 0;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (i > 0 && keys[i].key != keys[i - 1].key) ++code;
            out[keys[i].row] = code;
        }
    });
}

}  // namespace

EncodedColumn encode_numbers(std::span<const double> numbers) {
    EncodedColumn column;
    if (!encode_small_integers(numbers, column)) encode_by_sorting(numbers, column);
    note_missing(column, numbers.size());
    if (is_zero_one(column.values)) column.kind = ColumnKind::boolean;
    return column;
}

std::vector<EncodedColumn> encode_number_columns(std::span<const NumberView> columns,
                                                 std::size_t n_rows, std::size_t n_threads) {
    // Neighbours in a row-major matrix share cache lines, so a group of columns is copied a few
    // rows at a time: each line is then loaded once, not once per column.
    constexpr std::size_t kGroup = 8;
    constexpr std::size_t kRows = 256;
    std::vector<EncodedColumn> encoded(columns.size());
    const std::size_t n_groups = (columns.size() + kGroup - 1) / kGroup;
    parallel_for(n_groups, n_threads, [&](std::size_t group, std::size_t) {
        const std::size_t first = group * kGroup;
        const std::size_t n = std::min(kGroup, columns.size() - first);
        std::vector<AlignedVector<double>> copies(n);
        for (std::size_t c = 0; c < n; ++c)
            if (columns[first + c].stride != 1) copies[c].resize(n_rows);
        for (std::size_t start = 0; start < n_rows; start += kRows) {
            const std::size_t end = std::min(n_rows, start + kRows);
            for (std::size_t c = 0; c < n; ++c) {
                if (copies[c].empty()) continue;
                const NumberView& view = columns[first + c];
                for (std::size_t i = start; i < end; ++i)
                    copies[c][i] = view.data[static_cast<std::ptrdiff_t>(i) * view.stride];
            }
        }
        for (std::size_t c = 0; c < n; ++c) {
            const double* data = copies[c].empty() ? columns[first + c].data : copies[c].data();
            encoded[first + c] = encode_numbers({data, n_rows});
        }
    });
    return encoded;
}

EncodedColumn encode_levels(std::span<const std::int32_t> codes, std::size_t n_levels) {
    EncodedColumn column;
    column.kind = ColumnKind::categorical;
    column.n_codes = static_cast<std::uint32_t>(n_levels);
    allocate_codes(column, codes.size());
    column.visit([&](const auto* typed) {
        using Code = std::remove_const_t<std::remove_pointer_t<decltype(typed)>>;
        auto* out = reinterpret_cast<Code*>(column.bytes.data());
        for (std::size_t i = 0; i < codes.size(); ++i)
            if (codes[i] >= 0) out[i] = static_cast<Code>(codes[i]);
    });
    note_missing(column, codes.size());
    return column;
}

}  // namespace bsnsing
