#include "search/objective.hpp"

#include <algorithm>
#include <cmath>

namespace bsnsing {
namespace {

#include "criteria/every.inl"

}  // namespace

double objective_value(const Objective& o, const double* left) {
    return visit_criterion(o.criterion, [&](auto c) { return decltype(c)::value(o, left); });
}

double unsplit_value(const Objective& o) {
    return visit_criterion(o.criterion, [&](auto c) { return decltype(c)::unsplit_value(o); });
}

double value_to_beat(const Objective& o) {
    return visit_criterion(o.criterion, [&](auto c) { return decltype(c)::value_to_beat(o); });
}

double largest_value(const Objective& o) {
    return visit_criterion(o.criterion, [&](auto c) { return decltype(c)::largest_value(o); });
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
    exact_ = o.whole_numbers && facts_of(o.criterion).is_exact;
    if (exact_) {
        // The search computes in doubles; past 2^53 they round and the final say is the key's.
        const double roundings = 8.0 + static_cast<double>(o.n_classes);
        slack_ = largest < kMostExactDouble ? 0.0 : largest * roundings * 0x1p-53;
    } else {
        scale_ = 0x1p40 / largest;
        slack_ = largest * 0x1p-44;
    }
}

WideInteger ValueGrid::key(const Objective& o, const double* left, double price) const {
    constexpr double kMost = 0x1p60;
    return visit_criterion(o.criterion, [&](auto c) -> WideInteger {
        using C = decltype(c);
        if constexpr (C::kIsExact)
            if (exact_) return C::exact_value(o, left);
        return std::llround(std::min((C::value(o, left) + price) * scale_, kMost));
    });
}

}  // namespace bsnsing
