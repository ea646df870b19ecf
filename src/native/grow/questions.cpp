#include "grow/questions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace bsnsing {
namespace {

// Cases of a node that share a value.
struct Group {
    std::uint32_t code = 0;
    double target = 0;
    double other = 0;
    std::int64_t only_class = kNoClass;  // the one class that occurs, or kManyClasses
    double cases() const { return target + other; }

    static constexpr std::int64_t kNoClass = -1;
    static constexpr std::int64_t kManyClasses = -2;

    void add(const Segment& segment, std::size_t n_rows, std::uint32_t target_class) {
        if (n_rows == 0) return;
        (segment.class_index == target_class ? target : other) +=
            static_cast<double>(segment.weight) * static_cast<double>(n_rows);
        if (only_class == kNoClass)
            only_class = segment.class_index;
        else if (only_class != segment.class_index)
            only_class = kManyClasses;
    }
};

// The values that occur at a node, ascending, and the cases without one.
struct Histogram {
    std::vector<Group>& groups;
    Group missing;
    double n_cases = 0;
};

// Memory that serves one column after the other.
struct Scratch {
    std::vector<std::uint32_t> counts;
    std::vector<std::uint64_t> keys;
    std::vector<std::uint64_t> other_keys;
    std::vector<Group> groups;

