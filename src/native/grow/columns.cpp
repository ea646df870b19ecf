#include "grow/columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>

#include "grow/bins.hpp"
#include "grow/keys.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

// The distinct values of a column, ascending, with their cases.
struct Values {
    std::vector<std::uint64_t> keys;
    std::vector<double> cases;

    void add(std::uint64_t key, double n_cases) {
        if (keys.empty() || keys.back() != key) {
            keys.push_back(key);
            cases.push_back(0.0);
        }
        cases.back() += n_cases;
    }
};

std::vector<std::size_t> choose_bins(const std::vector<double>& cases, std::size_t n_bins) {
    BinChooser chooser(std::accumulate(cases.begin(), cases.end(), 0.0), n_bins);
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < cases.size(); ++i)
        if (chooser.begins(cases[i])) ends.push_back(i);
    if (!cases.empty()) ends.push_back(cases.size());
    return ends;
}

// Gives the column its values, or its bins if there are more than `max_bins`. Returns the code of
// each value.
std::vector<std::uint32_t> set_values(EncodedColumn& column, const Values& values,
                                      std::size_t max_bins) {
    std::vector<std::uint32_t> codes;
    std::size_t begin = 0;
    const auto add_code = [&](std::size_t end) {
        column.values.push_back(from_key(values.keys[end - 1]));
        if (max_bins > 0) column.lowest.push_back(from_key(values.keys[begin]));
        codes.insert(codes.end(), end - begin, column.n_codes);
        ++column.n_codes;
        begin = end;
    };
    if (max_bins > 0 && values.keys.size() > max_bins) {
        for (const std::size_t end : choose_bins(values.cases, max_bins)) add_code(end);
    } else {
        max_bins = 0;
        for (std::size_t end = 1; end <= values.keys.size(); ++end) add_code(end);
    }
    return codes;
}

// Makes room for codes 0..n_codes (the last means missing) and fills them with code_of(row).
template <class CodeOf>
void write_codes(EncodedColumn& column, std::size_t n_rows, const CodeOf& code_of) {
    column.width = column.n_codes < 0x100U ? 1 : column.n_codes < 0x10000U ? 2 : 4;
    column.bytes.resize(n_rows * column.width);
    column.visit([&](const auto* codes) {
        using Code = std::remove_const_t<std::remove_pointer_t<decltype(codes)>>;
        auto* out = reinterpret_cast<Code*>(column.bytes.data());
        for (std::size_t i = 0; i < n_rows; ++i) out[i] = static_cast<Code>(code_of(i));
    });
}

template <class T>
bool is_missing(T x) {
    if constexpr (std::is_floating_point_v<T>)
        return std::isnan(x);
    else
        return false;
}

double cases_of(const EncodeOptions& options, std::size_t row) {
    return options.weights.empty() ? 1.0 : static_cast<double>(options.weights[row]);
}

// Columns of 0 and 1 in floats: found and encoded by vector code, as the general loops are not.
// False if there is anything else, missing cells included.
template <class T>
bool encode_zero_one(const T* numbers, std::size_t n_rows, EncodedColumn& column) {
    constexpr std::size_t kPiece = 2048;
    std::size_t n_ones = 0;
    for (std::size_t start = 0; start < n_rows; start += kPiece) {
        const std::size_t end = std::min(n_rows, start + kPiece);
        unsigned n_zero = 0;
        unsigned n_one = 0;
        for (std::size_t i = start; i < end; ++i) {
            n_zero += numbers[i] == T{0} ? 1U : 0U;
            n_one += numbers[i] == T{1} ? 1U : 0U;
        }
        if (n_zero + n_one < end - start) return false;
        n_ones += n_one;
    }
    if (n_ones == 0 || n_ones == n_rows) return false;
    column.values = {0.0, 1.0};
    column.n_codes = 2;
    column.bytes.resize(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) column.bytes[i] = numbers[i] == T{1} ? 1 : 0;
    return true;
}

