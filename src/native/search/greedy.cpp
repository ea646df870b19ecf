#include <algorithm>

#include "search/collector.hpp"
#include "search/pool.hpp"
#include "search/search.hpp"
#include "search/singles.hpp"

namespace bsnsing {
namespace {

// A rule as the OR of literals that greedy growth extends; an AND is one read in the mirror.
struct Growing {
    std::vector<Literal> literals;
    std::vector<double> covered;
    bool mirrored = false;
};

void mirror(Growing& growing, const Objective& objective) {
    growing.mirrored = !growing.mirrored;
    for (Literal& l : growing.literals) l.negated = !l.negated;
    for (std::size_t j = 0; j < objective.n_classes; ++j)
        growing.covered[j] = objective.totals[j] - growing.covered[j];
}

Growing as_or(const Incumbent& incumbent, const Objective& objective) {
    Growing growing;
    growing.literals = incumbent.rule().literals;
    growing.covered = incumbent.left();
    if (incumbent.rule().op == Operator::logical_and) mirror(growing, objective);
    return growing;
}

// Offers every rule with one literal more; returns how many there were.
double offer_extensions(const Pool& pool, const Formulas& formulas, const Growing& growing,
                        Collector& collector) {
    AlignedVector<Word> rest(pool.everyone());
    for (const Literal& l : growing.literals)
        pool.remove_literal(rest.data(), l.question, l.negated, rest.data());
    Counts gain(pool.n_classes(), pool.stride());
    pool.count_column(rest.data(), 0, gain);
    std::vector<double> covered(pool.n_classes());
    double n_counted = 0;
    for (std::uint32_t q = 0; q < pool.n_questions(); ++q) {
        const bool is_used = std::any_of(growing.literals.begin(), growing.literals.end(),
                                         [q](Literal l) { return l.question == q; });
        for (const bool negated : {false, true}) {
            if (is_used || (negated && !formulas.has_negation)) break;
            for (std::size_t j = 0; j < covered.size(); ++j) {
                const double g = gain.row(j)[q];
                covered[j] = negated ? pool.objective().totals[j] - g : growing.covered[j] + g;
            }
            std::vector<Literal> grown = growing.literals;
            grown.push_back({q, negated});
            std::sort(grown.begin(), grown.end(),
                      [](Literal a, Literal b) { return a.question < b.question; });
            collector.offer_or(grown, covered.data(), growing.mirrored);
            n_counted += 1;
        }
        const Literal first = growing.literals.front();
        if (is_used || !formulas.as_xor || growing.literals.size() > 1 || first.negated) continue;
        for (std::size_t j = 0; j < covered.size(); ++j)  // one or the other, less both twice
            covered[j] = growing.covered[j] + 2 * gain.row(j)[q] - pool.singles().row(j)[q];
        collector.offer_xor(std::min(first.question, q), std::max(first.question, q),
                            covered.data());
        n_counted += 1;
    }
    return n_counted;
}

}  // namespace

FoundRule find_greedy_rule(const BitBlocks& blocks, const RowLayout& rows,
                           const Objective& objective, const SearchOptions& options,
                           double greedy_level, Watch& watch) {
    const Pool pool(blocks, rows, objective);
    const ValueGrid grid(objective);
    const Formulas& formulas = options.formulas;
    // Early on, what limits ask for may still follow.
    const auto nothing_yet = [&](std::size_t size) {
        return Incumbent(objective, grid, options.limits, options.max_rules - size);
    };
    Collector best(pool, formulas, nothing_yet(1));
    double n_counted = offer_singles(pool, formulas, best);
    const double unsplit = unsplit_value(objective);
    while (best.incumbent().is_found() && !watch.check()) {
        const std::size_t size = best.incumbent().rule().literals.size();
        if (size >= options.max_rules || best.incumbent().rule().op == Operator::exclusive_or)
            break;
        Collector next(pool, formulas, nothing_yet(size + 1));
        Growing growing = as_or(best.incumbent(), objective);
        n_counted += offer_extensions(pool, formulas, growing, next);
        if (size == 1 && formulas.as_and) {
            // A single question may also become an AND: the OR of its negation, mirrored.
            mirror(growing, objective);
            n_counted += offer_extensions(pool, formulas, growing, next);
        }
        if (!next.incumbent().is_found()) break;
        const auto reduction = [&](const Incumbent& i) {
            return unsplit - objective_value(objective, i.left().data());
        };
        const bool is_better =
            reduction(next.incumbent()) * greedy_level > reduction(best.incumbent());
        if (!is_better && options.limits.allow(best.incumbent().rule().literals)) break;
        best = next;
    }
    FoundRule found;
    if (options.limits.allow(best.incumbent().rule().literals))
        found = describe(pool, best.incumbent());
    found.n_counted = n_counted;
    found.optimal = false;
    found.bound = 0;
    return found;
}

}  // namespace bsnsing
