// Prediction on a tree small enough to follow by hand, and trees that must be refused.
#include <functional>
#include <limits>
#include <vector>

#include "check.hpp"
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

    FlatTree view() const {
        return {yes,   no,     operators, first_literal, columns,
                tests, values, negated,   first_level,   levels};
    }
};

void test_small_tree() {
    constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
    const struct {
        double x;
        std::int32_t plan;
        std::int64_t leaf;
    } cases[] = {
        {2, 1, 1},   {1.5, 1, 6},      {-1, 0, 1},        {-1, 2, 1},       {-1, 1, 3},
        {-1, -1, 3}, {kMissing, 1, 6}, {kMissing, -1, 5}, {kMissing, 2, 1}, {1, 1, 5},
        {1, -1, 6},  {0, -1, 5},       {0, 7, 6},  // a level that fit never saw
    };
    constexpr std::size_t kRepeats = 2000;  // more rows than one thread takes at a time
    std::vector<double> x;
    std::vector<std::int32_t> plan;
    std::vector<std::int64_t> expected;
    for (std::size_t i = 0; i < kRepeats; ++i)
        for (const auto& c : cases) {
            x.insert(x.end(), {c.x, 99.0});  // every second number is another column's
            plan.push_back(c.plan);
            expected.push_back(c.leaf);
        }
    const SmallTree tree;
    const ColumnView views[] = {{{x.data(), 2, NumberType::f64}, false, true},
                                {{plan.data(), 1, NumberType::i32}, true, true}};
    tree.view().check();
    tree.view().check_columns(views);
    for (const std::size_t n_threads : {1U, 2U}) {
        std::vector<std::int64_t> leaves(expected.size(), -1);
        apply_tree(tree.view(), views, leaves.size(), n_threads, leaves.data());
        CHECK(leaves == expected);
    }
    apply_tree(tree.view(), views, 0, 2, nullptr);
}

void test_single_leaf() {
    const std::vector<std::int32_t> child = {-1};
    const std::vector<std::int32_t> places = {0, 0};
    const std::vector<std::int32_t> start = {0};
    const std::vector<std::uint8_t> op = {0};
    const FlatTree leaf{child, child, op, places, {}, {}, {}, {}, start, {}};
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
        [](SmallTree& t) { t = {}, t.yes.clear(), t.no.clear(), t.operators.clear(); },
    };
    for (const auto& damage : damages) {
        SmallTree tree;
        damage(tree);
        CHECK(is_refused([&] { tree.view().check(); }));
    }
    const FlatTree tree = SmallTree().view();
    const ColumnView number{{}, false, true};
    const ColumnView plan{{}, true, true};
    tree.check_columns(std::vector<ColumnView>{number, plan});
    CHECK(is_refused([&] { tree.check_columns(std::vector<ColumnView>{number}); }));
    CHECK(is_refused([&] { tree.check_columns(std::vector<ColumnView>{number, ColumnView()}); }));
    CHECK(is_refused([&] { tree.check_columns(std::vector<ColumnView>{number, number}); }));
    CHECK(is_refused([] { FlatTree{}.check(); }));
}

}  // namespace

void test_apply() {
    test_small_tree();
    test_single_leaf();
    test_damage();
}

}  // namespace bsnsing::test
