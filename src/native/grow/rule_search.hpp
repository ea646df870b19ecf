// The search for a node's rule from counts: what CountedSearch is over positions, in questions.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "grow/chooser.hpp"
#include "grow/present_classes.hpp"
#include "search/counted.hpp"

namespace bsnsing {

class RuleSearch {
  public:
    // `pairs` counts the questions: see count_all_pairs. The chooser must outlive the search.
    // It may work for `seconds`, and for those of the chooser's options at most. The last `n_given`
    // questions were given for this node alone. Throws std::invalid_argument if counts contradict
    // each other.
    RuleSearch(const Chooser& chooser, std::span<const std::int64_t> totals,
               std::span<const ClassHistogram> histograms, std::vector<Question> questions,
               std::span<const std::int64_t> pairs, Interrupt& interrupt,
               double seconds = std::numeric_limits<double>::infinity(),
               const NodeLimits* node = nullptr, std::size_t n_given = 0);

    const Chooser& chooser() const { return chooser_; }
    std::size_t n_classes() const { return totals_.size(); }

    // Rules whose cases are needed next; none when the search is over.
    std::vector<NodeRule> wanted() const;
    // Cases that answer yes, by rule and class.
    void take(std::span<const std::int64_t> counts, Interrupt& interrupt);
    NodeSplit found() const;

  private:
    // What a negated question needs to get its plain name: whether cases at the node are missing,
    // and whether one has the value of the threshold.
    struct Codes {
        bool has_missing = false;
        bool has_value = false;
    };

    void check_pairs(std::span<const std::int64_t> pairs) const;

    const Chooser& chooser_;
    double limit_;
    double seconds_ = 0;  // of its own work, not of the counting in between
    std::vector<double> totals_;
    std::vector<Question> questions_;
    std::size_t n_own_;
    std::vector<Codes> codes_;  // by question
    Objective objective_;
    PresentClasses present_;
    std::vector<double> xlogx_;
    std::unique_ptr<CountedSearch> search_;
};

}  // namespace bsnsing
