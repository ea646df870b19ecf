#include "search/pairs.hpp"

#include <algorithm>

#include "search/packed.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

constexpr std::size_t kMostKeptBytes = std::size_t{1} << 27U;

// Rows of the pair matrix are made in groups of this many blocks: a block of partners, once in
// the cache, serves the whole group. kChunkWords words of a group fill half an L1 cache.
constexpr std::size_t kGroupBlocks = 4;
constexpr std::size_t kChunkWords = 64;

// What the counts of a group may take, unless that is less than one block of partners does.
constexpr std::size_t kMostGroupBytes = std::size_t{1} << 28U;

// Rows of the pair matrix that are counted together: blocks first to end, with partners from first
// on; with very many classes not with all of these at once.
struct BlockGroup {
    std::size_t first = 0;
    std::size_t end = 0;
    std::size_t first_partner = 0;
    std::size_t end_partner = 0;

    std::size_t first_question() const { return first * kLanes; }
};

// Calls count(a, b) for the tiles of a group: its own blocks a, its partners b from a on.
template <class Count>
void for_each_tile(const BlockGroup& group, const Count& count) {
    for (std::size_t b = group.first_partner; b < group.end_partner; ++b)
        for (std::size_t a = group.first; a < group.end && a <= b; ++a) count(a, b);
}

// After this many classes it is time to look at the clock.
constexpr std::size_t kCheckClasses = 64;

// The pairs of one question with all later ones, but for the limit that they have to beat.
// `own_counts` must outlive the scan.
PairScan scan_of(const PoolCounts& pool, const Formulas& formulas, std::size_t own,
                 const std::vector<double>& own_counts, const double* both,
                 std::size_t class_stride) {
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
    scan.screen = pool.screen();
    scan.both = both;
    scan.both_stride = class_stride;
    return scan;
}

// Pair counts of one thread as they are needed, in doubles: class by class, row by row.
class WideCounts {
  public:
    WideCounts(const Pool& pool, const Formulas& formulas, PairCounts& kept)
        : pool_(pool),
          formulas_(formulas),
          kept_(kept),
          small_(weighted_segments(pool.rows(), kChunkWords)),
          memory_(pool.n_classes()) {}

    // Blocks of partners whose counts there is room for.
    std::size_t partners_at_once() const {
        if (kept_.is_kept()) return pool_.blocks().n_blocks();
        const std::size_t per_block =
            pool_.n_classes() * kGroupBlocks * kLanes * kLanes * sizeof(double);
        return std::max<std::size_t>(1, kMostGroupBytes / per_block);
    }

    // Counts the pairs of a group; false if stopped.
    bool count(const BlockGroup& group, Watch& watch) {
        group_ = group;
        if (kept_.is_kept()) {
            first_ = 0;
            row_stride_ = pool_.stride();
            data_ = kept_.row(group.first_question());
            class_stride_ = kept_.class_stride();
        } else {
            first_ = group.first_partner * kLanes;
            row_stride_ = group.end_partner * kLanes - first_;
            class_stride_ = kGroupBlocks * kLanes * row_stride_;
            scratch_.resize(pool_.n_classes() * class_stride_);
            data_ = scratch_.data();
        }
        std::vector<char> is_started(pool_.n_classes(), 0);
        if (watch.check()) return false;
        for (std::size_t j = 0; j < pool_.n_classes(); ++j) {
            if (j % kCheckClasses == kCheckClasses - 1 && watch.check()) return false;
            if (small_[j].empty()) continue;
            count_class(j);
            is_started[j] = 1;
        }
        for (const Segment& s : pool_.rows().segments) {
            if (!small_[s.class_index].empty()) continue;
            if (!count_segment(s, is_started[s.class_index] == 0, watch)) return false;
            is_started[s.class_index] = 1;
        }
        const std::size_t n_rows = (group.end - group.first) * kLanes;
        for (std::size_t j = 0; j < pool_.n_classes(); ++j)
            for (std::size_t row = 0; !is_started[j] && row < n_rows; ++row)
                std::fill_n(data_ + j * class_stride_ + row * row_stride_, row_stride_, 0.0);
        return true;
    }

