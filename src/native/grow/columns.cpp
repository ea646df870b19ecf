#include "grow/columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

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
bool encode_small_integers(const double* data, std::ptrdiff_t stride, std::size_t n_rows,
                           EncodedColumn& column) {
    constexpr double kMost = 4096;
    std::vector<std::uint32_t> code_of(static_cast<std::size_t>(kMost), 0);
    std::size_t n_used = 0;
    for (std::size_t i = 0; i < n_rows; ++i) {
        const double x = data[static_cast<std::ptrdiff_t>(i) * stride];
        if (std::isnan(x)) continue;
        if (!(x >= 0 && x < kMost) || x != std::floor(x)) return false;
        code_of[static_cast<std::size_t>(x)] = 1;
        n_used = std::max(n_used, static_cast<std::size_t>(x) + 1);
    }
    for (std::size_t v = 0; v < n_used; ++v) {
        if (code_of[v] == 0) continue;
        code_of[v] = column.n_codes++;
        column.values.push_back(static_cast<double>(v));
    }
    allocate_codes(column, n_rows);
    column.visit([&](const auto* codes) {
        using Code = std::remove_const_t<std::remove_pointer_t<decltype(codes)>>;
        auto* out = reinterpret_cast<Code*>(column.bytes.data());
        for (std::size_t i = 0; i < n_rows; ++i) {
            const double x = data[static_cast<std::ptrdiff_t>(i) * stride];
            if (!std::isnan(x)) out[i] = static_cast<Code>(code_of[static_cast<std::size_t>(x)]);
        }
    });
    return true;
}

void encode_by_sorting(const double* data, std::ptrdiff_t stride, std::size_t n_rows,
                       EncodedColumn& column) {
    std::vector<Keyed> keys;
    keys.reserve(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
        const double x = data[static_cast<std::ptrdiff_t>(i) * stride];
        if (!std::isnan(x)) keys.push_back({ordered_bits(x), static_cast<std::uint32_t>(i)});
    }
    sort_keys(keys);
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (i == 0 || keys[i].key != keys[i - 1].key)
            column.values.push_back(from_ordered_bits(keys[i].key));
    column.n_codes = static_cast<std::uint32_t>(column.values.size());
    allocate_codes(column, n_rows);
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

EncodedColumn encode_numbers(const double* data, std::ptrdiff_t stride, std::size_t n_rows) {
    EncodedColumn column;
    if (!encode_small_integers(data, stride, n_rows, column))
        encode_by_sorting(data, stride, n_rows, column);
    note_missing(column, n_rows);
    if (is_zero_one(column.values)) column.kind = ColumnKind::boolean;
    return column;
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
