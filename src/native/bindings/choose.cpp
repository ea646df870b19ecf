// Choosing from counts alone.
#include "bindings/fields.hpp"
#include "bindings/module.hpp"
#include "grow/chooser.hpp"

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
                  const RuleOptions& search, const std::optional<ColumnLimits>& limits,
                  bool own_questions, const std::vector<QuestionFields>& extra_questions) {
    const ClassOptions classes{n_classes, unit, class_weights.value_or(std::vector<double>())};
    new (self) Chooser(schema, engine_options(schema, classes, ask, search,
                                              limits.value_or(ColumnLimits()), own_questions,
                                              from_fields(extra_questions, schema)));
}

std::vector<QuestionFields> ask(const Chooser& self, const Histograms& histograms,
                                std::optional<std::int64_t> target) {
    std::optional<std::uint32_t> wanted;
    if (target) wanted = static_cast<std::uint32_t>(to_position(*target, "class"));
    return to_fields(self.ask(to_views(histograms), wanted), self.columns());
}

std::optional<Account> evaluate(const Chooser& self, const Vector<std::int64_t>& totals,
                                const Histograms& histograms, const CodedRule& rule,
                                const Vector<std::int64_t>& left) {
    const std::optional<NodeSplit> split =
        self.evaluate(as_span(totals), to_views(histograms), from_coded(rule, self.columns()),
                      as_span(left));
    if (!split) return std::nullopt;
    return to_account(*split, self.columns());
}

}  // namespace

void bind_choose(nb::module_& m) {
    nb::class_<Chooser>(m, "Chooser", "Chooses questions and rules from counts, without rows.")
        .def("__init__", &make_chooser, nb::arg("schema"), nb::kw_only(), nb::arg("n_classes"),
             nb::arg("unit") = 1.0, nb::arg("class_weights") = nb::none(), nb::arg("ask"),
             nb::arg("search"), nb::arg("limits") = nb::none(), nb::arg("own_questions") = true,
             nb::arg("extra_questions") = std::vector<QuestionFields>())
        .def("ask", &ask, nb::arg("histograms"), nb::arg("target") = nb::none(),
             "Questions worth asking of a node with these cases.")
        .def("evaluate", &evaluate, nb::arg("totals"), nb::arg("histograms"), nb::arg("rule"),
             nb::arg("left"),
             "Account of a rule that sends `left` to yes; None if it breaks a limit.");
}

}  // namespace bsnsing
