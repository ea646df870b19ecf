// Forward selection from counts.
#pragma once

#include "search/counted.hpp"
#include "search/greedy.hpp"

namespace bsnsing {

class CountedGreedySearch : public CountedSearch {
  public:
    CountedGreedySearch(const PairMatrix& pairs, const Objective& objective,
                        const SearchPlan& options, double greedy_level);

    void take(std::span<const double> covered, Watch& watch) override;
    FoundRule found() const override { return growth_.found(); }

  private:
    std::vector<Counts> gains_from_pairs(const PairMatrix& pairs) const;
    void ask_for_extensions();

    Objective objective_;
    SearchPlan options_;
    ValueGrid grid_;
    PoolCounts pool_;
    GreedyGrowth growth_;
};

}  // namespace bsnsing
