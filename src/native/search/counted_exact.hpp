// The exact search from counts.
#pragma once

#include <memory>

#include "search/collector.hpp"
#include "search/counted.hpp"
#include "search/literals.hpp"
#include "search/pairs.hpp"

namespace bsnsing {

// Singles and pairs are settled at once. Larger rules are sets of literals, each added behind the
// last in the order of LiteralCounts. Of a set with exact counts, what a further literal gains lies
// in a box: no more than over any part of the set, no less than over a part less what it shares
// with the rest. A set is asked for if the least value over its box, and over what may follow it,
// can still win.
class CountedExactSearch : public CountedSearch {
  public:
    CountedExactSearch(const PairMatrix& pairs, const Objective& objective,
                       const SearchPlan& options, Watch& watch);

    void take(std::span<const double> covered, Watch& watch) override;
    FoundRule found() const override;

  private:
    // A set with exact counts, and bounds on what each further literal gains.
    struct Node {
        std::vector<std::uint32_t> literals;  // positions, ascending
        std::vector<double> base;             // [class]: cases covered
        Counts least;
        Counts most;
    };
    // A set that was counted and waits to be extended.
    struct Open {
        std::shared_ptr<const Node> parent;
        std::uint32_t literal = 0;
        std::vector<double> base;
    };
    struct Wanted {
        std::size_t parent = 0;  // in parents_
        std::uint32_t literal = 0;
    };
    // Something to beat: the best rule so far, extended by its best literal again and again.
    struct Seed {
        std::vector<std::uint32_t> literals;
        std::vector<std::uint32_t> asked;  // the literals whose addition is being counted
        std::vector<double> covered;
    };

    void start_deep(Watch& watch);
    // Goes on to the next batch of sets, or finds that there is none.
    void advance(Watch& watch);
    bool ask_for_seeds();
    void ask_for_wave(Watch& watch);
    void take_seeds(std::span<const double> covered);
    void take_wave(std::span<const double> covered);

    std::shared_ptr<Node> make_child(const Node& parent, std::uint32_t literal,
                                     std::vector<double> base) const;
    // The next pair that larger rules may grow out of; nothing if there is none.
    std::shared_ptr<Node> next_pair();
    void open_first(std::uint32_t literal);
    void expand(std::shared_ptr<Node> node);
    std::vector<std::uint32_t> find_openings(const Node& node, std::size_t n_more,
                                             std::size_t least_added);

    std::vector<Literal> rule_of(const std::vector<std::uint32_t>& positions,
                                 std::uint32_t added) const;
    bool may_extend(const std::vector<std::uint32_t>& positions, std::uint32_t added) const;
    void offer(const std::vector<Literal>& literals, const double* covered);
    double both(std::size_t class_index, std::size_t a, std::size_t b) const {
        return literals_->pairs().row(
            std::min(a, b))[class_index * literals_->pairs().class_stride() + std::max(a, b)];
    }
    void stop();

    Objective objective_;
    SearchPlan options_;
    ValueGrid grid_;
    std::size_t n_given_;              // questions, before those that repeat others were dropped
    std::vector<std::uint32_t> kept_;  // positions of the others
    PairCounts pairs_;
    PoolCounts pool_;
    Collector collector_;
    double n_counted_ = 0;  // rules of one and two questions
    double n_deep_counted_ = 0;
    bool pairs_done_ = true;
    bool goes_deep_ = false;
    bool is_stopped_ = false;

    std::unique_ptr<PoolCounts> literal_pool_;
    std::unique_ptr<LiteralCounts> literals_;
    std::unique_ptr<Seed> seed_;
    std::vector<std::uint32_t> firsts_;
    std::size_t next_first_ = 0;
    std::unique_ptr<Node> first_;         // the one literal that pairs are opened from
    std::vector<std::uint32_t> seconds_;  // its openings
    std::size_t next_second_ = 0;
    std::vector<Open> pending_;
    std::vector<std::shared_ptr<Node>> parents_;  // of the sets asked for
    std::vector<Wanted> asked_;
    Counts width_;  // memory for find_openings
    Counts most_after_;
};

}  // namespace bsnsing
