#include "search/deep.hpp"

#include <algorithm>

#include "search/parallel.hpp"

namespace bsnsing {
namespace {

// Each batch of first questions starts from the same incumbent, so that what is counted does not
// depend on the number of threads.
constexpr std::size_t kBatch = 16;

// With so few words, counting a block is as cheap as bounding it.
constexpr std::size_t kFewWords = 6;

// A rule under construction: what it covers and what each further question would add.
struct Level {
    std::vector<Literal> literals;
    std::vector<double> base;  // [class]: cases covered
    std::vector<double> rest;  // [class]: cases not covered
    AlignedVector<Word> rest_rows;
    Counts gain;
    Counts most_after;  // most that one literal after a question adds
    std::vector<Opening> openings;
};

// Most that one literal after each question adds to a single literal, from the pair counts.
struct SingleMost {
    Counts plain;
    Counts negated;
};

// Running maximum from the right: entry q is the greatest gain of a literal after q.
void fill_most_after(const Counts& gain, std::size_t class_index, std::size_t first,
                     std::size_t n_questions, bool has_negation, double rest, Counts& most) {
    const double* g = gain.row(class_index);
    double* out = most.row(class_index);
    double greatest = 0;
    for (std::size_t q = n_questions; q-- > first;) {
        out[q] = greatest;
        greatest = std::max(greatest, g[q]);
        if (has_negation) greatest = std::max(greatest, rest - g[q]);
    }
}

SingleMost most_after_singles(const Pool& pool, const PairCounts& pairs, bool has_negation) {
    const std::size_t n = pool.n_questions();
    SingleMost most{Counts(pool.n_classes(), pool.stride()), Counts(pool.n_classes(), pool.stride())};
    for (std::size_t j = 0; j < pool.n_classes(); ++j) {
        const double total = pool.objective().totals[j];
        const double* single = pool.singles().row(j);
        if (!pairs.is_kept()) {
            std::fill(most.plain.row(j), most.plain.row(j) + n, total);
            std::fill(most.negated.row(j), most.negated.row(j) + n, total);
            continue;
        }
        for (std::size_t q = 0; q < n; ++q) {
            const double* both = pairs.row(q) + j * pairs.class_stride();
            double plain = 0;
            double negated = 0;
            double least_plain = total;
            double least_both = total;
            for (std::size_t d = q + 1; d < n; ++d) {
                plain = std::max(plain, single[d] - both[d]);
                negated = std::max(negated, both[d]);
                least_plain = std::min(least_plain, single[d] - both[d]);
                least_both = std::min(least_both, both[d]);
            }
            if (has_negation && q + 1 < n) {
                plain = std::max(plain, total - single[q] - least_plain);
                negated = std::max(negated, single[q] - least_both);
            }
            most.plain.row(j)[q] = plain;
            most.negated.row(j)[q] = negated;
        }
    }
    return most;
}

// One thread's search below a first literal.
class Worker {
public:
    Worker(const Pool& pool, const SearchOptions& options, const ValueGrid& grid,
           const PairCounts& pairs, const SingleMost& most, const Collector& collector, Watch& watch)
        : pool_(pool),
          options_(options),
          grid_(grid),
          pairs_(pairs),
          most_(most),
          collector_(collector),
          watch_(watch),
          levels_(options.max_rules + 1),
          hits_(pool.stride() * kHitsPerQuestion),
          blocks_(pool.blocks().n_blocks()) {}

    Collector& collector() { return collector_; }
    void restart(const Collector& collector) {
        collector_ = Collector(pool_, options_.formulas, collector.incumbent());
        n_counted_ = 0;
    }
    double n_counted() const { return n_counted_; }

    // Settles every rule whose first question is `question`; false if stopped.
    bool search_from(std::uint32_t question) {
        for (const bool negated : {false, true}) {
            if (negated && !options_.formulas.has_negation) break;
            Level& level = open_level(1);
            level.literals = {{question, negated}};
            level.base = pool_.literal_counts(question, negated);
            finish_level(level, pool_.everyone().data(), {question, negated}, true);
            if (!expand(1)) return false;
        }
        return true;
    }

