#include "grow/columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "grow/bins.hpp"
#include "grow/buckets.hpp"
#include "grow/keys.hpp"
#include "grow/zero_one.hpp"
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
        column.values.push_back(from_key<double>(values.keys[end - 1]));
        if (max_bins > 0) column.lowest.push_back(from_key<double>(values.keys[begin]));
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

std::size_t width_for(std::uint32_t n_codes) {
    return n_codes < 0x100U ? 1 : n_codes < 0x10000U ? 2 : 4;
}

// Makes room for codes 0..n_codes (the last means missing) and fills them with code_of(row).
template <class CodeOf>
void write_codes(EncodedColumn& column, std::size_t n_rows, const CodeOf& code_of) {
    column.n_rows = n_rows;
    column.width = width_for(column.n_codes);
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
                // Not && between the two: what one number shows says little of the next.
                const bool is_in_range =
                    (x >= T{0}) & (sizeof(T) == 1 || x < static_cast<T>(kMost));
                // Not below zero. NOLINTNEXTLINE(bugprone-signed-char-misuse)
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
    for (std::size_t i = 0; i < n_rows; ++i)
        if (!is_missing(numbers[i])) occurs[static_cast<std::size_t>(numbers[i])] = 1;
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
        column.n_rows = n_rows;
        return;
    }
    write_codes(column, n_rows, [&](std::size_t i) {
        if (is_missing(numbers[i])) return column.n_codes;
        // Not below zero. NOLINTNEXTLINE(bugprone-signed-char-misuse)
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
        // Room for four times as many as there can be.
        const std::size_t n_slots = std::bit_ceil(4 * std::min(n_rows + 1, kMost));
        const auto shift = static_cast<unsigned>(64 - std::countr_zero(n_slots));
        std::fill_n(slots_.begin(), n_slots, kEmpty);
        keys_.clear();
        which_.resize(n_rows);
        for (std::size_t i = 0; i < n_rows; ++i) {
            if (is_missing(numbers[i])) {
                which_[i] = kMissing;
                continue;
            }
            const std::uint64_t key = key_of(static_cast<double>(numbers[i]));
            std::size_t slot = (key * kOdd) >> shift;
            while (slots_[slot] != kEmpty && keys_[slots_[slot]] != key)
                slot = (slot + 1) & (n_slots - 1);
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
        std::vector<Keyed> order;
        for (std::uint32_t i = 0; i < keys_.size(); ++i) order.push_back({keys_[i], i});
        std::vector<Keyed> other(order.size());
        sort_keys(order.data(), order.size(), other.data());
        Values values;
        for (const Keyed& item : order) values.add(item.key, cases[item.row]);
        const std::vector<std::uint32_t> codes = set_values(column, values, options.max_bins);
        std::vector<std::uint32_t> code_of(keys_.size());
        for (std::size_t i = 0; i < order.size(); ++i) code_of[order[i].row] = codes[i];
        write_codes(column, which_.size(), [&](std::size_t i) {
            return which_[i] == kMissing ? column.n_codes : code_of[which_[i]];
        });
    }

  private:
    static constexpr std::uint16_t kEmpty = 0xffff;
    static constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;

    std::array<std::uint16_t, 4 * kMost> slots_{};
    std::vector<std::uint64_t> keys_;
    UnfilledVector<std::uint16_t> which_;
};

// Memory that serves one column after the other.
struct Scratch {
    FewValues few;
    UnfilledVector<std::uint16_t> buckets;
    UnfilledVector<std::uint64_t> keys;
};

template <class T>
void encode_into_bins(const T* numbers, std::size_t n_rows, const EncodeOptions& options,
                      EncodedColumn& column, Scratch& scratch) {
    using Key = Buckets<T>::Key;
    scratch.buckets.resize(n_rows);
    scratch.keys.resize((n_rows * sizeof(Key) + 7) / 8);
    Buckets<T> buckets(numbers, n_rows, scratch.buckets.data(),
                       reinterpret_cast<Key*>(scratch.keys.data()));
    buckets.cut(options.max_bins, column.lowest, column.values);
    column.n_codes = static_cast<std::uint32_t>(column.values.size());
    write_codes(column, n_rows, [&](std::size_t i) { return buckets.code_of(i, column.values); });
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
    UnfilledVector<Keyed> other(items.size());
    // Asked between steps, each of which takes long where there are millions of rows.
    const auto has_stopped = [&] {
        options.poll();
        return options.is_interrupted();
    };
    sort_keys(items.data(), items.size(), other.data(), has_stopped);
    if (has_stopped()) return;
    Values values;
    for (const Keyed& item : items)
        values.add(item.key,
                   options.weights.empty() ? 1.0 : static_cast<double>(options.weights[item.row]));
    if (has_stopped()) return;
    const std::vector<std::uint32_t> codes = set_values(column, values, options.max_bins);
    if (has_stopped()) return;
    std::vector<std::uint32_t> code_of(n_rows, column.n_codes);
    std::size_t place = 0;
    for (const Keyed& item : items) {
        while (values.keys[place] != item.key) ++place;
        code_of[item.row] = codes[place];
    }
    if (has_stopped()) return;
    write_codes(column, n_rows, [&](std::size_t i) { return code_of[i]; });
}

void note_missing(EncodedColumn& column) {
    column.has_missing = column.visit([&](const auto* codes) {
        using Code = std::remove_const_t<std::remove_pointer_t<decltype(codes)>>;
        const auto missing = static_cast<Code>(column.n_codes);
        return std::find(codes, codes + column.n_rows, missing) != codes + column.n_rows;
    });
}

void use_bits(EncodedColumn& column) {
    if (!column.is_bits()) return;
    column.bits = pack_bytes(column.bytes.data(), column.n_rows);
    column.bytes = {};
}

bool is_zero_one(const std::vector<double>& values) {
    return !values.empty() &&
           std::all_of(values.begin(), values.end(), [](double v) { return v == 0 || v == 1; });
}

template <class T>
EncodedColumn encode_typed(const T* numbers, std::size_t n_rows, const EncodeOptions& options,
                           Scratch& scratch) {
    EncodedColumn column;
    // More values than can be few are more than these bins.
    const bool becomes_bins = options.max_bins > 0 && options.max_bins <= FewValues::kMost;
    if (const std::size_t end = end_of_small_integers(numbers, n_rows); end > 0)
        encode_small_integers(numbers, n_rows, end, options, column);
    else if (scratch.few.find(numbers, n_rows))
        scratch.few.encode(options, column);
    else if (becomes_bins && options.weights.empty())
        encode_into_bins(numbers, n_rows, options, column, scratch);
    else
        encode_by_sorting(numbers, n_rows, options, column);
    if (options.is_interrupted()) return {};
    if (std::is_floating_point_v<T>) note_missing(column);
    if (!column.is_binned() && is_zero_one(column.values)) column.kind = ColumnKind::boolean;
    use_bits(column);
    return column;
}

template <class Code>
EncodedColumn from_codes(const ColumnShape& shape, std::span<const Code> codes) {
    EncodedColumn column;
    static_cast<ColumnShape&>(column) = shape;
    column.n_rows = codes.size();
    column.width = sizeof(Code);
    if (column.width != width_for(shape.n_codes))
        throw std::invalid_argument("codes of " + std::to_string(8 * sizeof(Code)) +
                                    " bits for a column of " + std::to_string(shape.n_codes));
    Code greatest = 0;
    for (const Code code : codes) greatest = std::max(greatest, code);
    // The last one means missing.
    if (!codes.empty() && greatest >= shape.n_codes + (shape.has_missing ? 1U : 0U))
        throw std::invalid_argument("there is no code " + std::to_string(greatest) +
                                    ": the column has " + std::to_string(shape.n_codes));
    column.bytes.resize(codes.size_bytes());
    if (!codes.empty()) std::memcpy(column.bytes.data(), codes.data(), codes.size_bytes());
    use_bits(column);
    return column;
}

EncodedColumn zero_one_column(UnfilledVector<Word> bits, std::size_t n_rows) {
    EncodedColumn column;
    column.n_rows = n_rows;
    column.kind = ColumnKind::boolean;
    column.values = {0.0, 1.0};
    column.n_codes = 2;
    column.bits = std::move(bits);
    return column;
}

std::size_t size_of(NumberType type) {
    return visit_numbers({nullptr, 1, type}, [](const auto* none) { return sizeof(*none); });
}

// Encodes columns that lie side by side in memory, group after group with the same scratch memory.
class GroupEncoder {
  public:
    GroupEncoder(std::size_t n_rows, const EncodeOptions& options)
        : n_rows_(n_rows), options_(options) {}

    // The columns at some places; the codes of each go to the same place of `encoded`.
    void encode(std::span<const NumberView> columns, std::span<const std::size_t> places,
                std::vector<EncodedColumn>& encoded) {
        std::vector<NumberView> views;
        for (const std::size_t place : places) views.push_back(columns[place]);
        gather(views);
        for (std::size_t c = 0; c < views.size(); ++c) {
            options_.poll();
            if (options_.is_interrupted()) return;
            encoded[places[c]] = visit_numbers(views[c], [&](const auto* numbers) {
                return encode_typed(numbers, n_rows_, options_, scratch_);
            });
        }
    }

  private:
    // Copies strided columns to memory without gaps, a few rows of all of them at a time.
    void gather(std::vector<NumberView>& views) {
        constexpr std::size_t kRows = 256;
        constexpr std::size_t kLine = 64;
        std::vector<std::pair<std::size_t, std::size_t>> copied;  // column, place of its copy
        std::size_t n_bytes = 0;
        for (std::size_t c = 0; c < views.size(); ++c) {
            if (views[c].stride == 1) continue;
            copied.emplace_back(c, n_bytes);
            n_bytes += (n_rows_ * size_of(views[c].type) + kLine - 1) / kLine * kLine;
        }
        copies_.resize(std::max(copies_.size(), n_bytes));
        for (std::size_t start = 0; start < n_rows_; start += kRows)
            for (const auto& [c, place] : copied)
                gather_piece(views[c], start, std::min(n_rows_, start + kRows),
                             copies_.data() + place);
        for (const auto& [c, place] : copied) views[c] = {copies_.data() + place, 1, views[c].type};
    }

    static void gather_piece(const NumberView& view, std::size_t begin, std::size_t end,
                             void* copy) {
        visit_numbers(view, [&](const auto* from) {
            using T = std::remove_const_t<std::remove_pointer_t<decltype(from)>>;
            auto* to = static_cast<T*>(copy);
            for (std::size_t i = begin; i < end; ++i)
                to[i] = from[static_cast<std::ptrdiff_t>(i) * view.stride];
        });
    }

    std::size_t n_rows_;
    const EncodeOptions& options_;
    UnfilledVector<std::uint8_t> copies_;
    Scratch scratch_;
};

// Encodes the columns of 0 and 1, and returns the places of all others.
std::vector<std::size_t> encode_zero_one_columns(std::span<const NumberView> columns,
                                                 std::size_t n_rows, std::size_t n_threads,
                                                 std::vector<EncodedColumn>& encoded) {
    constexpr std::size_t kTogether = 16;
    const std::size_t n_shares = useful_threads(n_threads, columns.size() / kTogether);
    parallel_for(n_shares, n_shares, [&](std::size_t share, std::size_t) {
        const std::size_t first = columns.size() * share / n_shares;
        const std::size_t end = columns.size() * (share + 1) / n_shares;
        std::vector<UnfilledVector<Word>> bits =
            read_zero_one(columns.subspan(first, end - first), n_rows);
        for (std::size_t c = first; c < end; ++c)
            if (!bits[c - first].empty())
                encoded[c] = zero_one_column(std::move(bits[c - first]), n_rows);
    });
    std::vector<std::size_t> others;
    for (std::size_t c = 0; c < columns.size(); ++c)
        if (encoded[c].n_codes == 0) others.push_back(c);
    return others;
}

}  // namespace