    // Writes the pairs of a question of the group that may beat `limit`; returns how many.
    std::size_t scan(std::size_t own, double limit, double grain, Hit* hits) {
        row_ = data_ + (own - group_.first_question()) * row_stride_;
        const std::vector<double> own_counts = pool_.literal_counts(own, false);
        PairScan scan = scan_of(pool_, formulas_, own, own_counts, row_, class_stride_);
        scan.both_first = first_;
        scan.first = std::max(scan.first, group_.first_partner * kLanes);
        scan.n_questions = std::min(scan.n_questions, group_.end_partner * kLanes);
        scan.limit = limit;
        scan.grain = grain;
        scan.memory = memory_.data();
        return pool_.kernels().scan_pairs(scan, hits);
    }

    // Cases of a class that answer yes to both the question scanned last and `partner`.
    double both(std::size_t class_index, std::size_t partner) const {
        return row_[class_index * class_stride_ + partner - first_];
    }

  private:
    // All segments of a class with few words: what a call costs is spent once, and not per weight.
    void count_class(std::size_t class_index) {
        const BitBlocks& blocks = pool_.blocks();
        const std::vector<PackedSegment>& segments = small_[class_index];
        for_each_tile(group_, [&](std::size_t a, std::size_t b) {
            pool_.kernels().count_tile_weighted(blocks.block(a), blocks.block(b), segments.data(),
                                                segments.size(), tile(class_index, a, b),
                                                row_stride_);
        });
    }

    bool count_segment(const Segment& s, bool starts, Watch& watch) {
        const BitBlocks& blocks = pool_.blocks();
        for (std::size_t w = 0; w < s.n_words; w += kChunkWords) {
            if (watch.check()) return false;
            const std::size_t n_words = std::min(kChunkWords, s.n_words - w);
            const std::size_t offset = (s.first_word + w) * kLanes;
            for_each_tile(group_, [&](std::size_t a, std::size_t b) {
                pool_.kernels().count_tile(blocks.block(a) + offset, blocks.block(b) + offset,
                                           n_words, static_cast<double>(s.weight), starts && w == 0,
                                           tile(s.class_index, a, b), row_stride_);
            });
        }
        return true;
    }

    // Where the counts of two blocks are.
    double* tile(std::size_t class_index, std::size_t a, std::size_t b) {
        return data_ + class_index * class_stride_ + (a - group_.first) * kLanes * row_stride_ +
               (b * kLanes - first_);
    }

    const Pool& pool_;
    const Formulas formulas_;
    PairCounts& kept_;
    std::vector<std::vector<PackedSegment>> small_;  // by class; see weighted_segments
    UnfilledVector<double> scratch_;
    ScanMemory memory_;
    BlockGroup group_;
    double* data_ = nullptr;
    const double* row_ = nullptr;
    std::size_t first_ = 0;  // partner that rows begin with
    std::size_t class_stride_ = 0;
    std::size_t row_stride_ = 0;
};

// The same with two classes to a number; see PackedPool.
class PackedCounts {
  public:
    PackedCounts(const Pool& pool, const Formulas& formulas, const PackedPool& packed)
        : pool_(pool),
          formulas_(formulas),
          packed_(packed),
          pair_stride_(kGroupBlocks * kLanes * packed.stride()),
          data_(packed.n_class_pairs() * pair_stride_, 0) {}

    std::size_t partners_at_once() const { return pool_.blocks().n_blocks(); }

    bool count(const BlockGroup& group, Watch& watch) {
        group_ = group;
        if (watch.check()) return false;
        const BitBlocks& blocks = pool_.blocks();
        for (std::size_t i = 0; i < packed_.n_class_pairs(); ++i) {
            const std::vector<PackedSegment>& segments = packed_.segments(i);
            for_each_tile(group_, [&](std::size_t a, std::size_t b) {
                pool_.kernels().count_tile_packed(
                    blocks.block(a), blocks.block(b), segments.data(), segments.size(),
                    data_.data() + i * pair_stride_ +
                        (a - group_.first) * kLanes * packed_.stride() + b * kLanes,
                    packed_.stride());
            });
        }
        return true;
    }

