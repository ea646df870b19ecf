// The criteria, written out plainly once more. One that is missing here does not compile.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "search/objective.hpp"

namespace bsnsing::test {

// The value of a child with these cases per class.
inline double plain_child_value(Criterion criterion, const std::vector<double>& cases) {
    double size = 0;
    double pairs = 0;  // of cases of different classes
    double largest = 0;
    for (const double n : cases) {
        pairs += size * n;
        size += n;
        largest = std::max(largest, n);
    }
    double entropy = 0;
    for (const double n : cases) entropy -= n > 0 ? n * std::log(n / size) : 0;
    switch (criterion) {
        case Criterion::gini_squared:
            return pairs;
        case Criterion::gini:
            return size > 0 ? 2 * pairs / size : 0;
        case Criterion::entropy:
            return entropy;
        case Criterion::misclassification:
            return size - largest;
        case Criterion::error:
            break;  // does not look at one child alone
    }
    return std::numeric_limits<double>::quiet_NaN();
}

inline double plain_value(const Objective& o, const std::vector<double>& left) {
    std::vector<double> yes(o.n_classes);
    std::vector<double> no(o.n_classes);
    for (std::size_t j = 0; j < o.n_classes; ++j) {
        yes[j] = left[j] * o.class_weights[j];
        no[j] = (o.totals[j] - left[j]) * o.class_weights[j];
    }
    if (o.criterion == Criterion::error) {
        const std::size_t p = o.positive;
        return yes[1 - p] * (yes[p] + no[p]) + no[p] * (yes[1 - p] + no[1 - p]);
    }
    return plain_child_value(o.criterion, yes) + plain_child_value(o.criterion, no);
}

}  // namespace bsnsing::test
