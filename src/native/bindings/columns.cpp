// Columns as codes, and their row-free description.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

#include "bindings/fields.hpp"
#include "bindings/module.hpp"

namespace bsnsing {

void ColumnList::check_not_taken() const {
    if (is_taken)
        throw std::invalid_argument(
            "an engine has taken these columns over. Encode the table anew for another one.");
}

Columns ColumnList::take() {
    check_not_taken();
    is_taken = true;
    Columns taken = std::move(columns);
    columns.schema = taken.schema;
    return taken;
}

namespace {

constexpr const char* kKindNames[] = {"numeric", "boolean", "categorical"};

// Columns of any real type; binned if `max_bins` is given.
void add_numbers(ColumnList& self, const std::vector<AnyNumbers>& numbers, std::size_t max_bins,
                 const std::optional<Vector<std::int64_t>>& weights, std::size_t n_threads) {
    self.check_not_taken();
    const std::size_t n_rows = numbers.empty() ? 0 : numbers.front().shape(0);
    std::vector<NumberView> views;
    for (const AnyNumbers& n : numbers) {
        if (n.shape(0) != n_rows) throw std::invalid_argument("columns differ in length");
        views.push_back(view_of(n));
    }
    if (weights && weights->shape(0) != n_rows)
        throw std::invalid_argument("weights and columns differ in length");
    check_threads(n_threads);
    std::vector<EncodedColumn> encoded = call_interruptibly([&](Interrupt& interrupt) {
        return encode_number_columns(views, n_rows, {max_bins, as_span(weights), &interrupt},
                                     n_threads);
    });
    for (EncodedColumn& column : encoded) self.columns.add(std::move(column));
}

void add_levels(ColumnList& self, const Vector<std::int32_t>& codes, std::size_t n_levels) {
    self.check_not_taken();
    if (n_levels > 0x7fffffffU)
        throw std::invalid_argument("a column has at most 2147483647 levels; got " +
                                    std::to_string(n_levels));
    for (const std::int32_t code : as_span(codes))
        if (code >= static_cast<std::int64_t>(n_levels))
            throw std::invalid_argument("there is no level " + std::to_string(code) +
                                        ": the column has " + std::to_string(n_levels));
    self.columns.add(encode_levels(as_span(codes), n_levels));
}

// The columns of a schema, whose codes were made elsewhere.
void add_codes(ColumnList& self, const ColumnSchema& schema, const std::vector<AnyNumbers>& codes) {
    self.check_not_taken();
    if (codes.size() != schema.size())
        throw std::invalid_argument("there are " + std::to_string(codes.size()) + " codes for " +
                                    std::to_string(schema.size()) + " columns");
    std::vector<EncodedColumn> columns;
    for (std::size_t c = 0; c < codes.size(); ++c) {
        const NumberView view = view_of(codes[c]);
        const std::size_t n_rows = codes[c].shape(0);
        if (view.stride != 1) throw std::invalid_argument("codes must be contiguous");
        if (view.type == NumberType::u8)
            columns.push_back(
                column_of(schema[c], {static_cast<const std::uint8_t*>(view.data), n_rows}));
        else if (view.type == NumberType::u16)
            columns.push_back(
                column_of(schema[c], {static_cast<const std::uint16_t*>(view.data), n_rows}));
        else if (view.type == NumberType::u32)
            columns.push_back(
                column_of(schema[c], {static_cast<const std::uint32_t*>(view.data), n_rows}));
        else
            throw std::invalid_argument("codes must be unsigned integers of at most 32 bits");
    }
    for (EncodedColumn& column : columns) self.columns.add(std::move(column));
}

std::vector<bool> has_missing(const ColumnList& self) {
    std::vector<bool> flags;
    for (std::size_t c = 0; c < self.columns.schema.size(); ++c)
        flags.push_back(self.columns.schema[c].has_missing);
    return flags;
}

Made<std::uint32_t, 1> codes(const ColumnList& self, std::int64_t column) {
    const std::size_t place = to_position(column, "column");
    const ColumnShape& shape = self.columns.schema.at(place);
    self.check_not_taken();
    std::vector<std::uint32_t> listed = list_codes(shape, self.columns.codes[place]);
    const std::size_t n_rows = listed.size();
    return to_numpy<1>(std::move(listed), {n_rows});
}

// (kind, n_codes, has_missing, values, lowest)
using ShapeFields = std::tuple<int, std::uint32_t, bool, std::vector<double>, std::vector<double>>;

std::vector<ShapeFields> get_state(const ColumnSchema& self) {
    std::vector<ShapeFields> state;
    for (std::size_t c = 0; c < self.size(); ++c)
        state.emplace_back(static_cast<int>(self[c].kind), self[c].n_codes, self[c].has_missing,
                           self[c].values, self[c].lowest);
    return state;
}

void set_state(ColumnSchema& self, const std::vector<ShapeFields>& state) {
    ColumnSchema schema;
    for (const auto& [kind, n_codes, missing, values, lowest] : state) {
        const bool is_text = kind == static_cast<int>(ColumnKind::categorical);
        if (kind < 0 || kind > static_cast<int>(ColumnKind::categorical) ||
            values.size() != (is_text ? 0 : n_codes) ||
            (!lowest.empty() && lowest.size() != n_codes) ||
            !std::is_sorted(values.begin(), values.end()))
            throw std::invalid_argument("damaged column schema");
        schema.add({static_cast<ColumnKind>(kind), n_codes, missing, values, lowest});
    }
    new (&self) ColumnSchema(std::move(schema));
}

const ColumnShape& shape_of(const ColumnSchema& self, std::int64_t column) {
    return self.at(to_position(column, "column"));
}

Made<double, 1> to_array(const std::vector<double>& numbers) {
    return to_numpy<1>(numbers, {numbers.size()});
}

}  // namespace

void bind_columns(nb::module_& m) {
    nb::class_<ColumnSchema>(m, "ColumnSchema", "What the codes of columns stand for.")
        .def_prop_ro("n_columns", &ColumnSchema::size)
        .def(
            "kind",
            [](const ColumnSchema& self, std::int64_t column) {
                return kKindNames[static_cast<std::size_t>(shape_of(self, column).kind)];
            },
            nb::arg("column"), "'numeric', 'boolean' or 'categorical'.")
        .def(
            "n_codes",
            [](const ColumnSchema& self, std::int64_t column) {
                return shape_of(self, column).n_codes;
            },
            nb::arg("column"), "Codes of values; the next one means missing.")
        .def(
            "has_missing",
            [](const ColumnSchema& self, std::int64_t column) {
                return shape_of(self, column).has_missing;
            },
            nb::arg("column"))
        .def(
            "values",
            [](const ColumnSchema& self, std::int64_t column) {
                return to_array(shape_of(self, column).values);
            },
            nb::arg("column"), "By code, the value or the greatest value of a bin.")
        .def(
            "lowest",
            [](const ColumnSchema& self, std::int64_t column) {
                return to_array(shape_of(self, column).lowest);
            },
            nb::arg("column"), "By code, the least value of a bin; empty if nothing is binned.")
        .def("__getstate__", &get_state)
        .def("__setstate__", &set_state);
    nb::class_<ColumnList>(m, "ColumnList", "Columns of a table, encoded for the engine.")
        .def(nb::init<>())
        .def("add_numbers", &add_numbers,
             nb::sig(
                 "def add_numbers(self, numbers: collections.abc.Sequence[NDArray[numpy.generic]], "
                 "max_bins: int, weights: NDArray[numpy.int64] | None, n_threads: int) -> None"),
             nb::arg("numbers"), nb::arg("max_bins"), nb::arg("weights").none(),
             nb::arg("n_threads"))
        .def("add_levels", &add_levels, nb::arg("codes").noconvert(), nb::arg("n_levels"))
        .def("add_codes", &add_codes,
             nb::sig("def add_codes(self, schema: ColumnSchema, "
                     "codes: collections.abc.Sequence[NDArray[numpy.unsignedinteger[typing.Any]]]) "
                     "-> None"),
             nb::arg("schema"), nb::arg("codes"))
        .def("has_missing", &has_missing)
        .def_prop_ro("n_columns", [](const ColumnList& self) { return self.columns.schema.size(); })
        .def("codes", &codes, nb::arg("column"), "The code of each row; n_codes means missing.")
        .def(
            "schema", [](const ColumnList& self) { return self.columns.schema; },
            "What the codes stand for, without the rows.");
}

}  // namespace bsnsing