    Histogram empty_histogram() {
        groups.clear();
        return {groups, {}, 0};
    }
};

void add_group(Histogram& histogram, std::uint32_t n_codes, const Group& group) {
    if (group.cases() <= 0) return;
    histogram.n_cases += group.cases();
    if (group.code == n_codes)
        histogram.missing = group;
    else
        histogram.groups.push_back(group);
}

Histogram count_bit_column(const Word* bits, const NodeTable& node, std::uint32_t target_class,
                           Scratch& scratch) {
    Group zeros;
    Group ones;
    ones.code = 1;
    for (const Segment& s : node.layout().segments) {
        std::size_t n_ones = 0;
        for (std::size_t w = s.first_word; w < s.first_word + s.n_words; ++w)
            n_ones += static_cast<std::size_t>(std::popcount(bits[w]));
        zeros.add(s, s.n_rows - n_ones, target_class);
        ones.add(s, n_ones, target_class);
    }
    Histogram histogram = scratch.empty_histogram();
    for (const Group& group : {zeros, ones}) add_group(histogram, 2, group);
    return histogram;
}

// Rows per code. Counting into four tables in turn spares a row from waiting for the one before it,
// which often has the same code. `counts` has room for all four.
constexpr std::size_t kTables = 4;

template <class Code>
void tally(const Code* codes, std::size_t n_rows, std::size_t n_counts, std::uint32_t* counts) {
    const bool is_long = 2 * n_rows > n_counts;
    std::fill_n(counts, is_long ? kTables * n_counts : n_counts, 0U);
    std::size_t i = 0;
    if (is_long) {
        for (; i + kTables <= n_rows; i += kTables)
            for (std::size_t t = 0; t < kTables; ++t) ++counts[t * n_counts + codes[i + t]];
        for (std::size_t c = 0; c < n_counts; ++c)
            counts[c] += counts[n_counts + c] + counts[2 * n_counts + c] + counts[3 * n_counts + c];
    }
    for (; i < n_rows; ++i) ++counts[codes[i]];
}

template <class Code>
Histogram count_dense(const Code* codes, std::uint32_t n_codes, const NodeTable& node,
                      std::uint32_t target_class, Scratch& scratch) {
    const std::vector<Segment>& segments = node.layout().segments;
    const std::size_t n_counts = std::size_t{n_codes} + 1;
    // The other tables of a segment lie where the counts of the next ones will.
    scratch.counts.resize(n_counts * (segments.size() + kTables - 1));
    std::uint32_t* counts = scratch.counts.data();
    for (std::size_t s = 0; s < segments.size(); ++s) {
        tally(codes, segments[s].n_rows, n_counts, counts + s * n_counts);
        codes += segments[s].n_rows;
    }
    Histogram histogram = scratch.empty_histogram();
    const auto n_at = [&](std::size_t s, std::size_t c) { return counts[s * n_counts + c]; };
    // Most codes do not occur at a small node: four at a time, they are soon skipped.
    for (std::uint32_t first = 0; first <= n_codes; first += 4) {
        const std::uint32_t end = std::min(first + 4, n_codes + 1);
        std::uint32_t any = 0;
        for (std::size_t s = 0; s < segments.size(); ++s)
            for (std::uint32_t c = first; c < end; ++c) any |= n_at(s, c);
        for (std::uint32_t c = first; any != 0 && c < end; ++c) {
            Group group;
            group.code = c;
            for (std::size_t s = 0; s < segments.size(); ++s)
                group.add(segments[s], n_at(s, c), target_class);
            add_group(histogram, n_codes, group);
        }
    }
    return histogram;
}

// Sorts by the upper 32 bits, the code, of which `n_bits` are in use; the lower 32 stay behind it.
void sort_by_code(std::vector<std::uint64_t>& keys, unsigned n_bits,
                  std::vector<std::uint64_t>& other) {
    constexpr std::size_t kFew = 64;
    constexpr unsigned kDigitBits = 8;
    if (keys.size() < kFew) {
        std::sort(keys.begin(), keys.end());
        return;
    }
    other.resize(keys.size());
    for (unsigned shift = 32; shift < 32 + n_bits; shift += kDigitBits) {
        std::array<std::uint32_t, 1U << kDigitBits> starts{};
        for (const std::uint64_t k : keys) ++starts[(k >> shift) & 0xffU];
        std::uint32_t sum = 0;
        for (std::uint32_t& s : starts) sum += std::exchange(s, sum);
        for (const std::uint64_t k : keys) other[starts[(k >> shift) & 0xffU]++] = k;
        keys.swap(other);
    }
}

// For a node that is small against the number of values: sorts its codes instead of walking all.
template <class Code>
Histogram count_sparse(const Code* codes, std::uint32_t n_codes, const NodeTable& node,
                       std::uint32_t target_class, Scratch& scratch) {
    const std::vector<Segment>& segments = node.layout().segments;
    std::vector<std::uint64_t>& keys = scratch.keys;  // code, then segment
    keys.clear();
    keys.reserve(node.n_rows());
    for (std::size_t s = 0; s < segments.size(); ++s)
        for (std::size_t i = 0; i < segments[s].n_rows; ++i)
            keys.push_back(std::uint64_t{*codes++} << 32U | s);
    sort_by_code(keys, static_cast<unsigned>(std::bit_width(n_codes)), scratch.other_keys);
    Histogram histogram = scratch.empty_histogram();
    for (std::size_t i = 0; i < keys.size();) {
        Group group;
        group.code = static_cast<std::uint32_t>(keys[i] >> 32U);
        for (; i < keys.size() && keys[i] >> 32U == group.code; ++i)
            group.add(segments[keys[i] & 0xffffffffU], 1, target_class);
        add_group(histogram, n_codes, group);
    }
    return histogram;
}

Histogram count_groups(const EncodedColumn& column, std::size_t column_index, const NodeTable& node,
                       std::uint32_t target_class, Scratch& scratch) {
    if (node.is_bits(column_index))
        return count_bit_column(node.bits(column_index), node, target_class, scratch);
    // Walking all codes costs per segment, sorting per row.
    constexpr std::size_t kAlwaysDense = 64;
    const bool is_dense =
        column.n_codes <=
        std::max(kAlwaysDense,
                 4 * node.n_rows() / std::max<std::size_t>(1, node.layout().segments.size()));
    return node.visit_codes(column_index, [&](const auto* codes) {
        return is_dense ? count_dense(codes, column.n_codes, node, target_class, scratch)
                        : count_sparse(codes, column.n_codes, node, target_class, scratch);
    });
}

// A place between two neighbouring values.
struct Cut {
    std::size_t above = 0;  // position of the first group above it
    double n_below = 0;     // cases below it
};

// Keeps at most n_segments cuts, at about equal numbers of cases, the outermost always.
std::vector<Cut> thin(const std::vector<Cut>& cuts, std::size_t n_segments) {
    if (cuts.size() <= n_segments) return cuts;
    std::vector<Cut> kept;
    const double first = cuts.front().n_below;
    const double span = cuts.back().n_below - first;
    std::size_t next = 0;
    for (std::size_t i = 0; i < n_segments; ++i) {
        const double share =
            n_segments == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(n_segments - 1);
        const double wanted = first + span * share;
        // Leave enough cuts for the places that are still to be filled.
        const std::size_t last = cuts.size() - (n_segments - i);
        while (next < last &&
               std::abs(cuts[next + 1].n_below - wanted) < std::abs(cuts[next].n_below - wanted))
            ++next;
        kept.push_back(cuts[next]);
        ++next;
    }
    if (n_segments > 1) kept.back() = cuts.back();
    return kept;
}

// Half way between two neighbouring values, on the side where the comparison with `t` tells them
// apart even if there is no number between them.
double threshold_between(double below, double above, Test test) {
    const double middle = below / 2 + above / 2;
    if (test == Test::greater) return middle >= below && middle < above ? middle : below;
    return middle > below && middle <= above ? middle : above;
}

class ColumnAsker {
  public:
    ColumnAsker(const EncodedColumn& column, std::uint32_t index, const AskOptions& options,
                const Histogram& histogram, std::vector<Question>& questions)
        : column_(column),
          index_(index),
          options_(options),
          histogram_(histogram),
          questions_(questions) {}

