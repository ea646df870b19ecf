// The exact search against trying every rule; stopping early; the number of threads.
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "check.hpp"
#include "inputs.hpp"
#include "kernels/kernels.hpp"
#include "plain_value.hpp"
#include "search/matrix.hpp"
#include "search/search.hpp"
#include "search/settings.hpp"

namespace bsnsing::test {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

FoundRule search(const Problem& p, const Objective& objective, const SearchPlan& options,
                 double seconds = kForever) {
    Interrupt interrupt;
    Watch watch(interrupt, seconds);
    const RowOrder order = p.order();
    return find_best_rule(p.blocks(), order.layout, objective, options, watch);
}

struct Best {
    bool found = false;
    double value = 0;
    std::vector<std::uint32_t> questions;
};

// Tries every OR of at most max_rules questions, small ones first and in order of position, so
// the first of equals is the simplest.
class BruteForce {
  public:
    BruteForce(const Problem& p, const Objective& o, const RuleLimits& limits = {})
        : problem_(p), objective_(o), limits_(limits) {}

    Best best(std::size_t max_rules) {
        for (std::size_t size = 1; size <= max_rules; ++size)
            extend({}, std::vector<char>(problem_.n_rows(), 0), size);
        return best_;
    }

  private:
    void extend(const std::vector<std::uint32_t>& chosen, const std::vector<char>& covered,
                std::size_t size) {
        if (chosen.size() == size) return judge(chosen, covered);
        const std::uint32_t first = chosen.empty() ? 0 : chosen.back() + 1;
        for (std::uint32_t q = first; q < problem_.n_questions; ++q) {
            std::vector<std::uint32_t> grown = chosen;
            grown.push_back(q);
            std::vector<char> more = covered;
            for (std::size_t row = 0; row < more.size(); ++row)
                if (problem_.answer(row, q)) more[row] = 1;
            extend(grown, more, size);
        }
    }

    void judge(const std::vector<std::uint32_t>& questions, const std::vector<char>& covered) {
        std::vector<Literal> literals;
        for (const std::uint32_t q : questions) literals.push_back({q, false});
        if (!limits_.allow(literals)) return;
        const std::vector<double> left =
            problem_.cases([&](std::size_t row) { return covered[row] != 0; });
        double size = 0;
        for (const double n : left) size += n;
        if (size < objective_.min_leaf || objective_.total - size < objective_.min_leaf) return;
        if (!limits_.keep_order(literals, false, left.data(), objective_.totals,
                                objective_.class_weights))
            return;
        const double value = plain_value(objective_, left) + limits_.price(literals);
        const bool is_exact = facts_of(objective_.criterion).is_exact && !limits_.has_prices();
        const double tie = is_exact ? 0 : 1e-9;
        if (best_.found && value >= best_.value - tie) return;
        best_ = {true, value, questions};
    }

