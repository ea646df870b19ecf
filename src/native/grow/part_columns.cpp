#include "grow/part_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "grow/buckets.hpp"
#include "grow/keys.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

constexpr std::size_t kRows = 1024;  // of a block

std::size_t size_of(NumberType type) {
    return visit_numbers({nullptr, 1, type}, [](const auto* none) { return sizeof(*none); });
}

// Calls visit(column, first_row, n) for each column, block after block, until it returns false; the
// blocks of a column come in order, and one at a time. Columns of a row-major matrix that share
// cache lines take turns.
template <class Visit>
void for_each_block(const PartNumbers& part, const Visit& visit) {
    if (part.columns.empty()) return;
    constexpr std::size_t kLine = 64;
    const std::size_t n_together = std::max<std::size_t>(
        1, std::min(kLine / size_of(part.columns.front().type),
                    (part.columns.size() + part.n_threads - 1) / part.n_threads));
    const std::size_t n_groups = (part.columns.size() + n_together - 1) / n_together;
    const auto is_stopped = [&] { return part.interrupt && part.interrupt->is_raised(); };
    const auto poll = [&] {
        if (part.interrupt) part.interrupt->poll(std::chrono::steady_clock::now());
    };
    parallel_for(
        n_groups, part.n_threads,
        [&](std::size_t group, std::size_t) {
            const std::size_t first = group * n_together;
            const std::size_t end = std::min(part.columns.size(), first + n_together);
            std::vector<std::size_t> left(end - first);  // columns that are not done with
            std::iota(left.begin(), left.end(), first);
            for (std::size_t row = 0; row < part.n_rows && !is_stopped(); row += kRows) {
                const std::size_t n = std::min(kRows, part.n_rows - row);
                std::erase_if(left, [&](std::size_t c) { return !visit(c, row, n); });
                if (left.empty()) return;
                if (row % (64 * kRows) == 0) poll();
            }
        },
        poll);
}

// The same with the numbers of each block, without gaps: visit(column, numbers, first_row, n).
template <class Visit>
void visit_blocks(const PartNumbers& part, const Visit& visit) {
    for_each_block(part, [&](std::size_t c, std::size_t row, std::size_t n) {
        return visit_numbers(part.columns[c], [&](const auto* numbers) {
            using T = std::remove_const_t<std::remove_pointer_t<decltype(numbers)>>;
            const std::ptrdiff_t stride = part.columns[c].stride;
            if (stride == 1) return visit(c, numbers + row, row, n);
            std::array<T, kRows> copy;
            const T* from = numbers + static_cast<std::ptrdiff_t>(row) * stride;
            for (std::size_t i = 0; i < n; ++i)
                copy[i] = from[static_cast<std::ptrdiff_t>(i) * stride];
            return visit(c, static_cast<const T*>(copy.data()), row, n);
        });
    });
}

// The same where few of the numbers are read: visit(column, number_of, first_row, n) with a
// function from a row to its number.
template <class Visit>
void visit_some(const PartNumbers& part, const Visit& visit) {
    for_each_block(part, [&](std::size_t c, std::size_t row, std::size_t n) {
        visit_numbers(part.columns[c], [&](const auto* numbers) {
            const std::ptrdiff_t stride = part.columns[c].stride;
            visit(
                c,
                [&](std::size_t i) {
                    return static_cast<double>(numbers[static_cast<std::ptrdiff_t>(i) * stride]);
                },
                row, n);
        });
        return true;
    });
}

// All values of a column with their cases, as long as these are few.
class FewCounted {
  public:
    // False from the first value on that is one too many.
    bool add(double x, std::int64_t n_cases) {
        if (!is_few_) return false;
        const std::uint64_t key = key_of(x);
        std::size_t slot = (key * kOdd) >> (64U - kSlotBits);
        while (slots_[slot] != 0 && keys_[slots_[slot] - 1] != key)
            slot = (slot + 1) % slots_.size();
        if (slots_[slot] == 0) {
            is_few_ = keys_.size() < ColumnOutline::kMostValues;
            if (!is_few_) return false;
            keys_.push_back(key);
            cases_.push_back(0);
            slots_[slot] = static_cast<std::uint16_t>(keys_.size());
        }
        cases_[slots_[slot] - 1] += n_cases;
        return true;
    }

