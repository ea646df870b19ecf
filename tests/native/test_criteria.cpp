// Every criterion against plain_value: its value for one rule and for eight, in whole numbers, and
// its bounds.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "bits/aligned.hpp"
#include "check.hpp"
#include "inputs.hpp"
#include "kernels/kernels.hpp"
#include "plain_value.hpp"
#include "search/bounds.hpp"
#include "search/settings.hpp"

namespace bsnsing::test {
namespace {

using Cases = std::vector<double>;

bool is_near(double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

Objective random_objective(Random& random, Criterion criterion, std::size_t n_classes,
                           bool is_weighted) {
    Objective o;
    o.criterion = criterion;
    o.n_classes = n_classes;
    o.min_leaf = 0;
    for (std::size_t j = 0; j < n_classes; ++j) {
        o.totals.push_back(static_cast<double>(1 + random.below(40)));
        o.class_weights.push_back(is_weighted ? 0.25 + random.unit() : 1.0);
        o.total += o.totals[j];
    }
    o.whole_numbers = !is_weighted;
    o.positive = random.below(2);
    return o;
}

// A number of cases between `low` and `high`, per class.
Cases cases_between(Random& random, const Cases& low, const Cases& high) {
    Cases cases;
    for (std::size_t j = 0; j < low.size(); ++j)
        cases.push_back(low[j] + static_cast<double>(random.below(
                                     static_cast<std::uint64_t>(high[j] - low[j]) + 1)));
    return cases;
}

Cases mirrored(const Objective& o, const Cases& left) {
    Cases right(o.n_classes);
    for (std::size_t j = 0; j < o.n_classes; ++j) right[j] = o.totals[j] - left[j];
    return right;
}

void check_one_rule(const Objective& o, const Cases& left) {
    const CriterionFacts& facts = facts_of(o.criterion);
    const double value = objective_value(o, left.data());
    CHECK(is_near(value, plain_value(o, left)));
    CHECK(value <= largest_value(o) * (1 + 1e-9));
    const double swapped = objective_value(o, mirrored(o, left).data());
    CHECK(facts.is_oriented || is_near(value, swapped));
    Objective tripled = o;
    Cases tripled_left = left;
    for (double& n : tripled.totals) n *= 3;
    for (double& n : tripled_left) n *= 3;
    CHECK(is_near(objective_value(tripled, tripled_left.data()),
                  std::pow(3.0, facts.unit_power) * value));
}

void check_keys(const Objective& o, const Cases& a, const Cases& b) {
    const ValueGrid grid(o);
    const double value_a = plain_value(o, a);
    const double value_b = plain_value(o, b);
    if (value_a < value_b && !is_near(value_a, value_b))
        CHECK(grid.key(o, a.data()) < grid.key(o, b.data()));
    CHECK(value_a < grid.upper_edge(grid.key(o, a.data())));
    if (facts_of(o.criterion).is_exact && o.whole_numbers)
        CHECK(grid.key(o, a.data()) == static_cast<WideInteger>(std::llround(value_a)));
}

void check_unsplit(const Objective& o) {
    const Cases nobody(o.n_classes, 0.0);
    const double unsplit = plain_value(o, nobody);
    CHECK(is_near(unsplit_value(o), unsplit));
    CHECK(is_near(unsplit_value(o), plain_value(o, o.totals)));
    const double share = o.criterion == Criterion::gini_squared ? 0.5 : 1.0;
    CHECK(is_near(value_to_beat(o), unsplit * share));
    CHECK(value_to_beat(o) < unsplit || unsplit == 0);
}

// Eight rules that cover left[k], by a scan that adds literals to an empty rule.
void check_eight_values(const Kernels& kernels, const Objective& o,
                        const std::vector<Cases>& left) {
    Cases gain(o.n_classes * kLanes);
    for (std::size_t j = 0; j < o.n_classes; ++j)
        for (std::size_t k = 0; k < kLanes; ++k) gain[j * kLanes + k] = left[k][j];
    const Cases nobody(o.n_classes, 0.0);
    ScanMemory memory(o.n_classes);
    ExtendScan scan;
    scan.objective = &o;
    scan.n_literals = kLanes;
    scan.stride = kLanes;
    scan.base = nobody.data();
    scan.gain = gain.data();
    scan.limit = std::numeric_limits<double>::infinity();
    scan.grain = scan.limit;
    scan.memory = memory.data();
    std::vector<Hit> hits(kLanes * kHitsPerQuestion);
    std::size_t n_openings = 0;
    hits.resize(kernels.scan_extensions(scan, hits.data(), nullptr, &n_openings));
    CHECK(!hits.empty());
    for (const Hit& hit : hits) CHECK(is_near(hit.value, plain_value(o, left[hit.question])));
}

// Whether a scan leaves rules open that cover between `low` and `high`, given what is to beat.
bool is_open(const Kernels& kernels, const Objective& o, const Cases& low, const Cases& high,
             double limit) {
    Cases gain;
    Cases both;
    Cases single;
    for (std::size_t j = 0; j < o.n_classes; ++j) {
        gain.insert(gain.end(), kLanes, high[j]);
        both.insert(both.end(), kLanes, high[j] - low[j]);
        single.insert(single.end(), kLanes, 2 * o.totals[j]);
    }
    const Cases nobody(o.n_classes, 0.0);
    ScanMemory memory(o.n_classes);
    LastScan scan;
    scan.objective = &o;
    scan.n_literals = kLanes;
    scan.stride = kLanes;
    scan.base = nobody.data();
    scan.gain = gain.data();
    scan.singles = single.data();
    scan.both = both.data();
    scan.both_stride = kLanes;
    scan.open_limit = limit;
    scan.memory = memory.data();
    std::uint32_t block = 0;
    return kernels.scan_last(scan, &block) == 1;
}

void check_bounds(Random& random, const Kernels& kernels, const Objective& o) {
    const Cases nobody(o.n_classes, 0.0);
    const Cases low = cases_between(random, nobody, o.totals);
    const Cases high = cases_between(random, low, o.totals);
    const double corner = box_bound(o, low, high, false);
    const auto margin = [](double value) { return 1e-9 * std::max(1.0, value); };
    for (int i = 0; i < 20; ++i) {
        const Cases left = i == 0 ? low : i == 1 ? high : cases_between(random, low, high);
        const double value = plain_value(o, left);
        CHECK(corner <= value + margin(value));
        CHECK(is_open(kernels, o, low, high, value + margin(value)));
    }
    // A box of one point leaves nothing to guess.
    const double value = plain_value(o, low);
    CHECK(!is_open(kernels, o, low, low, value - margin(value)));
    if (o.n_classes <= 10) CHECK(is_near(box_bound(o, low, low, false), value));
}

void check_criterion(Random& random, Criterion criterion, std::size_t n_classes, bool is_weighted) {
    const Objective o = random_objective(random, criterion, n_classes, is_weighted);
    const Cases nobody(n_classes, 0.0);
    std::vector<Cases> left(kLanes);
    for (Cases& cases : left) cases = cases_between(random, nobody, o.totals);
    left[1] = nobody;
    left[2] = o.totals;
    for (const Cases& cases : left) {
        check_one_rule(o, cases);
        for (const Cases& other : left) check_keys(o, cases, other);
    }
    check_unsplit(o);
    for (std::size_t k = 1; k < 3; ++k)  // divided by nothing: no rule, and no value to compare
        left[k] = left[0];
    for (const Kernels* kernels : available_kernels()) {
        check_eight_values(*kernels, o, left);
        check_bounds(random, *kernels, o);
    }
}

// An oriented criterion must differ somewhere from its mirror image.
void check_orientation(Random& random, Criterion criterion) {
    bool differs = false;
    for (int i = 0; i < 20; ++i) {
        const Objective o = random_objective(random, criterion, 2, false);
        const Cases left = cases_between(random, Cases(2, 0.0), o.totals);
        differs = differs || !is_near(plain_value(o, left), plain_value(o, mirrored(o, left)));
    }
    CHECK(differs == facts_of(criterion).is_oriented);
}

}  // namespace

void test_criteria() {
    Random random(8);
    std::set<std::string> names;
    for (const Criterion criterion : every_criterion()) {
        const CriterionFacts& facts = facts_of(criterion);
        names.insert(facts.name);
        CHECK(criterion_from_name(facts.name) == criterion);
        check_orientation(random, criterion);
        for (const std::size_t n_classes : {2U, 3U, 7U, 40U}) {
            if (facts.two_classes_only && n_classes != 2) continue;
            for (int i = 0; i < 10; ++i)
                for (const bool is_weighted : {false, true})
                    check_criterion(random, criterion, n_classes, is_weighted);
        }
    }
    CHECK(names.size() == kNCriteria);
    CHECK(is_refused([] { criterion_from_name("luck"); }));
}

}  // namespace bsnsing::test
