// The extension module. Each area binds its own names; here they only come together.
#include "bindings.hpp"

namespace bsnsing {

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
