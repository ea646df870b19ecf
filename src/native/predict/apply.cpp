#include "predict/apply.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "grow/questions.hpp"
#include "search/rule.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

// Rows are read a chunk at a time, as doubles, column by column: what a chunk asks for stays in the
// cache, whatever the type and layout of the table.
constexpr std::size_t kChunk = 128;
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

// What the cell of a column says to a question, and questions to a rule.
enum class Answer : std::uint8_t { no, yes, unknown };

// The cells that answer a question: low <= x <= high, or all.
struct KnownCells {
    double low = 0;
    double high = 0;
    bool is_all = true;

    bool has(double x) const { return is_all || (x >= low && x <= high); }
};

// Answers joined by an operator: what is unknown stays so unless the rest settles the matter.
class Joined {
  public:
    explicit Joined(Operator op) : op_(op), is_yes_(op == Operator::logical_and) {}

    void add(Answer answer) {
        const bool yes = answer == Answer::yes;
        if (answer == Answer::unknown)
            has_unknown_ = true;
        else if (op_ == Operator::exclusive_or)
            is_yes_ = is_yes_ != yes;
        else if (yes != (op_ == Operator::logical_and))
            is_yes_ = yes, is_settled_ = true;
    }

    bool is_settled() const { return is_settled_; }

    Answer answer() const {
        if (has_unknown_ && !is_settled_) return Answer::unknown;
        return is_yes_ ? Answer::yes : Answer::no;
    }

  private:
    Operator op_;
    bool is_yes_;  // so far
    bool has_unknown_ = false;
    bool is_settled_ = false;  // whatever the others say
};

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

// The same for rows whose cells may leave questions open: two bits of `table`, at twice (inside of
// a Step + 4 * (first is known + 2 * second is)), are the rule's Answer.
struct CarefulStep {
    double low[2] = {0, 0};  // of the cells that answer
    double high[2] = {0, 0};
    std::int32_t next[3] = {0, 0, 0};  // no, yes, unknown
    std::uint32_t table = 0;
};

// Whether there is no NaN among the cells of whole groups; infinities of both signs may pass for
// one. This is all that prediction of complete tables pays for the others, so cells are summed up:
// a NaN makes the sum one.
bool are_numbers(const double* cells, std::size_t n_cells) {
#if defined(__SSE2__)
    static_assert(kTogether % 8 == 0);
    __m128d sums[4] = {};
    for (std::size_t i = 0; i < n_cells; i += 8)
        for (std::size_t k = 0; k < 4; ++k)
            sums[k] = _mm_add_pd(sums[k], _mm_loadu_pd(cells + i + 2 * k));
    const __m128d found =
        _mm_or_pd(_mm_cmpunord_pd(sums[0], sums[1]), _mm_cmpunord_pd(sums[2], sums[3]));
    return _mm_movemask_pd(found) == 0;
#else
    return std::none_of(cells, cells + n_cells, [](double x) { return std::isnan(x); });
#endif
}

// Whether all of them are from low to high.
bool lie_between(const double* cells, std::size_t n_cells, double low, double high) {
#if defined(__SSE2__)
    static_assert(kTogether % 4 == 0);
    __m128d least = _mm_set1_pd(low);
    __m128d most = _mm_set1_pd(high);
    for (std::size_t i = 0; i < n_cells; i += 4) {
        const __m128d a = _mm_loadu_pd(cells + i);
        const __m128d b = _mm_loadu_pd(cells + i + 2);
        least = _mm_min_pd(least, _mm_min_pd(a, b));
        most = _mm_max_pd(most, _mm_max_pd(a, b));
    }
    return _mm_movemask_pd(_mm_or_pd(_mm_cmplt_pd(least, _mm_set1_pd(low)),
                                     _mm_cmpgt_pd(most, _mm_set1_pd(high)))) == 0;
#else
    return std::all_of(cells, cells + n_cells, [=](double x) { return x >= low && x <= high; });
#endif
}

// What a thread needs to mix leaves.
struct MixRoom {
    struct Open {
        std::size_t node = 0;
        bool is_yes_done = false;
    };

    std::vector<double> cells;   // of a chunk
    std::vector<Open> open;      // nodes of unknown rules on the way to where a row is
    std::vector<double> values;  // of the yes children done there, and of what was reached last

    void join_last_two(double yes_share, std::size_t n_values) {
        const std::size_t no = values.size() - n_values;
        double* yes = values.data() + no - n_values;
        for (std::size_t i = 0; i < n_values; ++i)
            yes[i] = values[no + i] + yes_share * (yes[i] - values[no + i]);
        values.resize(no);
    }
};