    void ask() {
        const auto first = static_cast<std::ptrdiff_t>(questions_.size());
        switch (column_.kind) {
            case ColumnKind::numeric:
                ask_thresholds(Test::greater);
                // Where no cell is missing, "x < t" is the negation of "x > t".
                if (!options_.negation || histogram_.missing.cases() > 0)
                    ask_thresholds(Test::less);
                if (column_.n_codes <= options_.max_values_as_levels && !column_.is_binned())
                    ask_values();
                break;
            case ColumnKind::boolean:
                ask_values();
                // "== 1" first: of two questions that say the same, the first is used.
                std::reverse(questions_.begin() + first, questions_.end());
                break;
            case ColumnKind::categorical:
                ask_levels();
                break;
        }
        if (histogram_.missing.cases() > 0)
            add(Test::missing, 0, column_.n_codes, column_.n_codes + 1, histogram_.missing.cases());
    }

  private:
    void add(Test test, double value, std::uint32_t low, std::uint32_t high, double n_yes) {
        if (n_yes <= 0 || n_yes >= histogram_.n_cases) return;
        questions_.push_back({index_, test, value, low, high, {}});
    }

    // `x > t` lies where a non-target case is below and a target case above; `x < t` is its
    // mirror image. With every class as target in turn, that is wherever not all cases on both
    // sides are of one class. Stretches of one class have no such place inside.
    bool lies_between(const Group& below, const Group& above, Test test) const {
        if (options_.every_class)
            return below.only_class == Group::kManyClasses || below.only_class != above.only_class;
        const bool is_greater = below.other > 0 && above.target > 0;
        const bool is_less = below.target > 0 && above.other > 0;
        if (options_.negation) return is_greater || is_less;
        return test == Test::greater ? is_greater : is_less;
    }

    void ask_thresholds(Test test) {
        const std::vector<Group>& groups = histogram_.groups;
        std::vector<Cut> cuts;
        double n_below = 0;
        for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
            n_below += groups[i].cases();
            const bool is_cut = lies_between(groups[i], groups[i + 1], test);
            if (is_cut) cuts.push_back({i + 1, n_below});
        }
        const double n_known = histogram_.n_cases - histogram_.missing.cases();
        for (const Cut& cut : thin(cuts, options_.n_segments)) {
            const std::uint32_t below = groups[cut.above - 1].code;
            const std::uint32_t above = groups[cut.above].code;
            const double t =
                threshold_between(column_.values[below], column_.least_value(above), test);
            // Codes between the two occur elsewhere in the table; their values decide their side.
            const auto first_past = [&](auto&& is_short_of) {
                const auto begin = column_.values.begin();
                const auto place = std::partition_point(begin + below, begin + above, is_short_of);
                return static_cast<std::uint32_t>(place - begin);
            };
            if (test == Test::greater)
                add(test, t, first_past([t](double v) { return v <= t; }), column_.n_codes,
                    n_known - cut.n_below);
            else
                add(test, t, 0, first_past([t](double v) { return v < t; }), cut.n_below);
        }
    }