    // Grows one rule by its best literal as long as there is room: a good first incumbent.
    void grow_greedily(Literal first) {
        Level& start = open_level(1);
        start.literals = {first};
        start.base = pool_.literal_counts(first.question, first.negated);
        finish_level(start, pool_.everyone().data(), first, false);
        for (std::size_t depth = 1; depth < options_.max_rules; ++depth) {
            const Hit best = best_extension(levels_[depth]);
            if (best.value == std::numeric_limits<double>::infinity()) return;
            add_literal(depth, {best.question, best.negated}, false);
        }
    }

private:
    Level& open_level(std::size_t depth) {
        Level& level = levels_[depth];
        if (level.gain.values.empty()) {
            level.gain = Counts(pool_.n_classes(), pool_.stride());
            level.most_after = Counts(pool_.n_classes(), pool_.stride());
            level.rest.resize(pool_.n_classes());
            level.rest_rows.resize(pool_.rows().n_words);
            level.openings.resize(pool_.stride() * 2);
        }
        return level;
    }

    // Fills in what follows from the literals and the covered cases. `before` are the rows that
    // were open before `added`; only gains of later questions are needed if `later_only`.
    void finish_level(Level& level, const Word* before, Literal added, bool later_only) {
        for (std::size_t j = 0; j < pool_.n_classes(); ++j)
            level.rest[j] = pool_.objective().totals[j] - level.base[j];
        pool_.remove_literal(before, added.question, added.negated, level.rest_rows.data());
        const std::size_t first = later_only ? added.question + 1 : 0;
        if (level.literals.size() == 1 && pairs_.is_kept() && later_only)
            gains_from_pairs(level, added);
        else
            pool_.count_column(level.rest_rows.data(), first, level.gain);
        for (std::size_t j = 0; j < pool_.n_classes(); ++j)
            fill_most_after(level.gain, j, first, pool_.n_questions(),
                            options_.formulas.has_negation, level.rest[j], level.most_after);
    }

    void gains_from_pairs(Level& level, Literal literal) {
        for (std::size_t j = 0; j < pool_.n_classes(); ++j) {
            const double* both = pairs_.row(literal.question) + j * pairs_.class_stride();
            const double* single = pool_.singles().row(j);
            double* gain = level.gain.row(j);
            for (std::size_t q = literal.question + 1; q < pool_.n_questions(); ++q)
                gain[q] = literal.negated ? both[q] : single[q] - both[q];
        }
    }

    // Opens the level that adds `literal` to the rule at `depth`.
    void add_literal(std::size_t depth, Literal literal, bool later_only) {
        const Level& parent = levels_[depth];
        Level& child = open_level(depth + 1);
        child.literals = parent.literals;
        child.literals.push_back(literal);
        child.base = covered_with(parent, literal);
        finish_level(child, parent.rest_rows.data(), literal, later_only);
    }

    std::vector<double> covered_with(const Level& level, Literal literal) const {
        std::vector<double> covered(pool_.n_classes());
        for (std::size_t j = 0; j < covered.size(); ++j) {
            const double gain = level.gain.row(j)[literal.question];
            covered[j] = literal.negated ? pool_.objective().totals[j] - gain : level.base[j] + gain;
        }
        return covered;
    }

    ExtendScan scan_of(const Level& level, std::size_t first) const {
        ExtendScan scan;
        scan.objective = &pool_.objective();
        scan.formulas = options_.formulas;
        scan.n_questions = pool_.n_questions();
        scan.stride = pool_.stride();
        scan.first = first;
        scan.base = level.base.data();
        scan.gain = level.gain.row(0);
        scan.limit = collector_.incumbent().limit();
        scan.grain = collector_.scan_grain(grid_);
        return scan;
    }

    // Settles all rules that grow out of the rule at `depth`; false if stopped.
    bool expand(std::size_t depth) {
        Level& level = levels_[depth];
        const std::size_t first = level.literals.back().question + 1;
        if (first >= pool_.n_questions()) return true;
        ExtendScan scan = scan_of(level, first);
        scan.report_hits = depth > 1;  // pairs have been offered before
        scan.n_more = options_.max_rules - depth - 1;
        scan.most_after = level.most_after.row(0);
        scan.most_single = most_.plain.row(0);
        scan.most_negated = most_.negated.row(0);
        scan.open_limit = open_limit(level);
        std::size_t n_openings = 0;
        const std::size_t n_hits =
            pool_.kernels().scan_extensions(scan, hits_.data(), level.openings.data(), &n_openings);
        if (scan.report_hits) {
            offer_hits(level, n_hits);
            count_rules(pool_.n_questions() - first);
        }
        for (std::size_t i = 0; i < n_openings; ++i) {
            const Opening opening = level.openings[i];
            const Literal literal{opening.question, opening.negated};
            if (is_time_up()) return false;
            if (literal.question + 1 >= pool_.n_questions()) continue;
            const bool is_last = scan.n_more == 1;
            if (is_last && pairs_.is_kept() && pool_.rows().n_words > kFewWords) {
                settle_last(depth, literal);
                continue;
            }
            add_literal(depth, literal, true);
            if (is_last)
                settle_extensions(depth + 1);
            else if (!expand(depth + 1))
                return false;
        }
        return true;
    }