class Walker {
  public:
    Walker(const FlatTree& tree, std::span<const ColumnView> columns)
        : tree_(tree), place_(columns.size(), kNowhere) {
        for (const std::int32_t c : tree.columns) {
            const auto column = static_cast<std::size_t>(c);
            if (place_[column] != kNowhere) continue;
            place_[column] = static_cast<std::uint32_t>(asked_.size());
            asked_.push_back({columns[column].cells,
                              known_cells(column, columns[column].cells.type),
                              tree.is_levels(column)});
        }
        for (std::size_t node = 0; node < tree.yes.size(); ++node) add_step(node);
    }

    // Writes where `n_rows` rows from `first` on end, and returns whether all answers are known;
    // `cells` is room for a chunk.
    bool walk(std::size_t first, std::size_t n_rows, std::vector<double>& cells,
              std::int64_t* ends) const {
        cells.resize(std::max<std::size_t>(1, asked_.size()) * kChunk);
        const std::size_t n_walked = (n_rows + kTogether - 1) / kTogether * kTogether;
        bool is_all_known = true;
        for (std::size_t c = 0; c < asked_.size(); ++c) {
            const AskedColumn& column = asked_[c];
            double* own = cells.data() + c * kChunk;
            read_cells(column.cells, first, n_rows, own);
            std::fill(own + n_rows, own + n_walked, own[0]);
            is_all_known = is_all_known && has_all(column.known, column.is_levels, own, n_walked);
        }
        for (std::size_t row = 0; row < n_rows; row += kTogether) {
            std::array<std::int32_t, kTogether> at;
            if (is_all_known)
                walk_together(cells.data() + row, at.data());
            else
                walk_carefully(cells.data() + row, at.data());
            std::copy_n(at.begin(), std::min(kTogether, n_rows - row), ends + row);
        }
        return is_all_known;
    }

    // Writes the values of these rows, a chunk of them at most.
    void mix(std::span<const std::int64_t> rows, std::span<const std::int64_t> starts,
             const NodeValues& held, MixRoom& room, double* out) const {
        room.cells.resize(std::max<std::size_t>(1, asked_.size()) * kChunk);
        for (std::size_t c = 0; c < asked_.size(); ++c)
            read_cells(asked_[c].cells, rows, room.cells.data() + c * kChunk);
        for (std::size_t i = 0; i < rows.size(); ++i)
            mix_row(room.cells.data() + i, static_cast<std::int32_t>(starts[i]), held, room,
                    out + i * held.n_values);
    }

  private:
    static constexpr std::uint32_t kNowhere = 0xffffffffU;

    struct AskedColumn {
        NumberView cells;
        KnownCells known;  // by every question but Test::missing
        bool is_levels = false;
    };

    static void read_cells(const NumberView& view, std::size_t first, std::size_t n_rows,
                           double* out) {
        visit_numbers(view, [&](const auto* numbers) {
            const auto* from = numbers + static_cast<std::ptrdiff_t>(first) * view.stride;
            for (std::size_t i = 0; i < n_rows; ++i)
                out[i] = static_cast<double>(from[static_cast<std::ptrdiff_t>(i) * view.stride]);
        });
    }

    static void read_cells(const NumberView& view, std::span<const std::int64_t> rows,
                           double* out) {
        visit_numbers(view, [&](const auto* numbers) {
            for (std::size_t i = 0; i < rows.size(); ++i)
                out[i] = static_cast<double>(numbers[rows[i] * view.stride]);
        });
    }

    KnownCells known_cells(std::size_t column, NumberType type) const {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        const bool has_missing = tree_.has_missing[column];
        const bool is_whole = type != NumberType::f64 && type != NumberType::f32;  // never NaN
        if (!tree_.is_levels(column)) return {-kInfinity, kInfinity, has_missing || is_whole};
        return {has_missing ? -kInfinity : 0.0, tree_.n_levels[column] - 1.0, false};
    }

    static bool has_all(const KnownCells& known, bool is_levels, const double* cells,
                        std::size_t n_cells) {
        if (known.is_all) return true;
        return is_levels ? lie_between(cells, n_cells, known.low, known.high)
                         : are_numbers(cells, n_cells);
    }

    std::size_t column_of(std::size_t literal) const {
        return static_cast<std::size_t>(tree_.columns[literal]);
    }

