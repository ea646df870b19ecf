#include "predict/apply.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "search/rule.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

// Rows are read a chunk at a time, as doubles, column by column: what a chunk asks for stays in the
// cache, whatever the type and layout of the table.
constexpr std::size_t kChunk = 256;
// Rows that walk down side by side: none has to wait for the steps of the others.
constexpr std::size_t kTogether = 8;
static_assert(kChunk % kTogether == 0);

// Every question about a number is an interval, low < x <= high, or its negation: missing cells lie
// in none.
struct Interval {
    double low = 0;
    double high = 0;
    bool outside = false;

    bool takes(double x) const { return (x > low && x <= high) != outside; }
};

Interval interval_of(Test test, double value) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    switch (test) {
        case Test::greater:
            return {value, kInfinity};
        case Test::less:
            return {-kInfinity, std::nextafter(value, -kInfinity)};
        case Test::equal:
            return {std::nextafter(value, -kInfinity), value};
        case Test::in:  // only of levels, which are looked up
        case Test::missing:
            break;
    }
    return {-kInfinity, kInfinity, true};  // missing: not in any
}

// A node of at most two questions: bit (first + 2 * second) of `table` says where a row goes.
// Leaves lead to themselves.
struct Step {
    double low[2] = {0, 0};
    double high[2] = {0, 0};
    std::uint32_t place[2] = {0, 0};  // of the asked column in a chunk
    std::int32_t next[2] = {0, 0};    // no, yes
    std::uint8_t table = 0;
    bool is_general = false;  // more questions, or one about a list of levels
};

class Walker {
  public:
    Walker(const FlatTree& tree, std::span<const ColumnView> columns)
        : tree_(tree), place_(columns.size(), kNowhere) {
        for (const std::int32_t c : tree.columns) {
            const auto column = static_cast<std::size_t>(c);
            if (place_[column] != kNowhere) continue;
            place_[column] = static_cast<std::uint32_t>(asked_.size());
            asked_.push_back(columns[column]);
        }
        for (std::size_t node = 0; node < tree.yes.size(); ++node) steps_.push_back(step_of(node));
    }

    // Writes the leaves of `n_rows` rows from `first` on; `cells` is room for a chunk.
    void walk(std::size_t first, std::size_t n_rows, std::vector<double>& cells,
              std::int64_t* leaves) const {
        cells.resize(std::max<std::size_t>(1, asked_.size()) * kChunk);
        for (std::size_t c = 0; c < asked_.size(); ++c)
            read_cells(asked_[c].cells, first, n_rows, cells.data() + c * kChunk);
        for (std::size_t row = 0; row < n_rows; row += kTogether) {
            std::array<std::int32_t, kTogether> at;
            walk_together(cells.data() + row, at.data());
            std::copy_n(at.begin(), std::min(kTogether, n_rows - row), leaves + row);
        }
    }

  private:
    static constexpr std::uint32_t kNowhere = 0xffffffffU;

    static void read_cells(const NumberView& view, std::size_t first, std::size_t n_rows,
                           double* out) {
        visit_numbers(view, [&](const auto* numbers) {
            const auto* from = numbers + static_cast<std::ptrdiff_t>(first) * view.stride;
            for (std::size_t i = 0; i < n_rows; ++i)
                out[i] = static_cast<double>(from[static_cast<std::ptrdiff_t>(i) * view.stride]);
        });
    }

    const ColumnView& column_of(std::size_t literal) const {
        return asked_[place_[static_cast<std::size_t>(tree_.columns[literal])]];
    }

    std::span<const std::int32_t> levels_of(std::size_t literal) const {
        return std::span(tree_.levels)
            .subspan(static_cast<std::size_t>(tree_.first_level[literal]),
                     static_cast<std::size_t>(tree_.first_level[literal + 1] -
                                              tree_.first_level[literal]));
    }

