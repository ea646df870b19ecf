#include "search/objective.hpp"

#include <algorithm>
#include <cmath>

namespace bsnsing {
namespace {

double xlogx(double x) {
    return x > 0 ? x * std::log(x) : 0.0;
}

// Impurity of one child; `n[j]` are its (class-weighted) cases.
double child_value(Criterion criterion, const std::vector<double>& n) {
    double size = 0;
    double largest = 0;
    double squares = 0;
    double xlogx_sum = 0;
    for (const double x : n) {
        size += x;
        largest = std::max(largest, x);
        squares += x * x;
        xlogx_sum += criterion == Criterion::entropy ? xlogx(x) : 0.0;
    }
    switch (criterion) {
        case Criterion::gini_squared:
            return (size * size - squares) / 2;
        case Criterion::gini:
            return size > 0 ? size - squares / size : 0.0;
        case Criterion::entropy:
            return xlogx(size) - xlogx_sum;
        default:
            return size - largest;
    }
}

// The whole-number criteria in integers that cannot overflow.
WideInteger exact_value(const Objective& o, const double* left) {
    if (o.criterion == Criterion::error) {
        const auto whole = [](double x) { return static_cast<WideInteger>(x); };
        const std::size_t p = o.positive;
        const WideInteger false_negatives = whole(o.totals[p]) - whole(left[p]);
        return whole(o.totals[p]) * whole(left[1 - p]) + whole(o.totals[1 - p]) * false_negatives;
    }
    WideInteger value = 0;
    for (const bool is_left : {true, false}) {
        WideInteger size = 0;
        WideInteger largest = 0;
        WideInteger pairs = 0;  // pairs of cases of different classes in this child
        for (std::size_t j = 0; j < o.n_classes; ++j) {
            const auto n = static_cast<WideInteger>(is_left ? left[j] : o.totals[j] - left[j]);
            pairs += size * n;
            size += n;
            largest = std::max(largest, n);
        }
        value += o.criterion == Criterion::gini_squared ? pairs : size - largest;
    }
    return value;
}

bool is_whole_criterion(Criterion criterion) {
    return criterion == Criterion::gini_squared || criterion == Criterion::misclassification ||
           criterion == Criterion::error;
}

}  // namespace

double objective_value(const Objective& o, const double* left) {
    if (o.criterion == Criterion::error) {
        const std::size_t p = o.positive;
        const std::size_t q = 1 - p;
        const double positives = o.totals[p] * o.class_weights[p];
        const double negatives = o.totals[q] * o.class_weights[q];
        return positives * (left[q] * o.class_weights[q]) +
               negatives * (positives - left[p] * o.class_weights[p]);
    }
    std::vector<double> l(o.n_classes);
    std::vector<double> r(o.n_classes);
    for (std::size_t j = 0; j < o.n_classes; ++j) {
        l[j] = left[j] * o.class_weights[j];
        r[j] = (o.totals[j] - left[j]) * o.class_weights[j];
    }
    return child_value(o.criterion, l) + child_value(o.criterion, r);
}

double unsplit_value(const Objective& o) {
    const std::vector<double> nobody(o.n_classes, 0.0);
    if (o.criterion != Criterion::error) return objective_value(o, nobody.data());
    return o.totals[0] * o.class_weights[0] * o.totals[1] * o.class_weights[1];
}

double largest_value(const Objective& o) {
    double size = 0;
    for (std::size_t j = 0; j < o.n_classes; ++j) size += o.totals[j] * o.class_weights[j];
    switch (o.criterion) {
        case Criterion::gini_squared:
            return size * size / 2;
        case Criterion::error:
            return 2 * unsplit_value(o);
        case Criterion::entropy:
            return size * std::log(static_cast<double>(std::max<std::size_t>(o.n_classes, 2)));
        default:
            return size;
    }
}

bool is_feasible(const Objective& o, const double* left) {
    double size = 0;
    for (std::size_t j = 0; j < o.n_classes; ++j) size += left[j];
    if (size < o.min_leaf || o.total - size < o.min_leaf) return false;
    if (!o.distinct_children) return true;
    if (o.n_classes == 2) {
        const std::size_t p = o.positive;
        const std::size_t q = 1 - p;
        const double wp = o.class_weights[p];
        const double wq = o.class_weights[q];
        return left[p] * wp >= left[q] * wq &&
               (o.totals[q] - left[q]) * wq >= (o.totals[p] - left[p]) * wp;
    }
    // Infeasible only if one class alone leads both children.
    double most_left = -1;
    double most_right = -1;
    for (std::size_t j = 0; j < o.n_classes; ++j) {
        most_left = std::max(most_left, left[j] * o.class_weights[j]);
        most_right = std::max(most_right, (o.totals[j] - left[j]) * o.class_weights[j]);
    }
    std::size_t n_leaders_left = 0;
    std::size_t n_leaders_right = 0;
    bool share_leader = false;
    for (std::size_t j = 0; j < o.n_classes; ++j) {
        const bool leads_left = left[j] * o.class_weights[j] == most_left;
        const bool leads_right = (o.totals[j] - left[j]) * o.class_weights[j] == most_right;
        n_leaders_left += leads_left ? 1 : 0;
        n_leaders_right += leads_right ? 1 : 0;
        share_leader = share_leader || (leads_left && leads_right);
    }
    return !(share_leader && n_leaders_left == 1 && n_leaders_right == 1);
}

ValueGrid::ValueGrid(const Objective& o) {
    constexpr double kMostExactDouble = 9007199254740992.0;
    const double largest = std::max(largest_value(o), 1e-300);
    exact_ = o.whole_numbers && is_whole_criterion(o.criterion);
    if (exact_) {
        // The search computes in doubles; past 2^53 they round and the final say is exact_value's.
        const double roundings = 8.0 + static_cast<double>(o.n_classes);
        slack_ = largest < kMostExactDouble ? 0.0 : largest * roundings * 0x1p-53;
    } else {
        scale_ = 0x1p40 / largest;
        slack_ = largest * 0x1p-44;
    }
}

WideInteger ValueGrid::key(const Objective& o, const double* left) const {
    return exact_ ? exact_value(o, left) : std::llround(objective_value(o, left) * scale_);
}

}  // namespace bsnsing
