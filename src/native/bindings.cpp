// The extension module. Each area binds its own names; here they only come together.
#include "bindings.hpp"

#include <stdexcept>

namespace bsnsing {

std::vector<LinearLimit> linear_limits(const std::vector<LimitFields>& fields,
                                       std::size_t n_subjects) {
    std::vector<LinearLimit> limits;
    for (const auto& [coefficients, lower, upper] : fields) {
        if (coefficients.size() != n_subjects)
            throw std::invalid_argument("a limit needs a coefficient for each question or column");
        limits.push_back({coefficients, lower, upper});
    }
    return limits;
}

bool user_interrupts() {
    const nb::gil_scoped_acquire python;
    return PyErr_CheckSignals() != 0;
}

}  // namespace bsnsing

NB_MODULE(_core, m) {
    m.doc() = "Native engine of bsnsing: counting, rule search, tree growth and prediction.";
    bsnsing::bind_search(m);
    bsnsing::bind_engine(m);
    bsnsing::bind_predict(m);
}
