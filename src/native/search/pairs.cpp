#include "search/pairs.hpp"

#include <algorithm>

#include "work/parallel.hpp"

namespace bsnsing {
namespace {

constexpr std::size_t kMostKeptBytes = std::size_t{1} << 27U;

// Rows of the pair matrix are made in groups of this many blocks: a block of partners, once in
// the cache, serves the whole group. kChunkWords words of a group fill half an L1 cache.
constexpr std::size_t kGroupBlocks = 4;
constexpr std::size_t kChunkWords = 64;

// Where a group's counts go: [class][row of the group][partner].
struct Strip {
    double* data = nullptr;
    std::size_t class_stride = 0;
    std::size_t row_stride = 0;

    double* at(std::size_t class_index, std::size_t row) const {
        return data + class_index * class_stride + row * row_stride;
    }
};

// Counts the pairs of a group with all partners from the group on; false if stopped.
bool count_group(const Pool& pool, std::size_t first_block, std::size_t end_block,
                 const Strip& strip, Watch& watch) {
    const BitBlocks& blocks = pool.blocks();
    std::vector<char> is_started(pool.n_classes(), 0);
    for (const Segment& s : pool.rows().segments) {
        for (std::size_t w = 0; w < s.n_words; w += kChunkWords) {
            const std::size_t n_words = std::min(kChunkWords, s.n_words - w);
            const std::size_t offset = (s.first_word + w) * kLanes;
            const bool starts = is_started[s.class_index] == 0;
            if (watch.check()) return false;
            for (std::size_t b = first_block; b < blocks.n_blocks(); ++b)
                for (std::size_t a = first_block; a < end_block && a <= b; ++a)
                    pool.kernels().count_tile(
                        blocks.block(a) + offset, blocks.block(b) + offset, n_words,
                        static_cast<double>(s.weight), starts,
                        strip.at(s.class_index, (a - first_block) * kLanes) + b * kLanes,
                        strip.row_stride);
            is_started[s.class_index] = 1;
        }
    }
    for (std::size_t j = 0; j < pool.n_classes(); ++j)
        for (std::size_t row = 0; !is_started[j] && row < (end_block - first_block) * kLanes; ++row)
            std::fill_n(strip.at(j, row), strip.row_stride, 0.0);
    return true;
}

void offer_hits(const Pool& pool, const PairScan& scan, std::uint32_t own, const Hit* hits,
                std::size_t n_hits, Collector& collector) {
    std::vector<double> covered(pool.n_classes());
    for (std::size_t i = 0; i < n_hits; ++i) {
        const Hit& hit = hits[i];
        for (std::size_t j = 0; j < covered.size(); ++j) {
            const double a = scan.own[j];
            const double b = scan.singles[j * scan.stride + hit.question];
            const double both = scan.both[j * scan.both_stride + hit.question];
            const double total = pool.objective().totals[j];
            if (hit.is_xor) {
                covered[j] = a + b - 2 * both;
            } else {
                // Everyone but those who fail both literals.
                const double fails_a_yes_b = hit.negated ? both : a - both;
                const double others = hit.negated ? b - both : total - a - b + both;
                covered[j] = total - (hit.first_negated ? fails_a_yes_b : others);
            }
        }
        if (hit.is_xor)
            collector.offer_xor(own, hit.question, covered.data());
        else
            collector.offer_or({{own, hit.first_negated}, {hit.question, hit.negated}},
                               covered.data(), hit.swapped);
    }
}

// Scans the pairs of one question; `both` points at its row of counts.
void scan_row(const Pool& pool, const Formulas& formulas, const ValueGrid& grid, std::size_t own,
              const double* both, std::size_t both_stride, std::vector<Hit>& hits,
              Collector& collector) {
    const std::vector<double> own_counts = pool.literal_counts(own, false);
    PairScan scan;
    scan.objective = &pool.objective();
    scan.formulas = formulas;
    scan.n_questions = pool.n_questions();
    scan.stride = pool.stride();
    scan.first = own + 1;
    scan.own = own_counts.data();
    scan.singles = pool.singles().row(0);
    scan.own_position = own;
    scan.moments = pool.moments();
    scan.leans = pool.leans();
    scan.both = both;
    scan.both_stride = both_stride;
    scan.limit = collector.incumbent().limit();
    scan.grain = collector.scan_grain(grid);
    const std::size_t n_hits = pool.kernels().scan_pairs(scan, hits.data());
    offer_hits(pool, scan, static_cast<std::uint32_t>(own), hits.data(), n_hits, collector);
}

}  // namespace

PairCounts::PairCounts(const Pool& pool) {
    const std::size_t n = pool.stride();
    const std::size_t size = pool.n_classes() * n * n;
    if (n > kMostKeptBytes || size > kMostKeptBytes / sizeof(double)) return;
    n_columns_ = n;
    values_.assign(size, 0.0);
}

PairOutcome search_pairs(const Pool& pool, const SearchOptions& options, const ValueGrid& grid,
                         PairCounts& kept, Collector& collector, Watch& watch) {
    const std::size_t n_blocks = pool.blocks().n_blocks();
    const std::size_t n_groups = (n_blocks + kGroupBlocks - 1) / kGroupBlocks;
    const std::size_t n_threads = useful_threads(options.n_threads, n_groups);
    const std::size_t n_rows = kGroupBlocks * kLanes;
    PairOutcome outcome;
    outcome.is_row_done.assign(pool.n_questions(), 0);
    std::vector<Collector> collectors(n_threads, collector);
    std::vector<UnfilledVector<double>> scratch(n_threads);
    std::vector<std::vector<Hit>> hits(n_threads);
    parallel_for(
        n_groups, n_threads,
        [&](std::size_t group, std::size_t thread) {
            const std::size_t first_block = group * kGroupBlocks;
            const std::size_t end_block = std::min(first_block + kGroupBlocks, n_blocks);
            Strip strip{nullptr, n_rows * pool.stride(), pool.stride()};
            if (kept.is_kept()) {
                strip.data = kept.row(first_block * kLanes);
                strip.class_stride = kept.class_stride();
            } else {
                scratch[thread].resize(pool.n_classes() * strip.class_stride);
                strip.data = scratch[thread].data();
            }
            if (watch.has_stopped() || !count_group(pool, first_block, end_block, strip, watch))
                return;
            hits[thread].resize(pool.stride() * kHitsPerQuestion);
            const std::size_t end = std::min(end_block * kLanes, pool.n_questions());
            for (std::size_t own = first_block * kLanes; own < end; ++own) {
                scan_row(pool, options.formulas, grid, own, strip.at(0, own - first_block * kLanes),
                         strip.class_stride, hits[thread], collectors[thread]);
                outcome.is_row_done[own] = 1;
            }
        },
        [&] { watch.check(); });
    for (const Collector& c : collectors) collector.offer(c.incumbent());
    outcome.finished = std::find(outcome.is_row_done.begin(), outcome.is_row_done.end(), 0) ==
                       outcome.is_row_done.end();
    return outcome;
}

}  // namespace bsnsing