    const Problem& problem_;
    const Objective& objective_;
    const RuleLimits limits_;
    Best best_;
};

void check_against_brute_force(const Problem& p, Criterion criterion, double min_leaf,
                               std::size_t max_rules, const RuleLimits& limits = {}) {
    Objective objective = p.objective(criterion, min_leaf);
    if (limits.has_prices()) objective.whole_numbers = false;
    const Best best = BruteForce(p, objective, limits).best(max_rules);
    for (const Kernels* kernels : available_kernels()) {
        use_kernels(kernels->name);
        const FoundRule found = search(p, objective, {max_rules, {}, 1, limits});
        CHECK(found.optimal && found.found == best.found);
        if (!found.found || !best.found) continue;
        CHECK(std::abs(found.value - best.value) <= 1e-9 * (1 + best.value));
        CHECK(found.bound == found.value && found.rule.op == Operator::logical_or);
        std::vector<std::uint32_t> questions;
        for (const Literal& l : found.rule.literals) {
            CHECK(!l.negated);
            questions.push_back(l.question);
        }
        CHECK(questions == best.questions);
        CHECK(found.left == p.cases([&](std::size_t row) {
            for (const std::uint32_t q : questions)
                if (p.answer(row, q)) return true;
            return false;
        }));
    }
}

void test_small_problems(Random& random) {
    for (int i = 0; i < 24; ++i)
        for (const Criterion criterion : every_criterion())
            for (const std::size_t n_classes : {2U, 3U}) {
                if (facts_of(criterion).two_classes_only && n_classes != 2) continue;
                // One at a time: compilers differ in the order of a call's arguments.
                const std::size_t n_rows = 5 + random.below(90);
                const std::size_t n_questions = 1 + random.below(10);
                const std::size_t max_rules = 1 + random.below(4);
                const double min_leaf = i % 2 == 0 ? 1 : static_cast<double>(random.below(25));
                const Problem p =
                    random_problem(random, n_rows, n_questions, n_classes, i % 3 == 0);
                check_against_brute_force(p, criterion, min_leaf, max_rules);
            }
}

// More classes than the scans have room for on the stack.
void test_many_classes(Random& random) {
    for (const Criterion criterion : every_criterion())
        for (const std::size_t max_rules : {2U, 3U}) {
            if (facts_of(criterion).two_classes_only) continue;
            const Problem p = random_problem(random, 300, 14, 40, max_rules == 2);
            check_against_brute_force(p, criterion, 10, max_rules);
        }
    // So many that the counts of a question with all others are not there at once.
    for (const Criterion criterion : {Criterion::gini, Criterion::entropy})
        check_against_brute_force(random_problem(random, 33000, 40, 33000), criterion, 10, 2);
}

// A sum of costs, a question that must be asked, and columns of which one may be asked each.
void test_limits(Random& random) {
    const RuleLimits limits({{{1, 2, 3}, -1, 4}, {{0, 1, 0}, 1, 9}}, {0, 0, 1});
    CHECK(!limits.is_empty() && RuleLimits().is_empty() && RuleLimits().allow({{7, false}}));
    CHECK(limits.allow({{1, true}}) && !limits.allow({{0, false}}));
    CHECK(limits.may_become({{2, false}}, 1) && !limits.may_become({{2, false}}, 0));
    CHECK(!limits.may_become({{0, false}, {1, false}}, 3));  // two of one column
    CHECK(!limits.may_become({{1, false}, {2, false}}, 0));  // too expensive
    // Two different questions are asked for, and there is room for one.
    const RuleLimits apart({{{1, 0, 0}, 1, 9}, {{0, 1, 0}, 1, 9}}, {});
    CHECK(apart.may_become({{2, false}}, 2) && !apart.may_become({{2, false}}, 1));

    for (int i = 0; i < 40; ++i) {
        const std::size_t n_rows = i % 4 == 0 ? 600 : 5 + random.below(90);
        const std::size_t n_questions = 2 + random.below(9);
        const std::size_t max_rules = 1 + random.below(4);
        std::vector<LinearLimit> linear(2);
        std::vector<std::uint32_t> column_of;
        for (std::size_t q = 0; q < n_questions; ++q) {
            linear[0].coefficients.push_back(static_cast<double>(random.below(5)));
            linear[1].coefficients.push_back(random.below(4) == 0 ? 1 : 0);
            column_of.push_back(static_cast<std::uint32_t>(random.below(4)));
        }
        linear[0].upper = static_cast<double>(random.below(9));
        linear[1].lower = static_cast<double>(random.below(2));
        linear[1].upper = 2;
        if (i % 3 == 0) column_of.clear();
        const Problem p = random_problem(random, n_rows, n_questions, 2, i % 3 == 0);
        check_against_brute_force(p, Criterion::gini_squared, 1, max_rules,
                                  RuleLimits(linear, column_of));
    }
}

// Columns apart, in groups, too many of them, closed ones; their order, bounds and prices.
void test_knowledge(Random& random) {
    PoolKnowledge known;
    known.column_of = {0, 1, 2, 2};
    known.apart = {{0, 1}};
    known.sign = {1, -1, 0, PoolKnowledge::kUnordered};
    known.ordered_class = 1;
    known.price = {1.5, 0.25, 4};
    RuleLimits limits;
    limits.add(known);
    CHECK(!limits.is_empty() && limits.has_prices());
    CHECK(!limits.allow({{0, false}, {1, true}}) && limits.allow({{0, false}, {2, false}}));
    CHECK(!limits.allow({{3, false}}) && !limits.allow({{3, true}}));
    CHECK(limits.price({{0, false}, {2, false}, {3, true}}) == 5.5);  // a column once
    const std::vector<double> totals = {4, 4};
    const std::vector<double> ones = {1, 1};
    const double more[] = {1, 3};
    CHECK(limits.keep_order({{0, false}}, false, more, totals, ones));
    CHECK(!limits.keep_order({{0, true}}, false, more, totals, ones));
    CHECK(!limits.keep_order({{1, false}}, false, more, totals, ones));
    CHECK(!limits.keep_order({{0, false}, {2, false}}, true, more, totals, ones));

    for (int i = 0; i < 60; ++i) {
        const std::size_t n_rows = i % 4 == 0 ? 600 : 5 + random.below(90);
        const std::size_t n_questions = 2 + random.below(9);
        const std::size_t max_rules = 1 + random.below(4);
        constexpr std::size_t kColumns = 4;
        PoolKnowledge drawn;
        for (std::size_t q = 0; q < n_questions; ++q) {
            drawn.column_of.push_back(static_cast<std::uint32_t>(random.below(kColumns)));
            drawn.sign.push_back(static_cast<std::int8_t>(static_cast<int>(random.below(4)) - 1));
        }
        if (i % 2 == 0) drawn.sign.clear();
        drawn.ordered_class = random.below(2);
        drawn.low = i % 5 == 0 ? 0.3 : 0;
        drawn.high = i % 7 == 0 ? 0.7 : 1;
        if (i % 3 == 0) drawn.apart = {{0, 2}, {1, 3}};
        if (i % 3 == 1) drawn.group_of = {1, 0, 2, 1};
        if (i % 4 == 1) {
            drawn.is_used = {0, 1, 0, 0};
            drawn.max_new = random.below(3);
        }
        if (i % 4 == 2) drawn.is_closed = {0, 0, 1, 0};
        for (std::size_t c = 0; i % 3 == 2 && c < kColumns; ++c)
            drawn.price.push_back(static_cast<double>(random.below(9)));
        RuleLimits own;
        own.add(drawn);
        const Problem p = random_problem(random, n_rows, n_questions, 2, i % 3 == 0);
        const Criterion criterion = i % 2 == 0 ? Criterion::gini : Criterion::gini_squared;
        check_against_brute_force(p, criterion, 1, max_rules, own);
    }
}

// More rows and questions than one word, block or batch holds.
void test_larger_problems(Random& random) {
    for (const Criterion criterion : {Criterion::gini_squared, Criterion::gini})
        for (const std::size_t n_classes : {2U, 3U}) {
            check_against_brute_force(random_problem(random, 700, 20, n_classes), criterion, 10, 3);
            check_against_brute_force(random_problem(random, 500, 12, n_classes, true), criterion,
                                      1, 4);
        }
    // Rows enough for the last questions of a rule to be bounded before they are counted.
    for (const Criterion criterion : every_criterion()) {
        const CriterionFacts& facts = facts_of(criterion);
        const std::size_t n_classes = facts.two_classes_only ? 2 : 3;
        const std::size_t n_rows = kWordBits * (10 + facts.bound_words * n_classes);
        check_against_brute_force(random_problem(random, n_rows, 12, n_classes), criterion, 10, 3);
    }
}

bool same_rule(const FoundRule& a, const FoundRule& b) {
    if (a.found != b.found || a.rule.op != b.rule.op || a.value != b.value || a.left != b.left ||
        a.rule.literals.size() != b.rule.literals.size())
        return false;
    for (std::size_t i = 0; i < a.rule.literals.size(); ++i)
        if (a.rule.literals[i].question != b.rule.literals[i].question ||
            a.rule.literals[i].negated != b.rule.literals[i].negated)
            return false;
    return true;
}

void test_threads(Random& random) {
    for (const std::size_t max_rules : {2U, 3U, 4U})
        for (const Formulas& formulas : {Formulas{}, Formulas{true, true, true, true}})
            for (const Criterion criterion : {Criterion::gini_squared, Criterion::entropy}) {
                const Problem p = random_problem(random, 900, 40, 2 + max_rules % 2);
                const Objective objective = p.objective(criterion, 20);
                const FoundRule one = search(p, objective, {max_rules, formulas, 1});
                CHECK(one.found && one.optimal);
                CHECK(same_rule(one, search(p, objective, {max_rules, formulas, 2})));
            }
}

// Tabulated logarithms change nothing and, under the sanitizer, stay inside their table: also
// where rules cover nearly everyone, so that bounds lie at the edge of what can occur.
void test_tables(Random& random) {
    for (const std::size_t n_classes : {2U, 3U})
        for (const bool has_negation : {false, true}) {
            Problem p = random_problem(random, 450, 14, n_classes);
            for (std::size_t i = 2; i < p.answers.size(); ++i)
                if (random.chance(0.7)) p.answers[i] = p.answers[i - 2] == 0 ? 1 : 0;
            Objective objective = p.objective(Criterion::entropy);
            const SearchPlan options{4, {true, false, false, has_negation}, 1};
            const FoundRule plain = search(p, objective, options);
            const std::vector<double> table = tabulate_xlogx(objective.total);
            objective.xlogx = table.data();
            CHECK(plain.found && same_rule(plain, search(p, objective, options)));
        }
}

void check_stopped(const FoundRule& stopped) {
    CHECK(stopped.found && !stopped.optimal);
    CHECK(stopped.bound <= stopped.value);
    CHECK(stopped.bound >= 0);
}

// Far too large to finish: C(400, 6) rules that hardly differ.
void test_stopping(Random& random) {
    constexpr double kPromptly = 10;  // generous: sanitizers and emulators are slow
    Problem p = random_problem(random, 2000, 400, 2);
    for (std::uint8_t& answer : p.answers) answer = random.chance(0.2) ? 1 : 0;
    const Objective objective = p.objective(Criterion::gini);
    const BitBlocks blocks = p.blocks();
    const RowOrder order = p.order();
    for (const std::size_t n_threads : {1U, 2U}) {
        const SearchPlan options{6, {}, n_threads};
        for (const double limit : {0.0, 0.05}) {
            Interrupt nobody;
            Watch watch(nobody, limit);
            check_stopped(find_best_rule(blocks, order.layout, objective, options, watch));
            CHECK(watch.seconds() < limit + kPromptly);
        }
        int n_asked = 0;
        Interrupt impatient([&] { return ++n_asked == 2; });
        Watch watch(impatient, kForever);
        check_stopped(find_best_rule(blocks, order.layout, objective, options, watch));
        CHECK(impatient.is_raised() && n_asked == 2);
        CHECK(watch.seconds() < kPromptly);
    }
}

void test_nothing_to_find() {
    Problem p;
    p.n_questions = 2;
    p.n_classes = 2;
    p.classes = {0, 1, 1};
    p.answers = {1, 0, 1, 0, 1, 0};
    const FoundRule found = search(p, p.objective(Criterion::gini), {3, {}, 1});
    CHECK(!found.found && found.optimal);
    p.n_questions = 0;
    p.answers.clear();
    CHECK(!search(p, p.objective(Criterion::gini), {3, {}, 1}).found);
}

// No cases, and so no classes.
void test_nobody() {
    ClassOptions no_classes;
    no_classes.n_classes = 0;
    Interrupt interrupt;
    double seconds = 0;
    for (const std::optional<double> greedy_level : {std::optional<double>(), {0.9}}) {
        SearchOptions options;
        options.max_rules = 2;
        options.criterion = Criterion::entropy;
        options.time_limit = kForever;
        options.greedy_level = greedy_level;
        const FoundRule found = search_matrix(nullptr, 9, CaseView{{}, {}, no_classes}, options, {},
                                              interrupt, seconds);
        CHECK(!found.found && found.optimal);
    }
}

}  // namespace

void test_search() {
    const std::string before = active_kernels().name;
    Random random(3);
    test_small_problems(random);
    test_many_classes(random);
    test_larger_problems(random);
    test_limits(random);
    test_knowledge(random);
    use_kernels(before.c_str());
    test_tables(random);
    test_threads(random);
    test_stopping(random);
    test_nothing_to_find();
    test_nobody();
}

}  // namespace bsnsing::test
