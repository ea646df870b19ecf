// Choosing from counts alone.
#include <nanobind/stl/unique_ptr.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "bindings/fields.hpp"
#include "bindings/module.hpp"
#include "grow/rule_search.hpp"

namespace bsnsing {
namespace {

using Histograms = std::vector<Matrix<std::int64_t>>;

std::vector<ClassHistogram> to_views(const Histograms& histograms) {
    return convert_all(histograms, [](const Matrix<std::int64_t>& counts) {
        return ClassHistogram{{counts.data(), counts.size()}, counts.shape(0)};
    });
}

void make_chooser(Chooser* self, const ColumnSchema& schema, std::size_t n_classes, double unit,
                  const std::optional<std::vector<double>>& class_weights, const AskOptions& ask,
                  const SearchOptions& search, const std::optional<ColumnLimits>& limits,
                  bool own_questions, const std::vector<QuestionFields>& extra_questions) {
    if (class_weights && class_weights->empty())
        throw std::invalid_argument("one weight per class is needed: 0 for " +
                                    std::to_string(n_classes) + " classes");
    const ClassOptions classes{n_classes, unit, class_weights.value_or(std::vector<double>())};
    new (self) Chooser(schema,
                       engine_options(schema, classes, ask, search, limits.value_or(ColumnLimits()),
                                      own_questions, from_fields(extra_questions, schema)));
}

std::vector<QuestionFields> ask(const Chooser& self, const Histograms& histograms,
                                std::optional<std::int64_t> target) {
    std::optional<std::uint32_t> wanted;
    if (target) wanted = to_code(*target, "class");
    return to_fields(self.ask(to_views(histograms), wanted), self.columns());
}

std::optional<Account> evaluate(const Chooser& self, const Vector<std::int64_t>& totals,
                                const Histograms& histograms, const CodedRule& rule,
                                const Vector<std::int64_t>& left) {
    const std::optional<NodeSplit> split = self.evaluate(
        as_span(totals), to_views(histograms), from_coded(rule, self.columns()), as_span(left));
    if (!split) return std::nullopt;
    return to_account(*split, self.columns());
}

std::unique_ptr<RuleSearch> search(const Chooser& self, const Vector<std::int64_t>& totals,
                                   const Histograms& histograms,
                                   const std::vector<QuestionFields>& questions,
                                   const Cube<std::int64_t>& pair_counts, double time_limit,
                                   const std::optional<NodeLimits>& limits, std::int64_t n_given) {
    if (std::isnan(time_limit)) throw std::invalid_argument("time_limit must be a number; got NaN");
    std::vector<Question> asked = from_fields(questions, self.columns());
    const std::vector<ClassHistogram> views = to_views(histograms);
    for (std::size_t axis = 1; axis < 3; ++axis)
        if (pair_counts.shape(axis) != asked.size())
            throw std::invalid_argument("there are pair counts of " +
                                        std::to_string(pair_counts.shape(axis)) +
                                        " questions for " + std::to_string(asked.size()));
    return call_interruptibly([&](Interrupt& interrupt) {
        return std::make_unique<RuleSearch>(
            self, as_span(totals), views, std::move(asked),
            std::span<const std::int64_t>(pair_counts.data(), pair_counts.size()), interrupt,
            time_limit, limits ? &*limits : nullptr, to_position(n_given, "number of questions"));
    });
}

std::vector<CodedRule> wanted(const RuleSearch& self) {
    return convert_all(self.wanted(), [&](const NodeRule& rule) {
        return to_coded(rule, self.chooser().columns());
    });
}

void take(RuleSearch& self, const Matrix<std::int64_t>& counts) {
    if (counts.size() > 0 && counts.shape(1) != self.n_classes())
        throw std::invalid_argument("counts must be of shape (rules wanted, " +
                                    std::to_string(self.n_classes()) + "); they have " +
                                    std::to_string(counts.shape(1)) + " columns");
    call_interruptibly([&](Interrupt& interrupt) {
        self.take({counts.data(), counts.size()}, interrupt);
        return true;
    });
}

}  // namespace

void bind_choose(nb::module_& m) {
    nb::class_<Chooser>(m, "Chooser", "Chooses questions and rules from counts, without rows.")
        .def("__init__", &make_chooser, nb::arg("schema"), nb::kw_only(), nb::arg("n_classes"),
             nb::arg("unit") = 1.0, nb::arg("class_weights") = nb::none(), nb::arg("ask"),
             nb::arg("search"), nb::arg("limits") = nb::none(), nb::arg("own_questions") = true,
             nb::arg("extra_questions") = std::vector<QuestionFields>())
        .def("ask", &ask, nb::arg("histograms").noconvert(), nb::arg("target") = nb::none(),
             "Questions worth asking of a node with these cases.")
        .def("evaluate", &evaluate, nb::arg("totals").noconvert(),
             nb::arg("histograms").noconvert(), nb::arg("rule"), nb::arg("left").noconvert(),
             "Account of a rule that sends `left` to yes; None if it breaks a limit.")
        .def(
            "search", &search, nb::keep_alive<0, 1>(), nb::arg("totals").noconvert(),
            nb::arg("histograms").noconvert(), nb::arg("questions"),
            nb::arg("pair_counts").noconvert(),
            nb::arg("time_limit") = std::numeric_limits<double>::infinity(),
            nb::arg("limits") = nb::none(), nb::arg("n_given") = 0,
            "Searches for a node's best rule over the questions whose pairs were counted. The last "
            "`n_given` were given for this node alone.");
    nb::class_<RuleSearch>(m, "RuleSearch", "A search for a rule that asks for counts it needs.")
        .def("wanted", &wanted, "Rules whose cases are needed next; none when all is settled.")
        .def("take", &take, nb::arg("counts").noconvert(),
             "Takes the cases, by wanted rule and class, that answer yes.")
        .def(
            "found",
            [](const RuleSearch& self) {
                return to_account(self.found(), self.chooser().columns());
            },
            "Account of the best rule so far.");
}

}  // namespace bsnsing