    void ask_values() {
        for (const Group& g : histogram_.groups)
            add(Test::equal, column_.values[g.code], g.code, g.code + 1, g.cases());
    }

    void ask_level(const Group& g) { add(Test::equal, g.code, g.code, g.code + 1, g.cases()); }

    void ask_group(std::vector<Group> groups) {
        if (groups.size() == 1) return ask_level(groups.front());
        double n_yes = 0;
        std::vector<std::uint32_t> levels;
        for (const Group& g : groups) {
            n_yes += g.cases();
            levels.push_back(g.code);
        }
        std::sort(levels.begin(), levels.end());
        const std::size_t n_before = questions_.size();
        add(Test::in, 0, 0, 0, n_yes);
        if (questions_.size() > n_before) questions_.back().levels = std::move(levels);
    }

    void ask_levels() {
        std::vector<Group> rare;
        std::vector<Group> common;
        for (const Group& g : histogram_.groups)
            (g.cases() < options_.bin_size ? rare : common).push_back(g);
        if (histogram_.groups.size() <= options_.max_levels) {
            for (const Group& g : histogram_.groups) ask_level(g);
            if (rare.size() > 1) ask_group(rare);
            return;
        }
        const std::size_t n_groups =
            std::max<std::size_t>(1, options_.max_levels - (rare.empty() ? 0 : 1));
        ask_groups_by_rate(std::move(common), n_groups);
        if (!rare.empty()) ask_group(rare);
    }

    // Levels with about the same share of the target class, in groups of about equal size.
    void ask_groups_by_rate(std::vector<Group> levels, std::size_t n_groups) {
        std::sort(levels.begin(), levels.end(), [](const Group& a, const Group& b) {
            const double left = a.target * b.cases();
            const double right = b.target * a.cases();
            return left != right ? left < right : a.code < b.code;
        });
        double n_left = 0;
        for (const Group& g : levels) n_left += g.cases();
        std::size_t next = 0;
        for (std::size_t i = 0; i < n_groups && next < levels.size(); ++i) {
            const std::size_t n_more_groups = n_groups - i - 1;
            const double wanted = n_left / static_cast<double>(n_groups - i);
            std::vector<Group> group;
            double n_cases = 0;
            while (next < levels.size() && (group.empty() || n_cases < wanted) &&
                   (group.empty() || levels.size() - next > n_more_groups)) {
                n_cases += levels[next].cases();
                group.push_back(levels[next++]);
            }
            n_left -= n_cases;
            ask_group(std::move(group));
        }
    }

    const EncodedColumn& column_;
    const std::uint32_t index_;
    const AskOptions& options_;
    const Histogram& histogram_;
    std::vector<Question>& questions_;
};

// Whether both values of a column of bits occur: usually seen at once.
bool has_both_values(const Word* bits, const RowLayout& layout) {
    bool has_one = false;
    bool has_zero = false;
    for (const Segment& s : layout.segments)
        for (std::size_t w = 0; w < s.n_words; ++w) {
            const std::size_t n = std::min(kWordBits, s.n_rows - w * kWordBits);
            const Word rows = n < kWordBits ? (Word{1} << n) - 1 : ~Word{0};
            has_one = has_one || bits[s.first_word + w] != 0;
            has_zero = has_zero || bits[s.first_word + w] != rows;
            if (has_one && has_zero) return true;
        }
    return false;
}

}  // namespace

void ask_column(const EncodedColumn& column, std::uint32_t column_index, const NodeTable& node,
                std::uint32_t target_class, const AskOptions& options,
                std::vector<Question>& questions) {
    if (node.n_rows() == 0) return;
    if (column.kind == ColumnKind::boolean && node.is_bits(column_index)) {
        if (!has_both_values(node.bits(column_index), node.layout())) return;
        for (const std::uint32_t code : {1U, 0U}) {
            questions.push_back(
                {column_index, Test::equal, column.values[code], code, code + 1, {}});
            if (options.negation) break;  // "== 0" is the negation of "== 1"
        }
        return;
    }
    thread_local Scratch scratch;
    const Histogram histogram = count_groups(column, column_index, node, target_class, scratch);
    ColumnAsker(column, column_index, options, histogram, questions).ask();
}

}  // namespace bsnsing
