// Rules of three and more questions: depth-first, with bounds before counts.
#pragma once

#include <vector>

#include "search/collector.hpp"
#include "search/pairs.hpp"

namespace bsnsing {

struct DeepOutcome {
    double n_counted = 0;
    bool is_finished = true;
    double open_bound = 0;  // if not finished: no rule that was left open is better than this
};

// Offers every rule of 3..max_rules literals that bounds do not rule out. `pairs` are counts over
// the questions of `pool`, if they were kept.
DeepOutcome search_deep(const Pool& pool, const SearchPlan& options, const ValueGrid& grid,
                        const PairCounts& pairs, Collector& collector, Watch& watch);

}  // namespace bsnsing
