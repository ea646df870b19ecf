#include "search/counted_greedy.hpp"

#include <algorithm>

namespace bsnsing {
namespace {

Counts singles_of(const PairMatrix& pairs) {
    Counts singles(pairs.classes.size(), round_up_to_lanes(pairs.n_questions));
    for (std::size_t j = 0; j < pairs.classes.size(); ++j)
        for (std::size_t q = 0; q < pairs.n_questions; ++q) singles.row(j)[q] = pairs.both(j, q, q);
    return singles;
}

bool asks(const Growing& growing, std::uint32_t question) {
    return std::any_of(growing.literals.begin(), growing.literals.end(),
                       [question](Literal l) { return l.question == question; });
}

}  // namespace

CountedGreedySearch::CountedGreedySearch(const PairMatrix& pairs, const Objective& objective,
                                         const SearchPlan& options, double greedy_level)
    : objective_(objective),
      options_(options),
      grid_(objective_),
      pool_(objective_, pairs.n_questions, singles_of(pairs)),
      growth_(pool_, grid_, options_, greedy_level) {
    if (!growth_.growing().empty()) growth_.extend(gains_from_pairs(pairs));
    ask_for_extensions();
}

// The first step extends a single question: what others add to it follows from the pairs.
std::vector<Counts> CountedGreedySearch::gains_from_pairs(const PairMatrix& pairs) const {
    std::vector<Counts> gains;
    for (const Growing& growing : growth_.growing()) {
        const Literal first = growing.literals.front();
        Counts& gain = gains.emplace_back(pool_.n_classes(), pool_.stride());
        for (std::size_t j = 0; j < pool_.n_classes(); ++j)
            for (std::size_t q = 0; q < pool_.n_questions(); ++q) {
                const double both = pairs.both(j, first.question, q);
                gain.row(j)[q] = first.negated ? both : pool_.singles().row(j)[q] - both;
            }
    }
    return gains;
}

void CountedGreedySearch::ask_for_extensions() {
    wanted_.clear();
    for (const Growing& growing : growth_.growing())
        for (std::uint32_t q = 0; q < pool_.n_questions(); ++q) {
            if (asks(growing, q)) continue;
            wanted_.push_back(growing.literals);
            wanted_.back().push_back({q, false});
        }
}

void CountedGreedySearch::take(std::span<const double> covered, Watch&) {
    std::vector<Counts> gains;
    std::size_t next = 0;
    for (const Growing& growing : growth_.growing()) {
        Counts& gain = gains.emplace_back(pool_.n_classes(), pool_.stride());
        for (std::uint32_t q = 0; q < pool_.n_questions(); ++q) {
            if (asks(growing, q)) continue;
            for (std::size_t j = 0; j < pool_.n_classes(); ++j)
                gain.row(j)[q] = covered[next++] - growing.covered[j];
        }
    }
    growth_.extend(gains);
    ask_for_extensions();
}

}  // namespace bsnsing
