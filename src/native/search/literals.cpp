#include "search/literals.hpp"

#include <algorithm>
#include <utility>

namespace bsnsing {
namespace {

BitBlocks literal_blocks(const Pool& questions, const std::vector<Literal>& literals) {
    BitBlocks blocks = BitBlocks::unfilled(literals.size(), questions.rows().n_words);
    const Word* everyone = questions.everyone().data();
    for (std::size_t i = 0; i < literals.size(); ++i) {
        const Word* from = questions.blocks().lane(literals[i].question);
        const Word flip = literals[i].negated ? ~Word{0} : Word{0};
        Word* to = blocks.lane(i);
        for (std::size_t w = 0; w < blocks.n_words(); ++w)
            to[w * kLanes] = (from[w * kLanes] ^ flip) & everyone[w];
    }
    return blocks;
}

}  // namespace

// One that covers nobody only lengthens a rule; one that leaves fewer than `min_leaf` cases cannot
// be or-ed with anything.
std::vector<Literal> order_literals(const PoolCounts& questions, bool has_negation,
                                    bool keep_idle) {
    const Objective& o = questions.objective();
    std::vector<std::pair<double, Literal>> sized;
    for (std::uint32_t q = 0; q < questions.n_questions(); ++q) {
        double size = 0;
        for (std::size_t j = 0; j < o.n_classes; ++j) size += questions.singles().row(j)[q];
        for (const bool negated : {false, true}) {
            if (negated && !has_negation) break;
            const double covered = negated ? o.total - size : size;
            if ((covered > 0 || keep_idle) && o.total - covered >= o.min_leaf)
                sized.push_back({covered, {q, negated}});
        }
    }
    std::stable_sort(sized.begin(), sized.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Literal> literals;
    for (const auto& [size, literal] : sized) literals.push_back(literal);
    return literals;
}

Counts literal_singles(const PoolCounts& questions, const std::vector<Literal>& literals) {
    Counts singles(questions.n_classes(), round_up_to_lanes(literals.size()));
    for (std::size_t i = 0; i < literals.size(); ++i) {
        const std::vector<double> cases =
            questions.literal_counts(literals[i].question, literals[i].negated);
        for (std::size_t j = 0; j < cases.size(); ++j) singles.row(j)[i] = cases[j];
    }
    return singles;
}

void fill_most_after(const Counts& gain, std::size_t first, std::size_t n_literals, Counts& most) {
    for (std::size_t start = 0; start < gain.values.size(); start += gain.stride) {
        const double* g = gain.values.data() + start;
        double* out = most.values.data() + start;
        double greatest = 0;
        for (std::size_t i = n_literals; i-- > first;) {
            out[i] = greatest;
            greatest = std::max(greatest, g[i]);
        }
    }
}

std::vector<std::uint32_t> promising_literals(const PoolCounts& literals, std::size_t n_wanted) {
    std::vector<std::pair<double, std::uint32_t>> scored;
    for (std::uint32_t i = 0; i < literals.n_questions(); ++i)
        scored.emplace_back(
            objective_value(literals.objective(), literals.literal_counts(i, false).data()), i);
    const std::size_t n = std::min(n_wanted, scored.size());
    std::partial_sort(scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(n),
                      scored.end());
    std::vector<std::uint32_t> promising;
    for (std::size_t i = 0; i < n; ++i) promising.push_back(scored[i].second);
    return promising;
}

std::vector<std::uint32_t> positions_of(const Incumbent& best, const LiteralCounts& literals) {
    std::vector<std::uint32_t> positions;
    if (!best.is_found() || best.rule().op == Operator::exclusive_or) return positions;
    const bool is_and = best.rule().op == Operator::logical_and;
    for (std::uint32_t i = 0; i < literals.size(); ++i)
        for (const Literal& l : best.rule().literals)
            if (literals.literal(i).question == l.question &&
                literals.literal(i).negated == (l.negated != is_and))
                positions.push_back(i);
    return positions;
}

void LiteralCounts::simplest_rule(const std::vector<std::uint32_t>& rule, std::size_t first,
                                  std::size_t n_more, std::vector<std::uint32_t>& simplest) const {
    simplest.clear();
    for (const std::uint32_t position : rule) simplest.push_back(literals_[position].question);
    // Two new ones are two questions, but which the second would be is not worth finding out.
    simplest.resize(rule.size() + n_more, earliest_[first]);
    std::sort(simplest.begin(), simplest.end());
}

LiteralPool::LiteralPool(const Pool& questions, const PairCounts& question_pairs,
                         const Formulas& formulas, bool keep_idle, Watch& watch)
    : LiteralPool(questions, question_pairs,
                  order_literals(questions, formulas.has_negation, keep_idle), watch) {}

LiteralPool::LiteralPool(const Pool& questions, const PairCounts& question_pairs,
                         std::vector<Literal> literals, Watch& watch)
    : blocks_(literal_blocks(questions, literals)),
      pool_(blocks_, questions.rows(), questions.objective()),
      counts_(std::move(literals), pool_,
              question_pairs.is_kept() ? PairCounts::within_reason(pool_) : PairCounts(), questions,
              question_pairs, watch) {}

LiteralCounts::LiteralCounts(std::vector<Literal> literals, const PoolCounts& singles,
                             PairCounts pairs, const PoolCounts& questions,
                             const PairCounts& question_pairs, Watch& watch)
    : literals_(std::move(literals)),
      pairs_(std::move(pairs)),
      most_after_(singles.n_classes(), singles.stride()),
      earliest_(literals_.size()) {
    auto earliest = static_cast<std::uint32_t>(questions.n_questions());
    for (std::size_t i = literals_.size(); i-- > 0;) {
        earliest = std::min(earliest, literals_[i].question);
        earliest_[i] = earliest;
    }
    if (pairs_.is_kept()) {
        fill_pairs(singles, questions, question_pairs, watch);
        return;
    }
    for (std::size_t j = 0; j < singles.n_classes(); ++j)
        std::fill_n(most_after_.row(j), size(), singles.objective().totals[j]);
}

// One count per pair of questions gives all four pairs of their literals, by subtraction.
void LiteralCounts::fill_pairs(const PoolCounts& singles, const PoolCounts& questions,
                               const PairCounts& question_pairs, Watch& watch) {
    for (std::size_t j = 0; j < singles.n_classes(); ++j) {
        const double* question_single = questions.singles().row(j);
        const double* single = singles.singles().row(j);
        for (std::size_t a = 0; a < size(); ++a) {
            if (a % kLanes == 0 && watch.check()) return;
            const auto [own, own_negated] = literals_[a];
            double* both = pairs_.row(a) + j * pairs_.class_stride();
            double most = 0;
            // From the start of the block: scans work on whole blocks.
            for (std::size_t b = a / kLanes * kLanes; b < size(); ++b) {
                const auto [other, other_negated] = literals_[b];
                const double yes = question_pairs.row(
                    std::min(own, other))[j * question_pairs.class_stride() + std::max(own, other)];
                const double yes_b = other_negated ? question_single[own] - yes : yes;
                both[b] = own_negated ? single[b] - yes_b : yes_b;
                if (b > a) most = std::max(most, single[b] - both[b]);
            }
            most_after_.row(j)[a] = most;
        }
    }
}

}  // namespace bsnsing
