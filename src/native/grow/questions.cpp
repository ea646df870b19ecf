#include "grow/questions.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace bsnsing {
namespace {

// A place between two neighbouring values.
struct Cut {
    std::size_t above = 0;  // position of the first group above it
    double n_below = 0;     // cases below it
};

// Memory that serves one column after the other.
struct Scratch {
    GroupFinder finder;
    std::vector<Cut> cuts;
};

Scratch& scratch_of_thread() {
    thread_local Scratch scratch;
    return scratch;
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
    ColumnAsker(const ColumnShape& column, std::uint32_t index, const AskOptions& options,
                const Groups& groups, std::vector<Cut>& cuts, std::vector<Question>& questions)
        : column_(column),
          index_(index),
          options_(options),
          groups_(groups),
          cuts_(cuts),
          questions_(questions) {}

    void ask() {
        const auto first = static_cast<std::ptrdiff_t>(questions_.size());
        switch (column_.kind) {
            case ColumnKind::numeric:
                ask_thresholds(Test::greater);
                // Where no cell is missing, "x < t" is the negation of "x > t".
                if (!options_.negation || groups_.missing.cases() > 0) ask_thresholds(Test::less);
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
        if (groups_.missing.cases() > 0)
            add(Test::missing, 0, column_.n_codes, column_.n_codes + 1, groups_.missing.cases());
    }

  private:
    void add(Test test, double value, std::uint32_t low, std::uint32_t high, double n_yes) {
        if (n_yes <= 0 || n_yes >= groups_.n_cases) return;
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
        const std::span<const Group> groups = groups_.known;
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
        const double n_known = groups_.n_cases - groups_.missing.cases();
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
        for (const Group& g : groups_.known)
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
        for (const Group& g : groups_.known)
            (g.cases() < options_.bin_size ? rare : common).push_back(g);
        if (groups_.known.size() <= options_.max_levels) {
            for (const Group& g : groups_.known) ask_level(g);
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

    const ColumnShape& column_;
    const std::uint32_t index_;
    const AskOptions& options_;
    const Groups& groups_;
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

// A column of 0 and 1 only: its questions follow without its counts.
bool is_plain_boolean(const ColumnShape& column) {
    return column.kind == ColumnKind::boolean && column.is_bits();
}

void ask_plain_boolean(const ColumnShape& column, std::uint32_t column_index,
                       const AskOptions& options, std::vector<Question>& questions) {
    for (const std::uint32_t code : {1U, 0U}) {
        questions.push_back({column_index, Test::equal, column.values[code], code, code + 1, {}});
        if (options.negation) break;  // "== 0" is the negation of "== 1"
    }
}

}  // namespace

void ask_column(const ColumnShape& column, std::uint32_t column_index, const NodeTable& node,
                std::uint32_t target_class, const AskOptions& options,
                std::vector<Question>& questions) {
    if (node.n_rows() == 0) return;
    if (is_plain_boolean(column)) {
        if (has_both_values(node.bits(column_index), node.layout()))
            ask_plain_boolean(column, column_index, options, questions);
        return;
    }
    Scratch& scratch = scratch_of_thread();
    const Groups groups = scratch.finder.find(column, column_index, node, target_class);
    ColumnAsker(column, column_index, options, groups, scratch.cuts, questions).ask();
}

void ask_column(const ColumnShape& column, std::uint32_t column_index,
                const ClassHistogram& histogram, std::uint32_t target_class,
                const AskOptions& options, std::vector<Question>& questions) {
    if (is_plain_boolean(column)) {
        if (histogram.has(0) && histogram.has(1))
            ask_plain_boolean(column, column_index, options, questions);
        return;
    }
    Scratch& scratch = scratch_of_thread();
    const Groups groups = scratch.finder.find(column, histogram, target_class);
    ColumnAsker(column, column_index, options, groups, scratch.cuts, questions).ask();
}

}  // namespace bsnsing
