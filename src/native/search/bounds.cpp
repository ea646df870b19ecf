#include "search/bounds.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace bsnsing {

double box_bound(const Objective& o, const std::vector<double>& low,
                 const std::vector<double>& high, bool both_ways) {
    constexpr std::size_t kMostClasses = 10;  // beyond, the corners are too many to visit
    if (o.n_classes > kMostClasses) return 0;
    double least = std::numeric_limits<double>::infinity();
    std::vector<double> left(o.n_classes);
    for (std::size_t corner = 0; corner < (std::size_t{1} << o.n_classes); ++corner) {
        for (std::size_t j = 0; j < o.n_classes; ++j)
            left[j] = (corner >> j) & 1U ? high[j] : low[j];
        least = std::min(least, objective_value(o, left.data()));
        if (!both_ways) continue;
        for (std::size_t j = 0; j < o.n_classes; ++j) left[j] = o.totals[j] - left[j];
        least = std::min(least, objective_value(o, left.data()));
    }
    return least;
}

}  // namespace bsnsing