    // Whether the question is an interval; fills it in.
    bool find_interval(std::size_t literal, Interval& interval) const {
        const auto test = static_cast<Test>(tree_.tests[literal]);
        if (!column_of(literal).is_levels) {
            interval = interval_of(test, tree_.values[literal]);
        } else if (test == Test::missing) {
            interval = interval_of(Test::less, 0);
        } else {
            const std::span<const std::int32_t> levels = levels_of(literal);
            if (levels.size() != 1) return false;
            interval = interval_of(Test::equal, levels.front());
        }
        return true;
    }

    Step step_of(std::size_t node) const {
        Step step;
        if (tree_.yes[node] < 0) {
            step.next[0] = step.next[1] = static_cast<std::int32_t>(node);
            return step;
        }
        step.next[0] = tree_.no[node];
        step.next[1] = tree_.yes[node];
        const auto first = static_cast<std::size_t>(tree_.first_literal[node]);
        const auto n = static_cast<std::size_t>(tree_.first_literal[node + 1]) - first;
        step.is_general = n < 1 || n > 2;
        Interval intervals[2];
        for (std::size_t i = 0; i < 2 && !step.is_general; ++i) {
            const std::size_t literal = first + std::min(i, n - 1);  // a single one stands twice
            step.is_general = !find_interval(literal, intervals[i]);
            step.low[i] = intervals[i].low;
            step.high[i] = intervals[i].high;
            step.place[i] = place_[static_cast<std::size_t>(tree_.columns[literal])];
            if (tree_.negated[literal] != 0) intervals[i].outside = !intervals[i].outside;
        }
        for (unsigned inside = 0; inside < 4; ++inside) {
            const bool a = ((inside & 1U) != 0) != intervals[0].outside;
            const bool b = ((inside & 2U) != 0) != intervals[1].outside;
            const auto op = static_cast<Operator>(tree_.operators[node]);
            const bool yes = op == Operator::logical_and    ? a && b
                             : op == Operator::exclusive_or ? (n == 1 ? a : a != b)
                                                            : a || b;
            if (yes) step.table = static_cast<std::uint8_t>(step.table | 1U << inside);
        }
        return step;
    }

    // A chunk has room for whole groups: rows past the end walk too, and nobody looks where to.
    void walk_together(const double* cells, std::int32_t* at) const {
        for (std::size_t k = 0; k < kTogether; ++k) at[k] = 0;
        for (bool is_moving = true; is_moving;) {
            is_moving = false;
            for (std::size_t k = 0; k < kTogether; ++k) {
                const Step& step = steps_[static_cast<std::size_t>(at[k])];
                const std::size_t yes = step.is_general
                                            ? holds(static_cast<std::size_t>(at[k]), cells + k)
                                            : answer(step, cells + k);
                const std::int32_t next = step.next[yes];
                is_moving = is_moving | (next != at[k]);
                at[k] = next;
            }
        }
    }

    // Without branches: whether a question holds is hard to foresee.
    static std::size_t answer(const Step& step, const double* cells) {
        const double* a = cells + std::size_t{step.place[0]} * kChunk;
        const double* b = cells + std::size_t{step.place[1]} * kChunk;
#if defined(__SSE2__)
        const __m128d x = _mm_loadh_pd(_mm_load_sd(a), b);
        const auto inside = static_cast<unsigned>(_mm_movemask_pd(_mm_and_pd(
            _mm_cmpgt_pd(x, _mm_loadu_pd(step.low)), _mm_cmple_pd(x, _mm_loadu_pd(step.high)))));
#else
        const unsigned first =
            static_cast<unsigned>(*a > step.low[0]) & static_cast<unsigned>(*a <= step.high[0]);
        const unsigned second =
            static_cast<unsigned>(*b > step.low[1]) & static_cast<unsigned>(*b <= step.high[1]);
        const unsigned inside = first | second << 1U;
#endif
        return (step.table >> inside) & 1U;
    }

    bool answers_yes(std::size_t literal, const double* cells) const {
        const double x = cells[place_[static_cast<std::size_t>(tree_.columns[literal])] * kChunk];
        Interval interval;
        if (find_interval(literal, interval)) return interval.takes(x);
        const std::span<const std::int32_t> levels = levels_of(literal);
        return std::binary_search(levels.begin(), levels.end(), static_cast<std::int32_t>(x));
    }

