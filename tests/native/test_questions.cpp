// Which questions are worth asking, on columns small enough to work out by hand.
#include <limits>
#include <numeric>
#include <set>

#include "bits/row_order.hpp"
#include "check.hpp"
#include "grow/questions.hpp"
#include "inputs.hpp"
#include "table.hpp"

namespace bsnsing::test {
namespace {

using Texts = std::vector<std::string>;
using Classes = std::vector<std::int32_t>;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr AskOptions kThresholdsOnly{20, 30, 0, 5};
constexpr AskOptions kEveryClass{20, 30, 0, 5, true};

// What is asked to single out class 1.
std::vector<Question> ask(const RawColumn& column, const Classes& classes,
                          const AskOptions& options = kThresholdsOnly,
                          const std::vector<std::int64_t>& weights = {}) {
    Columns columns(std::vector<EncodedColumn>{column.encode()});
    const NodeTable table(columns, order_rows(classes, 3, weights), 1);
    const ColumnShape& shape = columns.schema[0];
    std::vector<Question> questions;
    ask_column(shape, 0, table, 1, options, questions);
    // The same from counts.
    std::vector<std::int64_t> counts(3 * (std::size_t{shape.n_codes} + 1), 0);
    count_histogram(shape, 0, table, counts.data());
    std::vector<Question> counted;
    ask_column(shape, 0, ClassHistogram{counts, 3}, 1, options, counted);
    CHECK(show(questions) == show(counted));
    return questions;
}

Texts asked(const RawColumn& column, const Classes& classes,
            const AskOptions& options = kThresholdsOnly,
            const std::vector<std::int64_t>& weights = {}) {
    return show(ask(column, classes, options, weights));
}

void test_thresholds() {
    // Ties: the value 1 holds both classes, so a cut lies above it and none within it.
    CHECK(asked(numbers({1, 1, 2, 2, 3}), {0, 1, 1, 1, 0}) == Texts{"> 1.5", "< 2.5"});
    CHECK(asked(numbers({1, 1, 2, 2, 3}), {0, 1, 1, 1, 0}, {20, 30, 10, 5}) ==
          Texts{"> 1.5", "< 2.5", "== 1", "== 2", "== 3"});
    // Pure ends: nothing is asked among cases of one class.
    CHECK(asked(numbers({1, 2, 3, 4, 5, 6, 7, 8, 9}), {0, 0, 0, 1, 1, 1, 0, 2, 0}) ==
          Texts{"> 3.5", "< 6.5"});
    CHECK(asked(numbers({1, 2, 3}), {0, 0, 2}).empty());
    CHECK(asked(numbers({7, 7, 7}), {0, 1, 0}).empty());
    CHECK(asked(numbers({}), {}).empty());
    // Neighbouring numbers with nothing between them are told apart all the same.
    const double next = std::nextafter(1.0, 2.0);
    for (const Classes& classes : {Classes{0, 1}, Classes{1, 0}}) {
        const RawColumn column = numbers({1, next});
        const std::vector<Question> questions = ask(column, classes);
        CHECK(questions.size() == 1);
        for (const Question& q : questions) CHECK(says_yes(column, q, 0) != says_yes(column, q, 1));
    }
    const double most = std::numeric_limits<double>::max();
    CHECK(asked(numbers({-most, most}), {0, 1}) == Texts{"> 0"});
}

// With every class as target in turn: wherever the classes change.
void test_every_class() {
    CHECK(asked(numbers({1, 2, 3, 4, 5, 6}), {0, 0, 1, 1, 2, 2}, kEveryClass) ==
          Texts{"> 2.5", "> 4.5", "< 2.5", "< 4.5"});
    CHECK(asked(numbers({1, 2, 2, 3, 4}), {0, 0, 2, 2, 2}, kEveryClass) ==
          Texts{"> 1.5", "> 2.5", "< 1.5", "< 2.5"});
    CHECK(asked(numbers({1, 2, 3}), {2, 2, 2}, kEveryClass).empty());
}

void test_thinning(Random& random) {
    // Classes take turns: 50 places to cut upwards, 49 downwards.
    std::vector<double> values(100);
    std::iota(values.begin(), values.end(), 0.0);
    Classes classes(100);
    for (std::size_t i = 0; i < 100; ++i) classes[i] = static_cast<std::int32_t>(i % 2);
    CHECK(asked(numbers(values), classes, {1000, 30, 0, 5}).size() == 99);
    for (const std::size_t n_segments : {2U, 5U, 20U, 49U}) {
        const Texts texts = asked(numbers(values), classes, {n_segments, 30, 0, 5});
        CHECK(texts.size() == 2 * n_segments);
        CHECK(std::set<std::string>(texts.begin(), texts.end()).size() == texts.size());
        CHECK(texts.front() == "> 0.5" && texts[n_segments - 1] == "> 98.5");
        CHECK(texts[n_segments] == "< 1.5" && texts.back() == "< 97.5");
    }
    CHECK(asked(numbers(values), classes, {1, 30, 0, 5}).size() == 2);
    // Perfect separation: the one cut that does it is asked, however few may be.
    std::vector<double> many(3000);
    Classes sides(many.size());
    for (std::size_t i = 0; i < many.size(); ++i) {
        many[i] = random.unit();
        sides[i] = many[i] > 0.75 ? 1 : 0;
    }
    const std::vector<Question> questions = ask(numbers(many), sides, {1, 30, 0, 5});
    CHECK(questions.size() == 1 && questions.front().test == Test::greater);
    for (std::size_t i = 0; i < many.size(); ++i)
        CHECK(says_yes(numbers(many), questions.front(), i) == (sides[i] == 1));
}

void test_row_order(Random& random) {
    for (const std::size_t n_values : {5U, 100U, 2000U}) {
        std::vector<std::size_t> places(500);
        std::iota(places.begin(), places.end(), std::size_t{0});
        std::vector<double> values;
        Classes classes;
        for (std::size_t i = 0; i < places.size(); ++i) {
            values.push_back(random.chance(0.05) ? kMissing
                                                 : static_cast<double>(random.below(n_values)) / 4);
            classes.push_back(static_cast<std::int32_t>(random.below(3)));
        }
        const Texts before = asked(numbers(values), classes);
        random.shuffle(places);
        std::vector<double> moved;
        Classes moved_classes;
        for (const std::size_t i : places) {
            moved.push_back(values[i]);
            moved_classes.push_back(classes[i]);
        }
        CHECK(!before.empty() && asked(numbers(moved), moved_classes) == before);
    }
}

// Weights equal repeats, and rows of weight zero are not there: also where a small node of a
// column with many values is counted another way.
void test_weights(Random& random) {
    for (const std::size_t n_values : {8U, 5000U}) {
        std::vector<double> values;
        std::vector<double> repeated;
        Classes classes;
        Classes repeated_classes;
        std::vector<std::int64_t> weights;
        for (int i = 0; i < 3000; ++i) {
            values.push_back(static_cast<double>(random.below(n_values)) - 0.5);
            classes.push_back(static_cast<std::int32_t>(random.below(3)));
            weights.push_back(random.chance(0.02) ? 1 + static_cast<std::int64_t>(random.below(4))
                                                  : 0);
            for (std::int64_t k = 0; k < weights.back(); ++k) {
                repeated.push_back(values.back());
                repeated_classes.push_back(classes.back());
            }
        }
        for (const AskOptions& options : {kThresholdsOnly, kEveryClass}) {
            const Texts expected = asked(numbers(repeated), repeated_classes, options);
            CHECK(!expected.empty());
            CHECK(asked(numbers(values), classes, options, weights) == expected);
        }
    }
}

RawColumn levels_with_counts(const std::vector<int>& counts) {
    std::vector<std::int32_t> codes;
    for (std::size_t level = 0; level < counts.size(); ++level)
        codes.insert(codes.end(), static_cast<std::size_t>(counts[level]),
                     static_cast<std::int32_t>(level));
    return levels(counts.size(), codes);
}

void test_levels() {
    // Levels 2 and 4 are rare, level 3 does not occur.
    const RawColumn column = levels_with_counts({10, 9, 2, 0, 4});
    CHECK(asked(column, Classes(25, 0)) == Texts{"== 0", "== 1", "== 2", "== 4", "in 2 4"});
    CHECK(asked(levels_with_counts({10, 9, 2}), Classes(21, 0)) == Texts{"== 0", "== 1", "== 2"});
    CHECK(asked(levels_with_counts({4}), Classes(4, 0)).empty());
    // Two levels that are rare and all there is: their group would hold everyone.
    CHECK(asked(levels_with_counts({2, 3}), Classes(5, 0)) == Texts{"== 0", "== 1"});
}

void test_many_levels() {
    // Twelve levels of ten cases, level l with l of class 1 in a mixed order, and three rare ones.
    std::vector<std::int32_t> codes;
    Classes classes;
    for (std::int32_t level = 0; level < 12; ++level)
        for (std::int32_t i = 0; i < 10; ++i) {
            codes.push_back(level);
            classes.push_back(i < level * 5 % 12 ? 1 : 0);
        }
    for (std::int32_t level = 12; level < 15; ++level) {
        codes.push_back(level);
        classes.push_back(level % 2);
    }
    const std::vector<Question> questions = ask(levels(15, codes), classes, {20, 5, 0, 5});
    CHECK(questions.size() == 5 && show(questions.back()) == "in 12 13 14");
    std::multiset<std::uint32_t> seen;
    std::int32_t highest_before = -1;
    for (const Question& q : questions) {
        seen.insert(q.levels.begin(), q.levels.end());
        if (q.levels.size() != 3 || q.levels.front() >= 12) continue;
        // Groups follow one another by their share of class 1.
        for (const std::uint32_t level : q.levels)
            CHECK(std::min(10, static_cast<std::int32_t>(level) * 5 % 12) >= highest_before);
        for (const std::uint32_t level : q.levels)
            highest_before =
                std::max(highest_before, std::min(10, static_cast<std::int32_t>(level) * 5 % 12));
    }
    CHECK(highest_before == 10);
    CHECK(seen.size() == 15 && std::set<std::uint32_t>(seen.begin(), seen.end()).size() == 15);
}

void test_missing_and_boolean() {
    CHECK(asked(numbers({1, kMissing, 2}), {0, 1, 1}) == Texts{"> 1.5", "missing"});
    CHECK(asked(numbers({kMissing, 3, kMissing}), {0, 1, 1}) == Texts{"missing"});
    CHECK(asked(numbers({kMissing, kMissing}), {0, 1}).empty());
    CHECK(asked(levels(2, {0, -1, 1}), {0, 1, 1}, {20, 30, 0, 1}) ==
          Texts{"== 0", "== 1", "missing"});
    CHECK(asked(numbers({0, 1, 1}), {0, 1, 1}) == Texts{"== 1", "== 0"});
    CHECK(asked(numbers({0, 1, kMissing}), {0, 1, 1}) == Texts{"== 1", "== 0", "missing"});
    CHECK(asked(numbers({1, kMissing}), {0, 1}) == Texts{"== 1", "missing"});
    CHECK(asked(numbers({1, 1}), {0, 1}).empty());
    // At a node without them: not asked.
    CHECK(asked(numbers({1, kMissing, 2}), {0, 1, 1}, kThresholdsOnly, {1, 0, 1}) ==
          Texts{"> 1.5"});
    CHECK(asked(numbers({0, 1, 1}), {0, 1, 1}, kThresholdsOnly, {0, 1, 1}).empty());
    CHECK(asked(numbers({0, 1, kMissing}), {0, 1, 1}, kThresholdsOnly, {1, 1, 0}) ==
          Texts{"== 1", "== 0"});
}

}  // namespace

void test_questions() {
    Random random(5);
    test_thresholds();
    test_every_class();
    test_thinning(random);
    test_row_order(random);
    test_weights(random);
    test_levels();
    test_many_levels();
    test_missing_and_boolean();
}

}  // namespace bsnsing::test
