// Rules of one question, and the account of the best rule that every search gives.
#pragma once

#include "search/collector.hpp"
#include "search/search.hpp"

namespace bsnsing {

// Offers every single question (and its negation, where that is another rule); returns how many.
double offer_singles(const PoolCounts& pool, const Formulas& formulas, Collector& collector);

FoundRule describe(const PoolCounts& pool, const Incumbent& incumbent);

}  // namespace bsnsing
