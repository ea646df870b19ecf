// From rows to leaves.
#include <stdexcept>
#include <vector>

#include "bindings.hpp"
#include "predict/apply.hpp"

namespace bsnsing {
namespace {

RowNumbers apply(const nb::typed<nb::list, nb::any>& columns, const std::vector<bool>& is_levels,
                 std::size_t n_rows, const Vector<std::int32_t>& yes,
                 const Vector<std::int32_t>& no, const Vector<std::uint8_t>& operators,
                 const Vector<std::int32_t>& first_literal,
                 const Vector<std::int32_t>& literal_columns, const Vector<std::uint8_t>& tests,
                 const Vector<double>& values, const Vector<std::uint8_t>& negated,
                 const Vector<std::int32_t>& first_level, const Vector<std::int32_t>& levels,
                 std::size_t n_threads) {
    const FlatTree tree{as_span(yes),
                        as_span(no),
                        as_span(operators),
                        as_span(first_literal),
                        as_span(literal_columns),
                        as_span(tests),
                        as_span(values),
                        as_span(negated),
                        as_span(first_level),
                        as_span(levels)};
    tree.check(columns.size());
    if (is_levels.size() != columns.size())
        throw std::invalid_argument("one mark per column is needed");
    // Columns that no question asks about may be None.
    std::vector<ColumnView> views(columns.size());
    std::vector<AnyNumbers> arrays;
    for (std::size_t c = 0; c < views.size(); ++c) {
        const nb::handle column = columns[c];
        if (column.is_none()) continue;
        const AnyNumbers& cells = arrays.emplace_back(nb::cast<AnyNumbers>(column, false));
        if (cells.shape(0) != n_rows) throw std::invalid_argument("columns differ in length");
        views[c] = {{cells.data(), n_rows > 0 ? cells.stride(0) : 1, number_type(cells.dtype())},
                    is_levels[c]};
    }
    for (const std::int32_t c : tree.columns)
        if (columns[static_cast<std::size_t>(c)].is_none())
            throw std::invalid_argument("a column that the tree asks about is missing");
    auto* leaves = new std::int64_t[n_rows + 1];
    const nb::capsule owner(leaves,
                            [](void* p) noexcept { delete[] static_cast<std::int64_t*>(p); });
    {
        const nb::gil_scoped_release no_python_below;
        apply_tree(tree, views, n_rows, n_threads, leaves);
    }
    return RowNumbers(leaves, {n_rows}, owner);
}

}  // namespace

void bind_predict(nb::module_& m) {
    m.def("apply", &apply, nb::arg("columns"), nb::arg("is_levels"), nb::arg("n_rows"),
          nb::arg("yes"), nb::arg("no"), nb::arg("operators"), nb::arg("first_literal"),
          nb::arg("literal_columns"), nb::arg("tests"), nb::arg("values"), nb::arg("negated"),
          nb::arg("first_level"), nb::arg("levels"), nb::arg("n_threads"), "Leaf of each row.");
}

}  // namespace bsnsing
