// The search where no row is at hand: counts of singles and pairs are given, and those of larger
// rules are asked for, a batch at a time, where bounds do not rule them out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "search/search.hpp"

namespace bsnsing {

// Cases by class and pair of questions; entry (class j, questions a and b) is
// [(classes[j] * n_questions + a) * n_questions + b].
struct PairMatrix {
    std::span<const std::int64_t> counts;
    std::size_t n_questions = 0;
    std::vector<std::size_t> classes;  // those that count, of all that the matrix has

    double both(std::size_t class_index, std::size_t a, std::size_t b) const {
        return static_cast<double>(
            counts[(classes[class_index] * n_questions + a) * n_questions + b]);
    }
};

class CountedSearch {
  public:
    virtual ~CountedSearch() = default;
    CountedSearch() = default;
    CountedSearch(const CountedSearch&) = delete;
    CountedSearch& operator=(const CountedSearch&) = delete;

    // Sets of literals: the cases that each one's OR covers are needed next. Empty when the search
    // is over.
    const std::vector<std::vector<Literal>>& wanted() const { return wanted_; }
    // These cases: entry (set i, class j) is [i * n_classes + j].
    virtual void take(std::span<const double> covered, Watch& watch) = 0;
    // The best rule so far; proven to be the best if the search is over and was not stopped.
    virtual FoundRule found() const = 0;

  protected:
    std::vector<std::vector<Literal>> wanted_;
};

// Finds what find_best_rule or, with a `greedy_level`, find_greedy_rule would.
std::unique_ptr<CountedSearch> search_counts(const PairMatrix& pairs, const Objective& objective,
                                             const SearchPlan& options,
                                             std::optional<double> greedy_level, Watch& watch);

}  // namespace bsnsing