    bool is_few() const { return is_few_; }

    ValueCases sorted() const {
        std::vector<Keyed> order;
        for (std::uint32_t i = 0; i < keys_.size(); ++i) order.push_back({keys_[i], i});
        std::vector<Keyed> other(order.size());
        sort_keys(order.data(), order.size(), other.data());
        ValueCases found;
        for (const Keyed& item : order) {
            found.values.push_back(from_key<double>(item.key));
            found.cases.push_back(cases_[item.row]);
        }
        return found;
    }

  private:
    static constexpr unsigned kSlotBits = 12;
    static constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;

    bool is_few_ = true;
    std::array<std::uint16_t, std::size_t{1} << kSlotBits> slots_{};  // one more than the place
    std::vector<std::uint64_t> keys_;
    std::vector<std::int64_t> cases_;
};

std::vector<double> sample_of(const NumberView& view, std::size_t n_rows, std::size_t n_sampled) {
    std::vector<double> sample;
    n_sampled = std::min(n_sampled, n_rows);
    visit_numbers(view, [&](const auto* numbers) {
        for (std::size_t i = 0; i < n_sampled; ++i) {
            const auto row = static_cast<std::ptrdiff_t>(i * n_rows / n_sampled);
            const auto x = static_cast<double>(numbers[row * view.stride]);
            if (x == x) sample.push_back(x + 0.0);  // minus zero is zero
        }
    });
    std::sort(sample.begin(), sample.end());
    sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
    return sample;
}

// Which of some ascending bounds lie below each of a block's numbers; what is missing is told by
// DealtColumn::kMissing.
class BlockFinder {
  public:
    explicit BlockFinder(std::span<const double> bounds)
        : finder_(std::vector<double>(bounds.begin(), bounds.end())) {
        if (bounds.size() > DealtColumn::kMostBounds)
            throw std::invalid_argument("too many bounds");
        const auto is_short = [](double x) { return static_cast<double>(to_float(x)) == x; };
        if (!std::all_of(bounds.begin(), bounds.end(), is_short)) return;
        std::vector<float> shorter;
        for (const double bound : bounds) shorter.push_back(to_float(bound));
        short_finder_.emplace(std::move(shorter));
    }

    template <class T>
    void find(const T* numbers, std::size_t n, std::uint16_t* places) const {
        if constexpr (std::is_same_v<T, float>) {
            // In their own type twice as many of them, and of the bounds, are at hand.
            if (short_finder_)
                short_finder_->find(numbers, n, places);
            else
                finder_.find(numbers, n, places);
        } else {
            finder_.find(numbers, n, places);
        }
        if constexpr (std::is_floating_point_v<T>)
            for (std::size_t i = 0; i < n; ++i)
                places[i] = numbers[i] == numbers[i] ? places[i] : DealtColumn::kMissing;
    }

  private:
    // Beyond what floats reach, the largest of them, which is another number.
    static float to_float(double x) {
        constexpr double kMost = std::numeric_limits<float>::max();
        return static_cast<float>(std::isinf(x) ? x : std::clamp(x, -kMost, kMost));
    }

    BoundFinder<double> finder_;
    std::optional<BoundFinder<float>> short_finder_;  // where all bounds are floats
};

// Least and greatest of a block's numbers so far, in their own type, which is vector code.
template <class T>
void widen(DealtColumn& column, const T* numbers, std::size_t n) {
    T low = std::numeric_limits<T>::max();
    T high = std::numeric_limits<T>::lowest();
    unsigned n_missing = 0;
    for (std::size_t i = 0; i < n; ++i) {
        low = numbers[i] < low ? numbers[i] : low;
        high = numbers[i] > high ? numbers[i] : high;
        n_missing += numbers[i] == numbers[i] ? 0U : 1U;
    }
    column.has_missing = column.has_missing || n_missing > 0;
    if (n_missing == n) return;
    column.least = std::min(column.least, static_cast<double>(low));
    column.greatest = std::max(column.greatest, static_cast<double>(high));
}

