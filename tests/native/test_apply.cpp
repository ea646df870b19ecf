// Prediction on a tree small enough to follow by hand, both ways too, and trees to be refused.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "check.hpp"
#include "grow/questions.hpp"
#include "predict/apply.hpp"
#include "search/rule.hpp"

namespace bsnsing::test {
namespace {

template <class T>
constexpr std::uint8_t number_of(T value) {
    return static_cast<std::uint8_t>(value);
}

// 0: x > 1.5 or plan in {0, 2}    yes: 1, no: 2
// 2: not (x missing) and x < 0    yes: 3, no: 4
// 4: (x == 1) xor (plan missing)  yes: 5, no: 6
struct SmallTree {
    std::vector<std::int32_t> yes = {1, -1, 3, -1, 5, -1, -1};
    std::vector<std::int32_t> no = {2, -1, 4, -1, 6, -1, -1};
    std::vector<std::uint8_t> operators = {number_of(Operator::logical_or),
                                           0,
                                           number_of(Operator::logical_and),
                                           0,
                                           number_of(Operator::exclusive_or),
                                           0,
                                           0};
    std::vector<std::int32_t> first_literal = {0, 2, 2, 4, 4, 6, 6, 6};
    std::vector<std::int32_t> columns = {0, 1, 0, 0, 0, 1};
    std::vector<std::uint8_t> tests = {number_of(Test::greater), number_of(Test::in),
                                       number_of(Test::missing), number_of(Test::less),
                                       number_of(Test::equal),   number_of(Test::missing)};
    std::vector<double> values = {1.5, 0, 0, 0, 1, 0};
    std::vector<std::uint8_t> negated = {0, 0, 1, 0, 0, 0};
    std::vector<std::int32_t> first_level = {0, 0, 2, 2, 2, 2, 2};
    std::vector<std::int32_t> levels = {0, 2};
    std::vector<std::int32_t> n_levels = {-1, 3};
    std::vector<bool> has_missing = {true, true};

