// Rules of two questions: all pair counts, block by block, scanned as they are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/collector.hpp"
#include "search/pool.hpp"
#include "search/search.hpp"

namespace bsnsing {

// |a and b| for all pairs a <= b (entries below the diagonal are not filled).
class PairCounts {
  public:
    PairCounts() = default;
    PairCounts(std::size_t n_classes, std::size_t n_columns)
        : n_columns_(n_columns), values_(n_classes * n_columns * n_columns, 0.0) {}
    // Room for all pairs if that stays within reason; otherwise nothing is kept.
    static PairCounts within_reason(const PoolCounts& pool);

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
PairOutcome search_pairs(const Pool& pool, const SearchPlan& options, const ValueGrid& grid,
                         PairCounts& kept, Collector& collector, Watch& watch);

// The same where the counts are there already; false if stopped.
bool offer_pairs(const PoolCounts& pool, const Formulas& formulas, const ValueGrid& grid,
                 const PairCounts& pairs, Collector& collector, Watch& watch);

// Cases of all pairs of questions, with weights: entry (class j, questions a and b) is
// [(j * n_questions + a) * n_questions + b]. Incomplete if stopped.
void count_all_pairs(const BitBlocks& blocks, const RowLayout& rows, std::size_t n_threads,
                     Watch& watch, std::int64_t* counts);

}  // namespace bsnsing
