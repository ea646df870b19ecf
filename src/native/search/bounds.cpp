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

double open_bound(const PoolCounts& pool, const SearchPlan& options, std::size_t question) {
    const Objective& o = pool.objective();
    const Formulas& f = options.formulas;
    double least = std::numeric_limits<double>::infinity();
    for (const bool negated : {false, true}) {
        if (negated && !f.has_negation) break;
        const std::vector<double> low = pool.literal_counts(question, negated);
        std::vector<double> high = o.totals;
        if (!f.has_negation)
            for (std::size_t j = 0; j < o.n_classes; ++j) {
                const double* later = pool.singles().row(j);
                const double most =
                    question + 1 < pool.n_questions()
                        ? *std::max_element(later + question + 1, later + pool.n_questions())
                        : 0.0;
                high[j] =
                    std::min(high[j], low[j] + static_cast<double>(options.max_rules - 1) * most);
            }
        least = std::min(least, box_bound(o, low, high, o.is_oriented() && f.as_and));
    }
    if (f.as_xor)  // an XOR may also drop cases of the first question
        least =
            std::min(least, box_bound(o, std::vector<double>(o.n_classes, 0.0), o.totals, false));
    return least;
}

}  // namespace bsnsing