// One past the greatest number, if all are whole, not negative and small; 0 if they are not. In
// pieces, because a loop that may end anywhere is not turned into vector code.
template <class T>
std::size_t end_of_small_integers(const T* numbers, std::size_t n_rows) {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
        std::uint8_t most = 0;
        for (std::size_t i = 0; i < n_rows; ++i) most = std::max(most, numbers[i]);
        return std::size_t{most} + 1;
    } else {
        constexpr std::size_t kPiece = 512;
        constexpr std::int32_t kMost = 4096;
        std::int32_t greatest = 0;
        for (std::size_t start = 0; start < n_rows; start += kPiece) {
            const std::size_t end = std::min(n_rows, start + kPiece);
            unsigned n_other = 0;
            for (std::size_t i = start; i < end; ++i) {
                const T x = numbers[i];
                bool is_in_range = x >= T{0};
                if constexpr (sizeof(T) > 1) is_in_range = is_in_range && x < static_cast<T>(kMost);
                const auto whole = static_cast<std::int32_t>(is_in_range ? x : T{0});
                // Whole numbers and what is missing are welcome.
                n_other += (is_in_range ? static_cast<T>(whole) != x : x == x) ? 1U : 0U;
                greatest = std::max(greatest, whole);
            }
            if (n_other > 0) return 0;
        }
        return static_cast<std::size_t>(greatest) + 1;
    }
}

// Small whole numbers, the most common columns of all, need no sorting: a table says which occur.
template <class T>
void encode_small_integers(const T* numbers, std::size_t n_rows, std::size_t end,
                           const EncodeOptions& options, EncodedColumn& column) {
    std::vector<std::uint8_t> occurs(end, 0);
    if (end == 2) {  // vector code, which the general loop is not
        occurs[0] = std::count(numbers, numbers + n_rows, T{0}) > 0;
        occurs[1] = 1;
    } else {
        for (std::size_t i = 0; i < n_rows; ++i)
            if (!is_missing(numbers[i])) occurs[static_cast<std::size_t>(numbers[i])] = 1;
    }
    const auto n_values = static_cast<std::size_t>(std::count(occurs.begin(), occurs.end(), 1));
    std::vector<double> cases(end, 0.0);
    if (options.max_bins > 0 && n_values > options.max_bins)
        for (std::size_t i = 0; i < n_rows; ++i)
            if (!is_missing(numbers[i]))
                cases[static_cast<std::size_t>(numbers[i])] += cases_of(options, i);
    Values values;
    for (std::size_t v = 0; v < end; ++v)
        if (occurs[v] != 0) values.add(key_of(static_cast<double>(v)), cases[v]);
    const std::vector<std::uint32_t> codes = set_values(column, values, options.max_bins);
    std::vector<std::uint32_t> code_of(end, 0);
    std::size_t next = 0;
    for (std::size_t v = 0; v < end; ++v)
        if (occurs[v] != 0) code_of[v] = codes[next++];
    // 0, 1, 2, ... without a gap: each value is its own code.
    const bool is_code = !column.is_binned() && n_values == end;
    if (is_code && sizeof(T) == 1 && end < 0x100U) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(numbers);
        column.bytes.assign(bytes, bytes + n_rows);
        return;
    }
    write_codes(column, n_rows, [&](std::size_t i) {
        if (is_missing(numbers[i])) return column.n_codes;
        const auto value = static_cast<std::uint32_t>(numbers[i]);
        return is_code ? value : code_of[value];
    });
}

// The distinct values of a column that has not many of them, and which of them each row has.
class FewValues {
  public:
    static constexpr std::size_t kMost = 1024;
    static constexpr std::uint16_t kMissing = 0xffff;

    // False, at once, if there are too many.
    template <class T>
    bool find(const T* numbers, std::size_t n_rows) {
        slots_.fill(kEmpty);
        which_.resize(n_rows);
        for (std::size_t i = 0; i < n_rows; ++i) {
            if (is_missing(numbers[i])) {
                which_[i] = kMissing;
                continue;
            }
            const std::uint64_t key = key_of(static_cast<double>(numbers[i]));
            std::size_t slot = (key * kOdd) >> (64 - kSlotBits);
            while (slots_[slot] != kEmpty && keys_[slots_[slot]] != key)
                slot = (slot + 1) & (slots_.size() - 1);
            if (slots_[slot] == kEmpty) {
                if (keys_.size() == kMost) return false;
                slots_[slot] = static_cast<std::uint16_t>(keys_.size());
                keys_.push_back(key);
            }
            which_[i] = slots_[slot];
        }
        return true;
    }