    std::size_t scan(std::size_t own, double limit, double grain, Hit* hits) {
        row_ = data_.data() + (own - group_.first_question()) * packed_.stride();
        PackedScan scan = packed_.scan_of(own);
        scan.formulas = formulas_;
        scan.both = row_;
        scan.both_stride = pair_stride_;
        scan.limit = limit;
        scan.grain = grain;
        return pool_.kernels().scan_pairs_packed(scan, hits);
    }

    double both(std::size_t class_index, std::size_t partner) const {
        return unpack_count(row_[class_index / 2 * pair_stride_ + partner], class_index);
    }

  private:
    const Pool& pool_;
    const Formulas formulas_;
    const PackedPool& packed_;
    std::size_t pair_stride_;
    AlignedVector<std::uint32_t> data_;
    BlockGroup group_;
    const std::uint32_t* row_ = nullptr;
};

template <class Counts>
void offer_hits(const PoolCounts& pool, const Counts& counts, std::uint32_t own, const Hit* hits,
                std::size_t n_hits, Collector& collector) {
    std::vector<double> covered(pool.n_classes());
    for (std::size_t i = 0; i < n_hits; ++i) {
        const Hit& hit = hits[i];
        for (std::size_t j = 0; j < covered.size(); ++j) {
            const double a = pool.singles().row(j)[own];
            const double b = pool.singles().row(j)[hit.question];
            const double both = counts.both(j, hit.question);
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

// Counts and scans group after group; `counts` has one counter per thread.
template <class Counts>
PairOutcome search_groups(const Pool& pool, const ValueGrid& grid, std::vector<Counts> counts,
                          Collector& collector, Watch& watch) {
    const std::size_t n_blocks = pool.blocks().n_blocks();
    const std::size_t n_groups = (n_blocks + kGroupBlocks - 1) / kGroupBlocks;
    const std::size_t n_threads = counts.size();
    PairOutcome outcome;
    outcome.is_row_done.assign(pool.n_questions(), 0);
    std::vector<Collector> collectors(n_threads, collector);
    std::vector<std::vector<Hit>> hits(n_threads);
    parallel_for(
        n_groups, n_threads,
        [&](std::size_t i, std::size_t thread) {
            BlockGroup group{i * kGroupBlocks, std::min((i + 1) * kGroupBlocks, n_blocks)};
            Collector& best = collectors[thread];
            hits[thread].resize((pool.n_questions() + kPackedLanes) * kHitsPerQuestion);
            const std::size_t end = std::min(group.end * kLanes, pool.n_questions());
            for (std::size_t b = group.first; b < n_blocks; b = group.end_partner) {
                group.first_partner = b;
                group.end_partner = std::min(b + counts[thread].partners_at_once(), n_blocks);
                if (watch.has_stopped() || !counts[thread].count(group, watch)) return;
                for (std::size_t own = group.first_question(); own < end; ++own) {
                    if (pool.n_classes() >= kCheckClasses && watch.check()) return;
                    const std::size_t n_hits = counts[thread].scan(
                        own, best.incumbent().limit(), best.scan_grain(grid), hits[thread].data());
                    offer_hits(pool, counts[thread], static_cast<std::uint32_t>(own),
                               hits[thread].data(), n_hits, best);
                }
            }
            for (std::size_t own = group.first_question(); own < end; ++own)
                outcome.is_row_done[own] = 1;
        },
        [&] { watch.check(); });
    for (const Collector& c : collectors) collector.offer(c.incumbent());
    outcome.finished = std::find(outcome.is_row_done.begin(), outcome.is_row_done.end(), 0) ==
                       outcome.is_row_done.end();
    return outcome;
}

}  // namespace

PairCounts PairCounts::within_reason(const PoolCounts& pool) {
    const std::size_t n = pool.stride();
    const std::size_t size = pool.n_classes() * n * n;
    if (n > kMostKeptBytes || size > kMostKeptBytes / sizeof(double)) return {};
    return {pool.n_classes(), n};
}

PairOutcome search_pairs(const Pool& pool, const SearchPlan& options, const ValueGrid& grid,
                         PairCounts& kept, Collector& collector, Watch& watch) {
    const std::size_t n_groups = (pool.blocks().n_blocks() + kGroupBlocks - 1) / kGroupBlocks;
    const std::size_t n_threads = useful_threads(options.n_threads, n_groups);
    if (!kept.is_kept() && PackedPool::fits(pool)) {
        const PackedPool packed(pool);
        return search_groups(
            pool, grid,
            std::vector<PackedCounts>(n_threads, PackedCounts(pool, options.formulas, packed)),
            collector, watch);
    }
    return search_groups(
        pool, grid, std::vector<WideCounts>(n_threads, WideCounts(pool, options.formulas, kept)),
        collector, watch);
}

bool offer_pairs(const PoolCounts& pool, const Formulas& formulas, const ValueGrid& grid,
                 const PairCounts& pairs, Collector& collector, Watch& watch) {
    struct Row {
        const double* both_;
        std::size_t class_stride;
        double both(std::size_t class_index, std::size_t partner) const {
            return both_[class_index * class_stride + partner];
        }
    };
    std::vector<Hit> hits(pool.stride() * kHitsPerQuestion);
    ScanMemory memory(pool.n_classes());
    for (std::size_t own = 0; own < pool.n_questions(); ++own) {
        if (watch.check()) return false;
        const std::vector<double> own_counts = pool.literal_counts(own, false);
        const Row row{pairs.row(own), pairs.class_stride()};
        PairScan scan = scan_of(pool, formulas, own, own_counts, row.both_, row.class_stride);
        scan.limit = collector.incumbent().limit();
        scan.grain = collector.scan_grain(grid);
        scan.memory = memory.data();
        const std::size_t n_hits = pool.kernels().scan_pairs(scan, hits.data());
        offer_hits(pool, row, static_cast<std::uint32_t>(own), hits.data(), n_hits, collector);
    }
    return true;
}

void count_all_pairs(const BitBlocks& blocks, const RowLayout& rows, std::size_t n_threads,
                     Watch& watch, std::int64_t* counts) {
    const Kernels& kernels = active_kernels();
    const std::size_t n = blocks.n_questions();
    const auto write_tile = [&](std::size_t class_index, std::size_t a, std::size_t b,
                                const double* tile) {
        std::int64_t* of_class = counts + class_index * n * n;
        for (std::size_t i = a * kLanes; i < std::min((a + 1) * kLanes, n); ++i)
            for (std::size_t k = b * kLanes; k < std::min((b + 1) * kLanes, n); ++k) {
                const double both = tile[i % kLanes * kLanes + k % kLanes];
                of_class[i * n + k] = of_class[k * n + i] = static_cast<std::int64_t>(both);
            }
    };
    parallel_for(
        blocks.n_blocks(), n_threads,
        [&](std::size_t a, std::size_t) {
            AlignedVector<double> tiles(rows.n_classes * kLanes * kLanes);
            for (std::size_t b = a; b < blocks.n_blocks(); ++b) {
                std::fill(tiles.begin(), tiles.end(), 0.0);
                for (const Segment& s : rows.segments) {
                    if (watch.check()) return;
                    kernels.count_tile(blocks.block(a) + s.first_word * kLanes,
                                       blocks.block(b) + s.first_word * kLanes, s.n_words,
                                       static_cast<double>(s.weight), false,
                                       tiles.data() + s.class_index * kLanes * kLanes, kLanes);
                }
                for (std::size_t j = 0; j < rows.n_classes; ++j)
                    write_tile(j, a, b, tiles.data() + j * kLanes * kLanes);
            }
        },
        [&] { watch.check(); });
}

}  // namespace bsnsing