    KnownCells known_by(std::size_t literal) const {
        if (static_cast<Test>(tree_.tests[literal]) == Test::missing) return {};
        return asked_[place_[column_of(literal)]].known;
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
        if (!tree_.is_levels(column_of(literal))) {
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

    void add_step(std::size_t node) {
        Step& step = steps_.emplace_back();
        CarefulStep& careful = careful_.emplace_back();
        const auto self = static_cast<std::int32_t>(node);
        const bool is_leaf = tree_.yes[node] < 0;
        step.next[0] = careful.next[0] = is_leaf ? self : tree_.no[node];
        step.next[1] = careful.next[1] = is_leaf ? self : tree_.yes[node];
        careful.next[2] = self;
        if (is_leaf) return;
        const auto first = static_cast<std::size_t>(tree_.first_literal[node]);
        const auto n = static_cast<std::size_t>(tree_.first_literal[node + 1]) - first;
        step.is_general = n < 1 || n > 2;
        bool outside[2] = {false, false};
        bool is_always_known[2] = {true, true};
        for (std::size_t i = 0; i < 2 && !step.is_general; ++i) {
            const std::size_t literal = first + std::min(i, n - 1);  // a single one stands twice
            Interval interval;
            step.is_general = !find_interval(literal, interval);
            step.low[i] = interval.low;
            step.high[i] = interval.high;
            step.place[i] = place_[column_of(literal)];
            outside[i] = interval.outside != (tree_.negated[literal] != 0);
            const KnownCells known = known_by(literal);
            careful.low[i] = known.low;
            careful.high[i] = known.high;
            is_always_known[i] = known.is_all;
        }
        for (unsigned place = 0; place < 16; ++place) {
            Joined joined(static_cast<Operator>(tree_.operators[node]));
            for (unsigned i = 0; i < std::min<std::size_t>(n, 2); ++i) {
                const bool is_known = (place >> i & 4U) != 0 || is_always_known[i];
                const bool yes = ((place >> i & 1U) != 0) != outside[i];
                joined.add(!is_known ? Answer::unknown : yes ? Answer::yes : Answer::no);
            }
            const auto answer = static_cast<unsigned>(joined.answer());
            careful.table |= answer << 2 * place;
            // The last four are those in which both are known.
            if (place >= 12)
                step.table = static_cast<std::uint8_t>(step.table | answer << (place - 12));
        }
    }

    // Rows walk in whole groups: those past the end do too, and nobody looks where to.
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

    // The same, whatever the cells. Apart, so that the compiler keeps its hands off the other one.
    [[gnu::noinline]] void walk_carefully(const double* cells, std::int32_t* at) const {
        for (std::size_t k = 0; k < kTogether; ++k) at[k] = 0;
        for (bool is_moving = true; is_moving;) {
            is_moving = false;
            for (std::size_t k = 0; k < kTogether; ++k) {
                const std::int32_t next = step_carefully(at[k], cells + k);
                is_moving = is_moving | (next != at[k]);
                at[k] = next;
            }
        }
    }

    // The child that a row goes to; the node itself if it is a leaf or its rule unknown.
    std::int32_t step_carefully(std::int32_t at, const double* cells) const {
        const auto node = static_cast<std::size_t>(at);
        const std::size_t answer = steps_[node].is_general
                                       ? static_cast<std::size_t>(answer_general<true>(node, cells))
                                       : answer_careful(node, cells);
        return careful_[node].next[answer];
    }

    // Writes the values of one row, which goes both ways where its rule is unknown.
    void mix_row(const double* cells, std::int32_t at, const NodeValues& held, MixRoom& room,
                 double* out) const {
        const std::size_t n = held.n_values;
        room.values.clear();
        while (true) {
            for (std::int32_t next = step_carefully(at, cells); next != at;
                 next = step_carefully(at, cells))
                at = next;
            const auto node = static_cast<std::size_t>(at);
            if (tree_.yes[node] >= 0) {
                room.open.push_back({node, false});
                at = tree_.yes[node];
                continue;
            }
            const auto own = held.values.subspan(node * n, n);
            room.values.insert(room.values.end(), own.begin(), own.end());
            for (; !room.open.empty() && room.open.back().is_yes_done; room.open.pop_back())
                room.join_last_two(held.yes_share[room.open.back().node], n);
            if (room.open.empty()) break;
            room.open.back().is_yes_done = true;
            at = tree_.no[room.open.back().node];
        }
        std::copy(room.values.begin(), room.values.end(), out);
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

    std::size_t answer_careful(std::size_t node, const double* cells) const {
        const Step& step = steps_[node];
        const CarefulStep& careful = careful_[node];
        const double* a = cells + std::size_t{step.place[0]} * kChunk;
        const double* b = cells + std::size_t{step.place[1]} * kChunk;
#if defined(__SSE2__)
        const __m128d x = _mm_loadh_pd(_mm_load_sd(a), b);
        const auto inside = static_cast<unsigned>(_mm_movemask_pd(_mm_and_pd(
            _mm_cmpgt_pd(x, _mm_loadu_pd(step.low)), _mm_cmple_pd(x, _mm_loadu_pd(step.high)))));
        const auto known = static_cast<unsigned>(
            _mm_movemask_pd(_mm_and_pd(_mm_cmpge_pd(x, _mm_loadu_pd(careful.low)),
                                       _mm_cmple_pd(x, _mm_loadu_pd(careful.high)))));
#else
        unsigned inside = 0;
        unsigned known = 0;
        for (unsigned i = 0; i < 2; ++i) {
            const double x = i == 0 ? *a : *b;
            inside |=
                (static_cast<unsigned>(x > step.low[i]) & static_cast<unsigned>(x <= step.high[i]))
                << i;
            known |= (static_cast<unsigned>(x >= careful.low[i]) &
                      static_cast<unsigned>(x <= careful.high[i]))
                     << i;
        }
#endif
        return (careful.table >> 2 * (inside | known << 2U)) & 3U;
    }

    bool holds(std::size_t node, const double* cells) const {
        return answer_general<false>(node, cells) == Answer::yes;
    }

    // Any number of questions of any kind.
    template <bool is_careful>
    Answer answer_general(std::size_t node, const double* cells) const {
        Joined joined(static_cast<Operator>(tree_.operators[node]));
        const auto end = static_cast<std::size_t>(tree_.first_literal[node + 1]);
        for (auto i = static_cast<std::size_t>(tree_.first_literal[node]); i < end; ++i) {
            joined.add(answer_literal<is_careful>(i, cells));
            if (joined.is_settled()) break;
        }
        return joined.answer();
    }

    template <bool is_careful>
    Answer answer_literal(std::size_t literal, const double* cells) const {
        const double x = cells[std::size_t{place_[column_of(literal)]} * kChunk];
        if (is_careful && !known_by(literal).has(x)) return Answer::unknown;
        Interval interval;
        const bool yes =
            find_interval(literal, interval) ? interval.takes(x) : is_among(levels_of(literal), x);
        return yes != (tree_.negated[literal] != 0) ? Answer::yes : Answer::no;
    }

    static bool is_among(std::span<const std::int32_t> levels, double code) {
        return std::binary_search(levels.begin(), levels.end(), static_cast<std::int32_t>(code));
    }

    const FlatTree& tree_;
    std::vector<std::uint32_t> place_;  // of each column among the asked ones
    std::vector<AskedColumn> asked_;
    std::vector<Step> steps_;
    std::vector<CarefulStep> careful_;
};

}  // namespace

std::vector<std::int64_t> apply_tree(const FlatTree& tree, std::span<const ColumnView> columns,
                                     std::size_t n_rows, std::size_t n_threads,
                                     std::int64_t* ends) {
    const Walker walker(tree, columns);
    const std::size_t n_chunks = (n_rows + kChunk - 1) / kChunk;
    n_threads = useful_threads(n_threads, n_chunks);
    std::vector<std::vector<double>> cells(n_threads);
    std::vector<std::uint8_t> is_known(n_chunks);
    parallel_for(n_chunks, n_threads, [&](std::size_t chunk, std::size_t thread) {
        const std::size_t first = chunk * kChunk;
        const std::size_t n_own = std::min(kChunk, n_rows - first);
        is_known[chunk] = walker.walk(first, n_own, cells[thread], ends + first) ? 1 : 0;
    });
    std::vector<std::int64_t> stopped;
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (row % kChunk == 0 && is_known[row / kChunk] != 0)
            row += kChunk - 1;  // all of them are at leaves
        else if (tree.yes[static_cast<std::size_t>(ends[row])] >= 0)
            stopped.push_back(static_cast<std::int64_t>(row));
    }
    return stopped;
}

void mix_leaves(const FlatTree& tree, std::span<const ColumnView> columns,
                std::span<const std::int64_t> rows, std::span<const std::int64_t> starts,
                const NodeValues& held, std::size_t n_threads, double* out) {
    const Walker walker(tree, columns);
    const std::size_t n_chunks = (rows.size() + kChunk - 1) / kChunk;
    n_threads = useful_threads(n_threads, n_chunks);
    std::vector<MixRoom> rooms(n_threads);
    parallel_for(n_chunks, n_threads, [&](std::size_t chunk, std::size_t thread) {
        const std::size_t first = chunk * kChunk;
        const std::size_t n_rows = std::min(kChunk, rows.size() - first);
        walker.mix(rows.subspan(first, n_rows), starts.subspan(first, n_rows), held, rooms[thread],
                   out + first * held.n_values);
    });
}

}  // namespace bsnsing
