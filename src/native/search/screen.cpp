#include "search/screen.hpp"

#include <cmath>

namespace bsnsing {

Screen entropy_screen(const Objective& objective) {
    Screen screen;
    for (std::size_t j = 0; j < objective.n_classes; ++j)
        screen.size += objective.totals[j] * objective.class_weights[j];
    screen.unsplit = unsplit_value(objective);
    for (std::size_t j = 0; j < objective.n_classes; ++j) {
        const double p = objective.totals[j] * objective.class_weights[j] / screen.size;
        ClassScreen& own = screen.classes.emplace_back();
        own.share = p;
        if (!(p > 0 && p < 1)) continue;  // no child departs from it
        const double at_one = (p - 1 - std::log(p)) / ((1 - p) * (1 - p));
        own.level = 0.5 / p;
        own.slope_above = (at_one - own.level) / (1 - p);
        own.slope_below = own.level / p;
        own.inverse = 1 / (p * screen.size);
    }
    return screen;
}

}  // namespace bsnsing
