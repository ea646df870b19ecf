// From rows to leaves, and to the means of those they may reach.
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/module.hpp"
#include "predict/apply.hpp"

namespace bsnsing {
namespace {

using RowNumbers = Made<std::int64_t, 1>;

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

// Columns of the table to predict, with the arrays they are in. Those that no question asks about
// may be None.
struct GivenColumns {
    std::vector<ColumnView> views;
    std::vector<AnyNumbers> arrays;
};

GivenColumns read_columns(const FlatTree& tree, const nb::typed<nb::list, nb::any>& columns,
                          std::size_t n_rows) {
    GivenColumns given;
    given.views.resize(columns.size());
    for (std::size_t c = 0; c < given.views.size(); ++c) {
        const nb::handle column = columns[c];
        if (column.is_none()) continue;
        if (!nb::try_cast(column, given.arrays.emplace_back(), false))
            throw nb::type_error(
                ("column " + std::to_string(c) + " must be a one-dimensional array of numbers")
                    .c_str());
        const AnyNumbers& cells = given.arrays.back();
        if (cells.shape(0) != n_rows)
            throw std::invalid_argument("column " + std::to_string(c) + " has " +
                                        std::to_string(cells.shape(0)) + " rows, not " +
                                        std::to_string(n_rows));
        given.views[c].cells = view_of(cells);
        given.views[c].is_given = true;
    }
    tree.check_columns(given.views);
    return given;
}

// An array of numbers that nobody filled in before they were written, which takes a while.
RowNumbers as_array(std::unique_ptr<std::int64_t[]> numbers, std::size_t n) {
    const nb::capsule owner(numbers.get(),
                            [](void* p) noexcept { delete[] static_cast<std::int64_t*>(p); });
    return RowNumbers(numbers.release(), {n}, owner);
}

std::pair<RowNumbers, RowNumbers> find_ends(const FlatTree& self,
                                            const nb::typed<nb::list, nb::any>& columns,
                                            std::size_t n_rows, std::size_t n_threads) {
    check_threads(n_threads);
    const GivenColumns given = read_columns(self, columns, n_rows);
    auto ends = std::make_unique_for_overwrite<std::int64_t[]>(n_rows);
    std::vector<std::int64_t> stopped;
    {
        const WithoutPython no_python_below;
        stopped = apply_tree(self, given.views, n_rows, n_threads, ends.get());
    }
    const std::size_t n_stopped = stopped.size();
    return {as_array(std::move(ends), n_rows), to_numpy<1>(std::move(stopped), {n_stopped})};
}

Made<double, 2> mix_rows(const FlatTree& self, const nb::typed<nb::list, nb::any>& columns,
                         const Vector<std::int64_t>& rows, const Vector<std::int64_t>& starts,
                         const Matrix<double>& values, const Vector<double>& yes_share,
                         std::size_t n_rows, std::size_t n_threads) {
    check_threads(n_threads);
    const std::size_t n_nodes = self.yes.size();
    if (values.shape(0) != n_nodes || yes_share.shape(0) != n_nodes)
        throw std::invalid_argument("values and yes_share must have an entry for each of the " +
                                    std::to_string(n_nodes) + " nodes");
    for (const std::int64_t row : as_span(rows))
        if (row < 0 || static_cast<std::size_t>(row) >= n_rows)
            throw std::invalid_argument("there is no row " + std::to_string(row));
    if (starts.shape(0) != rows.shape(0))
        throw std::invalid_argument("rows and starts must have the same length");
    for (const std::int64_t node : as_span(starts))
        if (node < 0 || static_cast<std::size_t>(node) >= n_nodes)
            throw std::invalid_argument("there is no node " + std::to_string(node));
    const GivenColumns given = read_columns(self, columns, n_rows);
    const std::size_t n_values = values.shape(1);
    std::vector<double> mixed(rows.shape(0) * n_values);
    {
        const NodeValues held{{values.data(), n_nodes * n_values}, n_values, as_span(yes_share)};
        const WithoutPython no_python_below;
        mix_leaves(self, given.views, as_span(rows), as_span(starts), held, n_threads,
                   mixed.data());
    }
    return to_numpy<2>(std::move(mixed), {rows.shape(0), n_values});
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
        .def(
            "find_leaves", &find_ends, nb::arg("columns"), nb::kw_only(), nb::arg("n_rows"),
            nb::arg("n_threads"),
            "Leaf of each row, or the node whose rule its cells leave unknown; rows of such nodes.")
        .def("mix_leaves", &mix_rows, nb::arg("columns"), nb::kw_only(),
             nb::arg("rows").noconvert(), nb::arg("starts").noconvert(),
             nb::arg("values").noconvert(), nb::arg("yes_share").noconvert(), nb::arg("n_rows"),
             nb::arg("n_threads"),
             "Values of the leaves that rows reach from their starts; of both ways' the mean.");
}

}  // namespace bsnsing
