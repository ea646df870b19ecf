#include "bindings.hpp"
namespace bsnsing { void bind_engine(nb::module_&) {} }
