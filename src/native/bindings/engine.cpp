// The engine: counts, level-wise search, partition.
#include "grow/engine.hpp"

#include <nanobind/stl/unique_ptr.h>

#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "bindings/fields.hpp"
#include "bindings/module.hpp"

namespace bsnsing {
namespace {

using Nodes = std::vector<std::int64_t>;

// An engine that threads of Python may share: they take turns. Who waits holds no interpreter lock,
// since the one who works may need it to hear of signals.
class SharedEngine : public Engine {
  public:
    using Engine::Engine;
    SharedEngine(const SharedEngine& other) : Engine(other) {}

    // Calls work() without the interpreter lock, when no other thread is at work.
    template <class Work>
    auto alone(const Work& work) const {
        const WithoutPython no_python_below;
        const std::lock_guard<std::mutex> turn(busy_);
        return work();
    }
    // The same; raises what a signal handler raised meanwhile.
    template <class Work>
    auto alone_interruptibly(const Work& work) const {
        return call_interruptibly([&](Interrupt& interrupt) {
            const std::lock_guard<std::mutex> turn(busy_);
            return work(interrupt);
        });
    }

  private:
    mutable std::mutex busy_;
};

void make_engine(SharedEngine* self, ColumnList& columns, const Cases& cases, const AskOptions& ask,
                 const SearchOptions& search, const std::optional<ColumnLimits>& limits,
                 bool own_questions, const std::vector<QuestionFields>& extra_questions) {
    columns.check_not_taken();
    for (const ColumnCodes& codes : columns.columns.codes)
        if (codes.n_rows != cases.classes.shape(0))
            throw std::invalid_argument("columns have " + std::to_string(codes.n_rows) +
                                        " rows for " + std::to_string(cases.classes.shape(0)) +
                                        " cases");
    const ColumnSchema& schema = columns.columns.schema;
    EngineOptions options =
        engine_options(schema, cases.options, ask, search, limits.value_or(ColumnLimits()),
                       own_questions, from_fields(extra_questions, schema));
    Columns taken = columns.take();
    const WithoutPython no_python_below;
    new (self) SharedEngine(std::move(taken), as_span(cases.classes), cases.options.n_classes,
                            as_span(cases.weights), std::move(options));
}

std::vector<double> class_totals(const SharedEngine& self, std::int64_t node) {
    const std::size_t place = to_position(node, "node");
    return self.alone([&] { return self.class_totals(place); });
}

std::vector<std::vector<QuestionFields>> ask(SharedEngine& self, const Nodes& nodes,
                                             std::optional<std::int64_t> target) {
    std::optional<std::uint32_t> wanted;
    if (target) wanted = to_code(*target, "class");
    const std::vector<std::vector<Question>> asked =
        self.alone([&] { return self.ask(to_nodes(nodes), wanted); });
    return convert_all(asked, [&](const std::vector<Question>& questions) {
        return to_fields(questions, self.columns());
    });
}

std::pair<Made<std::uint8_t, 2>, Made<std::int64_t, 1>> answers(
    const SharedEngine& self, std::int64_t node, const std::vector<QuestionFields>& questions) {
    const std::vector<Question> asked = from_fields(questions, self.columns());
    RowAnswers result = self.alone([&] { return self.answers(to_position(node, "node"), asked); });
    const std::size_t n_rows = result.rows.size();
    return {to_numpy<2>(std::move(result.answers), {n_rows, asked.size()}),
            to_numpy<1>(std::move(result.rows), {n_rows})};
}

std::vector<std::vector<Made<std::int64_t, 2>>> histograms(SharedEngine& self, const Nodes& nodes) {
    auto counts = self.alone_interruptibly(
        [&](Interrupt& interrupt) { return self.histograms(to_nodes(nodes), interrupt); });
    std::vector<std::vector<Made<std::int64_t, 2>>> arrays(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i)
        for (std::vector<std::int64_t>& column : counts[i]) {
            const std::size_t n_counts = column.size() / self.n_classes();
            arrays[i].push_back(to_numpy<2>(std::move(column), {self.n_classes(), n_counts}));
        }
    return arrays;
}

std::vector<Made<std::int64_t, 3>> pair_counts(
    SharedEngine& self, const Nodes& nodes,
    const std::vector<std::vector<QuestionFields>>& questions) {
    const auto asked = convert_all(questions, [&](const std::vector<QuestionFields>& fields) {
        return from_fields(fields, self.columns());
    });
    auto counts = self.alone_interruptibly(
        [&](Interrupt& interrupt) { return self.pair_counts(to_nodes(nodes), asked, interrupt); });
    std::vector<Made<std::int64_t, 3>> arrays;
    for (std::size_t i = 0; i < counts.size(); ++i)
        arrays.push_back(to_numpy<3>(std::move(counts[i]),
                                     {self.n_classes(), asked[i].size(), asked[i].size()}));
    return arrays;
}

std::vector<Made<std::int64_t, 2>> rule_counts(SharedEngine& self, const Nodes& nodes,
                                               const std::vector<std::vector<CodedRule>>& rules) {
    const auto given = convert_all(rules, [&](const std::vector<CodedRule>& of_node) {
        return convert_all(of_node,
                           [&](const CodedRule& rule) { return from_coded(rule, self.columns()); });
    });
    auto counts = self.alone_interruptibly(
        [&](Interrupt& interrupt) { return self.rule_counts(to_nodes(nodes), given, interrupt); });
    std::vector<Made<std::int64_t, 2>> arrays;
    for (std::size_t i = 0; i < counts.size(); ++i)
        arrays.push_back(to_numpy<2>(std::move(counts[i]), {given[i].size(), self.n_classes()}));
    return arrays;
}

std::vector<Account> best_rules(SharedEngine& self, const Nodes& nodes, double time_limit,
                                const std::vector<NodeLimits>& limits) {
    const std::vector<NodeSplit> splits = self.alone_interruptibly([&](Interrupt& interrupt) {
        return self.best_rules(to_nodes(nodes), interrupt, time_limit, limits);
    });
    return convert_all(splits,
                       [&](const NodeSplit& split) { return to_account(split, self.columns()); });
}

void give(SharedEngine& self, std::int64_t node, const std::vector<QuestionFields>& questions) {
    std::vector<Question> given = from_fields(questions, self.columns());
    self.alone([&] { self.give(to_position(node, "node"), std::move(given)); });
}

std::optional<Account> evaluate(const SharedEngine& self, std::int64_t node,
                                const CodedRule& rule) {
    NodeRule given = from_coded(rule, self.columns());
    const std::optional<NodeSplit> split =
        self.alone([&] { return self.evaluate(to_position(node, "node"), std::move(given)); });
    if (!split) return std::nullopt;
    return to_account(*split, self.columns());
}

std::vector<std::pair<std::size_t, std::size_t>> split(SharedEngine& self, const Nodes& nodes,
                                                       const std::vector<CodedRule>& rules) {
    const auto given =
        convert_all(rules, [&](const CodedRule& rule) { return from_coded(rule, self.columns()); });
    return self.alone([&] { return self.split(to_nodes(nodes), given); });
}

// The codes of a column of bits, a byte each.
std::vector<std::uint8_t> unpack(const NodeTable& table, std::size_t column) {
    std::vector<std::uint8_t> codes;
    codes.reserve(table.n_rows());
    for (const Segment& s : table.layout().segments)
        for (std::size_t i = 0; i < s.n_rows; ++i) {
            const Word word = table.bits(column)[s.first_word + i / kWordBits];
            codes.push_back((word >> (i % kWordBits)) & 1U);
        }
    return codes;
}

// The rows of a node in the order of its cells, and its codes, column by column: where they lie.
std::pair<Made<const std::uint32_t, 1>, std::vector<nb::object>> cells(const SharedEngine& self,
                                                                       std::int64_t node) {
    const std::size_t place = to_position(node, "node");
    const NodeTable table = self.alone([&] { return self.table(place); });
    auto kept = std::make_unique<std::shared_ptr<LevelMemory>>(table.memory());
    const nb::capsule owner(kept.release(), [](void* p) noexcept {
        delete static_cast<std::shared_ptr<LevelMemory>*>(p);
    });
    const std::size_t n_rows = table.n_rows();
    std::vector<nb::object> codes;
    for (std::size_t c = 0; c < self.columns().size(); ++c) {
        if (table.is_bits(c)) {
            codes.push_back(nb::cast(to_numpy<1>(unpack(table, c), {n_rows})));
            continue;
        }
        table.visit_codes(c, [&](const auto* typed) {
            using Code = std::remove_pointer_t<decltype(typed)>;
            codes.push_back(nb::cast(Made<Code, 1>(typed, {n_rows}, owner)));
        });
    }
    return {Made<const std::uint32_t, 1>(table.rows().data(), {n_rows}, owner), std::move(codes)};
}

std::vector<Made<std::int64_t, 1>> rows_of(const SharedEngine& self, const Nodes& nodes) {
    std::vector<std::vector<std::int64_t>> rows =
        self.alone([&] { return self.rows_of(to_nodes(nodes)); });
    std::vector<Made<std::int64_t, 1>> arrays;
    for (std::vector<std::int64_t>& of_node : rows) {
        const std::size_t n_rows = of_node.size();
        arrays.push_back(to_numpy<1>(std::move(of_node), {n_rows}));
    }
    return arrays;
}

}  // namespace

void bind_engine(nb::module_& m) {
    nb::class_<SharedEngine>(m, "Engine", "Counts, searches and parts the rows of a table.")
        .def("__init__", &make_engine, nb::arg("columns"), nb::arg("cases"), nb::kw_only(),
             nb::arg("ask"), nb::arg("search"), nb::arg("limits") = nb::none(),
             nb::arg("own_questions") = true,
             nb::arg("extra_questions") = std::vector<QuestionFields>())
        .def_prop_ro("n_rows", [](const SharedEngine& self) { return self.n_rows(); })
        .def_prop_ro("n_classes", [](const SharedEngine& self) { return self.n_classes(); })
        .def("class_totals", &class_totals, nb::arg("node"))
        .def("ask", &ask, nb::arg("nodes"), nb::arg("target") = nb::none(),
             "Questions worth asking of each node.")
        .def("answers", &answers, nb::arg("node"), nb::arg("questions"),
             "Answers of a node's rows, each once, and the numbers of these rows.")
        .def("histograms", &histograms, nb::arg("nodes"),
             "Per node and column, cases by class and code.")
        .def("pair_counts", &pair_counts, nb::arg("nodes"), nb::arg("questions"),
             "Per node, cases by class that answer yes to both of two questions.")
        .def("rule_counts", &rule_counts, nb::arg("nodes"), nb::arg("rules"),
             "Per node, cases by rule and class that answer yes.")
        .def("best_rules", &best_rules, nb::arg("nodes"),
             nb::arg("time_limit") = std::numeric_limits<double>::infinity(),
             nb::arg("limits") = std::vector<NodeLimits>(),
             "Account of the best rule of each node, asked and searched in one go. The limit, in "
             "seconds, is for all nodes together.")
        .def("give", &give, nb::arg("node"), nb::arg("questions"),
             "Gives a node further questions, behind those that all nodes are given.")
        .def("evaluate", &evaluate, nb::arg("node"), nb::arg("rule"),
             "Account of a rule chosen elsewhere for a node; None if it breaks a limit.")
        .def("split", &split, nb::arg("nodes"), nb::arg("rules"),
             "Parts each node by its rule; the new nodes, yes and no.")
        .def("rows_of", &rows_of, nb::arg("nodes"), "Rows of each node, each once, ascending.")
        .def(
            "cells", &cells, nb::arg("node"),
            nb::sig("def cells(self, node: int) -> tuple[NDArray[numpy.uint32], "
                    "list[NDArray[numpy.unsignedinteger[typing.Any]]]]"),
            "Rows of a node, once for each power of two in their weights, and its codes, column by "
            "column: views of what never changes.")
        .def(
            "branch",
            [](const SharedEngine& self) {
                return self.alone([&] { return std::make_unique<SharedEngine>(self); });
            },
            "An engine of the same nodes; neither sees what is done to those of the other.")
        .def(
            "close",
            [](SharedEngine& self, const Nodes& nodes) {
                self.alone([&] { self.close(to_nodes(nodes)); });
            },
            nb::arg("nodes"), "Frees what is kept of nodes that stay leaves.");
}

}  // namespace bsnsing
