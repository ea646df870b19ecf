#include "search/deep.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "search/bounds.hpp"
#include "search/literals.hpp"
#include "search/space.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

// Each batch of first literals starts from the same incumbent, so that what is counted does not
// depend on the number of threads.
constexpr std::size_t kBatch = 16;

// Whether to bound the last literals of rules before they are counted: not where counting a block
// of rows is as cheap, as in nodes of few rows or many classes.
bool pays_to_bound(const LiteralPool& literals) {
    constexpr std::size_t kFewWords = 6;
    const Pool& pool = literals.pool();
    if (!literals.pairs().is_kept()) return false;
    if (pool.n_classes() == 2) return pool.rows().n_words > kFewWords;
    const std::size_t per_class = facts_of(pool.objective().criterion).bound_words;
    return pool.rows().n_words > kFewWords + per_class * pool.n_classes();
}

// A rule under construction: what it covers and what each further literal would add.
struct Level {
    std::vector<std::uint32_t> literals;  // positions in the literal pool, ascending
    std::vector<double> base;             // [class]: cases covered
    Counts gain;
    Counts most_after;  // most that one literal after each adds
    std::vector<std::uint32_t> openings;
    AlignedVector<Word> rest_rows;  // not covered; see Worker::rest_rows
    bool has_rest_rows = false;
};

// One thread's search.
class Worker {
  public:
    Worker(const LiteralPool& literals, const SearchPlan& options, const ValueGrid& grid,
           const Collector& collector, Watch& watch)
        : literals_(literals),
          pool_(literals.pool()),
          options_(options),
          grid_(grid),
          collector_(collector),
          watch_(watch),
          pays_to_bound_(pays_to_bound(literals)),
          levels_(options.max_rules + 1),
          hits_(pool_.stride() * kHitsPerQuestion),
          blocks_(pool_.blocks().n_blocks()),
          block_gain_(pool_.n_classes() * kLanes),
          scan_memory_(pool_.n_classes()) {
        Level& root = open_level(0);
        std::fill(root.base.begin(), root.base.end(), 0.0);
        root.gain = pool_.singles();
        root.rest_rows = pool_.everyone();
        root.has_rest_rows = true;
        fill_most_after(root.gain, 0, literals_.size(), root.most_after);
    }

    Collector& collector() { return collector_; }
    void restart(const Incumbent& incumbent) {
        collector_.restart(incumbent);
        n_counted_ = 0;
    }
    double n_counted() const { return n_counted_; }

    // The literals that a rule worth finding may start with.
    std::vector<std::uint32_t> first_literals() {
        Level& root = levels_[0];
        const std::size_t n = scan_openings(0);
        return {root.openings.begin(), root.openings.begin() + static_cast<std::ptrdiff_t>(n)};
    }

    // Settles every rule whose first literal is `first`; false if stopped.
    bool search_from(std::uint32_t first) {
        if (is_time_up()) return false;
        if (!may_extend(0, first)) return true;
        add_literal(0, first);
        return expand(1);
    }

    // Extends a rule by its best literal as long as there is room: a good first incumbent.
    void grow_greedily(const std::vector<std::uint32_t>& start) {
        for (std::size_t depth = 0; depth < options_.max_rules; ++depth) {
            if (is_time_up()) return;
            std::uint32_t next = 0;
            if (depth < start.size())
                next = start[depth];
            else if (!best_extension(levels_[depth], next))
                return;
            begin_level(depth, next);
            if (depth + 1 < options_.max_rules)
                pool_.count_column(rest_rows(depth + 1), 0, levels_[depth + 1].gain);
        }
    }

  private:
    Level& open_level(std::size_t depth) {
        Level& level = levels_[depth];
        if (level.gain.values.empty()) {
            level.base.resize(pool_.n_classes());
            level.gain = Counts(pool_.n_classes(), pool_.stride());
            level.most_after = Counts(pool_.n_classes(), pool_.stride());
            level.openings.resize(pool_.stride());
            level.rest_rows.resize(pool_.rows().n_words);
        }
        return level;
    }

    // The rule at `depth` and one literal more, whose gain is known: all but the new gains.
    Level& begin_level(std::size_t depth, std::uint32_t literal) {
        const Level& parent = levels_[depth];
        Level& child = open_level(depth + 1);
        child.literals = parent.literals;
        child.literals.push_back(literal);
        child.has_rest_rows = false;
        for (std::size_t j = 0; j < pool_.n_classes(); ++j)
            child.base[j] = parent.base[j] + parent.gain.row(j)[literal];
        return child;
    }

