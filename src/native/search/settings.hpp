// Names from Python to the search's settings.
#pragma once

#include <string>
#include <vector>

#include "search/objective.hpp"
#include "search/scan.hpp"

namespace bsnsing {

Criterion criterion_from_name(const std::string& name);
Formulas formulas_from_names(const std::vector<std::string>& operators);
const char* operator_name(unsigned op);

// x ln x for whole numbers up to `largest`; empty if that would be too large to keep.
std::vector<double> tabulate_xlogx(double largest);

}  // namespace bsnsing
