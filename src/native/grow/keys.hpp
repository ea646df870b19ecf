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

inline std::uint64_t key_in(std::uint64_t key) {
    return key;
}
inline std::uint64_t key_in(const Keyed& keyed) {
    return keyed.key;
}

// Least significant digit first; digits that all keys share are skipped.
template <class Item>
void radix_sort(UnfilledVector<Item>& items) {
    constexpr std::size_t kDigitBits = 11;
    constexpr std::size_t kDigits = (64 + kDigitBits - 1) / kDigitBits;
    constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;
    const auto digit = [](const Item& item, std::size_t d) {
        return (key_in(item) >> (d * kDigitBits)) & (kBuckets - 1);
    };
    std::vector<std::array<std::uint32_t, kBuckets>> starts(kDigits);
    for (const Item& item : items)
        for (std::size_t d = 0; d < kDigits; ++d) ++starts[d][digit(item, d)];
    UnfilledVector<Item> other(items.size());
    for (std::size_t d = 0; d < kDigits; ++d) {
        if (starts[d][digit(items.front(), d)] == items.size()) continue;
        std::uint32_t sum = 0;
        for (std::uint32_t& s : starts[d]) sum += std::exchange(s, sum);
        for (const Item& item : items) other[starts[d][digit(item, d)]++] = item;
        items.swap(other);
    }
}

template <class Item>
void sort_keys(UnfilledVector<Item>& items) {
    constexpr std::size_t kFew = 1500;
    if (items.size() < kFew)
        std::sort(items.begin(), items.end(),
                  [](const Item& a, const Item& b) { return key_in(a) < key_in(b); });
    else
        radix_sort(items);
}

}  // namespace bsnsing
