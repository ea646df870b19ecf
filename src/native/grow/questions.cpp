#include "grow/questions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

namespace bsnsing {
namespace {

// Cases of a node that share a value.
struct Group {
    std::uint32_t code = 0;
    std::int32_t only_class = kNoClass;  // the one class that occurs, or kManyClasses
    double target = 0;
    double other = 0;
    double cases() const { return target + other; }

    static constexpr std::int32_t kNoClass = -1;
    static constexpr std::int32_t kManyClasses = -2;

    void add(const Segment& segment, std::size_t n_rows, std::uint32_t target_class) {
        if (n_rows == 0) return;
        (segment.class_index == target_class ? target : other) +=
            static_cast<double>(segment.weight) * static_cast<double>(n_rows);
        only_class = with_class(only_class, static_cast<std::int32_t>(segment.class_index));
    }

    static std::int32_t with_class(std::int32_t before, std::int32_t more) {
        return before == kNoClass || before == more ? more : kManyClasses;
    }
};

// A place between two neighbouring values.
struct Cut {
    std::size_t above = 0;  // position of the first group above it
    double n_below = 0;     // cases below it
};

// Memory that serves one column after the other.
struct Scratch {
    std::vector<std::uint32_t> counts;
    std::vector<double> target;  // by code
    std::vector<double> other;
    std::vector<std::int32_t> only_class;
    std::vector<std::uint64_t> keys;
    std::vector<std::uint64_t> other_keys;
    std::vector<Group> groups;
    std::vector<Cut> cuts;
};

// The values that occur at a node, ascending, and the cases without one.
struct Histogram {
    std::span<const Group> groups;
    Group missing;
    double n_cases = 0;

    // Of all groups, ascending; the last may be that of the missing cells.
    Histogram(std::span<const Group> all, std::uint32_t n_codes) : groups(all) {
        for (const Group& group : all) n_cases += group.cases();
        if (all.empty() || all.back().code != n_codes) return;
        missing = all.back();
        groups = all.first(all.size() - 1);
    }
};

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
    scratch.groups.clear();
    for (const Group& group : {zeros, ones})
        if (group.cases() > 0) scratch.groups.push_back(group);
    return {scratch.groups, 2};
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

// Segment after segment over all codes, without branches: vector code.
template <class Code>
Histogram count_dense(const Code* codes, std::uint32_t n_codes, const NodeTable& node,
                      std::uint32_t target_class, Scratch& scratch) {
    const std::size_t n_counts = std::size_t{n_codes} + 1;
    scratch.counts.resize(kTables * n_counts);
    scratch.target.assign(n_counts, 0.0);
    scratch.other.assign(n_counts, 0.0);
    scratch.only_class.assign(n_counts, Group::kNoClass);
    const std::uint32_t* counts = scratch.counts.data();
    std::int32_t* only_class = scratch.only_class.data();
    for (const Segment& s : node.layout().segments) {
        tally(codes, s.n_rows, n_counts, scratch.counts.data());
        codes += s.n_rows;
        const auto weight = static_cast<double>(s.weight);
        const auto own = static_cast<std::int32_t>(s.class_index);
        double* cases = (s.class_index == target_class ? scratch.target : scratch.other).data();
        for (std::size_t c = 0; c < n_counts; ++c) {
            cases[c] += weight * static_cast<std::int32_t>(counts[c]);
            only_class[c] = counts[c] > 0 ? Group::with_class(only_class[c], own) : only_class[c];
        }
    }
    scratch.groups.resize(n_counts);
    std::size_t n_groups = 0;
    for (std::uint32_t c = 0; c < n_counts; ++c) {
        scratch.groups[n_groups] = {c, only_class[c], scratch.target[c], scratch.other[c]};
        n_groups += only_class[c] != Group::kNoClass ? 1U : 0U;
    }
    return {std::span(scratch.groups).first(n_groups), n_codes};
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
    scratch.groups.clear();
    for (std::size_t i = 0; i < keys.size();) {
        Group group;
        group.code = static_cast<std::uint32_t>(keys[i] >> 32U);
        for (; i < keys.size() && keys[i] >> 32U == group.code; ++i)
            group.add(segments[keys[i] & 0xffffffffU], 1, target_class);
        scratch.groups.push_back(group);
    }
    return {scratch.groups, n_codes};
}

Histogram count_groups(const EncodedColumn& column, std::size_t column_index, const NodeTable& node,
                       std::uint32_t target_class, Scratch& scratch) {
    if (node.is_bits(column_index))
        return count_bit_column(node.bits(column_index), node, target_class, scratch);
    // Walking all codes costs per segment, sorting per row.
    constexpr std::size_t kAlwaysDense = 256;
    const bool is_dense =
        column.n_codes <=
        std::max(kAlwaysDense,
                 4 * node.n_rows() / std::max<std::size_t>(1, node.layout().segments.size()));
    return node.visit_codes(column_index, [&](const auto* codes) {
        return is_dense ? count_dense(codes, column.n_codes, node, target_class, scratch)
                        : count_sparse(codes, column.n_codes, node, target_class, scratch);
    });
}

// Keeps at most n_segments cuts, at about equal numbers of cases, the outermost always.
void thin(std::vector<Cut>& cuts, std::size_t n_segments) {
    if (cuts.size() <= n_segments) return;
    const double first = cuts.front().n_below;
    const double span = cuts.back().n_below - first;
    const Cut last_cut = cuts.back();
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
        cuts[i] = cuts[next];  // i is never past next
        ++next;
    }
    cuts.resize(n_segments);
    if (n_segments > 1) cuts.back() = last_cut;
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
                const Histogram& histogram, std::vector<Cut>& cuts,
                std::vector<Question>& questions)
        : column_(column),
          index_(index),
          options_(options),
          histogram_(histogram),
          cuts_(cuts),
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
        // Not && and ||: what one value shows says little of the next, so branches would guess.
        if (options_.every_class)
            return (below.only_class == Group::kManyClasses) |
                   (below.only_class != above.only_class);
        const bool is_greater = (below.other > 0) & (above.target > 0);
        const bool is_less = (below.target > 0) & (above.other > 0);
        if (options_.negation) return is_greater | is_less;
        return test == Test::greater ? is_greater : is_less;
    }

    void ask_thresholds(Test test) {
        const std::span<const Group> groups = histogram_.groups;
        cuts_.resize(groups.size());
        std::size_t n_cuts = 0;
        double n_below = 0;
        for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
            n_below += groups[i].cases();
            cuts_[n_cuts] = {i + 1, n_below};
            n_cuts += lies_between(groups[i], groups[i + 1], test) ? 1U : 0U;
        }
        cuts_.resize(n_cuts);
        thin(cuts_, options_.n_segments);
        const double n_known = histogram_.n_cases - histogram_.missing.cases();
        for (const Cut& cut : cuts_) {
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
    std::vector<Cut>& cuts_;
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
    ColumnAsker(column, column_index, options, histogram, scratch.cuts, questions).ask();
}

}  // namespace bsnsing
