// The forest that teaches a tree by default.
#include "forest/forest.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bindings/module.hpp"
#include "forest/codes.hpp"

namespace bsnsing {
namespace {

FloatMatrix view_numbers(const Matrix<float>& numbers) {
    return {numbers.data(), numbers.shape(0), numbers.shape(1)};
}

CodeMatrix view_codes(const Matrix<std::uint8_t>& codes) {
    if (codes.shape(1) > 0x7fffffffU)
        throw std::invalid_argument("a forest takes at most 2147483647 rows");
    return {codes.data(), codes.shape(1), codes.shape(0)};
}

void check_columns(std::size_t n_given, std::size_t n_known) {
    if (n_given != n_known)
        throw std::invalid_argument("there must be " + std::to_string(n_known) + " columns; got " +
                                    std::to_string(n_given));
}

void make_bins(Bins* self, const Matrix<float>& numbers, std::size_t n_threads) {
    check_threads(n_threads);
    const WithoutPython no_python_below;
    new (self) Bins(view_numbers(numbers), n_threads);
}

Made<std::uint8_t, 2> codes(const Bins& self, const Matrix<float>& numbers, std::size_t n_threads) {
    check_threads(n_threads);
    check_columns(numbers.shape(1), self.n_columns());
    std::vector<std::uint8_t> found;
    {
        const WithoutPython no_python_below;
        found = self.codes(view_numbers(numbers), n_threads);
    }
    return to_numpy<2>(std::move(found), {numbers.shape(1), numbers.shape(0)});
}

void check_classes(std::size_t n_classes) {
    if (n_classes == 0 || n_classes > 0x7fffffffU)
        throw std::invalid_argument("n_classes must be from 1 to 2147483647; got " +
                                    std::to_string(n_classes));
}

void check_labels(const ForestLabels& labels, std::size_t n_rows) {
    check_classes(labels.n_classes);
    if (labels.labels.size() != n_rows || n_rows == 0)
        throw std::invalid_argument("codes and labels must have the same rows, at least one");
    for (const std::int32_t label : labels.labels)
        if (label < 0 || static_cast<std::size_t>(label) >= labels.n_classes)
            throw std::invalid_argument("there is no class " + std::to_string(label) +
                                        ": n_classes is " + std::to_string(labels.n_classes));
    if (labels.weights.empty()) return;
    if (labels.weights.size() != n_rows)
        throw std::invalid_argument("weights and labels differ in length");
    for (const double weight : labels.weights)
        if (!std::isfinite(weight) || weight < 0)
            throw std::invalid_argument("weights must be finite and not negative; got " +
                                        std::to_string(weight));
    if (std::ranges::all_of(labels.weights, [](double weight) { return weight == 0; }))
        throw std::invalid_argument("some weights must be greater than 0");
}

Forest grow_forest(const Matrix<std::uint8_t>& codes, const Vector<std::int32_t>& labels,
                   const std::optional<Vector<double>>& weights, std::size_t n_classes,
                   std::size_t n_best_trees, std::size_t n_best_columns, std::size_t n_random_trees,
                   std::size_t n_random_columns, std::size_t n_draws, std::uint64_t seed,
                   std::size_t n_threads) {
    check_threads(n_threads);
    const CodeMatrix table = view_codes(codes);
    const ForestLabels given{as_span(labels), as_span(weights), n_classes};
    check_labels(given, table.n_rows);
    if (n_draws == 0 || n_draws > 0x3fffffffU)
        throw std::invalid_argument("n_draws must be from 1 to 1073741823; got " +
                                    std::to_string(n_draws));
    const ForestOptions options{n_best_trees,     n_best_columns, n_random_trees,
                                n_random_columns, n_draws,        seed};
    return call_interruptibly(
        [&](Interrupt& interrupt) { return Forest(table, given, options, n_threads, interrupt); });
}

Made<double, 3> out_of_bag(const Forest& self, const Matrix<std::uint8_t>& codes,
                           const std::vector<std::uint32_t>& leaf_rows, std::size_t n_threads) {
    check_threads(n_threads);
    check_columns(codes.shape(0), self.n_columns());
    const CodeMatrix table = view_codes(codes);
    for (const ForestTree& tree : self.trees())
        if (tree.is_drawn.size() < table.n_rows)
            throw std::invalid_argument(
                "codes must be of rows that the forest was grown on, from the first on");
    if (!std::ranges::is_sorted(leaf_rows))
        throw std::invalid_argument("leaf_rows must be ascending");
    std::vector<double> shares = call_interruptibly([&](Interrupt& interrupt) {
        return self.out_of_bag(table, leaf_rows, n_threads, interrupt);
    });
    return to_numpy<3>(std::move(shares), {leaf_rows.size(), table.n_rows, self.n_classes()});
}

Made<double, 2> predict(const Forest& self, const Matrix<std::uint8_t>& codes,
                        std::size_t n_threads) {
    check_threads(n_threads);
    check_columns(codes.shape(0), self.n_columns());
    const CodeMatrix table = view_codes(codes);
    std::vector<double> shares = call_interruptibly(
        [&](Interrupt& interrupt) { return self.predict(table, n_threads, interrupt); });
    return to_numpy<2>(std::move(shares), {table.n_rows, self.n_classes()});
}

// (column, last, shift, left, n_rows, shares, is_drawn)
using TreeFields = std::tuple<std::vector<std::uint32_t>, std::vector<std::uint8_t>,
                              std::vector<std::uint8_t>, std::vector<std::uint32_t>,
                              std::vector<std::uint32_t>, std::vector<float>, std::vector<bool>>;

TreeFields tree_fields(const Forest& self, std::size_t number) {
    if (number >= self.trees().size())
        throw std::invalid_argument("there is no tree " + std::to_string(number));
    const ForestTree& tree = self.trees()[number];
    TreeFields fields;
    for (const ForestNode& node : tree.nodes) {
        std::get<0>(fields).push_back(node.column);
        std::get<1>(fields).push_back(node.last);
        std::get<2>(fields).push_back(node.shift);
        std::get<3>(fields).push_back(node.left);
    }
    std::get<4>(fields) = tree.n_rows;
    std::vector<double> shares(self.n_classes());
    for (std::uint32_t node = 0; node < tree.nodes.size(); ++node) {
        std::fill(shares.begin(), shares.end(), 0.0);
        tree.shares.add_to(shares.data(), node);
        std::get<5>(fields).insert(std::get<5>(fields).end(), shares.begin(), shares.end());
    }
    std::get<6>(fields) = tree.is_drawn;
    return fields;
}

// (column, last, shift, left, n_shares) of a tree's nodes, and (class, share) of all shares in
// their order, as arrays: trees are large.
using StoredTree =
    std::tuple<Vector<std::uint32_t>, Vector<std::uint8_t>, Vector<std::uint8_t>,
               Vector<std::uint32_t>, Vector<std::uint32_t>, Vector<std::uint32_t>, Vector<float>>;
using StoredForest = std::tuple<std::size_t, std::size_t, std::vector<StoredTree>>;

template <class T>
Made<T, 1> to_array(std::vector<T> numbers) {
    const std::size_t n = numbers.size();
    return to_numpy<1>(std::move(numbers), {n});
}

nb::tuple get_forest(const Forest& self) {
    nb::list trees;
    for (const ForestTree& tree : self.trees()) {
        const ForestTree kept = tree.reached();
        std::vector<std::uint32_t> columns;
        std::vector<std::uint8_t> last;
        std::vector<std::uint8_t> shift;
        std::vector<std::uint32_t> left;
        std::vector<std::uint32_t> n_shares;
        std::vector<std::uint32_t> classes;
        std::vector<float> shares;
        for (std::uint32_t i = 0; i < kept.nodes.size(); ++i) {
            const ForestNode& node = kept.nodes[i];
            columns.push_back(node.column);
            last.push_back(node.last);
            shift.push_back(node.shift);
            left.push_back(node.left);
            const std::size_t before = shares.size();
            kept.shares.append_to(i, classes, shares);
            n_shares.push_back(static_cast<std::uint32_t>(shares.size() - before));
        }
        trees.append(nb::make_tuple(to_array(std::move(columns)), to_array(std::move(last)),
                                    to_array(std::move(shift)), to_array(std::move(left)),
                                    to_array(std::move(n_shares)), to_array(std::move(classes)),
                                    to_array(std::move(shares))));
    }
    return nb::make_tuple(self.n_classes(), self.n_columns(), trees);
}

void set_forest(Forest& self, const StoredForest& stored) {
    const auto& [n_classes, n_columns, stored_trees] = stored;
    check_classes(n_classes);
    std::vector<ForestTree> trees;
    for (const auto& [columns, last, shift, left, n_shares, classes, shares] : stored_trees) {
        const std::size_t n_nodes = columns.shape(0);
        const std::size_t n_all = shares.shape(0);
        const std::span<const std::uint32_t> all_classes(classes.data(), classes.shape(0));
        if (last.shape(0) != n_nodes || shift.shape(0) != n_nodes || left.shape(0) != n_nodes ||
            n_shares.shape(0) != n_nodes || all_classes.size() != n_all ||
            std::ranges::any_of(all_classes, [&](std::uint32_t c) { return c >= n_classes; }))
            throw std::invalid_argument("damaged tree of a forest");
        ForestTree& tree = trees.emplace_back();
        tree.shares = NodeShares(n_classes);
        std::size_t first = 0;
        for (std::uint32_t i = 0; i < n_nodes; ++i) {
            tree.nodes.push_back(
                {columns.data()[i], left.data()[i], last.data()[i], shift.data()[i]});
            const std::size_t n = n_shares.data()[i];
            if (n > n_all - first) throw std::invalid_argument("damaged tree of a forest");
            tree.shares.set(i, all_classes.subspan(first, n), {shares.data() + first, n});
            first += n;
        }
        tree.shares.finish(n_nodes);
    }
    new (&self) Forest(n_classes, n_columns, std::move(trees));
}

}  // namespace

void bind_forest(nb::module_& m) {
    nb::class_<Bins>(m, "Bins", "Where the bins of each column end; at most 255 to a column.")
        .def("__init__", &make_bins, nb::arg("numbers").noconvert(), nb::kw_only(),
             nb::arg("n_threads"))
        .def("codes", &codes, nb::arg("numbers").noconvert(), nb::kw_only(), nb::arg("n_threads"),
             "Codes of rows, column after column; 255 is missing.")
        .def("__getstate__", &Bins::ends)
        .def("__setstate__", [](Bins& self, const std::vector<std::vector<float>>& ends) {
            for (const std::vector<float>& own : ends)
                if (own.size() >= kMostBins || !std::ranges::is_sorted(own))
                    throw std::invalid_argument("damaged bins");
            new (&self) Bins(ends);
        });
    nb::class_<Forest>(m, "Forest", "Random and extremely random trees, grown to the end.")
        .def_prop_ro("n_trees", [](const Forest& self) { return self.trees().size(); })
        .def("out_of_bag", &out_of_bag, nb::arg("codes").noconvert(), nb::kw_only(),
             nb::arg("leaf_rows"), nb::arg("n_threads"),
             "Mean shares by the trees that did not draw a row, for each size of leaves.")
        .def(
            "cut_back", [](Forest& self, std::uint32_t leaf_rows) { self.cut_back(leaf_rows); },
            nb::arg("leaf_rows"), "From here on leaves have at least `leaf_rows` rows.")
        .def("predict", &predict, nb::arg("codes").noconvert(), nb::kw_only(), nb::arg("n_threads"),
             "Mean shares by all trees.")
        .def("importances",
             [](const Forest& self) {
                 std::vector<double> shares = self.importances();
                 const std::size_t n_columns = shares.size();
                 return to_numpy<1>(std::move(shares), {n_columns});
             })
        .def("tree", &tree_fields, nb::arg("number"),
             "(column, last, shift, left, n_rows, shares, is_drawn) of a tree's nodes and rows.")
        // What is unpickled can predict, and no more.
        .def("__getstate__", &get_forest,
             nb::sig("def __getstate__(self) -> tuple[int, int, list[typing.Any]]"))
        .def("__setstate__", &set_forest);
    m.def("grow_forest", &grow_forest, nb::arg("codes").noconvert(), nb::arg("labels").noconvert(),
          nb::arg("weights").noconvert().none(), nb::kw_only(), nb::arg("n_classes"),
          nb::arg("n_best_trees"), nb::arg("n_best_columns"), nb::arg("n_random_trees"),
          nb::arg("n_random_columns"), nb::arg("n_draws"), nb::arg("seed"), nb::arg("n_threads"));
}

}  // namespace bsnsing
