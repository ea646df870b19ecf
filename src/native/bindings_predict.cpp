// From rows to leaves.
#include <stdexcept>
#include <vector>

#include "bindings.hpp"
#include "predict/apply.hpp"

namespace bsnsing {
namespace {

RowNumbers apply(const nb::typed<nb::list, nb::any>& columns, std::size_t n_rows,
                 const Vector<std::int32_t>& yes, const Vector<std::int32_t>& no,
                 const Vector<std::uint8_t>& operators, const Vector<std::int32_t>& first_literal,
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
    // Columns that no question asks about may be None.
    std::vector<ColumnView> views(columns.size());
    std::vector<Numbers> numbers;
    std::vector<Vector<std::int32_t>> codes;
    for (std::size_t c = 0; c < views.size(); ++c) {
        const nb::handle column = columns[c];
        if (column.is_none()) continue;
        std::size_t length = 0;
        if (nb::try_cast(column, numbers.emplace_back(), false)) {
            views[c].numbers = numbers.back().data();
            length = numbers.back().shape(0);
            views[c].stride = length > 0 ? numbers.back().stride(0) : 1;
        } else {
            codes.push_back(nb::cast<Vector<std::int32_t>>(column, false));
            views[c].codes = codes.back().data();
            length = codes.back().shape(0);
        }
        if (length != n_rows) throw std::invalid_argument("columns differ in length");
    }
    for (const std::int32_t c : tree.columns) {
        const ColumnView& view = views[static_cast<std::size_t>(c)];
        if (view.numbers == nullptr && view.codes == nullptr)
            throw std::invalid_argument("a column that the tree asks about is missing");
    }
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
    m.def("apply", &apply, nb::arg("columns"), nb::arg("n_rows"), nb::arg("yes"), nb::arg("no"),
          nb::arg("operators"), nb::arg("first_literal"), nb::arg("literal_columns"),
          nb::arg("tests"), nb::arg("values"), nb::arg("negated"), nb::arg("first_level"),
          nb::arg("levels"), nb::arg("n_threads"), "Leaf of each row.");
}

}  // namespace bsnsing