    // The limit for prefixes of one literal more than the level has. The literal is not known
    // yet, so a tie counts as lost only if it is for every literal that may follow.
    double open_limit(const Level& level) const {
        std::vector<Literal> prefix = level.literals;
        prefix.push_back({level.literals.back().question + 1, false});
        return collector_.incumbent().open_limit(prefix);
    }

    // Bounds, then counts where needed, the rules that add `literal` and one more to `depth`.
    void settle_last(std::size_t depth, Literal literal) {
        const Level& level = levels_[depth];
        const std::vector<double> base = covered_with(level, literal);
        const std::vector<double> last_total = pool_.literal_counts(literal.question, false);
        prefix_ = level.literals;
        prefix_.push_back(literal);
        LastScan scan;
        scan.objective = &pool_.objective();
        scan.formulas = options_.formulas;
        scan.n_questions = pool_.n_questions();
        scan.stride = pool_.stride();
        scan.first = literal.question + 1;
        scan.last_negated = literal.negated;
        scan.base = base.data();
        scan.gain = level.gain.row(0);
        scan.rest = level.rest.data();
        scan.singles = pool_.singles().row(0);
        scan.last_total = last_total.data();
        scan.both = pairs_.row(literal.question);
        scan.both_stride = pairs_.class_stride();
        scan.open_limit = collector_.incumbent().open_limit(prefix_);
        const std::size_t n_blocks = pool_.kernels().scan_last(scan, blocks_.data());
        if (n_blocks > 0) count_blocks(depth, literal, base, n_blocks);
    }

    // Counts the rules of the blocks that the bounds left open.
    void count_blocks(std::size_t depth, Literal literal, const std::vector<double>& base,
                      std::size_t n_blocks) {
        Level& child = open_level(depth + 1);
        child.literals = prefix_;
        child.base = base;
        pool_.remove_literal(levels_[depth].rest_rows.data(), literal.question, literal.negated,
                             child.rest_rows.data());
        for (std::size_t b = 0; b < n_blocks; ++b) {
            const std::size_t start = blocks_[b];
            block_gain_.resize(pool_.n_classes() * kLanes);
            pool_.count_block(child.rest_rows.data(), start, block_gain_.data());
            for (std::size_t j = 0; j < pool_.n_classes(); ++j)
                std::copy_n(block_gain_.data() + j * kLanes, kLanes, child.gain.row(j) + start);
            ExtendScan scan = scan_of(child, std::max<std::size_t>(start, literal.question + 1));
            scan.n_questions = std::min(start + kLanes, pool_.n_questions());
            settle(child, scan);
        }
    }

    void settle_extensions(std::size_t depth) {
        const Level& level = levels_[depth];
        const std::size_t first = level.literals.back().question + 1;
        if (first < pool_.n_questions()) settle(level, scan_of(level, first));
    }

    void settle(const Level& level, const ExtendScan& scan) {
        std::size_t n_openings = 0;
        const std::size_t n_hits =
            pool_.kernels().scan_extensions(scan, hits_.data(), nullptr, &n_openings);
        offer_hits(level, n_hits);
        count_rules(scan.n_questions - scan.first);
    }

    void offer_hits(const Level& level, std::size_t n_hits) {
        for (std::size_t i = 0; i < n_hits; ++i) {
            const Literal literal{hits_[i].question, hits_[i].negated};
            candidate_ = level.literals;
            candidate_.push_back(literal);
            std::sort(candidate_.begin(), candidate_.end(),
                      [](Literal a, Literal b) { return a.question < b.question; });
            collector_.offer_or(candidate_, covered_with(level, literal).data(), hits_[i].swapped);
        }
    }

