// Lower bounds on what a rule can still become.
#pragma once

#include <vector>

#include "search/objective.hpp"
#include "search/pool.hpp"
#include "search/search.hpp"

namespace bsnsing {

// Least value of the criterion over left counts between `low` and `high`, class by class. Every
// criterion is concave (or bilinear) in the counts, so only the corners need a look.
double box_bound(const Objective& objective, const std::vector<double>& low,
                 const std::vector<double>& high, bool both_ways);

// What rules that start with `question` and were not settled could reach at best.
double open_bound(const PoolCounts& pool, const SearchPlan& options, std::size_t question);

}  // namespace bsnsing
