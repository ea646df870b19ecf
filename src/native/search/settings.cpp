#include "search/settings.hpp"

#include <cmath>
#include <stdexcept>

namespace bsnsing {

Criterion criterion_from_name(const std::string& name) {
    for (const Criterion criterion : every_criterion())
        if (name == facts_of(criterion).name) return criterion;
    throw std::invalid_argument("unknown criterion '" + name + "'");
}

Formulas formulas_from_names(const std::vector<std::string>& operators) {
    Formulas formulas;
    formulas.as_or = false;
    for (const std::string& name : operators) {
        if (name == "or") {
            formulas.as_or = true;
        } else if (name == "and") {
            formulas.as_and = true;
            formulas.has_negation = true;
        } else if (name == "xor") {
            formulas.as_xor = true;
        } else {
            throw std::invalid_argument("unknown operator '" + name + "'");
        }
    }
    return formulas;
}

const char* operator_name(unsigned op) {
    constexpr const char* kNames[] = {"or", "and", "xor"};
    return kNames[op];
}

std::vector<double> tabulate_xlogx(double largest) {
    constexpr double kMost = 1 << 22;
    std::vector<double> table;
    if (largest > kMost) return table;
    table.resize(static_cast<std::size_t>(largest) + 1);
    for (std::size_t x = 1; x < table.size(); ++x)
        table[x] = static_cast<double>(x) * std::log(static_cast<double>(x));
    return table;
}

}  // namespace bsnsing
