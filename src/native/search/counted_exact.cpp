#include "search/counted_exact.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "search/bounds.hpp"
#include "search/counted_greedy.hpp"
#include "search/singles.hpp"
#include "search/space.hpp"

namespace bsnsing {
namespace {

// Sets asked for at a time: more cost fewer rounds, fewer let later ones meet a better incumbent.
constexpr std::size_t kBatch = 2048;

// The questions that differ from all earlier ones and, with `complements`, from their negations:
// those that share every case, or none and leave none over, say the same.
std::vector<std::uint32_t> distinct_questions(const PairMatrix& pairs, const Objective& o,
                                              bool complements) {
    const auto is_same = [&](std::uint32_t a, std::uint32_t b) {
        bool is_equal = true;
        bool is_complement = complements;
        for (std::size_t j = 0; j < o.n_classes && (is_equal || is_complement); ++j) {
            const double n_a = pairs.both(j, a, a);
            const double n_b = pairs.both(j, b, b);
            const double both = pairs.both(j, a, b);
            is_equal = is_equal && n_a == n_b && n_a == both;
            is_complement = is_complement && both == 0 && n_a + n_b == o.totals[j];
        }
        return is_equal || is_complement;
    };
    std::vector<std::uint32_t> kept;
    for (std::uint32_t q = 0; q < pairs.n_questions; ++q)
        if (std::none_of(kept.begin(), kept.end(), [&](std::uint32_t k) { return is_same(k, q); }))
            kept.push_back(q);
    return kept;
}

// Limits may tell questions apart that get the same answers. XORs have no negated questions;
// mirrored they are other rules where orientation matters.
std::vector<std::uint32_t> questions_to_keep(const PairMatrix& pairs, const Objective& o,
                                             const SearchPlan& options) {
    std::vector<std::uint32_t> all(pairs.n_questions);
    for (std::uint32_t q = 0; q < all.size(); ++q) all[q] = q;
    if (!options.limits.is_empty()) return all;
    const Formulas& f = options.formulas;
    return distinct_questions(pairs, o, f.has_negation && !(f.as_xor && o.is_oriented()));
}

PairCounts select_pairs(const PairMatrix& pairs, const std::vector<std::uint32_t>& kept) {
    PairCounts selected(pairs.classes.size(), round_up_to_lanes(kept.size()));
    for (std::size_t j = 0; j < pairs.classes.size(); ++j)
        for (std::size_t a = 0; a < kept.size(); ++a)
            for (std::size_t b = 0; b < kept.size(); ++b)
                selected.row(a)[j * selected.class_stride() + b] = pairs.both(j, kept[a], kept[b]);
    return selected;
}

Counts diagonal(const PairCounts& pairs, std::size_t n_classes, std::size_t n_questions) {
    Counts singles(n_classes, round_up_to_lanes(n_questions));
    for (std::size_t j = 0; j < n_classes; ++j)
        for (std::size_t q = 0; q < n_questions; ++q)
            singles.row(j)[q] = pairs.row(q)[j * pairs.class_stride() + q];
    return singles;
}

}  // namespace

CountedExactSearch::CountedExactSearch(const PairMatrix& pairs, const Objective& objective,
                                       const SearchPlan& options, Watch& watch)
    : objective_(objective),
      options_(options),
      grid_(objective_),
      n_given_(pairs.n_questions),
      kept_(questions_to_keep(pairs, objective, options)),
      pairs_(select_pairs(pairs, kept_)),
      pool_(objective_, kept_.size(), diagonal(pairs_, objective.n_classes, kept_.size())),
      collector_(pool_, options_.formulas, Incumbent(objective_, grid_, options_.limits)) {
    n_counted_ = offer_singles(pool_, options_.formulas, collector_);
    if (options_.max_rules < 2 || kept_.size() < 2) return;
    goes_deep_ = options_.max_rules >= 3 && kept_.size() >= 3 && forms_sets(options_.formulas);
    pairs_done_ = offer_pairs(pool_, options_.formulas, grid_, pairs_, collector_, watch);
    for (std::size_t q = 0; pairs_done_ && q < kept_.size(); ++q)
        n_counted_ += n_pair_rules(objective_, options_.formulas, kept_.size() - q - 1);
    if (goes_deep_ && pairs_done_) start_deep(watch);
    if (watch.has_stopped()) stop();
}

void CountedExactSearch::start_deep(Watch& watch) {
    std::vector<Literal> literals =
        order_literals(pool_, options_.formulas.has_negation, !options_.limits.is_empty());
    const std::size_t n = literals.size();
    literal_pool_ = std::make_unique<PoolCounts>(objective_, n, literal_singles(pool_, literals));
    literals_ = std::make_unique<LiteralCounts>(
        std::move(literals), *literal_pool_,
        PairCounts(objective_.n_classes, literal_pool_->stride()), pool_, pairs_, watch);
    if (n < 3 || watch.has_stopped()) return;
    width_ = Counts(objective_.n_classes, literal_pool_->stride());
    most_after_ = width_;
    seed_ = std::make_unique<Seed>();
    seed_->literals = positions_of(collector_.incumbent(), *literals_);
    if (seed_->literals.empty()) seed_->literals = promising_literals(*literal_pool_, 1);
    advance(watch);
}

void CountedExactSearch::advance(Watch& watch) {
    wanted_.clear();
    asked_.clear();
    parents_.clear();
    if (seed_ != nullptr) {
        if (ask_for_seeds()) return;
        seed_.reset();
        const Node root{{},
                        std::vector<double>(objective_.n_classes, 0.0),
                        literal_pool_->singles(),
                        literal_pool_->singles()};
        firsts_ = find_openings(root, options_.max_rules - 1, 2);
    }
    ask_for_wave(watch);
}

// Whether there are extensions of the seed to be counted. Of one literal they follow from the
// pairs, which have been offered.
bool CountedExactSearch::ask_for_seeds() {
    Seed& seed = *seed_;
    if (seed.literals.size() == 1) {
        const std::uint32_t own = seed.literals.front();
        double least = std::numeric_limits<double>::infinity();
        std::vector<double> covered(objective_.n_classes);
        std::uint32_t best = own;
        for (std::uint32_t i = 0; i < literals_->size(); ++i) {
            if (literals_->literal(i).question == literals_->literal(own).question) continue;
            for (std::size_t j = 0; j < covered.size(); ++j)
                covered[j] = literal_pool_->singles().row(j)[own] +
                             literal_pool_->singles().row(j)[i] - both(j, own, i);
            const double value = objective_value(objective_, covered.data());
            if (!(value < least) || !is_feasible(objective_, covered.data())) continue;
            least = value;
            best = i;
        }
        if (best == own) return false;
        seed.literals.push_back(best);
    }
    if (seed.literals.size() >= options_.max_rules) return false;
    seed.asked.clear();
    for (std::uint32_t i = 0; i < literals_->size(); ++i) {
        if (!may_extend(seed.literals, i)) continue;
        seed.asked.push_back(i);
        wanted_.push_back(rule_of(seed.literals, i));
    }
    return !seed.asked.empty();
}

void CountedExactSearch::take_seeds(std::span<const double> covered) {
    Seed& seed = *seed_;
    double least = std::numeric_limits<double>::infinity();
    std::uint32_t best = 0;
    for (std::size_t i = 0; i < seed.asked.size(); ++i) {
        const double* left = covered.data() + i * objective_.n_classes;
        offer(wanted_[i], left);
        const double value = objective_value(objective_, left);
        if (!(value < least) || !is_feasible(objective_, left)) continue;
        least = value;
        best = seed.asked[i];
    }
    if (least < std::numeric_limits<double>::infinity())
        seed.literals.push_back(best);
    else
        seed.literals.resize(options_.max_rules);  // nothing to go on from
}

void CountedExactSearch::take(std::span<const double> covered, Watch& watch) {
    n_deep_counted_ +=
        static_cast<double>(wanted_.size()) * ways_per_set(objective_, options_.formulas);
    if (seed_ != nullptr)
        take_seeds(covered);
    else
        take_wave(covered);
    advance(watch);
    if (watch.has_stopped()) stop();
}

void CountedExactSearch::take_wave(std::span<const double> covered) {
    for (std::size_t i = 0; i < asked_.size(); ++i) {
        const double* left = covered.data() + i * objective_.n_classes;
        offer(wanted_[i], left);
        const auto& [place, literal] = asked_[i];
        Node& parent = *parents_[place];
        if (parent.literals.size() + 2 > options_.max_rules) continue;
        for (std::size_t j = 0; j < objective_.n_classes; ++j)
            parent.least.row(j)[literal] = parent.most.row(j)[literal] = left[j] - parent.base[j];
        pending_.push_back({parents_[place], literal, {left, left + objective_.n_classes}});
    }
}

void CountedExactSearch::ask_for_wave(Watch& watch) {
    while (wanted_.size() < kBatch && !watch.check()) {
        if (!pending_.empty()) {
            Open open = std::move(pending_.back());
            pending_.pop_back();
            expand(make_child(*open.parent, open.literal, std::move(open.base)));
        } else if (std::shared_ptr<Node> pair = next_pair()) {
            expand(std::move(pair));
        } else {
            return;
        }
    }
}

std::shared_ptr<CountedExactSearch::Node> CountedExactSearch::make_child(
    const Node& parent, std::uint32_t literal, std::vector<double> base) const {
    auto child = std::make_shared<Node>();
    child->literals = parent.literals;
    child->literals.push_back(literal);
    child->base = std::move(base);
    child->least = Counts(objective_.n_classes, literal_pool_->stride());
    child->most = child->least;
    const PairCounts& pairs = literals_->pairs();
    for (std::size_t j = 0; j < objective_.n_classes; ++j) {
        const double* shared = pairs.row(literal) + j * pairs.class_stride();
        const double* single = literal_pool_->singles().row(j);
        const double* least = parent.least.row(j);
        const double* most = parent.most.row(j);
        // Whole blocks, because scans look at whole blocks.
        for (std::size_t i = literal / kLanes * kLanes; i < literals_->size(); ++i) {
            child->most.row(j)[i] = std::min(most[i], single[i] - shared[i]);
            child->least.row(j)[i] =
                std::min(std::max(0.0, least[i] - shared[i]), child->most.row(j)[i]);
        }
    }
    return child;
}

void CountedExactSearch::open_first(std::uint32_t literal) {
    first_ = std::make_unique<Node>();
    first_->literals = {literal};
    first_->least = Counts(objective_.n_classes, literal_pool_->stride());
    const PairCounts& pairs = literals_->pairs();
    for (std::size_t j = 0; j < objective_.n_classes; ++j) {
        const double* single = literal_pool_->singles().row(j);
        const double* shared = pairs.row(literal) + j * pairs.class_stride();
        first_->base.push_back(single[literal]);
        for (std::size_t i = literal / kLanes * kLanes; i < literals_->size(); ++i)
            first_->least.row(j)[i] = single[i] - shared[i];
    }
    first_->most = first_->least;
    seconds_ = find_openings(*first_, options_.max_rules - 2, 2);
    next_second_ = 0;
}

std::shared_ptr<CountedExactSearch::Node> CountedExactSearch::next_pair() {
    while (true) {
        if (first_ != nullptr && next_second_ < seconds_.size()) {
            const std::uint32_t second = seconds_[next_second_++];
            if (second + 1 >= literals_->size() || !may_extend(first_->literals, second)) continue;
            std::vector<double> base = first_->base;
            for (std::size_t j = 0; j < base.size(); ++j) base[j] += first_->least.row(j)[second];
            return make_child(*first_, second, std::move(base));
        }
        if (next_first_ >= firsts_.size()) return nullptr;
        const std::uint32_t first = firsts_[next_first_++];
        if (may_extend({}, first)) open_first(first);
    }
}

// The literals that leave a rule worth counting, if `n_more` may follow them and the rules of
// interest add at least `least_added` to the node's.
std::vector<std::uint32_t> CountedExactSearch::find_openings(const Node& node, std::size_t n_more,
                                                             std::size_t least_added) {
    const std::size_t first = node.literals.empty() ? 0 : node.literals.back() + 1;
    const std::size_t n = literals_->size();
    if (first >= n) return {};
    fill_most_after(node.most, first, n, most_after_);
    for (std::size_t j = 0; j < objective_.n_classes; ++j) {
        const double* least = node.least.row(j);
        const double* most = node.most.row(j);
        const double* alone = literals_->most_after().row(j);
        for (std::size_t i = first / kLanes * kLanes; i < width_.stride; ++i)
            width_.row(j)[i] =
                i < first || i >= n
                    ? 0.0
                    : most[i] - least[i] +
                          static_cast<double>(n_more) * std::min(most_after_.row(j)[i], alone[i]);
    }
    std::vector<std::uint32_t> simplest;
    literals_->simplest_rule(node.literals, first, least_added, simplest);
    // An extension whose cases are the least ones, and that one more literal may widen up to the
    // most there can be: the box.
    ScanMemory memory(objective_.n_classes);
    ExtendScan scan;
    scan.memory = memory.data();
    scan.objective = &objective_;
    scan.formulas = options_.formulas;
    scan.n_literals = n;
    scan.stride = literal_pool_->stride();
    scan.first = first;
    scan.base = node.base.data();
    scan.gain = node.least.row(0);
    scan.report_hits = false;
    scan.n_more = 1;
    scan.most_after = width_.row(0);
    scan.most_single = width_.row(0);
    scan.open_limit = collector_.incumbent().open_limit(simplest);
    std::vector<std::uint32_t> openings(literal_pool_->stride());
    std::size_t n_openings = 0;
    literal_pool_->kernels().scan_extensions(scan, nullptr, openings.data(), &n_openings);
    openings.resize(n_openings);
    return openings;
}

void CountedExactSearch::expand(std::shared_ptr<Node> node) {
    const std::size_t n_more = options_.max_rules - node->literals.size() - 1;
    const std::size_t n_before = asked_.size();
    for (const std::uint32_t literal : find_openings(*node, n_more, 1)) {
        if (!may_extend(node->literals, literal)) continue;
        asked_.push_back({parents_.size(), literal});
        wanted_.push_back(rule_of(node->literals, literal));
    }
    if (asked_.size() > n_before) parents_.push_back(std::move(node));
}

std::vector<Literal> CountedExactSearch::rule_of(const std::vector<std::uint32_t>& positions,
                                                 std::uint32_t added) const {
    std::vector<Literal> rule;
    for (const std::uint32_t position : positions) rule.push_back(literals_->literal(position));
    rule.push_back(literals_->literal(added));
    for (Literal& l : rule) l.question = kept_[l.question];
    std::sort(rule.begin(), rule.end(),
              [](Literal a, Literal b) { return a.question < b.question; });
    return rule;
}

// Not with a question twice, and only if the user's limits leave room for such a rule.
bool CountedExactSearch::may_extend(const std::vector<std::uint32_t>& positions,
                                    std::uint32_t added) const {
    const std::uint32_t question = literals_->literal(added).question;
    for (const std::uint32_t position : positions)
        if (literals_->literal(position).question == question) return false;
    if (options_.limits.is_empty()) return true;
    const std::vector<Literal> rule = rule_of(positions, added);  // nothing is dropped under limits
    return options_.limits.may_become(rule, options_.max_rules - rule.size());
}

// Rules are compared over the kept questions, whose order is that of all.
void CountedExactSearch::offer(const std::vector<Literal>& literals, const double* covered) {
    std::vector<Literal> rule = literals;
    for (Literal& l : rule)
        l.question = static_cast<std::uint32_t>(
            std::lower_bound(kept_.begin(), kept_.end(), l.question) - kept_.begin());
    collector_.offer_or(rule, covered, false);
    if (objective_.is_oriented()) collector_.offer_or(rule, covered, true);
}

void CountedExactSearch::stop() {
    is_stopped_ = true;
    wanted_.clear();
}

FoundRule CountedExactSearch::found() const {
    FoundRule found = describe(pool_, collector_.incumbent());
    for (Literal& l : found.rule.literals) l.question = kept_[l.question];
    const bool is_over = !is_stopped_ && wanted_.empty();
    const double n_deep = goes_deep_ ? n_rules(objective_, options_, kept_.size(), 3) : 0.0;
    // Seeds are counted once more when their turn comes, so small pools can count more than all.
    const double n_deep_counted = std::min(n_deep_counted_, n_deep);
    found.n_counted = n_counted_ + n_deep_counted;
    if (is_over)
        found.n_excluded = n_deep - n_deep_counted + static_cast<double>(n_given_ - kept_.size()) +
                           n_rules(objective_, options_, n_given_, 2) -
                           n_rules(objective_, options_, kept_.size(), 2);
    found.optimal = is_over;
    if (is_over) {
        if (!found.found) found.bound = std::numeric_limits<double>::infinity();
        return found;
    }
    double bound = found.found ? found.value : std::numeric_limits<double>::infinity();
    for (std::size_t q = 0; q < kept_.size(); ++q)
        bound = std::min(bound, open_bound(pool_, options_, q));
    found.bound = bound;
    return found;
}

std::unique_ptr<CountedSearch> search_counts(const PairMatrix& pairs, const Objective& objective,
                                             const SearchPlan& options,
                                             std::optional<double> greedy_level, Watch& watch) {
    if (greedy_level)
        return std::make_unique<CountedGreedySearch>(pairs, objective, options, *greedy_level);
    return std::make_unique<CountedExactSearch>(pairs, objective, options, watch);
}

}  // namespace bsnsing
