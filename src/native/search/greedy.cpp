#include "search/greedy.hpp"

#include <algorithm>

#include "search/singles.hpp"

namespace bsnsing {
namespace {

void mirror(Growing& growing, const Objective& objective) {
    growing.mirrored = !growing.mirrored;
    for (Literal& l : growing.literals) l.negated = !l.negated;
    for (std::size_t j = 0; j < objective.n_classes; ++j)
        growing.covered[j] = objective.totals[j] - growing.covered[j];
}

Growing as_or(const Incumbent& incumbent, const Objective& objective) {
    Growing growing;
    growing.literals = incumbent.rule().literals;
    growing.covered = incumbent.left();
    if (incumbent.rule().op == Operator::logical_and) mirror(growing, objective);
    return growing;
}

// Cases that each question would add to a rule.
Counts count_gains(const Pool& pool, const Growing& growing) {
    AlignedVector<Word> rest(pool.everyone());
    for (const Literal& l : growing.literals)
        pool.remove_literal(rest.data(), l.question, l.negated, rest.data());
    Counts gain(pool.n_classes(), pool.stride());
    pool.count_column(rest.data(), 0, gain);
    return gain;
}

}  // namespace

GreedyGrowth::GreedyGrowth(const PoolCounts& pool, const ValueGrid& grid, const SearchPlan& options,
                           double greedy_level)
    : pool_(pool),
      grid_(grid),
      options_(options),
      greedy_level_(greedy_level),
      best_(pool, options.formulas, nothing_yet(1)) {
    n_counted_ = offer_singles(pool, options.formulas, best_);
    choose_growing();
}

// Early on, what limits ask for may still follow.
Incumbent GreedyGrowth::nothing_yet(std::size_t size) const {
    return {pool_.objective(), grid_, options_.limits, options_.max_rules - size};
}

void GreedyGrowth::choose_growing() {
    growing_.clear();
    const Incumbent& best = best_.incumbent();
    if (!best.is_found() || best.rule().literals.size() >= options_.max_rules ||
        best.rule().op == Operator::exclusive_or)
        return;
    growing_.push_back(as_or(best, pool_.objective()));
    if (best.rule().literals.size() == 1 && options_.formulas.as_and) {
        // A single question may also become an AND: the OR of its negation, mirrored.
        growing_.push_back(growing_.front());
        mirror(growing_.back(), pool_.objective());
    }
}

double GreedyGrowth::reduction(const Incumbent& incumbent) const {
    return unsplit_value(pool_.objective()) -
           objective_value(pool_.objective(), incumbent.left().data()) - incumbent.price();
}

void GreedyGrowth::extend(const std::vector<Counts>& gains) {
    const std::size_t size = best_.incumbent().rule().literals.size();
    Collector next(pool_, options_.formulas, nothing_yet(size + 1));
    for (std::size_t i = 0; i < growing_.size(); ++i) offer_extensions(growing_[i], gains[i], next);
    growing_.clear();
    if (!next.incumbent().is_found()) return;
    const bool is_better =
        reduction(next.incumbent()) * greedy_level_ > reduction(best_.incumbent());
    if (!is_better && options_.limits.allow(best_.incumbent().rule().literals)) return;
    best_ = std::move(next);
    choose_growing();
}

// Offers every rule with one literal more.
void GreedyGrowth::offer_extensions(const Growing& growing, const Counts& gain,
                                    Collector& collector) {
    const Formulas& formulas = options_.formulas;
    std::vector<double> covered(pool_.n_classes());
    for (std::uint32_t q = 0; q < pool_.n_questions(); ++q) {
        const bool is_used = std::any_of(growing.literals.begin(), growing.literals.end(),
                                         [q](Literal l) { return l.question == q; });
        for (const bool negated : {false, true}) {
            if (is_used || (negated && !formulas.has_negation)) break;
            for (std::size_t j = 0; j < covered.size(); ++j) {
                const double g = gain.row(j)[q];
                covered[j] = negated ? pool_.objective().totals[j] - g : growing.covered[j] + g;
            }
            std::vector<Literal> grown = growing.literals;
            grown.push_back({q, negated});
            std::sort(grown.begin(), grown.end(),
                      [](Literal a, Literal b) { return a.question < b.question; });
            collector.offer_or(grown, covered.data(), growing.mirrored);
            n_counted_ += 1;
        }
        const Literal first = growing.literals.front();
        if (is_used || !formulas.as_xor || growing.literals.size() > 1 || first.negated) continue;
        for (std::size_t j = 0; j < covered.size(); ++j)  // one or the other, less both twice
            covered[j] = growing.covered[j] + 2 * gain.row(j)[q] - pool_.singles().row(j)[q];
        collector.offer_xor(std::min(first.question, q), std::max(first.question, q),
                            covered.data());
        n_counted_ += 1;
    }
}

FoundRule GreedyGrowth::found() const {
    FoundRule found;
    const Incumbent& best = best_.incumbent();
    if (best.is_found() && options_.limits.allow(best.rule().literals))
        found = describe(pool_, best);
    found.n_counted = n_counted_;
    found.optimal = false;
    found.bound = 0;
    return found;
}

FoundRule find_greedy_rule(const BitBlocks& blocks, const RowLayout& rows,
                           const Objective& objective, const SearchPlan& options,
                           double greedy_level, Watch& watch) {
    const Pool pool(blocks, rows, objective);
    const ValueGrid grid(objective);
    GreedyGrowth growth(pool, grid, options, greedy_level);
    while (!growth.growing().empty() && !watch.check()) {
        std::vector<Counts> gains;
        for (const Growing& growing : growth.growing()) gains.push_back(count_gains(pool, growing));
        growth.extend(gains);
    }
    return growth.found();
}

}  // namespace bsnsing
