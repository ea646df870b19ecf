// Cutting a column of many values into bins without sorting all of it: its cells are dealt into
// many narrow buckets, and only the few buckets in which a bin ends are sorted.
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
#include "grow/bins.hpp"
#include "grow/keys.hpp"

namespace bsnsing {

// Finds how many of some ascending bounds lie below a number, by halving; a table of cells of equal
// width, over all bounds but the outermost few, says where to begin.
template <class T>
class BoundFinder {
  public:
    explicit BoundFinder(std::vector<T> bounds)
        : n_bounds_(bounds.size()), bounds_(std::move(bounds)) {
        if (n_bounds_ > 0) {
            const std::size_t n_outer = n_bounds_ / 512;
            low_ = static_cast<Real>(bounds_[n_outer]);
            const Real width = static_cast<Real>(bounds_[n_bounds_ - 1 - n_outer]) - low_;
            scale_ = width > 0 ? static_cast<Real>(kCells) / width : Real{0};
        }
        std::size_t next = 0;
        std::size_t most = 0;
        for (std::uint32_t cell = 0; cell < kCells; ++cell) {
            first_[cell] = static_cast<std::uint16_t>(next);
            while (next < n_bounds_ && cell_of(bounds_[next]) <= cell) ++next;
            most = std::max(most, next - first_[cell]);
        }
        first_step_ = std::bit_floor(most);
        // No number lies above these, so looking past the end does no harm.
        bounds_.resize(n_bounds_ + 2 * first_step_, std::numeric_limits<T>::has_infinity
                                                        ? std::numeric_limits<T>::infinity()
                                                        : std::numeric_limits<T>::max());
    }

    std::size_t n_bounds() const { return n_bounds_; }
    T operator[](std::size_t i) const { return bounds_[i]; }

    // For a few numbers at a time, first all cells, which is vector code.
    template <class Number>
    void find(const Number* numbers, std::size_t n, std::uint16_t* n_below) const {
        std::uint16_t cells[kAtATime];
        for (std::size_t start = 0; start < n; start += kAtATime) {
            const std::size_t n_now = std::min(kAtATime, n - start);
            for (std::size_t i = 0; i < n_now; ++i)
                cells[i] = static_cast<std::uint16_t>(cell_of(static_cast<T>(numbers[start + i])));
            for (std::size_t i = 0; i < n_now; ++i)
                n_below[start + i] = static_cast<std::uint16_t>(
                    search(first_[cells[i]], static_cast<T>(numbers[start + i])));
        }
    }

  private:
    using Real = std::conditional_t<std::is_same_v<T, float>, float, double>;
    static constexpr std::uint32_t kCells = 4096;
    static constexpr std::size_t kAtATime = 512;

    // Bounds of later cells lie above x, so there is no need to stop at the cell's end.
    std::size_t search(std::size_t at, T x) const {
        for (std::size_t step = first_step_; step > 0; step /= 2)
            at = bounds_[at + step - 1] < x ? at + step : at;
        return at;
    }

    // Never falls as x grows, which is all that is needed. NaN, also from infinite numbers, falls
    // into the first cell.
    std::uint32_t cell_of(T x) const {
        constexpr Real kLast = static_cast<Real>(kCells - 1);
        Real place = (static_cast<Real>(x) - low_) * scale_;
        place = place > 0 ? place : Real{0};
        place = place < kLast ? place : kLast;
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(place));
    }

    std::size_t n_bounds_;
    std::vector<T> bounds_;  // and more behind them
    Real low_ = 0;
    Real scale_ = 0;
    std::size_t first_step_ = 0;
    std::array<std::uint16_t, kCells> first_;
};

// The cells of one column, in buckets. Bucket b holds what lies above bound b - 1 and not above
// bound b; bounds are cells of the column, so each bucket but the last has its bound in it.
template <class Number>
class Buckets {
  public:
    static constexpr std::uint16_t kMissing = 0xffff;
    // Values are told apart as doubles, which whole numbers of eight bytes may share.
    using T = std::conditional_t<sizeof(Number) < sizeof(double), Number, double>;

    using Key = KeyOf<T>;

