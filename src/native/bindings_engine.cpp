// The engine: table, questions, level-wise search, partition.
#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "bindings.hpp"
#include "grow/engine.hpp"
#include "grow/given.hpp"
#include "search/settings.hpp"

namespace bsnsing {
namespace {

using Answers = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<2>>;

// (column, test, value, levels): how questions cross the binding.
using QuestionFields = std::tuple<std::uint32_t, int, double, std::vector<std::uint32_t>>;

QuestionFields to_fields(const Question& q, const EncodedColumn& column) {
    std::vector<std::uint32_t> levels = q.levels;
    if (column.kind == ColumnKind::categorical && q.test == Test::equal) levels = {q.low};
    return {q.column, static_cast<int>(q.test), q.value, levels};
}

Question from_fields(const QuestionFields& fields, const std::vector<EncodedColumn>& columns) {
    const auto& [column, test, value, levels] = fields;
    if (test < 0 || test > static_cast<int>(Test::missing))
        throw std::invalid_argument("no such test");
    return given_question(columns, column, static_cast<Test>(test), value, levels);
}

class ColumnList {
  public:
    // Columns of any real type; binned if `max_bins` is given.
    void add_numbers(const std::vector<AnyNumbers>& numbers, std::size_t max_bins,
                     const std::optional<Vector<std::int64_t>>& weights, std::size_t n_threads) {
        const std::size_t n_rows = numbers.empty() ? 0 : numbers.front().shape(0);
        std::vector<NumberView> views;
        for (const AnyNumbers& n : numbers) {
            if (n.shape(0) != n_rows) throw std::invalid_argument("columns differ in length");
            views.push_back({n.data(), n_rows > 1 ? n.stride(0) : 1, number_type(n.dtype())});
        }
        if (weights && weights->shape(0) != n_rows)
            throw std::invalid_argument("weights and columns differ in length");
        const nb::gil_scoped_release no_python_below;
        const EncodeOptions options{max_bins,
                                    weights ? as_span(*weights) : std::span<const std::int64_t>()};
        std::vector<EncodedColumn> encoded =
            encode_number_columns(views, n_rows, options, n_threads);
        std::move(encoded.begin(), encoded.end(), std::back_inserter(columns));
    }
    void add_levels(const Vector<std::int32_t>& codes, std::size_t n_levels) {
        for (std::size_t i = 0; i < codes.shape(0); ++i)
            if (codes.data()[i] >= static_cast<std::int64_t>(n_levels))
                throw std::invalid_argument("a level code is not below the number of levels");
        columns.push_back(encode_levels(as_span(codes), n_levels));
    }

    std::vector<bool> has_missing() const {
        std::vector<bool> flags;
        for (const EncodedColumn& c : columns) flags.push_back(c.has_missing);
        return flags;
    }

    std::vector<EncodedColumn> columns;
};

// The engine together with the splits that wait to be carried out.
class BoundEngine {
  public:
    BoundEngine(ColumnList& columns, const Vector<std::int32_t>& classes, std::size_t n_classes,
                const std::optional<Vector<std::int64_t>>& weights, EngineOptions options)
        : engine_(std::move(columns.columns), as_span(classes), n_classes,
                  weights ? as_span(*weights) : std::span<const std::int64_t>(),
                  std::move(options)) {}

    std::vector<double> class_totals(std::size_t node) const { return engine_.class_totals(node); }

    nb::typed<nb::list, nb::any> search(const std::vector<std::size_t>& nodes) {
        Interrupt interrupt(user_interrupts);
        std::vector<NodeSplit> splits;
        {
            const nb::gil_scoped_release no_python_below;
            splits = engine_.search(nodes, interrupt);
        }
        if (interrupt.is_raised()) throw nb::python_error();
        nb::typed<nb::list, nb::any> results;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            results.append(describe(splits[i]));
            if (splits[i].is_worthwhile) waiting_[nodes[i]] = std::move(splits[i]);
        }
        return results;
    }

