// Rules of two questions: all pair counts, block by block, scanned as they are made.
#pragma once

#include <cstddef>
#include <vector>

#include "search/collector.hpp"
#include "search/pool.hpp"
#include "search/search.hpp"

namespace bsnsing {

// |a and b| for all pairs a <= b (entries below the diagonal are not filled).
class PairCounts {
  public:
    PairCounts() = default;
    // Room for all pairs if that stays within reason; otherwise nothing is kept.
    explicit PairCounts(const Pool& pool);

    bool is_kept() const { return !values_.empty(); }
    std::size_t class_stride() const { return n_columns_ * n_columns_; }
    double* row(std::size_t question) { return values_.data() + question * n_columns_; }
    const double* row(std::size_t question) const { return values_.data() + question * n_columns_; }

  private:
    std::size_t n_columns_ = 0;
    AlignedVector<double> values_;
};

struct PairOutcome {
    bool finished = true;
    std::vector<char> is_row_done;  // per question: its pairs with all later ones were counted
};

// Offers all pairs to the collector; fills `kept` where it has room.
PairOutcome search_pairs(const Pool& pool, const SearchOptions& options, const ValueGrid& grid,
                         PairCounts& kept, Collector& collector, Watch& watch);

}  // namespace bsnsing
