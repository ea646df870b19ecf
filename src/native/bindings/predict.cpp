// From rows to leaves.
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/module.hpp"
#include "predict/apply.hpp"

namespace bsnsing {
namespace {

template <class T>
std::vector<T> to_vector(const Vector<T>& v) {
    return {v.data(), v.data() + v.shape(0)};
}

void make_tree(FlatTree* self, const Vector<std::int32_t>& yes, const Vector<std::int32_t>& no,
               const Vector<std::uint8_t>& operators, const Vector<std::int32_t>& first_literal,
               const Vector<std::int32_t>& literal_columns, const Vector<std::uint8_t>& tests,
               const Vector<double>& values, const Vector<std::uint8_t>& negated,
               const Vector<std::int32_t>& first_level, const Vector<std::int32_t>& levels,
               const std::vector<std::int32_t>& n_levels, const std::vector<bool>& has_missing) {
    FlatTree tree{to_vector(yes),
                  to_vector(no),
                  to_vector(operators),
                  to_vector(first_literal),
                  to_vector(literal_columns),
                  to_vector(tests),
                  to_vector(values),
                  to_vector(negated),
                  to_vector(first_level),
                  to_vector(levels),
                  n_levels,
                  has_missing};
    tree.check();
    new (self) FlatTree(std::move(tree));
}

Made<std::int64_t, 1> find_ends(const FlatTree& self, const nb::typed<nb::list, nb::any>& columns,
                                std::size_t n_rows, std::size_t n_threads) {
    if (n_threads == 0) throw std::invalid_argument("n_threads must be at least 1; got 0");
    // Columns that no question asks about may be None.
    std::vector<ColumnView> views(columns.size());
    std::vector<AnyNumbers> arrays;
    for (std::size_t c = 0; c < views.size(); ++c) {
        const nb::handle column = columns[c];
        if (column.is_none()) continue;
        if (!nb::try_cast(column, arrays.emplace_back(), false))
            throw nb::type_error(
                ("column " + std::to_string(c) + " must be a one-dimensional array of numbers")
                    .c_str());
        const AnyNumbers& cells = arrays.back();
        if (cells.shape(0) != n_rows)
            throw std::invalid_argument("column " + std::to_string(c) + " has " +
                                        std::to_string(cells.shape(0)) + " rows, not " +
                                        std::to_string(n_rows));
        views[c].cells = {cells.data(), n_rows > 0 ? cells.stride(0) : 1,
                          number_type(cells.dtype())};
        views[c].is_given = true;
    }
    self.check_columns(views);
    std::vector<std::int64_t> ends(n_rows);
    {
        const nb::gil_scoped_release no_python_below;
        apply_tree(self, views, n_rows, n_threads, ends.data());
    }
    return to_numpy<1>(std::move(ends), {n_rows});
}

}  // namespace

void bind_predict(nb::module_& m) {
    nb::class_<FlatTree>(m, "FlatTree", "A fitted tree as flat arrays, checked once.")
        .def("__init__", &make_tree, nb::kw_only(), nb::arg("yes").noconvert(),
             nb::arg("no").noconvert(), nb::arg("operators").noconvert(),
             nb::arg("first_literal").noconvert(), nb::arg("literal_columns").noconvert(),
             nb::arg("tests").noconvert(), nb::arg("values").noconvert(),
             nb::arg("negated").noconvert(), nb::arg("first_level").noconvert(),
             nb::arg("levels").noconvert(), nb::arg("n_levels"), nb::arg("has_missing"))
        .def("find_leaves", &find_ends, nb::arg("columns"), nb::kw_only(), nb::arg("n_rows"),
             nb::arg("n_threads"),
             "Leaf of each row, or the node whose rule its cells leave unknown.");
}

}  // namespace bsnsing