    // Takes a rule over questions that ask() gave for a node, chosen by a solver of its own.
    nb::any judge(std::size_t node, const std::vector<QuestionFields>& questions,
                  const std::vector<bool>& negated, int op, double bound, bool optimal) {
        if (questions.empty() || questions.size() != negated.size())
            throw std::invalid_argument("a rule needs questions, each negated or not");
        if (op < 0 || op > static_cast<int>(Operator::exclusive_or))
            throw std::invalid_argument("no such operator");
        NodeSplit split;
        for (std::size_t i = 0; i < questions.size(); ++i) {
            split.questions.push_back(from_fields(questions[i], engine_.columns()));
            split.found.rule.literals.push_back({static_cast<std::uint32_t>(i), negated[i]});
        }
        split.found.rule.op = static_cast<Operator>(op);
        if (!engine_.judge(node, split)) return nb::borrow<nb::any>(nb::none());
        split.found.optimal = optimal;
        split.found.bound = bound;
        nb::object result = describe(split);
        if (split.is_worthwhile) waiting_[node] = std::move(split);
        return nb::borrow<nb::any>(result);
    }

    std::vector<std::pair<std::size_t, std::size_t>> split(const std::vector<std::size_t>& nodes) {
        const nb::gil_scoped_release no_python_below;
        std::vector<NodeSplit> splits;
        for (const std::size_t node : nodes) {
            const auto waiting = waiting_.find(node);
            if (waiting == waiting_.end())
                throw std::invalid_argument("split needs a node whose search found a rule");
            splits.push_back(std::move(waiting->second));
            waiting_.erase(waiting);
        }
        return engine_.split(nodes, splits);
    }

    void close(const std::vector<std::size_t>& nodes) { engine_.close(nodes); }

    // Questions of a node's pool and the answers of its rows: (questions, answers, row numbers).
    std::tuple<std::vector<QuestionFields>, Answers, RowNumbers> ask(
        std::size_t node, std::optional<std::uint32_t> target) const {
        if (target.value_or(0) >= engine_.n_classes())
            throw std::invalid_argument("no such target class");
        NodePool pool;
        {
            const nb::gil_scoped_release no_python_below;
            pool = engine_.ask(node, target, engine_.options().search.n_threads);
        }
        std::vector<QuestionFields> questions;
        for (const Question& q : pool.questions)
            questions.push_back(to_fields(q, engine_.columns()[q.column]));
        const NodeTable& table = engine_.table(node);
        return {questions, unpack(pool, table), row_numbers(table)};
    }

  private:
    // Without a rule, the account still tells whether that is proven.
    nb::object describe(const NodeSplit& split) const {
        std::vector<QuestionFields> questions;
        std::vector<bool> negated;
        for (std::size_t i = 0; i < split.questions.size(); ++i) {
            const Question& q = split.questions[i];
            questions.push_back(to_fields(q, engine_.columns()[q.column]));
            negated.push_back(split.found.rule.literals[i].negated);
        }
        return nb::make_tuple(split.is_worthwhile, questions, negated,
                              static_cast<int>(split.found.rule.op), split.found.left,
                              split.found.value, split.found.bound, split.found.optimal,
                              split.found.n_counted, split.found.n_excluded, split.seconds);
    }