    // The best literal to add to a rule, wherever it stands in the pool.
    Hit best_extension(const Level& level) {
        ExtendScan scan = scan_of(level, 0);
        scan.limit = std::numeric_limits<double>::infinity();
        std::size_t n_openings = 0;
        const std::size_t n_hits =
            pool_.kernels().scan_extensions(scan, hits_.data(), nullptr, &n_openings);
        count_rules(pool_.n_questions() - level.literals.size());
        Hit best;
        best.value = std::numeric_limits<double>::infinity();
        std::size_t n_useful = 0;
        for (std::size_t i = 0; i < n_hits; ++i) {
            const bool is_used = std::any_of(
                level.literals.begin(), level.literals.end(),
                [&](Literal l) { return l.question == hits_[i].question; });
            if (is_used) continue;
            if (hits_[i].value < best.value) best = hits_[i];
            hits_[n_useful++] = hits_[i];
        }
        offer_hits(level, n_useful);
        return best;
    }

    void count_rules(std::size_t n_questions) {
        const Formulas& f = options_.formulas;
        const double signs = f.has_negation ? 2 : 1;
        const double ways = pool_.objective().is_oriented() && f.as_or && f.as_and ? 2 : 1;
        n_counted_ += static_cast<double>(n_questions) * signs * ways;
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

    const Pool& pool_;
    const SearchOptions& options_;
    const ValueGrid& grid_;
    const PairCounts& pairs_;
    const SingleMost& most_;
    Collector collector_;
    Watch& watch_;
    std::vector<Level> levels_;
    std::vector<Hit> hits_;
    std::vector<std::uint32_t> blocks_;
    std::vector<Literal> prefix_;
    std::vector<Literal> candidate_;
    std::vector<double> block_gain_;
    double n_counted_ = 0;
    std::size_t unchecked_ = 0;
};

// The questions whose single rules score best: where greedy growth starts.
std::vector<Literal> promising_literals(const Pool& pool, std::size_t n_wanted) {
    std::vector<std::pair<double, std::uint32_t>> scored;
    for (std::uint32_t q = 0; q < pool.n_questions(); ++q)
        scored.emplace_back(
            objective_value(pool.objective(), pool.literal_counts(q, false).data()), q);
    const std::size_t n = std::min(n_wanted, scored.size());
    std::partial_sort(scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(n), scored.end());
    std::vector<Literal> literals;
    for (std::size_t i = 0; i < n; ++i) literals.push_back({scored[i].second, false});
    return literals;
}

}  // namespace

DeepOutcome search_deep(const Pool& pool, const SearchOptions& options, const ValueGrid& grid,
                        const PairCounts& pairs, Collector& collector, Watch& watch) {
    constexpr std::size_t kSeeds = 8;
    const SingleMost most = most_after_singles(pool, pairs, options.formulas.has_negation);
    const std::size_t n_threads = std::max<std::size_t>(1, options.n_threads);
    std::vector<Worker> workers;
    for (std::size_t t = 0; t < n_threads; ++t)
        workers.emplace_back(pool, options, grid, pairs, most, collector, watch);

    DeepOutcome outcome;
    outcome.is_done.assign(pool.n_questions(), 0);
    std::vector<Literal> seeds = promising_literals(pool, kSeeds);
    if (collector.incumbent().is_found())
        for (const Literal& l : collector.incumbent().rule().literals) seeds.push_back(l);
    for (const Literal& seed : seeds)
        if (!watch.check()) workers[0].grow_greedily(seed);
    collector.offer(workers[0].collector().incumbent());
    outcome.n_counted += workers[0].n_counted();

    for (std::size_t start = 0; start < pool.n_questions(); start += kBatch) {
        const std::size_t n = std::min(kBatch, pool.n_questions() - start);
        std::vector<Incumbent> found(n, collector.incumbent());
        std::vector<double> counted(n, 0.0);
        parallel_for(n, n_threads, [&](std::size_t i, std::size_t thread) {
            if (watch.has_stopped()) return;
            Worker& worker = workers[thread];
            worker.restart(collector);
            const bool done = worker.search_from(static_cast<std::uint32_t>(start + i));
            outcome.is_done[start + i] = done ? 1 : 0;
            found[i] = worker.collector().incumbent();
            counted[i] = worker.n_counted();
        });
        for (std::size_t i = 0; i < n; ++i) {
            collector.offer(found[i]);
            outcome.n_counted += counted[i];
        }
        if (watch.has_stopped()) break;
    }
    return outcome;
}

}  // namespace bsnsing
