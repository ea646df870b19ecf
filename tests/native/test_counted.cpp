// The search from counts finds what the search over rows finds.
#include <limits>
#include <numeric>

#include "check.hpp"
#include "inputs.hpp"
#include "search/counted.hpp"
#include "search/pairs.hpp"

namespace bsnsing::test {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

bool is_covered(const Problem& p, const std::vector<Literal>& literals, std::size_t row) {
    for (const Literal& l : literals)
        if (p.answer(row, l.question) != l.negated) return true;
    return false;
}

// Answers what the search asks for, by walking over the rows; gives up after `most_rounds`.
FoundRule search_by_counts(const Problem& p, const Objective& o, const SearchPlan& options,
                           std::optional<double> greedy_level, Watch& watch,
                           std::size_t most_rounds = 1000000) {
    std::vector<std::int64_t> counts(p.n_classes * p.n_questions * p.n_questions, 0);
    Interrupt nobody;
    Watch patient(nobody, kForever);
    count_all_pairs(p.blocks(), p.order().layout, 2, patient, counts.data());
    std::vector<std::size_t> classes(p.n_classes);
    std::iota(classes.begin(), classes.end(), std::size_t{0});
    const auto search =
        search_counts({counts, p.n_questions, classes}, o, options, greedy_level, watch);
    for (std::size_t round = 0; round < most_rounds && !search->wanted().empty(); ++round) {
        std::vector<double> covered;
        for (const std::vector<Literal>& literals : search->wanted())
            for (const double n :
                 p.cases([&](std::size_t row) { return is_covered(p, literals, row); }))
                covered.push_back(n);
        search->take(covered, watch);
    }
    return search->found();
}

bool same_rule(const FoundRule& a, const FoundRule& b) {
    if (a.found != b.found || a.rule.op != b.rule.op || a.value != b.value || a.left != b.left ||
        a.optimal != b.optimal || a.rule.literals.size() != b.rule.literals.size())
        return false;
    for (std::size_t i = 0; i < a.rule.literals.size(); ++i)
        if (a.rule.literals[i].question != b.rule.literals[i].question ||
            a.rule.literals[i].negated != b.rule.literals[i].negated)
            return false;
    return true;
}

void test_same_rules(Random& random) {
    constexpr Formulas kFormulas[] = {{true, false, false, false},
                                      {false, true, false, true},
                                      {true, true, false, true},
                                      {true, true, true, true},
                                      {false, false, true, false}};
    for (int i = 0; i < 300; ++i) {
        const auto criterion = static_cast<Criterion>(random.below(5));
        const std::size_t n_classes =
            criterion == Criterion::error ? 2 : (i % 9 == 0 ? 11 : 2 + random.below(3));
        const Problem p = random_problem(random, 10 + random.below(150), 1 + random.below(12),
                                         n_classes, i % 3 == 0);
        Objective o = p.objective(criterion, 1 + static_cast<double>(random.below(6)));
        o.distinct_children = i % 5 == 0;
        SearchPlan options{1 + random.below(4), kFormulas[random.below(5)], 1};
        if (i % 4 == 0) {
            LinearLimit cost{{}, -1, static_cast<double>(1 + random.below(4))};
            for (std::size_t q = 0; q < p.n_questions; ++q)
                cost.coefficients.push_back(static_cast<double>(random.below(3)));
            options.limits = RuleLimits({cost}, {});
        }
        Interrupt nobody;
        Watch watch(nobody, kForever);
        const RowOrder order = p.order();
        CHECK(same_rule(search_by_counts(p, o, options, std::nullopt, watch),
                        find_best_rule(p.blocks(), order.layout, o, options, watch)));
        CHECK(same_rule(search_by_counts(p, o, options, 0.9, watch),
                        find_greedy_rule(p.blocks(), order.layout, o, options, 0.9, watch)));
    }
}

// Cut short, the search says so, and its bound holds.
void test_stopping(Random& random) {
    const Problem p = random_problem(random, 300, 30, 2);
    const Objective o = p.objective(Criterion::gini);
    const SearchPlan options{4, {true, true, false, true}, 1};
    Interrupt nobody;
    Watch patient(nobody, kForever);
    const FoundRule best = find_best_rule(p.blocks(), p.order().layout, o, options, patient);
    for (const std::size_t n_rounds : {0U, 1U, 2U}) {
        const FoundRule found = search_by_counts(p, o, options, std::nullopt, patient, n_rounds);
        CHECK(found.found && !found.optimal && found.bound <= best.value);
    }
    Watch hasty(nobody, 0);
    const FoundRule found = search_by_counts(p, o, options, std::nullopt, hasty);
    CHECK(found.found && !found.optimal && found.bound <= best.value);
}

}  // namespace

void test_counted() {
    Random random(11);
    test_same_rules(random);
    test_stopping(random);
}

}  // namespace bsnsing::test
