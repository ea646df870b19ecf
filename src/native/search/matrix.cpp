#include "search/matrix.hpp"

#include <limits>

#include "bits/pack.hpp"
#include "search/settings.hpp"

namespace bsnsing {

FoundRule search_matrix(const std::uint8_t* answers, std::size_t n_questions, const CaseView& cases,
                        const SearchOptions& rules, const QuestionLimits& limits,
                        Interrupt& interrupt, double& seconds, std::size_t n_best) {
    const ClassOptions& classes = cases.options;
    rules.check_classes(classes.n_classes);
    limits.check(n_questions);
    Watch watch(interrupt, rules.time_limit);
    const RowOrder order = order_rows(cases.classes, classes.n_classes, cases.weights);
    if (order.layout.n_words == 0) {  // no cases, and perhaps no classes
        FoundRule nothing;
        nothing.bound = std::numeric_limits<double>::infinity();
        seconds = watch.seconds();
        return nothing;
    }
    const BitBlocks blocks = pack_answers(answers, n_questions, order);
    Objective objective;
    objective.criterion = rules.criterion;
    objective.n_classes = classes.n_classes;
    objective.totals = order.layout.class_totals();
    objective.class_weights.assign(classes.n_classes, 1.0);
    if (!classes.class_weights.empty()) objective.class_weights = classes.class_weights;
    objective.whole_numbers = classes.class_weights.empty();
    for (const double n : objective.totals) objective.total += n;
    objective.min_leaf = least_leaf(rules.min_samples_leaf, classes.unit);
    objective.distinct_children = rules.distinct_children;
    std::vector<double> xlogx;
    if (facts_of(rules.criterion).uses_xlogx && objective.whole_numbers)
        xlogx = tabulate_xlogx(objective.total);
    if (!xlogx.empty()) objective.xlogx = xlogx.data();
    const SearchPlan options{rules.max_rules, rules.formulas, rules.n_threads,
                             RuleLimits(limits.linear, limits.column_of), n_best};
    const FoundRule found =
        rules.greedy_level
            ? find_greedy_rule(blocks, order.layout, objective, options, *rules.greedy_level, watch)
            : find_best_rule(blocks, order.layout, objective, options, watch);
    seconds = watch.seconds();
    return found;
}

}  // namespace bsnsing