    // `bucket_of` and `room` are memory for n_rows numbers each.
    Buckets(const Number* numbers, std::size_t n_rows, std::uint16_t* bucket_of, Key* room)
        : numbers_(numbers),
          n_rows_(n_rows),
          bucket_of_(bucket_of),
          keys_(room),
          bounds_(sample_bounds()) {
        bounds_.find(numbers, n_rows, bucket_of);
        if constexpr (std::is_floating_point_v<Number>)
            for (std::size_t i = 0; i < n_rows; ++i)
                bucket_of[i] = numbers[i] == numbers[i] ? bucket_of[i] : kMissing;
        std::vector<std::uint32_t> next(n_buckets() + 1, 0);
        for (std::size_t i = 0; i < n_rows; ++i)
            if (bucket_of[i] != kMissing) ++next[bucket_of[i]];
        std::uint32_t sum = 0;
        for (std::uint32_t& n : next) sum += std::exchange(n, sum);
        starts_ = next;
        for (std::size_t i = 0; i < n_rows; ++i)
            if (bucket_of[i] != kMissing)
                keys_[next[bucket_of[i]]++] = key_of(static_cast<T>(numbers[i]));
    }

    // Cuts into bins: appends the least and greatest value of each.
    void cut(std::size_t n_bins, std::vector<double>& lowest, std::vector<double>& greatest) {
        BinChooser chooser(static_cast<double>(starts_.back()), n_bins);
        for (std::size_t b = 0; b < n_buckets(); ++b) {
            first_code_.push_back(
                static_cast<std::uint32_t>(greatest.empty() ? 0 : greatest.size() - 1));
            const std::size_t size = starts_[b + 1] - starts_[b];
            const bool is_inner = b > 0 && b + 1 < n_buckets();
            if (is_inner && chooser.takes_all(static_cast<double>(size))) {
                greatest.back() = static_cast<double>(bounds_[b]);
                continue;
            }
            sort_bucket(b);
            for (std::size_t i = starts_[b]; i < starts_[b + 1];) {
                std::size_t end = i + 1;
                while (end < starts_[b + 1] && keys_[end] == keys_[i]) ++end;
                const auto value = static_cast<double>(from_key<T>(keys_[i]));
                if (chooser.begins(static_cast<double>(end - i)) || greatest.empty()) {
                    lowest.push_back(value);
                    greatest.push_back(value);
                }
                greatest.back() = value;
                i = end;
            }
        }
    }

    // The bin of a row, once cut.
    std::uint32_t code_of(std::size_t row, const std::vector<double>& greatest) const {
        if (bucket_of_[row] == kMissing) return static_cast<std::uint32_t>(greatest.size());
        std::uint32_t code = first_code_[bucket_of_[row]];
        while (greatest[code] < static_cast<double>(numbers_[row])) ++code;
        return code;
    }

  private:
    std::size_t n_buckets() const { return bounds_.n_bounds() + 1; }

    // Bounds from cells at equal distances; a better sample makes buckets more alike, no more.
    std::vector<T> sample_bounds() const {
        constexpr std::size_t kMostBounds = 4095;
        constexpr std::size_t kRowsPerBound = 16;
        constexpr std::size_t kSampledPerBound = 4;
        const std::size_t n_bounds = std::min(kMostBounds, n_rows_ / kRowsPerBound);
        const std::size_t n_sampled = n_bounds * kSampledPerBound;
        std::vector<Key> sample;
        for (std::size_t i = 0; i < n_sampled; ++i) {
            const std::size_t row = i * n_rows_ / n_sampled;
            const auto x = static_cast<T>(numbers_[row]);
            if (x == x) sample.push_back(key_of(x));
        }
        std::vector<Key> other(sample.size());
        sort_keys(sample.data(), sample.size(), other.data());
        std::vector<T> bounds;
        for (std::size_t i = kSampledPerBound - 1; i < sample.size(); i += kSampledPerBound)
            if (i < kSampledPerBound || sample[i - kSampledPerBound] < sample[i])
                bounds.push_back(from_key<T>(sample[i]));
        return bounds;
    }

    // A value that many rows share is a bound, and needs no sorting.
    void sort_bucket(std::size_t b) {
        Key* const begin = keys_ + starts_[b];
        Key* end = keys_ + starts_[b + 1];
        if (b < bounds_.n_bounds())
            end = std::partition(begin, end, [&](Key key) { return key < key_of(bounds_[b]); });
        const auto n = static_cast<std::size_t>(end - begin);
        other_.resize(std::max(other_.size(), n));
        sort_keys(begin, n, other_.data());
    }

    const Number* numbers_;
    std::size_t n_rows_;
    std::uint16_t* bucket_of_;
    Key* keys_;  // of the cells, bucket after bucket
    BoundFinder<T> bounds_;
    std::vector<std::uint32_t> starts_;
    std::vector<std::uint32_t> first_code_;
    UnfilledVector<Key> other_;
};

}  // namespace bsnsing
