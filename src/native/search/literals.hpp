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

// Each literal is a bit column of its own, so an OR of literals needs no signs. The widest come
// first: what a rule can still gain from the literals behind its last one then shrinks fast, and
// the bounds with it.
class LiteralPool {
  public:
    // If the watch stops it, pair counts are incomplete and must not be used.
    // `keep_idle`: also literals that cover nobody, which limits may ask for.
    LiteralPool(const Pool& questions, const PairCounts& question_pairs, const Formulas& formulas,
                bool keep_idle, Watch& watch);

    const Pool& pool() const { return pool_; }
    std::size_t size() const { return literals_.size(); }
    Literal literal(std::size_t position) const { return literals_[position]; }

    // Pair counts over the literals; kept if those over the questions were and there is room.
    const PairCounts& pairs() const { return pairs_; }

    // Most cases that one later literal adds to the literal at each position.
    const Counts& most_after() const { return most_after_; }

    // The first question, in the caller's order, of the literals from `position` on.
    std::uint32_t earliest_question(std::size_t position) const { return earliest_[position]; }

  private:
    void fill_pairs(const Pool& questions, const PairCounts& question_pairs, Watch& watch);

    std::vector<Literal> literals_;
    BitBlocks blocks_;
    Pool pool_;
    PairCounts pairs_;
    Counts most_after_;
    std::vector<std::uint32_t> earliest_;
};

}  // namespace bsnsing
