// Turns the literals and counts that a scan found into named rules, and keeps the best.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "search/pool.hpp"
#include "search/rule.hpp"

namespace bsnsing {

class Collector {
  public:
    Collector(const PoolCounts& pool, const Formulas& formulas, Incumbent incumbent)
        : pool_(&pool),
          formulas_(formulas),
          incumbent_(std::move(incumbent)),
          left_(pool.n_classes()) {}

    const Incumbent& incumbent() const { return incumbent_; }
    void offer(const Incumbent& other) { incumbent_.offer(other); }
    void restart(const Incumbent& incumbent) { incumbent_ = incumbent; }

    // Every hit lowers a scan's limit, unless a constraint the scan does not see may void the hit.
    double scan_grain(const ValueGrid& grid) const {
        return pool_->objective().distinct_children || incumbent_.has_limits() ||
                       incumbent_.keeps_several()
                   ? std::numeric_limits<double>::infinity()
                   : grid.grain();
    }

    // The OR of `literals` covers `covered`; `swapped` asks for its mirror image, the AND.
    void offer_or(const std::vector<Literal>& literals, const double* covered, bool swapped) {
        const Objective& o = pool_->objective();
        const bool is_single = literals.size() == 1;
        if (is_single || (formulas_.as_or && (!o.is_oriented() || !swapped))) {
            rule_.literals = literals;
            rule_.op = Operator::logical_or;
            incumbent_.offer(rule_, covered);
        }
        if (is_single || !formulas_.as_and || (o.is_oriented() && !swapped)) return;
        rule_.literals = literals;
        for (Literal& l : rule_.literals) l.negated = !l.negated;
        rule_.op = Operator::logical_and;
        for (std::size_t j = 0; j < o.n_classes; ++j) left_[j] = o.totals[j] - covered[j];
        incumbent_.offer(rule_, left_.data());
    }

    void offer_xor(std::uint32_t first, std::uint32_t second, const double* covered) {
        rule_.literals = {{first, false}, {second, false}};
        rule_.op = Operator::exclusive_or;
        incumbent_.offer(rule_, covered);
    }

  private:
    const PoolCounts* pool_;
    Formulas formulas_;
    Incumbent incumbent_;
    Rule rule_;
    std::vector<double> left_;
};

}  // namespace bsnsing