    void encode(const EncodeOptions& options, EncodedColumn& column) const {
        std::vector<double> cases(keys_.size(), 0.0);
        const bool becomes_bins = options.max_bins > 0 && keys_.size() > options.max_bins;
        for (std::size_t i = 0; becomes_bins && i < which_.size(); ++i)
            if (which_[i] != kMissing) cases[which_[i]] += cases_of(options, i);
        std::vector<std::uint16_t> order(keys_.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint16_t>(i);
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return keys_[a] < keys_[b]; });
        Values values;
        for (const std::uint16_t i : order) values.add(keys_[i], cases[i]);
        const std::vector<std::uint32_t> codes = set_values(column, values, options.max_bins);
        std::vector<std::uint32_t> code_of(keys_.size());
        for (std::size_t i = 0; i < order.size(); ++i) code_of[order[i]] = codes[i];
        write_codes(column, which_.size(), [&](std::size_t i) {
            return which_[i] == kMissing ? column.n_codes : code_of[which_[i]];
        });
    }

  private:
    static constexpr std::size_t kSlotBits = 12;
    static constexpr std::uint16_t kEmpty = 0xffff;
    static constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;

    std::array<std::uint16_t, std::size_t{1} << kSlotBits> slots_;
    std::vector<std::uint64_t> keys_;
    UnfilledVector<std::uint16_t> which_;
};

// Gives the column bins, straight from its sorted keys: there are more values than `max_bins`.
void set_bins(EncodedColumn& column, const UnfilledVector<std::uint64_t>& keys,
              std::size_t max_bins) {
    BinChooser chooser(static_cast<double>(keys.size()), max_bins);
    for (std::size_t begin = 0; begin < keys.size();) {
        std::size_t end = begin + 1;
        while (end < keys.size() && keys[end] == keys[begin]) ++end;
        if (chooser.begins(static_cast<double>(end - begin)) || begin == 0) {
            column.lowest.push_back(from_key(keys[begin]));
            column.values.push_back(0);
        }
        column.values.back() = from_key(keys[begin]);
        begin = end;
    }
    column.n_codes = static_cast<std::uint32_t>(column.values.size());
}

// Many values: sorted, without their rows where bins make those unnecessary.
template <class T>
void encode_into_bins(const T* numbers, std::size_t n_rows, const EncodeOptions& options,
                      EncodedColumn& column) {
    UnfilledVector<std::uint64_t> keys;
    keys.reserve(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i)
        if (!is_missing(numbers[i])) keys.push_back(key_of(static_cast<double>(numbers[i])));
    sort_keys(keys);
    set_bins(column, keys, options.max_bins);
    const BinFinder find(column.values);
    write_codes(column, n_rows, [&](std::size_t i) {
        return is_missing(numbers[i]) ? column.n_codes : find(static_cast<double>(numbers[i]));
    });
}

template <class T>
void encode_by_sorting(const T* numbers, std::size_t n_rows, const EncodeOptions& options,
                       EncodedColumn& column) {
    UnfilledVector<Keyed> items;
    items.reserve(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i)
        if (!is_missing(numbers[i]))
            items.push_back(
                {key_of(static_cast<double>(numbers[i])), static_cast<std::uint32_t>(i)});
    sort_keys(items);
    Values values;
    for (const Keyed& item : items)
        values.add(item.key,
                   options.weights.empty() ? 1.0 : static_cast<double>(options.weights[item.row]));
    const std::vector<std::uint32_t> codes = set_values(column, values, options.max_bins);
    std::vector<std::uint32_t> code_of(n_rows, column.n_codes);
    std::size_t place = 0;
    for (const Keyed& item : items) {
        while (values.keys[place] != item.key) ++place;
        code_of[item.row] = codes[place];
    }
    write_codes(column, n_rows, [&](std::size_t i) { return code_of[i]; });
}

void note_missing(EncodedColumn& column, std::size_t n_rows) {
    column.has_missing = column.visit([&](const auto* codes) {
        using Code = std::remove_const_t<std::remove_pointer_t<decltype(codes)>>;
        const auto missing = static_cast<Code>(column.n_codes);
        return std::find(codes, codes + n_rows, missing) != codes + n_rows;
    });
}

bool is_zero_one(const std::vector<double>& values) {
    return !values.empty() &&
           std::all_of(values.begin(), values.end(), [](double v) { return v == 0 || v == 1; });
}

