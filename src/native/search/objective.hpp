// What a rule is judged by: the criterion, the node's totals and the limits on its children.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "criteria/criterion.hpp"

namespace bsnsing {

// Counts are weight sums, held in doubles: they are whole numbers below 2^53, so exact.
struct Objective {
    Criterion criterion = Criterion::gini_squared;
    std::size_t n_classes = 0;
    std::vector<double> totals;  // cases per class at the node
    std::vector<double>
        class_weights;    // multiplies a class's cases in the criterion, not in limits
    double total = 0;     // cases at the node
    double min_leaf = 1;  // cases each child needs
    bool distinct_children = false;
    std::size_t positive = 1;   // the class "yes" stands for, where two classes are not alike
    bool whole_numbers = true;  // no class weights: the criterion sums whole numbers
    // x ln x for x = 0, 1, 2, ..., where counts are whole numbers small enough to tabulate.
    const double* xlogx = nullptr;

    // A rule and its mirror image (children swapped) may differ in value or feasibility.
    bool is_oriented() const {
        return facts_of(criterion).is_oriented || (distinct_children && n_classes == 2);
    }
};

// `cases` in the unit of the weights, less what rounding may have taken from a sum of fractions.
inline double least_leaf(double cases, double unit) {
    constexpr double kRounding = 1e-9;
    return unit == 1.0 ? cases : cases * unit * (1 - kRounding);
}

// Value of the criterion for a rule that sends `left` (cases per class) to "yes".
double objective_value(const Objective& objective, const double* left);

// Value of a node that is not split.
double unsplit_value(const Objective& objective);

// Values below this make splitting a node worthwhile.
double value_to_beat(const Objective& objective);

// The greatest value that can occur: sets the grain at which values count as tied.
double largest_value(const Objective& objective);

// Both children have at least `min_leaf` cases and, where asked, different majority classes.
bool is_feasible(const Objective& objective, const double* left);

// Wide enough for the square of any sum of weights, which stay below 2^53.
__extension__ using WideInteger = __int128;

// Orders rules by value. Criteria that are whole numbers are compared exactly. The others are
// compared on a grid of 2^-40 of the largest value: what differs by less counts as tied, so that
// rounding in the last digits does not decide.
class ValueGrid {
  public:
    explicit ValueGrid(const Objective& objective);

    // `price`: what is added to the value; only where it is not compared exactly.
    WideInteger key(const Objective& objective, const double* left, double price = 0) const;

    // Values that can have a key of at most `key` lie below this; `slack_` covers rounding.
    double upper_edge(WideInteger key) const {
        return (static_cast<double>(key) + 0.5) / scale_ + slack_;
    }
    // Values that can have a smaller key than `key` lie below this.
    double lower_edge(WideInteger key) const {
        return (static_cast<double>(key) - 0.5) / scale_ + slack_;
    }
    double grain() const { return 1.0 / scale_ + 2 * slack_; }

  private:
    bool exact_ = false;
    double scale_ = 1;
    double slack_ = 0;
};

}  // namespace bsnsing
