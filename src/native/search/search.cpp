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

namespace bsnsing {
namespace {

bool forms_sets(const Formulas& f) {
    return f.as_or || f.as_and;
}

// Formulas that one set of two or more positions stands for.
double forms_per_set(const Objective& o, const Formulas& f, std::size_t size) {
    if (!forms_sets(f)) return 0;
    double signs = 1;
    if (f.has_negation)
        for (std::size_t i = 0; i < size; ++i) signs *= 2;
    return signs * (o.is_oriented() && f.as_or && f.as_and ? 2 : 1);
}

double binomial(std::size_t n, std::size_t k) {
    if (k > n) return 0;
    double value = 1;
    for (std::size_t i = 1; i <= k; ++i)
        value = value * static_cast<double>(n - k + i) / static_cast<double>(i);
    return value;
}

// Rules of `from`..max_rules questions over a pool of `n_questions`.
double n_rules(const Objective& o, const SearchOptions& options, std::size_t n_questions,
               std::size_t from) {
    double n = 0;
    for (std::size_t size = from; size <= options.max_rules; ++size) {
        n += binomial(n_questions, size) * forms_per_set(o, options.formulas, size);
        if (size == 2 && options.formulas.as_xor) n += binomial(n_questions, 2);
    }
    return n;
}

double n_pair_rules(const Pool& pool, const SearchOptions& options, std::size_t question) {
    const double forms =
        forms_per_set(pool.objective(), options.formulas, 2) + (options.formulas.as_xor ? 1 : 0);
    return static_cast<double>(pool.n_questions() - question - 1) * forms;
}

FoundRule search_pool(const BitBlocks& blocks, const RowLayout& rows, const Objective& objective,
                      const SearchOptions& options, Watch& watch) {
    const Pool pool(blocks, rows, objective);
    const ValueGrid grid(objective);
    const std::size_t n_questions = pool.n_questions();
    Collector collector(pool, options.formulas, Incumbent(objective, grid, options.limits));
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
            if (is_done[q]) n_counted += n_pair_rules(pool, options, q);
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
                         const SearchOptions& options, Watch& watch) {
    // Limits may tell questions apart that get the same answers.
    if (!options.limits.is_empty()) return search_pool(blocks, rows, objective, options, watch);
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
