#include "search/singles.hpp"

namespace bsnsing {

double offer_singles(const PoolCounts& pool, const Formulas& formulas, Collector& collector) {
    const bool needs_negation = formulas.has_negation && pool.objective().is_oriented();
    double n_counted = 0;
    for (std::uint32_t q = 0; q < pool.n_questions(); ++q) {
        for (const bool negated : {false, true}) {
            if (negated && !needs_negation) break;
            collector.offer_or({{q, negated}}, pool.literal_counts(q, negated).data(), false);
            n_counted += 1;
        }
    }
    return n_counted;
}

FoundRule describe(const PoolCounts& pool, const Incumbent& incumbent) {
    FoundRule found;
    if (!incumbent.is_found()) return found;
    found.found = true;
    found.rule = incumbent.rule();
    found.left = incumbent.left();
    found.value = objective_value(pool.objective(), found.left.data()) + incumbent.price();
    found.bound = found.value;
    return found;
}

}  // namespace bsnsing