template <class T>
EncodedColumn encode_typed(const T* numbers, std::size_t n_rows, const EncodeOptions& options) {
    EncodedColumn column;
    if constexpr (std::is_floating_point_v<T>)
        if (encode_zero_one(numbers, n_rows, column)) {
            column.kind = ColumnKind::boolean;
            return column;
        }
    const bool has_few_bins = options.max_bins > 0 && options.max_bins <= BinFinder::kMost;
    FewValues few;
    if (const std::size_t end = end_of_small_integers(numbers, n_rows); end > 0)
        encode_small_integers(numbers, n_rows, end, options, column);
    else if (few.find(numbers, n_rows))
        few.encode(options, column);
    else if (has_few_bins && options.weights.empty())
        encode_into_bins(numbers, n_rows, options, column);
    else
        encode_by_sorting(numbers, n_rows, options, column);
    if (std::is_floating_point_v<T>) note_missing(column, n_rows);
    if (!column.is_binned() && is_zero_one(column.values)) column.kind = ColumnKind::boolean;
    return column;
}

std::size_t size_of(NumberType type) {
    return visit_numbers({nullptr, 1, type}, [](const auto* none) { return sizeof(*none); });
}

// Copies a piece of a strided column to its place in memory without gaps.
void gather_piece(const NumberView& view, std::size_t begin, std::size_t end, void* copy) {
    visit_numbers(view, [&](const auto* from) {
        using T = std::remove_const_t<std::remove_pointer_t<decltype(from)>>;
        auto* to = static_cast<T*>(copy);
        for (std::size_t i = begin; i < end; ++i)
            to[i] = from[static_cast<std::ptrdiff_t>(i) * view.stride];
    });
}

}  // namespace

EncodedColumn encode_numbers(std::span<const double> numbers, const EncodeOptions& options) {
    return encode_typed(numbers.data(), numbers.size(), options);
}

std::vector<EncodedColumn> encode_number_columns(std::span<const NumberView> columns,
                                                 std::size_t n_rows, const EncodeOptions& options,
                                                 std::size_t n_threads) {
    // Neighbours in a row-major matrix share cache lines, so the columns of a line are copied
    // together, a few rows at a time: each line is then loaded once, not once per column. Fewer go
    // together where each thread would not get the same share, or copies would take much memory.
    constexpr std::size_t kLine = 64;
    constexpr std::size_t kRows = 256;
    constexpr std::size_t kMostBytes = std::size_t{1} << 25U;
    std::size_t n_together = 1;
    if (!columns.empty()) {
        const std::size_t size = size_of(columns.front().type);
        n_together = std::min({kLine / size, kMostBytes / (size * std::max<std::size_t>(1, n_rows)),
                               (columns.size() + 2 * n_threads - 1) / (2 * n_threads)});
        n_together = std::max<std::size_t>(1, n_together);
    }
    std::vector<EncodedColumn> encoded(columns.size());
    const std::size_t n_groups = (columns.size() + n_together - 1) / n_together;
    parallel_for(n_groups, n_threads, [&](std::size_t group, std::size_t) {
        const std::size_t first = group * n_together;
        const std::size_t n = std::min(n_together, columns.size() - first);
        std::vector<UnfilledVector<std::uint64_t>> copies(n);
        for (std::size_t c = 0; c < n; ++c)
            if (columns[first + c].stride != 1)
                copies[c].resize((n_rows * size_of(columns[first + c].type) + 7) / 8);
        for (std::size_t start = 0; start < n_rows; start += kRows)
            for (std::size_t c = 0; c < n; ++c)
                if (!copies[c].empty())
                    gather_piece(columns[first + c], start, std::min(n_rows, start + kRows),
                                 copies[c].data());
        for (std::size_t c = 0; c < n; ++c) {
            NumberView view = columns[first + c];
            if (!copies[c].empty()) view.data = copies[c].data();
            encoded[first + c] = visit_numbers(
                view, [&](const auto* numbers) { return encode_typed(numbers, n_rows, options); });
            copies[c] = {};
        }
    });
    return encoded;
}

EncodedColumn encode_levels(std::span<const std::int32_t> codes, std::size_t n_levels) {
    EncodedColumn column;
    column.kind = ColumnKind::categorical;
    column.n_codes = static_cast<std::uint32_t>(n_levels);
    write_codes(column, codes.size(), [&](std::size_t i) {
        return codes[i] >= 0 ? static_cast<std::uint32_t>(codes[i]) : column.n_codes;
    });
    note_missing(column, codes.size());
    return column;
}

}  // namespace bsnsing