// The values in the open buckets of a column. Those at a bucket's upper end are counted at once: a
// value that many cases share is a bound.
class OpenValues {
  public:
    explicit OpenValues(const DealtView& dealt)
        : dealt_(dealt), at_end_(dealt.bounds.size() + 1, 0) {}

    // Few rows are in open buckets, so only their numbers are read.
    template <class NumberOf>
    void add(const NumberOf& number_of, std::span<const std::int64_t> weights, std::size_t row,
             std::size_t n) {
        const std::size_t n_bounds = dealt_.bounds.size();
        const std::uint8_t* is_open = dealt_.is_open.data();
        // Every row is written down, and kept if it is in such a bucket: none can tell which is.
        std::array<std::uint32_t, kRows> kept;
        std::size_t n_kept = 0;
        for (std::size_t i = row; i < row + n; ++i) {
            const std::size_t b = dealt_.buckets[i];  // beyond the last one where it is missing
            kept[n_kept] = static_cast<std::uint32_t>(i);
            n_kept += b <= n_bounds ? is_open[b] : 0U;
        }
        for (std::size_t k = 0; k < n_kept; ++k) {
            const std::size_t i = kept[k];
            const std::size_t b = dealt_.buckets[i];
            const double x = number_of(i);
            const std::int64_t n_cases = weights.empty() ? 1 : weights[i];
            if (b < n_bounds && x == dealt_.bounds[b]) {
                at_end_[b] += n_cases;
            } else if (!weights.empty()) {
                weighted_.push_back({key_of(x), static_cast<std::uint32_t>(cases_.size())});
                cases_.push_back(n_cases);
            } else {
                keys_.push_back(key_of(x));
            }
        }
    }

    ValueCases sorted() {
        if (weighted_.empty()) return collect(keys_, [](std::uint64_t) { return 1; });
        return collect(weighted_, [&](const Keyed& item) { return cases_[item.row]; });
    }

  private:
    // Sorts what lies inside the buckets, and puts their ends in between.
    template <class Item, class CasesOf>
    ValueCases collect(UnfilledVector<Item>& items, const CasesOf& cases_of) const {
        UnfilledVector<Item> other(items.size());
        sort_keys(items.data(), items.size(), other.data());
        const std::span<const double> bounds = dealt_.bounds;
        ValueCases found;
        std::size_t next_end = 0;
        const auto add_ends = [&](double below) {
            for (; next_end < bounds.size() && bounds[next_end] < below; ++next_end)
                if (at_end_[next_end] > 0) append(found, bounds[next_end], at_end_[next_end]);
        };
        for (const Item& item : items) {
            const auto value = from_key<double>(key_in(item));
            add_ends(value);
            append(found, value, cases_of(item));
        }
        add_ends(std::numeric_limits<double>::infinity());
        return found;
    }

    static void append(ValueCases& found, double value, std::int64_t n_cases) {
        if (found.values.empty() || found.values.back() != value) {
            found.values.push_back(value);
            found.cases.push_back(0);
        }
        found.cases.back() += n_cases;
    }

    DealtView dealt_;
    std::vector<std::int64_t> at_end_;    // cases at each bound
    UnfilledVector<std::uint64_t> keys_;  // inside, where every row is one case
    UnfilledVector<Keyed> weighted_;      // the same where rows have weights
    std::vector<std::int64_t> cases_;     // of the weighted ones
};

const std::int64_t* weights_from(const PartNumbers& part, std::size_t row) {
    return part.weights.empty() ? nullptr : part.weights.data() + row;
}

