// What excludes most rules by the entropy criterion without a logarithm; see
// kernels/entropy_screen.inl.
#pragma once

#include <vector>

#include "search/objective.hpp"

namespace bsnsing {

// The chords of g_j, by which one class counts.
struct ClassScreen {
    double share = 0;        // of the class in the node: p_j
    double level = 0;        // g_j there
    double slope_above = 0;  // of the chord from there to 1
    double slope_below = 0;  // of the chord from there to 0, as x falls
    double inverse = 0;      // one by the node's cases of the class
};

struct Screen {
    double size = 0;     // of the node, in class-weighted cases
    double unsplit = 0;  // the criterion of the node itself
    std::vector<ClassScreen> classes;
};

Screen entropy_screen(const Objective& objective);

}  // namespace bsnsing