    static Answers unpack(const NodePool& pool, const NodeTable& node) {
        const std::size_t n_questions = pool.questions.size();
        auto* answers = new std::uint8_t[node.n_rows() * n_questions + 1];
        const nb::capsule owner(answers,
                                [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
        std::size_t row = 0;
        for (const Segment& s : node.layout().segments)
            for (std::size_t i = 0; i < s.n_rows; ++i, ++row)
                for (std::size_t q = 0; q < n_questions; ++q) {
                    const Word word = pool.blocks.lane(q)[(s.first_word + i / kWordBits) * kLanes];
                    answers[row * n_questions + q] = (word >> (i % kWordBits)) & 1U;
                }
        return Answers(answers, {node.n_rows(), n_questions}, owner);
    }

    static RowNumbers row_numbers(const NodeTable& node) {
        auto* rows = new std::int64_t[node.n_rows() + 1];
        const nb::capsule owner(rows,
                                [](void* p) noexcept { delete[] static_cast<std::int64_t*>(p); });
        std::copy(node.rows().begin(), node.rows().end(), rows);
        return RowNumbers(rows, {node.n_rows()}, owner);
    }

    Engine engine_;
    std::unordered_map<std::size_t, NodeSplit> waiting_;
};

void make_engine(BoundEngine* self, ColumnList& columns, const Vector<std::int32_t>& classes,
                 std::size_t n_classes, const std::optional<Vector<std::int64_t>>& weights,
                 double unit, const std::optional<std::vector<double>>& class_weights,
                 const std::string& criterion, const std::vector<std::string>& operators,
                 std::size_t max_rules, double min_samples_leaf, bool distinct_children,
                 double time_limit, std::optional<double> greedy_level, std::size_t n_segments,
                 std::size_t max_levels, std::size_t max_values_as_levels, double bin_size,
                 bool own_questions, const std::vector<QuestionFields>& extra_questions,
                 std::size_t n_threads, const std::vector<std::uint32_t>& forbidden_columns,
                 const std::vector<LimitFields>& column_limits, bool one_per_column) {
    EngineOptions options;
    options.ask = {n_segments,
                   max_levels,
                   max_values_as_levels,
                   bin_size * unit,
                   /*every_class=*/false,
                   /*negation=*/false};
    options.search = {max_rules, formulas_from_names(operators), n_threads};
    options.ask.negation = options.search.formulas.has_negation;
    options.criterion = criterion_from_name(criterion);
    options.has_class_weights = class_weights.has_value();
    options.class_weights = class_weights.value_or(std::vector<double>(n_classes, 1.0));
    if (options.class_weights.size() != n_classes)
        throw std::invalid_argument("one weight per class is needed");
    options.min_leaf = least_leaf(min_samples_leaf, unit);
    options.unit = unit;
    options.distinct_children = distinct_children;
    options.own_questions = own_questions;
    options.time_limit = time_limit;
    options.greedy_level = greedy_level;
    for (const EncodedColumn& c : columns.columns)
        if (c.n_rows != classes.shape(0))
            throw std::invalid_argument("columns and classes must have the same number of rows");
    for (const QuestionFields& fields : extra_questions)
        options.extra_questions.push_back(from_fields(fields, columns.columns));
    options.column_limits = linear_limits(column_limits, columns.columns.size());
    options.one_per_column = one_per_column;
    if (!forbidden_columns.empty()) options.is_forbidden.assign(columns.columns.size(), 0);
    for (const std::uint32_t c : forbidden_columns) options.is_forbidden.at(c) = 1;
    new (self) BoundEngine(columns, classes, n_classes, weights, std::move(options));
}

}  // namespace

void bind_engine(nb::module_& m) {
    nb::class_<ColumnList>(m, "ColumnList", "Columns of a table, encoded for the engine.")
        .def(nb::init<>())
        .def("add_numbers", &ColumnList::add_numbers,
             nb::sig(
                 "def add_numbers(self, numbers: collections.abc.Sequence[NDArray[numpy.generic]], "
                 "max_bins: int, weights: NDArray[numpy.int64] | None, n_threads: int) -> None"),
             nb::arg("numbers"), nb::arg("max_bins"), nb::arg("weights").none(),
             nb::arg("n_threads"))
        .def("add_levels", &ColumnList::add_levels, nb::arg("codes"), nb::arg("n_levels"))
        .def("has_missing", &ColumnList::has_missing);
    nb::class_<BoundEngine>(m, "Engine", "Counts, searches and parts the rows of a table.")
        .def("__init__", &make_engine, nb::arg("columns"), nb::arg("classes"), nb::arg("n_classes"),
             nb::arg("weights").none(), nb::arg("unit"), nb::arg("class_weights").none(),
             nb::arg("criterion"), nb::arg("operators"), nb::arg("max_rules"),
             nb::arg("min_samples_leaf"), nb::arg("distinct_children"), nb::arg("time_limit"),
             nb::arg("greedy_level").none(), nb::arg("n_segments"), nb::arg("max_levels"),
             nb::arg("max_values_as_levels"), nb::arg("bin_size"), nb::arg("own_questions"),
             nb::arg("extra_questions"), nb::arg("n_threads"), nb::arg("forbidden_columns"),
             nb::arg("column_limits"), nb::arg("one_per_column"))
        .def("class_totals", &BoundEngine::class_totals, nb::arg("node"))
        .def("search", &BoundEngine::search, nb::arg("nodes"))
        .def("judge", &BoundEngine::judge, nb::arg("node"), nb::arg("questions"),
             nb::arg("negated"), nb::arg("op"), nb::arg("bound"), nb::arg("optimal"),
             "Account of a rule chosen elsewhere for a node; None if it breaks a limit.")
        .def("split", &BoundEngine::split, nb::arg("nodes"))
        .def("close", &BoundEngine::close, nb::arg("nodes"),
             "Frees what is kept of nodes that stay leaves.")
        .def("ask", &BoundEngine::ask, nb::arg("node"), nb::arg("target").none());
}

}  // namespace bsnsing