    // Most rules are settled without looking at a row, so rows are worked out when asked for.
    const Word* rest_rows(std::size_t depth) {
        Level& level = levels_[depth];
        if (!level.has_rest_rows) {
            pool_.remove_literal(rest_rows(depth - 1), level.literals.back(), false,
                                 level.rest_rows.data());
            level.has_rest_rows = true;
        }
        return level.rest_rows.data();
    }

    // Opens the level that adds `literal` to the rule at `depth`.
    void add_literal(std::size_t depth, std::uint32_t literal) {
        Level& child = begin_level(depth, literal);
        if (depth == 0 && literals_.pairs().is_kept())
            gains_from_pairs(child, literal);
        else
            pool_.count_column(rest_rows(depth + 1), literal + 1, child.gain);
        if (depth + 2 < options_.max_rules)
            fill_most_after(child.gain, literal + 1, literals_.size(), child.most_after);
    }

    void gains_from_pairs(Level& level, std::uint32_t literal) const {
        const PairCounts& pairs = literals_.pairs();
        for (std::size_t j = 0; j < pool_.n_classes(); ++j) {
            const double* both = pairs.row(literal) + j * pairs.class_stride();
            const double* single = pool_.singles().row(j);
            double* gain = level.gain.row(j);
            // Whole blocks, because scans look at whole blocks.
            for (std::size_t i = literal / kLanes * kLanes; i < pool_.stride(); ++i)
                gain[i] = single[i] - both[i];
        }
    }

    ExtendScan scan_of(const Level& level, std::size_t first) {
        ExtendScan scan;
        scan.objective = &pool_.objective();
        scan.formulas = options_.formulas;
        scan.n_literals = literals_.size();
        scan.stride = pool_.stride();
        scan.first = first;
        scan.base = level.base.data();
        scan.gain = level.gain.row(0);
        scan.limit = collector_.incumbent().limit();
        scan.grain = collector_.scan_grain(grid_);
        scan.screen = pool_.screen();
        scan.memory = scan_memory_.data();
        return scan;
    }

    // Offers the rules that add one literal to the level's, and lists the literals after which
    // more may follow; returns how many those are.
    std::size_t scan_openings(std::size_t depth) {
        Level& level = levels_[depth];
        const std::size_t first = depth == 0 ? 0 : level.literals.back() + 1;
        if (first >= literals_.size()) return 0;
        ExtendScan scan = scan_of(level, first);
        scan.report_hits = depth > 1;  // single questions and pairs have been offered before
        scan.n_more = options_.max_rules - depth - 1;
        scan.most_after = level.most_after.row(0);
        scan.most_single = literals_.most_after().row(0);
        scan.open_limit = open_limit(level.literals, first, 2);
        std::size_t n_openings = 0;
        const std::size_t n_hits =
            pool_.kernels().scan_extensions(scan, hits_.data(), level.openings.data(), &n_openings);
        if (scan.report_hits) {
            offer_hits(level, n_hits);
            count_rules(literals_.size() - first);
        }
        return n_openings;
    }

    // Settles all rules that grow out of the rule at `depth`; false if stopped.
    bool expand(std::size_t depth) {
        const std::size_t n_openings = scan_openings(depth);
        const bool is_last = depth + 2 == options_.max_rules;
        for (std::size_t i = 0; i < n_openings; ++i) {
            if (is_time_up()) return false;
            const std::uint32_t literal = levels_[depth].openings[i];
            if (literal + 1 >= literals_.size() || !may_extend(depth, literal)) continue;
            if (is_last && pays_to_bound_) {
                settle_last(depth, literal);
                continue;
            }
            add_literal(depth, literal);
            if (is_last)
                settle(levels_[depth + 1], scan_of(levels_[depth + 1], literal + 1));
            else if (!expand(depth + 1))
                return false;
        }
        return true;
    }

    // Whether the user's limits leave room for a rule that adds `literal` to the one at `depth`.
    bool may_extend(std::size_t depth, std::uint32_t literal) {
        if (options_.limits.is_empty()) return true;
        candidate_.clear();
        for (const std::uint32_t position : levels_[depth].literals)
            candidate_.push_back(literals_.literal(position));
        candidate_.push_back(literals_.literal(literal));
        return options_.limits.may_become(candidate_, options_.max_rules - depth - 1);
    }