const ColumnShape& ColumnSchema::at(std::size_t column) const {
    if (column >= size())
        throw std::invalid_argument("there is no column " + std::to_string(column) +
                                    ": the table has " + std::to_string(size()));
    return (*columns_)[column];
}

std::vector<std::uint32_t> list_codes(const ColumnShape& shape, const ColumnCodes& codes) {
    std::vector<std::uint32_t> listed(codes.n_rows);
    if (shape.is_bits()) {
        for (std::size_t i = 0; i < listed.size(); ++i)
            listed[i] = (codes.bits[i / kWordBits] >> (i % kWordBits)) & 1U;
    } else {
        codes.visit([&](const auto* typed) { std::copy_n(typed, listed.size(), listed.begin()); });
    }
    return listed;
}

EncodedColumn encode_numbers(std::span<const double> numbers, const EncodeOptions& options) {
    const NumberView view{numbers.data(), 1, NumberType::f64};
    return std::move(encode_number_columns({&view, 1}, numbers.size(), options, 1).front());
}

std::vector<EncodedColumn> encode_number_columns(std::span<const NumberView> columns,
                                                 std::size_t n_rows, const EncodeOptions& options,
                                                 std::size_t n_threads) {
    std::vector<EncodedColumn> encoded(columns.size());
    const std::vector<std::size_t> others =
        encode_zero_one_columns(columns, n_rows, n_threads, encoded);
    if (others.empty()) return encoded;
    // Neighbours in a row-major matrix share cache lines, so the columns of a line are copied
    // together, a few rows at a time: each line is then loaded once, not once per column. Fewer go
    // together where each thread would not get the same share, or copies would take much memory.
    constexpr std::size_t kLine = 64;
    constexpr std::size_t kMostBytes = std::size_t{1} << 25U;
    const std::size_t size = size_of(columns[others.front()].type);
    const std::size_t n_together = std::max<std::size_t>(
        1, std::min({kLine / size, kMostBytes / (size * std::max<std::size_t>(1, n_rows)),
                     (others.size() + 2 * n_threads - 1) / (2 * n_threads)}));
    const std::size_t n_groups = (others.size() + n_together - 1) / n_together;
    std::vector<GroupEncoder> encoders;
    for (std::size_t t = 0; t < useful_threads(n_threads, n_groups); ++t)
        encoders.emplace_back(n_rows, options);
    parallel_for(
        n_groups, n_threads,
        [&](std::size_t group, std::size_t thread) {
            const std::size_t first = group * n_together;
            const std::size_t n = std::min(n_together, others.size() - first);
            encoders[thread].encode(columns, std::span(others).subspan(first, n), encoded);
        },
        [&] { options.poll(); });
    return encoded;
}

EncodedColumn encode_levels(std::span<const std::int32_t> codes, std::size_t n_levels) {
    EncodedColumn column;
    column.kind = ColumnKind::categorical;
    column.n_codes = static_cast<std::uint32_t>(n_levels);
    write_codes(column, codes.size(), [&](std::size_t i) {
        return codes[i] >= 0 ? static_cast<std::uint32_t>(codes[i]) : column.n_codes;
    });
    note_missing(column);
    use_bits(column);
    return column;
}

EncodedColumn column_of(const ColumnShape& shape, std::span<const std::uint8_t> codes) {
    return from_codes(shape, codes);
}

EncodedColumn column_of(const ColumnShape& shape, std::span<const std::uint16_t> codes) {
    return from_codes(shape, codes);
}

EncodedColumn column_of(const ColumnShape& shape, std::span<const std::uint32_t> codes) {
    return from_codes(shape, codes);
}

}  // namespace bsnsing