void make_room(ColumnCodes& codes, std::size_t n_codes, std::size_t n_rows) {
    codes.n_rows = n_rows;
    codes.width = n_codes < 0x100U ? 1 : n_codes < 0x10000U ? 2 : 4;
    codes.bytes.resize(n_rows * codes.width);
}

// Calls f with a pointer to where the codes from a row on are to be written, in their own type.
template <class F>
void write_codes(ColumnCodes& codes, std::size_t row, const F& f) {
    codes.visit([&](const auto* typed) {
        using Code = std::remove_const_t<std::remove_pointer_t<decltype(typed)>>;
        f(reinterpret_cast<Code*>(codes.bytes.data()) + row);
    });
}

// A number is not below a begin if it is above the greatest number below that. The first begin is
// left out: no number lies below it.
std::vector<double> bounds_before(std::span<const double> begins) {
    std::vector<double> bounds;
    for (std::size_t c = 1; c < begins.size(); ++c)
        bounds.push_back(std::nextafter(begins[c], -std::numeric_limits<double>::infinity()));
    return bounds;
}

template <class T>
std::size_t code_of(T number, std::span<const double> begins) {
    const auto x = static_cast<double>(number);
    if (!(x == x) || begins.empty()) return begins.size();
    const auto next = std::upper_bound(begins.begin() + 1, begins.end(), x);
    return static_cast<std::size_t>(next - begins.begin()) - 1;
}

// By bucket, the code of the least number that may be in it; behind the last, that of missing ones.
std::vector<std::uint32_t> first_codes(std::span<const double> bounds,
                                       std::span<const double> begins) {
    std::vector<std::uint32_t> codes{0};
    for (const double bound : bounds) {
        const double above = std::nextafter(bound, std::numeric_limits<double>::infinity());
        codes.push_back(static_cast<std::uint32_t>(code_of(above, begins)));
    }
    codes.push_back(static_cast<std::uint32_t>(begins.size()));
    return codes;
}

}  // namespace

std::vector<ColumnOutline> outline_columns(const PartNumbers& part, std::size_t n_sampled) {
    std::vector<FewCounted> few(part.columns.size());
    std::vector<ColumnOutline> outlines(part.columns.size());
    visit_blocks(part, [&](std::size_t c, const auto* numbers, std::size_t row, std::size_t n) {
        const std::int64_t* weights = weights_from(part, row);
        for (std::size_t i = 0; few[c].is_few() && i < n; ++i) {
            if (numbers[i] == numbers[i])
                few[c].add(static_cast<double>(numbers[i]), weights ? weights[i] : 1);
            else
                outlines[c].has_missing = true;
        }
        return few[c].is_few();
    });
    for (std::size_t c = 0; c < outlines.size(); ++c) {
        outlines[c].is_few = few[c].is_few();
        if (outlines[c].is_few)
            outlines[c].all = few[c].sorted();
        else
            outlines[c].sample = sample_of(part.columns[c], part.n_rows, n_sampled);
    }
    return outlines;
}

std::vector<DealtColumn> deal_columns(const PartNumbers& part,
                                      std::span<const std::span<const double>> bounds) {
    std::vector<BlockFinder> finders;
    std::vector<DealtColumn> dealt(bounds.size());
    for (std::size_t c = 0; c < bounds.size(); ++c) {
        finders.emplace_back(bounds[c]);
        dealt[c].buckets.resize(part.n_rows);
        dealt[c].cases.assign(bounds[c].size() + 1, 0);
        dealt[c].least = std::numeric_limits<double>::infinity();
        dealt[c].greatest = -std::numeric_limits<double>::infinity();
    }
    visit_blocks(part, [&](std::size_t c, const auto* numbers, std::size_t row, std::size_t n) {
        std::uint16_t* buckets = dealt[c].buckets.data() + row;
        finders[c].find(numbers, n, buckets);
        widen(dealt[c], numbers, n);
        std::int64_t* cases = dealt[c].cases.data();
        const std::int64_t* weights = weights_from(part, row);
        for (std::size_t i = 0; i < n; ++i)
            if (buckets[i] != DealtColumn::kMissing) cases[buckets[i]] += weights ? weights[i] : 1;
        return true;
    });
    return dealt;
}

