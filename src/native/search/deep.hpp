// Rules of three and more questions: depth-first, with bounds before counts.
#pragma once

#include <vector>

#include "search/collector.hpp"
#include "search/pairs.hpp"

namespace bsnsing {

struct DeepOutcome {
    double n_counted = 0;
    std::vector<char> is_done;  // per question: all rules that start with it were settled
};

// Offers every rule of 3..max_rules literals that bounds do not rule out.
DeepOutcome search_deep(const Pool& pool, const SearchOptions& options, const ValueGrid& grid,
                        const PairCounts& pairs, Collector& collector, Watch& watch);

}  // namespace bsnsing