    double open_limit(const std::vector<std::uint32_t>& rule, std::size_t first,
                      std::size_t n_more) {
        literals_.counts().simplest_rule(rule, first, n_more, simplest_);
        return collector_.incumbent().open_limit(simplest_);
    }

    // Bounds, then counts where needed, the rules that add `literal` and one more to `depth`.
    void settle_last(std::size_t depth, std::uint32_t literal) {
        const Level& level = levels_[depth];
        const Level& child = begin_level(depth, literal);
        LastScan scan;
        scan.objective = &pool_.objective();
        scan.formulas = options_.formulas;
        scan.n_literals = literals_.size();
        scan.stride = pool_.stride();
        scan.first = literal + 1;
        scan.base = child.base.data();
        scan.gain = level.gain.row(0);
        scan.singles = pool_.singles().row(0);
        scan.both = literals_.pairs().row(literal);
        scan.both_stride = literals_.pairs().class_stride();
        scan.open_limit = open_limit(child.literals, literal + 1, 1);
        scan.screen = pool_.screen();
        scan.memory = scan_memory_.data();
        const std::size_t n_blocks = pool_.kernels().scan_last(scan, blocks_.data());
        for (std::size_t b = 0; b < n_blocks; ++b) count_block(depth + 1, blocks_[b]);
    }

    // Counts the rules that the bounds left open in one block.
    void count_block(std::size_t depth, std::size_t start) {
        Level& level = levels_[depth];
        pool_.count_block(rest_rows(depth), start, block_gain_.data());
        for (std::size_t j = 0; j < pool_.n_classes(); ++j)
            std::copy_n(block_gain_.data() + j * kLanes, kLanes, level.gain.row(j) + start);
        ExtendScan scan = scan_of(level, std::max<std::size_t>(start, level.literals.back() + 1));
        scan.n_literals = std::min(start + kLanes, literals_.size());
        settle(level, scan);
    }

    void settle(const Level& level, const ExtendScan& scan) {
        std::size_t n_openings = 0;
        const std::size_t n_hits =
            pool_.kernels().scan_extensions(scan, hits_.data(), nullptr, &n_openings);
        offer_hits(level, n_hits);
        count_rules(scan.n_literals - scan.first);
    }

    void offer_hits(const Level& level, std::size_t n_hits) {
        for (std::size_t i = 0; i < n_hits; ++i) offer(level, hits_[i]);
    }

    void offer(const Level& level, const Hit& hit) {
        candidate_.clear();
        for (const std::uint32_t position : level.literals)
            candidate_.push_back(literals_.literal(position));
        candidate_.push_back(literals_.literal(hit.question));
        std::sort(candidate_.begin(), candidate_.end(),
                  [](Literal a, Literal b) { return a.question < b.question; });
        // A question and its negation cover everyone: no rule of the space.
        for (std::size_t i = 1; i < candidate_.size(); ++i)
            if (candidate_[i].question == candidate_[i - 1].question) return;
        covered_.resize(pool_.n_classes());
        for (std::size_t j = 0; j < covered_.size(); ++j)
            covered_[j] = level.base[j] + level.gain.row(j)[hit.question];
        collector_.offer_or(candidate_, covered_.data(), hit.swapped);
    }