std::vector<ValueCases> values_in(const PartNumbers& part, std::span<const DealtView> dealt) {
    std::vector<OpenValues> found(dealt.begin(), dealt.end());
    visit_some(part, [&](std::size_t c, const auto& number_of, std::size_t row, std::size_t n) {
        found[c].add(number_of, part.weights, row, n);
    });
    std::vector<ValueCases> values(dealt.size());
    parallel_for(values.size(), part.n_threads,
                 [&](std::size_t c, std::size_t) { values[c] = found[c].sorted(); });
    return values;
}

std::vector<ColumnCodes> encode_from(const PartNumbers& part,
                                     std::span<const std::span<const double>> begins) {
    std::vector<ColumnCodes> encoded(begins.size());
    std::vector<BlockFinder> finders;
    const auto is_quick = [&](std::size_t c) {
        return begins[c].size() <= DealtColumn::kMostBounds;
    };
    for (std::size_t c = 0; c < begins.size(); ++c) {
        make_room(encoded[c], begins[c].size(), part.n_rows);
        finders.emplace_back(is_quick(c) ? bounds_before(begins[c]) : std::vector<double>());
    }
    visit_blocks(part, [&](std::size_t c, const auto* numbers, std::size_t row, std::size_t n) {
        std::array<std::uint16_t, kRows> places;
        if (is_quick(c)) finders[c].find(numbers, n, places.data());
        write_codes(encoded[c], row, [&](auto* out) {
            using Code = std::remove_pointer_t<decltype(out)>;
            const auto missing = static_cast<Code>(begins[c].size());
            for (std::size_t i = 0; is_quick(c) && i < n; ++i)
                out[i] =
                    places[i] == DealtColumn::kMissing ? missing : static_cast<Code>(places[i]);
            for (std::size_t i = 0; !is_quick(c) && i < n; ++i)
                out[i] = static_cast<Code>(code_of(numbers[i], begins[c]));
        });
        return true;
    });
    return encoded;
}

std::vector<ColumnCodes> encode_dealt(const PartNumbers& part, std::span<const DealtView> dealt,
                                      std::span<const std::span<const double>> begins) {
    std::vector<ColumnCodes> encoded(begins.size());
    std::vector<std::vector<std::uint32_t>> first(begins.size());
    for (std::size_t c = 0; c < begins.size(); ++c) {
        make_room(encoded[c], begins[c].size(), part.n_rows);
        first[c] = first_codes(dealt[c].bounds, begins[c]);
    }
    visit_some(part, [&](std::size_t c, const auto& number_of, std::size_t row, std::size_t n) {
        const std::uint16_t* buckets = dealt[c].buckets.data();
        const std::uint32_t* code_in = first[c].data();
        const std::size_t n_bounds = dealt[c].bounds.size();
        const std::uint8_t* is_open = dealt[c].is_open.data();
        const std::size_t n_codes = begins[c].size();
        write_codes(encoded[c], 0, [&](auto* out) {
            using Code = std::remove_pointer_t<decltype(out)>;
            std::array<std::uint32_t, kRows> kept;  // whose code their bucket does not tell
            std::size_t n_kept = 0;
            for (std::size_t i = row; i < row + n; ++i) {
                const std::size_t b = std::min<std::size_t>(buckets[i], n_bounds + 1);
                out[i] = static_cast<Code>(code_in[b]);
                kept[n_kept] = static_cast<std::uint32_t>(i);
                n_kept += b <= n_bounds ? is_open[b] : 0U;
            }
            for (std::size_t k = 0; k < n_kept; ++k) {
                const std::size_t i = kept[k];
                const double x = number_of(i);
                std::size_t code = code_in[buckets[i]];
                while (code + 1 < n_codes && begins[c][code + 1] <= x) ++code;
                out[i] = static_cast<Code>(code);
            }
        });
    });
    return encoded;
}

}  // namespace bsnsing
