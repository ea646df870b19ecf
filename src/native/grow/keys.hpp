// Numbers as integers of the same order, and their sorting.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bits/aligned.hpp"

namespace bsnsing {

inline std::uint64_t key_of(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);  // -0 and 0 are one value
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
    return bits & kSign ? ~bits : bits | kSign;
}

inline double from_key(std::uint64_t key) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
    return std::bit_cast<double>(key & kSign ? key & ~kSign : ~key);
}

// A key together with its row.
struct Keyed {
    std::uint64_t key;
    std::uint32_t row;
};

// Least significant digit first; digits that all keys share are skipped.
inline void radix_sort(UnfilledVector<Keyed>& items) {
    constexpr std::size_t kDigitBits = 11;
    constexpr std::size_t kDigits = (64 + kDigitBits - 1) / kDigitBits;
    constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;
    const auto digit = [](const Keyed& item, std::size_t d) {
        return (item.key >> (d * kDigitBits)) & (kBuckets - 1);
    };
    std::vector<std::array<std::uint32_t, kBuckets>> starts(kDigits);
    for (const Keyed& item : items)
        for (std::size_t d = 0; d < kDigits; ++d) ++starts[d][digit(item, d)];
    UnfilledVector<Keyed> other(items.size());
    for (std::size_t d = 0; d < kDigits; ++d) {
        if (starts[d][digit(items.front(), d)] == items.size()) continue;
        std::uint32_t sum = 0;
        for (std::uint32_t& s : starts[d]) sum += std::exchange(s, sum);
        for (const Keyed& item : items) other[starts[d][digit(item, d)]++] = item;
        items.swap(other);
    }
}

inline void sort_keys(UnfilledVector<Keyed>& items) {
    constexpr std::size_t kFew = 1500;
    if (items.size() < kFew)
        std::sort(items.begin(), items.end(),
                  [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
    else
        radix_sort(items);
}

}  // namespace bsnsing
