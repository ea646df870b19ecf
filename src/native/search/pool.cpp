#include "search/pool.hpp"

#include <algorithm>
#include <utility>

namespace bsnsing {
namespace {

AlignedVector<Word> all_rows(const RowLayout& rows) {
    AlignedVector<Word> words(rows.n_words, ~Word{0});
    for (const Segment& s : rows.segments)
        if (s.n_rows % kWordBits != 0)
            words[s.first_word + s.n_words - 1] = (Word{1} << (s.n_rows % kWordBits)) - 1;
    return words;
}

// Adds the cases of `column` that answer yes to the questions of the blocks from `first` on.
void add_column(const BitBlocks& blocks, const RowLayout& rows, const Word* column,
                std::size_t first, Counts& counts) {
    const Kernels& kernels = active_kernels();
    for (std::size_t b = first; b < blocks.n_blocks(); ++b)
        for (const Segment& s : rows.segments)
            kernels.count_column(column + s.first_word, blocks.block(b) + s.first_word * kLanes,
                                 s.n_words, static_cast<double>(s.weight),
                                 counts.row(s.class_index) + b * kLanes);
}

Counts count_singles(const BitBlocks& blocks, const RowLayout& rows) {
    Counts singles(rows.n_classes, round_up_to_lanes(blocks.n_questions()));
    add_column(blocks, rows, all_rows(rows).data(), 0, singles);
    return singles;
}

}  // namespace

PoolCounts::PoolCounts(const Objective& objective, std::size_t n_questions, Counts singles)
    : objective_(objective),
      kernels_(active_kernels()),
      n_questions_(n_questions),
      singles_(std::move(singles)) {
    if (facts_of(objective.criterion).is_screened) screen_ = entropy_screen(objective);
    fill_moments();
}

void PoolCounts::fill_moments() {
    constexpr double kMostCases = 1 << 26;  // squares of larger sums would round
    const Objective& o = objective_;
    const CriterionFacts& facts = facts_of(o.criterion);
    if (!o.whole_numbers || o.total > kMostCases) return;
    if (o.n_classes == 2) {
        if (!facts.has_leans || o.is_oriented()) return;
        leans_ = Counts(2, stride());
        for (std::size_t q = 0; q < stride(); ++q) {
            leans_.row(0)[q] = singles_.row(0)[q] + singles_.row(1)[q];
            leans_.row(1)[q] = singles_.row(0)[q] * o.totals[1] - singles_.row(1)[q] * o.totals[0];
        }
        return;
    }
    if (!facts.has_moments) return;
    moments_ = Counts(3, stride());
    for (std::size_t j = 0; j < n_classes(); ++j) {
        const double* n = singles_.row(j);
        const double scale = facts.is_screened ? screen_.classes[j].inverse : 1.0;
        for (std::size_t q = 0; q < stride(); ++q) {
            moments_.row(0)[q] += n[q];
            moments_.row(1)[q] += o.totals[j] * n[q] * scale;
            moments_.row(2)[q] += n[q] * n[q] * scale;
        }
    }
}

Moments PoolCounts::moments() const {
    if (moments_.values.empty()) return {};
    return {moments_.row(0), moments_.row(1), moments_.row(2)};
}

Leans PoolCounts::leans() const {
    if (leans_.values.empty()) return {};
    return {leans_.row(0), leans_.row(1)};
}

Pool::Pool(const BitBlocks& blocks, const RowLayout& rows, const Objective& objective)
    : PoolCounts(objective, blocks.n_questions(), count_singles(blocks, rows)),
      blocks_(blocks),
      rows_(rows),
      everyone_(all_rows(rows)) {}

void Pool::count_column(const Word* column, std::size_t first, Counts& counts) const {
    const std::size_t first_block = first / kLanes;
    for (std::size_t j = 0; j < n_classes(); ++j)
        std::fill(counts.row(j) + first_block * kLanes, counts.row(j) + counts.stride, 0.0);
    add_column(blocks_, rows_, column, first_block, counts);
}

void Pool::count_block(const Word* column, std::size_t start, double* out) const {
    std::fill(out, out + n_classes() * kLanes, 0.0);
    for (const Segment& s : rows_.segments)
        kernels().count_column(column + s.first_word,
                               blocks_.block(start / kLanes) + s.first_word * kLanes, s.n_words,
                               static_cast<double>(s.weight), out + s.class_index * kLanes);
}

void Pool::remove_literal(const Word* rest, std::size_t question, bool negated, Word* out) const {
    const Word* lane = blocks_.lane(question);
    const Word flip = negated ? Word{0} : ~Word{0};
    for (std::size_t w = 0; w < rows_.n_words; ++w) out[w] = rest[w] & (lane[w * kLanes] ^ flip);
}

std::vector<double> PoolCounts::literal_counts(std::size_t question, bool negated) const {
    std::vector<double> counts(n_classes());
    for (std::size_t j = 0; j < n_classes(); ++j) {
        const double yes = singles_.row(j)[question];
        counts[j] = negated ? objective_.totals[j] - yes : yes;
    }
    return counts;
}

}  // namespace bsnsing
