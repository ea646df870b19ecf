// Forward selection, one step at a time: who counts the extensions is left to the caller.
#pragma once

#include <vector>

#include "search/collector.hpp"
#include "search/pool.hpp"
#include "search/search.hpp"

namespace bsnsing {

// A rule as the OR of literals that greedy growth extends; an AND is one read in the mirror.
struct Growing {
    std::vector<Literal> literals;
    std::vector<double> covered;
    bool mirrored = false;
};

class GreedyGrowth {
  public:
    GreedyGrowth(const PoolCounts& pool, const ValueGrid& grid, const SearchPlan& options,
                 double greedy_level);

    // The rules to be extended by one question more; none when growth is over.
    const std::vector<Growing>& growing() const { return growing_; }
    // gains[i]: cases that each question would add to growing()[i].
    void extend(const std::vector<Counts>& gains);

    FoundRule found() const;

  private:
    Incumbent nothing_yet(std::size_t size) const;
    void choose_growing();
    void offer_extensions(const Growing& growing, const Counts& gain, Collector& collector);
    double reduction(const Incumbent& incumbent) const;

    const PoolCounts& pool_;
    const ValueGrid& grid_;
    const SearchPlan& options_;
    double greedy_level_;
    Collector best_;
    std::vector<Growing> growing_;
    double n_counted_ = 0;
};

}  // namespace bsnsing