    FlatTree view() const {
        return {yes,    no,      operators,   first_literal, columns,  tests,
                values, negated, first_level, levels,        n_levels, has_missing};
    }
};

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

struct SmallCase {
    double x;
    std::int32_t plan;
    std::int64_t end;
};

std::vector<std::int64_t> rows_without_leaf(const FlatTree& tree,
                                            std::span<const std::int64_t> ends) {
    std::vector<std::int64_t> rows;
    for (std::size_t row = 0; row < ends.size(); ++row)
        if (tree.yes[static_cast<std::size_t>(ends[row])] >= 0)
            rows.push_back(static_cast<std::int64_t>(row));
    return rows;
}

void check_small_tree(const std::vector<bool>& has_missing, std::span<const SmallCase> cases) {
    constexpr std::size_t kRepeats = 2000;  // more rows than one thread takes at a time
    std::vector<double> x;
    std::vector<std::int32_t> plan;
    std::vector<std::int64_t> expected;
    for (std::size_t i = 0; i < kRepeats; ++i)
        for (const auto& c : cases) {
            x.insert(x.end(), {c.x, 99.0});  // every second number is another column's
            plan.push_back(c.plan);
            expected.push_back(c.end);
        }
    SmallTree tree;
    tree.has_missing = has_missing;
    const ColumnView views[] = {{{x.data(), 2, NumberType::f64}, true},
                                {{plan.data(), 1, NumberType::i32}, true}};
    tree.view().check();
    tree.view().check_columns(views);
    for (const std::size_t n_threads : {1U, 2U}) {
        std::vector<std::int64_t> ends(expected.size(), -1);
        const auto stopped = apply_tree(tree.view(), views, ends.size(), n_threads, ends.data());
        CHECK(ends == expected);
        CHECK(stopped == rows_without_leaf(tree.view(), expected));
    }
    CHECK(apply_tree(tree.view(), views, 0, 2, nullptr).empty());
}

// Level 7 is one that fit never saw.
void test_small_tree() {
    const SmallCase known[] = {{2, 1, 1},  {1.5, 1, 6}, {-1, 0, 1}, {-1, 2, 1},
                               {-1, 1, 3}, {1, 1, 5},   {2, 7, 1}};
    const SmallCase with_missing[] = {{-1, -1, 3},      {kMissing, 1, 6}, {kMissing, -1, 5},
                                      {kMissing, 2, 1}, {1, -1, 6},       {0, -1, 5},
                                      {kMissing, 7, 0}, {0, 7, 0},        {2, -1, 1}};
    const SmallCase without[] = {{kMissing, 1, 0}, {kMissing, -1, 0}, {kMissing, 2, 1}, {2, -1, 1},
                                 {0, -1, 0},       {kMissing, 7, 0},  {0, 7, 0},        {1, 1, 5}};
    const SmallCase with_x[] = {{kMissing, 1, 6}, {kMissing, -1, 0}, {kMissing, 7, 0}, {2, -1, 1}};
    const SmallCase with_plan[] = {
        {kMissing, 1, 0}, {kMissing, -1, 0}, {0, -1, 5}, {0, 7, 0}, {-1, -1, 3}};
    for (const bool x : {false, true})
        for (const bool plan : {false, true}) check_small_tree({x, plan}, known);
    check_small_tree({true, true}, with_missing);
    check_small_tree({false, false}, without);
    check_small_tree({true, false}, with_x);
    check_small_tree({false, true}, with_plan);
}

// What a column may be: numbers, a level asked for by name, one of several levels.
enum class Asked : std::uint8_t { number, level, levels };

// One node whose i-th question is about column i.
FlatTree single_rule(Operator op, std::size_t n, unsigned negated, Asked asked, bool has_missing) {
    FlatTree tree{.yes = {1, -1, -1},
                  .no = {2, -1, -1},
                  .operators = {number_of(op), 0, 0},
                  .first_literal = std::vector<std::int32_t>(4, static_cast<std::int32_t>(n)),
                  .columns = {},
                  .tests = {},
                  .values = std::vector<double>(n, 0.5),
                  .negated = {},
                  .first_level = {0},
                  .levels = {},
                  .n_levels = std::vector<std::int32_t>(n, asked == Asked::number ? -1 : 3),
                  .has_missing = std::vector<bool>(n, has_missing)};
    tree.first_literal[0] = 0;
    for (std::size_t i = 0; i < n; ++i) {
        tree.columns.push_back(static_cast<std::int32_t>(i));
        tree.tests.push_back(number_of(asked == Asked::number ? Test::greater : Test::in));
        tree.negated.push_back((negated >> i & 1U) != 0 ? 1 : 0);
        if (asked != Asked::number) tree.levels.push_back(1);
        if (asked == Asked::levels) tree.levels.push_back(2);
        tree.first_level.push_back(static_cast<std::int32_t>(tree.levels.size()));
    }
    tree.check();
    return tree;
}

bool joins_to_yes(Operator op, const std::vector<bool>& answers) {
    const auto n_yes = std::count(answers.begin(), answers.end(), true);
    if (op == Operator::logical_and) return n_yes == std::ssize(answers);
    return op == Operator::exclusive_or ? n_yes % 2 == 1 : n_yes > 0;
}

// Unknown is what would differ if the cells were known: the judge tries every way they might be.
std::int64_t judged_end(const FlatTree& tree, const std::vector<int>& answers) {
    constexpr int kUnknown = 2;
    bool can_be[2] = {false, false};
    for (unsigned fill = 0; fill < 1U << answers.size(); ++fill) {
        std::vector<bool> filled;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const bool yes = answers[i] == kUnknown ? (fill >> i & 1U) != 0 : answers[i] == 1;
            filled.push_back(yes != (tree.negated[i] != 0));
        }
        can_be[joins_to_yes(static_cast<Operator>(tree.operators[0]), filled) ? 1 : 0] = true;
    }
    return can_be[0] && can_be[1] ? 0 : can_be[1] ? 1 : 2;
}

void check_single_rule(const FlatTree& tree, bool is_missing, std::size_t n_repeats) {
    const std::size_t n = tree.columns.size();
    const bool is_levels = tree.is_levels(0);
    std::vector<std::vector<double>> cells(n);
    std::vector<std::int64_t> expected;
    // The three sorts of cells in every column, in all combinations.
    for (std::size_t row = 0; row < n_repeats * static_cast<std::size_t>(std::pow(3, n)); ++row) {
        std::vector<int> answers;
        for (std::size_t i = 0, rest = row; i < n; ++i, rest /= 3) {
            const auto sort = static_cast<int>(rest % 3);
            const double strange = is_levels ? (is_missing ? -1 : 3) : kMissing;
            cells[i].push_back(sort == 2 ? strange : sort);
            const bool is_learnt = is_missing && tree.has_missing[i];
            answers.push_back(sort == 2 && is_learnt ? 0 : sort);
        }
        expected.push_back(judged_end(tree, answers));
    }
    std::vector<ColumnView> views;
    views.reserve(n);
    for (const auto& column : cells) views.push_back({{column.data(), 1, NumberType::f64}, true});
    tree.check_columns(views);
    std::vector<std::int64_t> ends(expected.size(), -1);
    CHECK(apply_tree(tree, views, ends.size(), 1, ends.data()) ==
          rows_without_leaf(tree, expected));
    CHECK(ends == expected);
}

void test_logic() {
    for (const Operator op : {Operator::logical_or, Operator::logical_and, Operator::exclusive_or})
        for (const std::size_t n : {1U, 2U, 3U})
            for (unsigned negated = 0; negated < 1U << n; ++negated)
                for (const Asked asked : {Asked::number, Asked::level, Asked::levels})
                    for (const bool has_missing : {false, true}) {
                        const FlatTree tree = single_rule(op, n, negated, asked, has_missing);
                        check_single_rule(tree, true, 20);
                        if (asked != Asked::number) check_single_rule(tree, false, 20);
                    }
}

// A strange cell in one chunk of rows changes nothing in the others.
void test_far_apart() {
    const FlatTree tree = single_rule(Operator::logical_or, 1, 0, Asked::number, false);
    const std::vector<float> x(2000, 1.0F);
    for (const std::size_t place : {std::size_t{0}, std::size_t{255}, x.size() / 2, x.size() - 1}) {
        std::vector<std::int64_t> expected(x.size(), 1);
        std::vector<float> blanked = x;
        blanked[place] = std::numeric_limits<float>::quiet_NaN();
        expected[place] = 0;
        const ColumnView view{{blanked.data(), 1, NumberType::f32}, true};
        std::vector<std::int64_t> ends(x.size(), -1);
        apply_tree(tree, {&view, 1}, ends.size(), 2, ends.data());
        CHECK(ends == expected);
    }
}

// What a row gets, by the definition: a function that calls itself for both children.
double plain_mean(const FlatTree& tree, const std::vector<std::int64_t>& ends_from,
                  const NodeValues& held, std::size_t node, std::size_t k) {
    const auto end = static_cast<std::size_t>(ends_from[node]);
    if (tree.yes[end] < 0) return held.values[end * held.n_values + k];
    const auto below = [&](std::int32_t child) {
        return plain_mean(tree, ends_from, held, static_cast<std::size_t>(child), k);
    };
    const double no = below(tree.no[end]);
    return no + held.yes_share[end] * (below(tree.yes[end]) - no);
}

// Where a row ends that starts at each node of the small tree, given what its rules say.
std::vector<std::int64_t> ends_of_rules(const FlatTree& tree, const std::vector<int>& answers) {
    std::vector<std::int64_t> ends(tree.yes.size());
    for (std::size_t node = tree.yes.size(); node-- > 0;) {
        const bool stays = tree.yes[node] < 0 || answers[node] == 2;
        const std::int32_t child = answers[node] == 1 ? tree.yes[node] : tree.no[node];
        ends[node] =
            stays ? static_cast<std::int64_t>(node) : ends[static_cast<std::size_t>(child)];
    }
    return ends;
}

// Rows of the small tree that meet no unknown, one, or several; answers of nodes 0, 2 and 4.
void test_both_ways() {
    struct MixedCase {
        double x;
        std::int32_t plan;
        int answers[3];
    };
    const MixedCase cases[] = {{2, 1, {1, 0, 0}},        {-1, 1, {0, 1, 0}},
                               {1, 1, {0, 0, 1}},        {kMissing, 2, {1, 0, 2}},
                               {kMissing, 1, {2, 0, 2}}, {kMissing, -1, {2, 0, 2}},
                               {0, -1, {2, 0, 1}},       {1, -1, {2, 0, 0}},
                               {-1, -1, {2, 1, 1}},      {0, 7, {2, 0, 0}}};
    constexpr std::size_t kRepeats = 200;  // more than one thread takes at a time
    constexpr std::size_t kValues = 2;
    SmallTree small;
    small.has_missing = {false, false};
    const FlatTree tree = small.view();
    const std::vector<double> values = {9, 9, .1, .9, 9, 9, .25, .75, 9, 9, 0, 1, .625, .375};
    const std::vector<double> yes_share = {.2, 0, .7, 0, 1.0 / 3, 0, 0};
    const NodeValues held{values, kValues, yes_share};
    std::vector<double> x;
    std::vector<std::int32_t> plan;
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> starts;
    std::vector<double> expected;
    for (std::size_t i = 0; i < kRepeats; ++i)
        for (const MixedCase& c : cases) {
            if (i % 3 != 1) {  // some rows are left out
                const std::vector<int> answers = {
                    c.answers[0], 0, c.answers[1], 0, c.answers[2], 0, 0};
                const std::vector<std::int64_t> ends_from = ends_of_rules(tree, answers);
                rows.push_back(std::ssize(x));
                starts.push_back(i % 3 == 0 ? 0 : ends_from[0]);  // a part of the way makes no odds
                for (std::size_t k = 0; k < kValues; ++k)
                    expected.push_back(plain_mean(tree, ends_from, held, 0, k));
            }
            x.push_back(c.x);
            plan.push_back(c.plan);
        }
    std::reverse(rows.begin(), rows.end());  // any order
    std::reverse(starts.begin(), starts.end());
    std::reverse(expected.begin(), expected.end());
    for (std::size_t i = 0; i < expected.size(); i += kValues)
        std::swap(expected[i], expected[i + 1]);
    const ColumnView views[] = {{{x.data(), 1, NumberType::f64}, true},
                                {{plan.data(), 1, NumberType::i32}, true}};
    for (const std::size_t n_threads : {1U, 2U}) {
        std::vector<double> mixed(expected.size(), -1);
        mix_leaves(tree, views, rows, starts, held, n_threads, mixed.data());
        CHECK(mixed == expected);
    }
    mix_leaves(tree, views, {}, {}, held, 1, nullptr);
}

// Shares of every size: the mean of equals is the same, and that of others lies between.
void test_means_stay_between() {
    SmallTree small;
    small.has_missing = {false, false};
    small.tests[2] = number_of(Test::less);  // so that nothing is known at any node
    const FlatTree tree = small.view();
    const std::vector<std::int64_t> rows = {0};
    const ColumnView views[] = {{{&kMissing, 1, NumberType::f64}, true},
                                {{&kMissing, 1, NumberType::f64}, true}};
    for (int i = 0; i <= 1000; ++i) {
        const double share = i / 1000.0;
        const std::vector<double> yes_share = {share, 0, share * share, 0, share / 3, 0, 0};
        for (const double most : {1.0, 1 - share / 7, 1.0 / 3}) {
            double mixed = -1;
            mix_leaves(tree, views, rows, rows, {std::vector(7, most), 1, yes_share}, 1, &mixed);
            CHECK(mixed == most);
            const std::vector<double> values = {0, most, 0, 1, 0, 1 - most, 1};
            mix_leaves(tree, views, rows, rows, {values, 1, yes_share}, 1, &mixed);
            CHECK(mixed >= 0 && mixed <= 1);
        }
    }
}

void test_single_leaf() {
    const std::vector<std::int32_t> child = {-1};
    const std::vector<std::int32_t> places = {0, 0};
    const std::vector<std::int32_t> start = {0};
    const std::vector<std::uint8_t> op = {0};
    const FlatTree leaf{child, child, op, places, {}, {}, {}, {}, start, {}, {}, {}};
    leaf.check();
    leaf.check_columns({});
    std::vector<std::int64_t> leaves(3, -1);
    apply_tree(leaf, {}, 3, 1, leaves.data());
    CHECK(leaves == std::vector<std::int64_t>{0, 0, 0});
}

void test_damage() {
    const std::function<void(SmallTree&)> damages[] = {
        [](SmallTree& t) { t.yes[4] = 2; },  // a cycle
        [](SmallTree& t) { t.no[2] = 2; },   // its own child
        [](SmallTree& t) { t.yes[0] = 7; },  // no such node
        [](SmallTree& t) { t.no[0] = -1; },  // one child only
        [](SmallTree& t) { t.yes[0] = t.no[0] = std::numeric_limits<std::int32_t>::max(); },
        [](SmallTree& t) { t.no.pop_back(); },
        [](SmallTree& t) { t.operators.push_back(0); },
        [](SmallTree& t) { t.operators[2] = 3; },
        [](SmallTree& t) { t.first_literal.pop_back(); },
        [](SmallTree& t) { t.first_literal[0] = -1; },
        [](SmallTree& t) { t.first_literal[3] = 9; },
        [](SmallTree& t) { t.first_literal.back() = 7; },
        [](SmallTree& t) { t.columns[3] = -1; },
        [](SmallTree& t) { t.columns.pop_back(); },
        [](SmallTree& t) { t.tests[0] = 5; },
        [](SmallTree& t) { t.tests.pop_back(); },
        [](SmallTree& t) { t.values.pop_back(); },
        [](SmallTree& t) { t.negated.pop_back(); },
        [](SmallTree& t) { t.first_level[1] = -1; },
        [](SmallTree& t) { t.first_level[2] = 3; },
        [](SmallTree& t) { t.first_level.back() = 3; },
        [](SmallTree& t) { t.first_level.pop_back(); },
        [](SmallTree& t) { t.levels.pop_back(); },
        [](SmallTree& t) { t.n_levels.pop_back(); },
        [](SmallTree& t) { t.has_missing.push_back(false); },
        [](SmallTree& t) { t.n_levels.pop_back(), t.has_missing.pop_back(); },  // of column 1
        [](SmallTree& t) { t.n_levels[1] = -1; },  // asked about levels
        [](SmallTree& t) { t = {}, t.yes.clear(), t.no.clear(), t.operators.clear(); },
    };
    for (const auto& damage : damages) {
        SmallTree tree;
        damage(tree);
        CHECK(is_refused([&] { tree.view().check(); }));
    }
    const FlatTree tree = SmallTree().view();
    const ColumnView given{{}, true};
    tree.check_columns(std::vector<ColumnView>{given, given});
    CHECK(is_refused([&] { tree.check_columns(std::vector<ColumnView>{given}); }));
    CHECK(is_refused([&] { tree.check_columns(std::vector<ColumnView>{given, ColumnView()}); }));
    CHECK(is_refused([&] { tree.check_columns(std::vector<ColumnView>(3, given)); }));
    CHECK(is_refused([] { FlatTree{}.check(); }));
}

}  // namespace

void test_apply() {
    test_small_tree();
    test_logic();
    test_far_apart();
    test_both_ways();
    test_means_stay_between();
    test_single_leaf();
    test_damage();
}

}  // namespace bsnsing::test
