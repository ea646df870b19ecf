// Options by keyword, and the cases they are about.
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>

#include "bindings/fields.hpp"
#include "bindings/module.hpp"
#include "bits/row_order.hpp"
#include "grow/questions.hpp"
#include "search/settings.hpp"

namespace bsnsing {
namespace {

// (coefficients, lower, upper)
using LimitFields = std::tuple<std::vector<double>, double, double>;

std::vector<LinearLimit> to_limits(const std::vector<LimitFields>& fields) {
    return convert_all(fields, [](const LimitFields& item) {
        const auto& [coefficients, lower, upper] = item;
        return LinearLimit{coefficients, lower, upper};
    });
}

std::vector<std::uint32_t> to_columns(const std::vector<std::int64_t>& numbers) {
    return convert_all(numbers, [](std::int64_t n) { return to_code(n, "column"); });
}

void make_ask_options(AskOptions* self, std::size_t n_segments, std::size_t max_levels,
                      std::size_t max_values_as_levels, double bin_size) {
    if (n_segments == 0 || max_levels == 0)
        throw std::invalid_argument("n_segments and max_levels must be at least 1; got " +
                                    std::to_string(n_segments) + " and " +
                                    std::to_string(max_levels));
    if (!(bin_size >= 0))
        throw std::invalid_argument("bin_size must not be negative; got " +
                                    std::to_string(bin_size));
    new (self) AskOptions{n_segments, max_levels, max_values_as_levels, bin_size};
}

void make_search_options(SearchOptions* self, std::size_t max_rules, const std::string& criterion,
                         const std::vector<std::string>& operators, double min_samples_leaf,
                         bool distinct_children, double time_limit, std::size_t n_threads,
                         std::optional<double> greedy_level) {
    const SearchOptions options{max_rules,
                                criterion_from_name(criterion),
                                formulas_from_names(operators),
                                min_samples_leaf,
                                distinct_children,
                                time_limit,
                                n_threads,
                                greedy_level};
    options.check();
    new (self) SearchOptions(options);
}

void make_column_limits(ColumnLimits* self, const std::vector<std::int64_t>& forbidden,
                        const std::vector<LimitFields>& linear, bool one_per_column,
                        const std::vector<std::pair<std::int64_t, std::int64_t>>& apart,
                        const std::vector<std::int64_t>& group_of, const std::vector<int>& monotone,
                        std::int64_t ordered_class) {
    new (self)
        ColumnLimits{to_columns(forbidden),
                     to_limits(linear),
                     one_per_column,
                     convert_all(apart,
                                 [](const std::pair<std::int64_t, std::int64_t>& pair) {
                                     return std::pair(to_code(pair.first, "column"),
                                                      to_code(pair.second, "column"));
                                 }),
                     to_columns(group_of),
                     convert_all(monotone, [](int sign) { return static_cast<std::int8_t>(sign); }),
                     to_code(ordered_class, "class")};
}

void make_node_limits(NodeLimits* self, double low, double high,
                      const std::optional<std::size_t>& max_new,
                      const std::vector<std::int64_t>& used, const std::vector<double>& prices,
                      const std::vector<std::int64_t>& closed) {
    if (std::isnan(low) || std::isnan(high))
        throw std::invalid_argument("low and high must be numbers; got NaN");
    new (self) NodeLimits{low, high, max_new, to_columns(used), prices, to_columns(closed)};
}

void make_question_limits(QuestionLimits* self, const std::vector<LimitFields>& linear,
                          const std::vector<std::int64_t>& column_of) {
    new (self) QuestionLimits{to_limits(linear), to_columns(column_of)};
}

void make_cases(Cases* self, const Vector<std::int32_t>& classes, std::size_t n_classes,
                const std::optional<Vector<std::int64_t>>& weights, double unit,
                std::optional<std::vector<double>> class_weights) {
    if (class_weights && class_weights->empty())
        throw std::invalid_argument("one weight per class is needed: 0 for " +
                                    std::to_string(n_classes) + " classes");
    const ClassOptions options{n_classes, unit,
                               std::move(class_weights).value_or(std::vector<double>())};
    options.check();
    if (weights && weights->shape(0) != classes.shape(0))
        throw std::invalid_argument("there are " + std::to_string(weights->shape(0)) +
                                    " weights for " + std::to_string(classes.shape(0)) + " rows");
    check_cases(as_span(classes), n_classes, as_span(weights));
    constexpr double kMostExact = 0x1p53;  // sums of cases are held in doubles
    double sum = 0;
    for (const std::int64_t w : as_span(weights)) sum += static_cast<double>(w);
    if (sum > kMostExact)
        throw std::invalid_argument("weights must add up to at most 2^53; they are " +
                                    std::to_string(sum));
    new (self) Cases{classes, weights, options};
}

}  // namespace

void bind_options(nb::module_& m) {
    nb::class_<AskOptions>(m, "AskOptions", "Which questions are worth asking.")
        .def("__init__", &make_ask_options, nb::kw_only(), nb::arg("n_segments"),
             nb::arg("max_levels"), nb::arg("max_values_as_levels"), nb::arg("bin_size"));
    nb::class_<SearchOptions>(m, "SearchOptions", "What rules are searched for, and how.")
        .def("__init__", &make_search_options, nb::kw_only(), nb::arg("max_rules"),
             nb::arg("criterion"), nb::arg("operators"), nb::arg("min_samples_leaf"),
             nb::arg("distinct_children"), nb::arg("time_limit"), nb::arg("n_threads"),
             nb::arg("greedy_level") = nb::none());
    nb::class_<ColumnLimits>(m, "ColumnLimits", "Limits on the columns that a rule asks about.")
        .def("__init__", &make_column_limits, nb::kw_only(),
             nb::arg("forbidden") = std::vector<std::int64_t>(),
             nb::arg("linear") = std::vector<LimitFields>(), nb::arg("one_per_column") = false,
             nb::arg("apart") = std::vector<std::pair<std::int64_t, std::int64_t>>(),
             nb::arg("group_of") = std::vector<std::int64_t>(),
             nb::arg("monotone") = std::vector<int>(), nb::arg("ordered_class") = 0);
    nb::class_<NodeLimits>(m, "NodeLimits", "What is known of the rules of one node.")
        .def("__init__", &make_node_limits, nb::kw_only(), nb::arg("low") = 0.0,
             nb::arg("high") = 1.0, nb::arg("max_new") = nb::none(),
             nb::arg("used") = std::vector<std::int64_t>(),
             nb::arg("prices") = std::vector<double>(),
             nb::arg("closed") = std::vector<std::int64_t>());
    nb::class_<QuestionLimits>(m, "QuestionLimits", "Limits on the questions of a rule.")
        .def("__init__", &make_question_limits, nb::kw_only(),
             nb::arg("linear") = std::vector<LimitFields>(),
             nb::arg("column_of") = std::vector<std::int64_t>());
    nb::class_<Cases>(m, "Cases", "The class and weight of each row.")
        .def("__init__", &make_cases, nb::arg("classes").noconvert(), nb::kw_only(),
             nb::arg("n_classes"), nb::arg("weights").noconvert() = nb::none(),
             nb::arg("unit") = 1.0, nb::arg("class_weights") = nb::none());
}

}  // namespace bsnsing