    // The best literal to add to a rule, wherever it stands in the pool; false if there is none.
    bool best_extension(const Level& level, std::uint32_t& best) {
        ExtendScan scan = scan_of(level, 0);
        scan.limit = std::numeric_limits<double>::infinity();
        std::size_t n_openings = 0;
        const std::size_t n_hits =
            pool_.kernels().scan_extensions(scan, hits_.data(), nullptr, &n_openings);
        count_rules(literals_.size() - level.literals.size());
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < n_hits; ++i) {
            const std::uint32_t added = hits_[i].question;
            if (std::count(level.literals.begin(), level.literals.end(), added) > 0) continue;
            if (!may_extend(level.literals.size(), added)) continue;
            offer(level, hits_[i]);
            if (!(hits_[i].value < least)) continue;
            least = hits_[i].value;
            best = added;
        }
        return least < std::numeric_limits<double>::infinity();
    }

    void count_rules(std::size_t n_literals) {
        n_counted_ +=
            static_cast<double>(n_literals) * ways_per_set(pool_.objective(), options_.formulas);
    }

    // Looking at the clock costs more than a small piece of work, so not every time.
    bool is_time_up() {
        const std::size_t cost = pool_.rows().n_words * pool_.blocks().n_blocks() + 64;
        unchecked_ += cost;
        if (unchecked_ < kCheckEvery) return watch_.has_stopped();
        unchecked_ = 0;
        return watch_.check();
    }

    static constexpr std::size_t kCheckEvery = std::size_t{1} << 20U;  // well below a millisecond

    const LiteralPool& literals_;
    const Pool& pool_;
    const SearchPlan& options_;
    const ValueGrid& grid_;
    Collector collector_;
    Watch& watch_;
    const bool pays_to_bound_;
    std::vector<Level> levels_;  // levels_[d]: a rule of d literals
    std::vector<Hit> hits_;
    std::vector<std::uint32_t> blocks_;
    std::vector<std::uint32_t> simplest_;
    std::vector<Literal> candidate_;
    std::vector<double> covered_;
    std::vector<double> block_gain_;
    ScanMemory scan_memory_;
    double n_counted_ = 0;
    std::size_t unchecked_ = 0;
};

// Finds good rules quickly: the better the incumbent, the more the bounds rule out.
void grow_seeds(const LiteralPool& literals, const Incumbent& best, Worker& worker, Watch& watch) {
    constexpr std::size_t kSeeds = 3;
    const std::vector<std::uint32_t> pair = positions_of(best, literals.counts());
    if (!pair.empty()) worker.grow_greedily(pair);
    for (const std::uint32_t seed : promising_literals(literals.pool(), kSeeds))
        if (!watch.check()) worker.grow_greedily({seed});
}

std::vector<std::uint32_t> every_literal(const LiteralPool& literals) {
    std::vector<std::uint32_t> positions(literals.size());
    std::iota(positions.begin(), positions.end(), 0U);
    return positions;
}

}  // namespace

DeepOutcome search_deep(const Pool& pool, const SearchPlan& options, const ValueGrid& grid,
                        const PairCounts& pairs, Collector& collector, Watch& watch) {
    DeepOutcome outcome;
    const bool has_limits = !options.limits.is_empty();
    const LiteralPool literals(pool, pairs, options.formulas, has_limits, watch);
    if (literals.size() < 3) return outcome;
    const std::size_t n_threads = useful_threads(options.n_threads, kBatch);
    std::vector<Worker> workers;
    for (std::size_t t = 0; t < n_threads; ++t)
        workers.emplace_back(literals, options, grid, collector, watch);
    grow_seeds(literals, collector.incumbent(), workers[0], watch);
    collector.offer(workers[0].collector().incumbent());
    outcome.n_counted += workers[0].n_counted();

    // Stopped before the literals were ready: everything is left open.
    const std::vector<std::uint32_t> firsts =
        watch.has_stopped() ? every_literal(literals) : workers[0].first_literals();
    std::vector<char> is_done(firsts.size(), 0);
    for (std::size_t start = 0; start < firsts.size() && !watch.has_stopped(); start += kBatch) {
        const std::size_t n = std::min(kBatch, firsts.size() - start);
        std::vector<Incumbent> found(n, collector.incumbent());
        std::vector<double> counted(n, 0.0);
        parallel_for(
            n, n_threads,
            [&](std::size_t i, std::size_t thread) {
                if (watch.has_stopped()) return;
                Worker& worker = workers[thread];
                worker.restart(collector.incumbent());
                is_done[start + i] = worker.search_from(firsts[start + i]) ? 1 : 0;
                found[i] = worker.collector().incumbent();
                counted[i] = worker.n_counted();
            },
            [&] { watch.check(); });
        for (std::size_t i = 0; i < n; ++i) {
            collector.offer(found[i]);
            outcome.n_counted += counted[i];
        }
    }

    SearchPlan literal_options = options;  // literals are not negated again
    literal_options.formulas.has_negation = false;
    literal_options.formulas.as_xor = false;
    outcome.open_bound = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        if (is_done[i]) continue;
        outcome.is_finished = false;
        outcome.open_bound =
            std::min(outcome.open_bound, open_bound(literals.pool(), literal_options, firsts[i]));
    }
    return outcome;
}

}  // namespace bsnsing
