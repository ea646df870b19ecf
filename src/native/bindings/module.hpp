// The areas of the module, and the classes that more than one of them binds.
#pragma once

#include "bindings/arrays.hpp"
#include "grow/columns.hpp"
#include "search/options.hpp"

namespace bsnsing {

// Classes and weights, with the arrays they are in.
struct Cases {
    Vector<std::int32_t> classes;
    std::optional<Vector<std::int64_t>> weights;
    ClassOptions options;

    CaseView view() const { return {as_span(classes), as_span(weights), options}; }
};

// Columns of a table, until an engine takes their codes over.
struct ColumnList {
    Columns columns;
    bool is_taken = false;

    void check_not_taken() const;
    Columns take();
};

void bind_options(nb::module_& m);
void bind_columns(nb::module_& m);
void bind_parts(nb::module_& m);
void bind_engine(nb::module_& m);
void bind_choose(nb::module_& m);
void bind_search(nb::module_& m);
void bind_predict(nb::module_& m);
void bind_forest(nb::module_& m);

}  // namespace bsnsing