    // Any number of questions of any kind.
    bool holds(std::size_t node, const double* cells) const {
        const auto op = static_cast<Operator>(tree_.operators[node]);
        const bool is_and = op == Operator::logical_and;
        bool result = is_and;
        const auto end = static_cast<std::size_t>(tree_.first_literal[node + 1]);
        for (auto i = static_cast<std::size_t>(tree_.first_literal[node]); i < end; ++i) {
            const bool yes = answers_yes(i, cells) != (tree_.negated[i] != 0);
            if (op == Operator::exclusive_or)
                result = result != yes;
            else if (yes != is_and)
                return yes;
        }
        return result;
    }

    const FlatTree& tree_;
    std::vector<std::uint32_t> place_;  // of each column among the asked ones
    std::vector<ColumnView> asked_;
    std::vector<Step> steps_;
};

void require(bool fact, const char* message) {
    if (!fact) throw std::invalid_argument(std::string("damaged tree: ") + message);
}

}  // namespace

void FlatTree::check() const {
    const std::size_t n_nodes = yes.size();
    const std::size_t n_literals = columns.size();
    require(n_nodes > 0 && no.size() == n_nodes && operators.size() == n_nodes &&
                first_literal.size() == n_nodes + 1,
            "arrays per node differ in length");
    require(tests.size() == n_literals && values.size() == n_literals &&
                negated.size() == n_literals && first_level.size() == n_literals + 1,
            "arrays per question differ in length");
    const auto is_inside = [](std::int32_t i, std::size_t n) {
        return i >= 0 && static_cast<std::size_t>(i) < n;
    };
    require(
        first_literal[0] == 0 && first_literal[n_nodes] == static_cast<std::int64_t>(n_literals),
        "questions do not belong to nodes");
    require(
        first_level[0] == 0 && first_level[n_literals] == static_cast<std::int64_t>(levels.size()),
        "levels do not belong to questions");
    require(std::is_sorted(first_literal.begin(), first_literal.end()) &&
                std::is_sorted(first_level.begin(), first_level.end()),
            "places are out of order");
    for (std::size_t i = 0; i < n_nodes; ++i) {
        require((yes[i] < 0) == (no[i] < 0), "a node has one child");
        if (yes[i] < 0) continue;
        const auto self = static_cast<std::int64_t>(i);
        require(is_inside(yes[i], n_nodes) && is_inside(no[i], n_nodes) && yes[i] > self &&
                    no[i] > self,
                "a child does not come after its parent");
        require(operators[i] <= static_cast<std::uint8_t>(Operator::exclusive_or),
                "unknown operator");
    }
    for (std::size_t i = 0; i < n_literals; ++i)
        require(columns[i] >= 0 && tests[i] <= static_cast<std::uint8_t>(Test::missing),
                "a question asks about no column");
}

void FlatTree::check_columns(std::span<const ColumnView> given) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto column = static_cast<std::size_t>(columns[i]);
        if (column >= given.size() || !given[column].is_given)
            throw std::invalid_argument("the tree asks about column " + std::to_string(column) +
                                        ", which is not given");
        if (static_cast<Test>(tests[i]) == Test::in && !given[column].is_levels)
            throw std::invalid_argument("the tree asks about levels of column " +
                                        std::to_string(column) + ", which has numbers");
    }
}

void apply_tree(const FlatTree& tree, std::span<const ColumnView> columns, std::size_t n_rows,
                std::size_t n_threads, std::int64_t* leaves) {
    const Walker walker(tree, columns);
    const std::size_t n_chunks = (n_rows + kChunk - 1) / kChunk;
    n_threads = useful_threads(n_threads, n_chunks);
    std::vector<std::vector<double>> cells(n_threads);
    parallel_for(n_chunks, n_threads, [&](std::size_t chunk, std::size_t thread) {
        const std::size_t first = chunk * kChunk;
        walker.walk(first, std::min(kChunk, n_rows - first), cells[thread], leaves + first);
    });
}

}  // namespace bsnsing
