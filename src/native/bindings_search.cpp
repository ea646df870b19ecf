// best_rule on a 0/1 matrix, and the choice of kernels.
#include <chrono>
#include <stdexcept>

#include "bindings.hpp"
#include "bits/pack.hpp"
#include "kernels/kernels.hpp"
#include "search/search.hpp"
#include "search/settings.hpp"

namespace bsnsing {
namespace {

struct PackedProblem {
    RowOrder order;
    BitBlocks blocks;
    Objective objective;
    std::vector<double> xlogx;
};

// `unit` is the weight that counts as one case.
PackedProblem pack_problem(const Matrix<std::uint8_t>& answers, const Vector<std::int32_t>& classes,
                           std::size_t n_classes,
                           const std::optional<Vector<std::int64_t>>& weights, double unit,
                           double min_samples_leaf, const std::string& criterion,
                           bool distinct_children) {
    if (answers.shape(0) != classes.shape(0))
        throw std::invalid_argument("answers and classes must have the same number of rows");
    PackedProblem p;
    p.order = order_rows(as_span(classes), n_classes,
                         weights ? as_span(*weights) : std::span<const std::int64_t>());
    p.blocks = pack_answers(answers.data(), answers.shape(1), p.order);
    p.objective.criterion = criterion_from_name(criterion);
    p.objective.n_classes = n_classes;
    p.objective.totals = p.order.layout.class_totals();
    p.objective.class_weights.assign(n_classes, 1.0);
    for (const double n : p.objective.totals) p.objective.total += n;
    p.objective.min_leaf = least_leaf(min_samples_leaf, unit);
    p.objective.distinct_children = distinct_children;
    if (facts_of(p.objective.criterion).uses_xlogx) p.xlogx = tabulate_xlogx(p.objective.total);
    if (!p.xlogx.empty()) p.objective.xlogx = p.xlogx.data();
    return p;
}

nb::any to_python(const FoundRule& found, double seconds) {
    nb::list questions;
    nb::list negated;
    for (const Literal& l : found.rule.literals) {
        questions.append(l.question);
        negated.append(l.negated);
    }
    return nb::borrow<nb::any>(nb::make_tuple(nb::tuple(questions), nb::tuple(negated),
                                              operator_name(static_cast<unsigned>(found.rule.op)),
                                              found.left, found.value, found.bound, found.optimal,
                                              found.n_counted, found.n_excluded, seconds));
}

nb::any best_rule(const Matrix<std::uint8_t>& answers, const Vector<std::int32_t>& classes,
                  std::size_t n_classes, const std::optional<Vector<std::int64_t>>& weights,
                  double unit, std::size_t max_rules, double min_samples_leaf,
                  const std::string& criterion, const std::vector<std::string>& operators,
                  bool distinct_children, double time_limit, std::size_t n_threads,
                  std::optional<double> greedy_level, const std::vector<LimitFields>& limits,
                  const std::vector<std::uint32_t>& column_of) {
    if (!column_of.empty() && column_of.size() != answers.shape(1))
        throw std::invalid_argument("each question needs a column");
    FoundRule found;
    double seconds = 0;
    Interrupt interrupt(user_interrupts);
    {
        const nb::gil_scoped_release no_python_below;
        const auto start = std::chrono::steady_clock::now();
        const PackedProblem p = pack_problem(answers, classes, n_classes, weights, unit,
                                             min_samples_leaf, criterion, distinct_children);
        const double used =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        SearchOptions options{max_rules, formulas_from_names(operators), n_threads,
                              RuleLimits(linear_limits(limits, answers.shape(1)), column_of)};
        Watch watch(interrupt, time_limit - used);
        found = greedy_level
                    ? find_greedy_rule(p.blocks, p.order.layout, p.objective, options,
                                       *greedy_level, watch)
                    : find_best_rule(p.blocks, p.order.layout, p.objective, options, watch);
        seconds = watch.seconds();
    }
    if (interrupt.is_raised()) throw nb::python_error();
    return to_python(found, seconds);
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const Kernels* k : available_kernels()) names.emplace_back(k->name);
    return names;
}

// (name, unit_power, is_exact, two_classes_only) of each criterion.
std::vector<std::tuple<std::string, int, bool, bool>> criteria() {
    std::vector<std::tuple<std::string, int, bool, bool>> all;
    for (const CriterionFacts& facts : kCriterionFacts)
        all.emplace_back(facts.name, facts.unit_power, facts.is_exact, facts.two_classes_only);
    return all;
}

}  // namespace

void bind_search(nb::module_& m) {
    m.def("best_rule", &best_rule, nb::arg("answers"), nb::arg("classes"), nb::arg("n_classes"),
          nb::arg("weights").none(), nb::arg("unit"), nb::arg("max_rules"),
          nb::arg("min_samples_leaf"), nb::arg("criterion"), nb::arg("operators"),
          nb::arg("distinct_children"), nb::arg("time_limit"), nb::arg("n_threads"),
          nb::arg("greedy_level").none(), nb::arg("limits"), nb::arg("column_of"),
          "Best rule over a 0/1 matrix: the fields of a Split, or None.");
    m.def("criteria", &criteria,
          "(name, unit_power, is_exact, two_classes_only) of each criterion a rule can be judged "
          "by.");
    m.def("available_kernels", &kernel_names, "Names of the kernels this CPU can run, best first.");
    m.def(
        "active_kernels", [] { return std::string(active_kernels().name); },
        "Name of the kernels in use.");
    m.def(
        "use_kernels", [](const std::string& name) { use_kernels(name.c_str()); }, nb::arg("name"),
        "Choose the kernels for this process by name.");
}

}  // namespace bsnsing
