// The exact search: the best rule of at most max_rules questions over a node's pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bits/bit_blocks.hpp"
#include "search/limits.hpp"
#include "search/objective.hpp"
#include "search/rule.hpp"
#include "work/watch.hpp"

namespace bsnsing {

struct SearchPlan {
    std::size_t max_rules = 2;
    Formulas formulas;
    std::size_t n_threads = 1;
    // Said so that lists of values may end before it.
    // NOLINTNEXTLINE(readability-redundant-member-init)
    RuleLimits limits = {};
    std::size_t n_best = 1;  // rules to find, the best ones
};

struct FoundRule {
    bool found = false;
    Rule rule;
    std::vector<double> left;  // cases per class that answer "yes"
    double value = 0;
    double bound = 0;                // no rule of the space is better than this
    bool optimal = true;             // the search was not cut short
    double n_counted = 0;            // rules whose cases were counted
    double n_excluded = 0;           // rules that bounds showed not to be better
    std::vector<RankedRule> ranked;  // as many of the best as were asked for, if more than one
};

// Exact: unless the watch stops it, no rule of the space scores better, and of the best ones the
// simplest (see is_simpler) is returned, whatever the number of threads.
FoundRule find_best_rule(const BitBlocks& blocks, const RowLayout& rows, const Objective& objective,
                         const SearchPlan& options, Watch& watch);

// Forward selection: starts from the best single question and adds the best further one as long
// as the reduction it leaves, times `greedy_level`, exceeds the reduction without it.
FoundRule find_greedy_rule(const BitBlocks& blocks, const RowLayout& rows,
                           const Objective& objective, const SearchPlan& options,
                           double greedy_level, Watch& watch);

}  // namespace bsnsing
