// Numbers as unsigned integers of the same order, and their sorting.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "bits/aligned.hpp"

namespace bsnsing {

// Four bytes for numbers of at most four, else eight.
template <class T>
using KeyOf = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;

template <class T>
KeyOf<T> key_of(T x) {
    using Key = KeyOf<T>;
    constexpr Key kSign = Key{1} << (std::numeric_limits<Key>::digits - 1);
    if constexpr (std::is_floating_point_v<T>) {
        const auto bits = std::bit_cast<Key>(x == 0 ? T{0} : x);  // -0 and 0 are one value
        return bits & kSign ? ~bits : bits | kSign;
    } else if constexpr (std::is_signed_v<T>) {
        return static_cast<Key>(static_cast<std::make_signed_t<Key>>(x)) ^ kSign;
    } else {
        return x;
    }
}

template <class T>
T from_key(KeyOf<T> key) {
    using Key = KeyOf<T>;
    constexpr Key kSign = Key{1} << (std::numeric_limits<Key>::digits - 1);
    if constexpr (std::is_floating_point_v<T>)
        return std::bit_cast<T>(key & kSign ? key & ~kSign : ~key);
    else if constexpr (std::is_signed_v<T>)
        return static_cast<T>(static_cast<std::make_signed_t<Key>>(key ^ kSign));
    else
        return static_cast<T>(key);
}

// A key together with its row.
struct Keyed {
    std::uint64_t key;
    std::uint32_t row;
};

template <class Key>
Key key_in(Key key) {
    return key;
}
inline std::uint64_t key_in(const Keyed& keyed) {
    return keyed.key;
}

// Least significant digit first; digits that all keys share are skipped. `other` is memory for as
// many items. Gives up, half sorted, when has_stopped(), which is asked once per digit.
template <std::size_t kDigitBits, class Item, class HasStopped>
void radix_sort(Item* items, std::size_t n, Item* other, const HasStopped& has_stopped) {
    using Key = decltype(key_in(*items));
    constexpr std::size_t kDigits = (8 * sizeof(Key) + kDigitBits - 1) / kDigitBits;
    constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;
    const auto digit = [](const Item& item, std::size_t d) {
        return static_cast<std::size_t>(key_in(item) >> (d * kDigitBits)) & (kBuckets - 1);
    };
    Key differing = 0;
    for (std::size_t i = 0; i < n; ++i) differing |= key_in(items[i]) ^ key_in(items[0]);
    Item* from = items;
    for (std::size_t d = 0; d < kDigits; ++d) {
        if (((differing >> (d * kDigitBits)) & (kBuckets - 1)) == 0) continue;
        if (has_stopped()) return;
        std::array<std::uint32_t, kBuckets> starts{};
        for (std::size_t i = 0; i < n; ++i) ++starts[digit(from[i], d)];
        std::uint32_t sum = 0;
        for (std::uint32_t& s : starts) sum += std::exchange(s, sum);
        for (std::size_t i = 0; i < n; ++i) other[starts[digit(from[i], d)]++] = from[i];
        std::swap(from, other);
    }
    if (from != items) std::copy_n(from, n, items);
}

template <class Item, class HasStopped>
void sort_keys(Item* items, std::size_t n, Item* other, const HasStopped& has_stopped) {
    constexpr std::size_t kFew = 100;
    constexpr std::size_t kMany = 20000;
    if (n < kFew)
        std::sort(items, items + n,
                  [](const Item& a, const Item& b) { return key_in(a) < key_in(b); });
    else if (n < kMany)
        radix_sort<8>(items, n, other, has_stopped);
    else
        radix_sort<11>(items, n, other, has_stopped);
}

template <class Item>
void sort_keys(Item* items, std::size_t n, Item* other) {
    sort_keys(items, n, other, [] { return false; });
}

}  // namespace bsnsing
