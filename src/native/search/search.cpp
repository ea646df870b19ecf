// The stages of the search, in order: single questions, pairs, then the few larger rules that the
// bounds do not rule out. src/native/README.md tells the same story on one page.
#include "search/search.hpp"

#include <algorithm>
#include <limits>

#include "search/bounds.hpp"
#include "search/collector.hpp"
#include "search/deep.hpp"
#include "search/distinct.hpp"
#include "search/pairs.hpp"
#include "search/pool.hpp"
#include "search/singles.hpp"
#include "search/space.hpp"

namespace bsnsing {
namespace {

FoundRule search_pool(const BitBlocks& blocks, const RowLayout& rows, const Objective& objective,
                      const SearchPlan& options, Watch& watch) {
    const Pool pool(blocks, rows, objective);
    const ValueGrid grid(objective);
    const std::size_t n_questions = pool.n_questions();
    Collector collector(pool, options.formulas,
                        Incumbent(objective, grid, options.limits, 0, options.n_best));
    double n_counted = offer_singles(pool, options.formulas, collector);
    double n_settled = n_counted;
    std::vector<char> is_done(n_questions, 1);  // per first question: nothing is left open
    bool is_deep_done = true;
    double bound = std::numeric_limits<double>::infinity();

    if (options.max_rules >= 2 && n_questions >= 2) {
        const bool goes_deep =
            options.max_rules >= 3 && n_questions >= 3 && forms_sets(options.formulas);
        PairCounts kept = goes_deep ? PairCounts::within_reason(pool) : PairCounts();
        const PairOutcome pairs = search_pairs(pool, options, grid, kept, collector, watch);
        is_done = pairs.is_row_done;
        for (std::size_t q = 0; q < n_questions; ++q)
            if (is_done[q])
                n_counted += n_pair_rules(objective, options.formulas, n_questions - q - 1);
        n_settled = n_counted;
        if (goes_deep && pairs.finished) {
            const DeepOutcome deep = search_deep(pool, options, grid, kept, collector, watch);
            n_counted += deep.n_counted;
            // Seeds may count a rule more than once, so small pools can count more than there are.
            n_settled += deep.is_finished
                             ? std::max(deep.n_counted, n_rules(objective, options, n_questions, 3))
                             : deep.n_counted;
            is_deep_done = deep.is_finished;
            if (!deep.is_finished) bound = deep.open_bound;
        } else if (goes_deep) {
            std::fill(is_done.begin(), is_done.end(), 0);
        }
    }

    FoundRule found = describe(pool, collector.incumbent());
    if (options.n_best > 1) found.ranked = collector.incumbent().ranked();
    found.n_counted = n_counted;
    found.n_excluded = n_settled - n_counted;
    found.optimal = is_deep_done;
    if (found.found) bound = std::min(bound, found.value);
    for (std::uint32_t q = 0; q < n_questions; ++q) {
        if (is_done[q]) continue;
        found.optimal = false;
        bound = std::min(bound, open_bound(pool, options, q));
    }
    found.bound = bound;
    return found;
}

}  // namespace

FoundRule find_best_rule(const BitBlocks& blocks, const RowLayout& rows, const Objective& objective,
                         const SearchPlan& options, Watch& watch) {
    // Limits may tell questions apart that get the same answers, and so may who wants several
    // rules.
    if (!options.limits.is_empty() || options.n_best > 1)
        return search_pool(blocks, rows, objective, options, watch);
    // XORs have no negated questions; mirrored they are other rules where orientation matters.
    const Formulas& f = options.formulas;
    const bool complements = f.has_negation && !(f.as_xor && objective.is_oriented());
    const std::vector<std::uint32_t> kept = distinct_questions(blocks, rows, complements);
    if (kept.empty() || kept.size() == blocks.n_questions())
        return search_pool(blocks, rows, objective, options, watch);
    FoundRule found = search_pool(select_questions(blocks, kept), rows, objective, options, watch);
    for (Literal& l : found.rule.literals) l.question = kept[l.question];
    found.n_excluded += static_cast<double>(blocks.n_questions() - kept.size());
    found.n_excluded += n_rules(objective, options, blocks.n_questions(), 2) -
                        n_rules(objective, options, kept.size(), 2);
    return found;
}

}  // namespace bsnsing
