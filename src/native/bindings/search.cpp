// best_rule on a 0/1 matrix, and the choice of kernels.
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/fields.hpp"
#include "bindings/module.hpp"
#include "kernels/kernels.hpp"
#include "search/matrix.hpp"
#include "search/settings.hpp"

namespace bsnsing {
namespace {

// (questions, negated, operator, left, value, bound, optimal, n_counted, n_excluded, seconds)
using PoolAccount = std::tuple<std::vector<std::uint32_t>, std::vector<bool>, std::string,
                               std::vector<double>, double, double, bool, double, double, double>;

PoolAccount account_of(const FoundRule& found, double seconds) {
    const std::vector<Literal>& literals = found.rule.literals;
    return {convert_all(literals, [](const Literal& l) { return l.question; }),
            convert_all(literals, [](const Literal& l) { return l.negated; }),
            operator_name(static_cast<unsigned>(found.rule.op)),
            found.left,
            found.value,
            found.bound,
            found.optimal,
            found.n_counted,
            found.n_excluded,
            seconds};
}

FoundRule search_answers(const Matrix<std::uint8_t>& answers, const Cases& cases,
                         const SearchOptions& search, const std::optional<QuestionLimits>& limits,
                         std::size_t n_best, double& seconds) {
    if (answers.shape(0) != cases.classes.shape(0))
        throw std::invalid_argument("there are answers of " + std::to_string(answers.shape(0)) +
                                    " rows for " + std::to_string(cases.classes.shape(0)) +
                                    " cases");
    return call_interruptibly([&](Interrupt& interrupt) {
        return search_matrix(answers.data(), answers.shape(1), cases.view(), search,
                             limits.value_or(QuestionLimits()), interrupt, seconds, n_best);
    });
}

PoolAccount best_rule(const Matrix<std::uint8_t>& answers, const Cases& cases,
                      const SearchOptions& search, const std::optional<QuestionLimits>& limits) {
    double seconds = 0;
    const FoundRule found = search_answers(answers, cases, search, limits, 1, seconds);
    return account_of(found, seconds);
}

// (questions, negated, operator, left) of each, best first; and whether none is missing.
using RankedAccount =
    std::tuple<std::vector<std::uint32_t>, std::vector<bool>, std::string, std::vector<double>>;

std::pair<std::vector<RankedAccount>, bool> ranked_rules(
    const Matrix<std::uint8_t>& answers, const Cases& cases, const SearchOptions& search,
    const std::optional<QuestionLimits>& limits, std::size_t n_best) {
    if (n_best < 2) throw std::invalid_argument("n_best must be at least 2");
    if (search.greedy_level) throw std::invalid_argument("a greedy search finds one rule");
    double seconds = 0;
    const FoundRule found = search_answers(answers, cases, search, limits, n_best, seconds);
    std::vector<RankedAccount> accounts = convert_all(found.ranked, [](const RankedRule& r) {
        return RankedAccount(
            convert_all(r.rule.literals, [](const Literal& l) { return l.question; }),
            convert_all(r.rule.literals, [](const Literal& l) { return l.negated; }),
            operator_name(static_cast<unsigned>(r.rule.op)), r.left);
    });
    return {std::move(accounts), found.optimal};
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
    m.def("best_rule", &best_rule, nb::arg("answers").noconvert(), nb::arg("cases"), nb::kw_only(),
          nb::arg("search"), nb::arg("limits") = nb::none(),
          "Best rule over a 0/1 matrix: the fields of a Split.");
    m.def("ranked_rules", &ranked_rules, nb::arg("answers").noconvert(), nb::arg("cases"),
          nb::kw_only(), nb::arg("search"), nb::arg("limits") = nb::none(), nb::arg("n_best"),
          "The n_best best rules over a 0/1 matrix, best first, as (questions, negated, operator, "
          "left); and whether the search was not cut short.");
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
