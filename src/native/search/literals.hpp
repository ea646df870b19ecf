// What rules of three and more questions are made of: the literals, in an order of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/pairs.hpp"
#include "search/pool.hpp"
#include "search/rule.hpp"
#include "work/watch.hpp"

namespace bsnsing {

// Literals that can be part of a best rule, widest first: what a rule can still gain from those
// behind its last one then shrinks fast, and the bounds with it. `keep_idle`: also literals that
// cover nobody, which limits may ask for.
std::vector<Literal> order_literals(const PoolCounts& questions, bool has_negation, bool keep_idle);

// Cases that each literal covers.
Counts literal_singles(const PoolCounts& questions, const std::vector<Literal>& literals);

// Running maximum from the right: entry i is the greatest gain of a literal after i.
void fill_most_after(const Counts& gain, std::size_t first, std::size_t n_literals, Counts& most);

// The literals whose single rules score best: where greedy growth starts.
std::vector<std::uint32_t> promising_literals(const PoolCounts& literals, std::size_t n_wanted);

// What bounds need to know of literals.
class LiteralCounts {
  public:
    // `singles` counts the literals, `pairs` has room for their pairs or is not kept. If the watch
    // stops it, pair counts are incomplete and must not be used.
    LiteralCounts(std::vector<Literal> literals, const PoolCounts& singles, PairCounts pairs,
                  const PoolCounts& questions, const PairCounts& question_pairs, Watch& watch);

    std::size_t size() const { return literals_.size(); }
    Literal literal(std::size_t position) const { return literals_[position]; }
    const PairCounts& pairs() const { return pairs_; }

    // Most cases that one later literal adds to the literal at each position.
    const Counts& most_after() const { return most_after_; }

    // The first question, in the caller's order, of the literals from `position` on.
    std::uint32_t earliest_question(std::size_t position) const { return earliest_[position]; }

    // The simplest questions, ascending, that a rule may ask which adds at least `n_more` literals
    // from `first` on to those at the positions `rule`: rules that ask for no simpler ones all lose
    // a tie with who beats these.
    void simplest_rule(const std::vector<std::uint32_t>& rule, std::size_t first,
                       std::size_t n_more, std::vector<std::uint32_t>& simplest) const;

  private:
    void fill_pairs(const PoolCounts& singles, const PoolCounts& questions,
                    const PairCounts& question_pairs, Watch& watch);

    std::vector<Literal> literals_;
    PairCounts pairs_;
    Counts most_after_;
    std::vector<std::uint32_t> earliest_;
};

// The best rule so far as positions of or-ed literals; empty if it is no such rule.
std::vector<std::uint32_t> positions_of(const Incumbent& best, const LiteralCounts& literals);

// Literals with their rows: each is a bit column of its own, so an OR of literals needs no signs.
class LiteralPool {
  public:
    LiteralPool(const Pool& questions, const PairCounts& question_pairs, const Formulas& formulas,
                bool keep_idle, Watch& watch);

    const Pool& pool() const { return pool_; }
    const LiteralCounts& counts() const { return counts_; }
    std::size_t size() const { return counts_.size(); }
    Literal literal(std::size_t position) const { return counts_.literal(position); }
    // Pair counts over the literals; kept if those over the questions were and there is room.
    const PairCounts& pairs() const { return counts_.pairs(); }
    const Counts& most_after() const { return counts_.most_after(); }
    std::uint32_t earliest_question(std::size_t position) const {
        return counts_.earliest_question(position);
    }

  private:
    LiteralPool(const Pool& questions, const PairCounts& question_pairs,
                std::vector<Literal> literals, Watch& watch);

    BitBlocks blocks_;
    Pool pool_;
    LiteralCounts counts_;
};

}  // namespace bsnsing
