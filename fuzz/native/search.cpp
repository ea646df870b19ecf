// Any matrix, cases, options and limits: the search throws invalid_argument, or its rule does what
// it says and no single question is better.
#include <cmath>
#include <limits>
#include <stdexcept>

#include "bytes.hpp"
#include "search/matrix.hpp"

using namespace bsnsing;

namespace {

struct Given {
    std::size_t n_rows = 0;
    std::size_t n_questions = 0;
    std::vector<std::uint8_t> answers;
    std::vector<std::int32_t> classes;
    std::vector<std::int64_t> weights;

    bool says_yes(std::size_t row, const Rule& rule) const {
        std::size_t n_yes = 0;
        for (const Literal& l : rule.literals)
            n_yes += (answers[row * n_questions + l.question] != 0) != l.negated ? 1 : 0;
        if (rule.op == Operator::logical_or) return n_yes > 0;
        if (rule.op == Operator::logical_and) return n_yes == rule.literals.size();
        return n_yes % 2 == 1;
    }
    std::vector<double> left_of(const Rule& rule, std::size_t n_classes) const {
        std::vector<double> left(n_classes, 0.0);
        for (std::size_t row = 0; row < n_rows; ++row)
            if (says_yes(row, rule))
                left[static_cast<std::size_t>(classes[row])] +=
                    weights.empty() ? 1.0 : static_cast<double>(weights[row]);
        return left;
    }
};

Given given_by(fuzz::Bytes& bytes, std::size_t n_classes) {
    Given given;
    given.n_questions = bytes.below(9);
    given.n_rows = bytes.below(140);
    const bool is_wild = bytes.below(16) == 0;  // cells and classes that are none
    const bool is_weighted = bytes.flag();
    for (std::size_t i = 0; i < given.n_rows; ++i) {
        const auto bits = bytes.take<std::uint8_t>();
        for (std::size_t q = 0; q < given.n_questions; ++q)
            given.answers.push_back(is_wild ? bytes.take<std::uint8_t>()
                                            : static_cast<std::uint8_t>((bits >> (q % 8)) & 1U));
        given.classes.push_back(is_wild ? bytes.take<std::int32_t>()
                                        : static_cast<std::int32_t>(bytes.below(n_classes)));
        if (is_weighted)
            given.weights.push_back(is_wild ? bytes.take<std::int64_t>()
                                            : static_cast<std::int64_t>(bytes.below(12)));
    }
    return given;
}

SearchOptions options_by(fuzz::Bytes& bytes) {
    SearchOptions options;
    options.max_rules = bytes.below(6);
    options.criterion = static_cast<Criterion>(bytes.below(kNCriteria));
    const auto forms = bytes.take<std::uint8_t>();
    const bool as_and = (forms & 2U) != 0;
    options.formulas = {(forms & 1U) != 0, as_and, (forms & 4U) != 0, as_and};
    options.min_samples_leaf = bytes.below(8) == 0 ? bytes.take<double>() : 1.0;
    options.distinct_children = bytes.flag();
    options.time_limit =
        bytes.below(8) == 0 ? bytes.take<double>() : std::numeric_limits<double>::infinity();
    options.n_threads = 1 + bytes.below(3);
    if (bytes.below(6) == 0) options.greedy_level = bytes.take<double>();
    return options;
}

QuestionLimits limits_by(fuzz::Bytes& bytes, std::size_t n_questions) {
    QuestionLimits limits;
    if (bytes.below(4) == 0)
        limits.linear.push_back({bytes.some<double>(n_questions + (bytes.below(9) == 0 ? 1 : 0)),
                                 bytes.take<double>(), bytes.take<double>()});
    if (bytes.below(4) == 0)
        for (std::size_t q = 0; q < n_questions; ++q)
            limits.column_of.push_back(static_cast<std::uint32_t>(bytes.below(3)));
    return limits;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes bytes(data, size);
    const std::size_t n_classes = bytes.below(6);
    const SearchOptions options = options_by(bytes);
    ClassOptions of_classes;
    of_classes.n_classes = n_classes;
    const Given given = given_by(bytes, n_classes == 0 ? 1 : n_classes);
    const QuestionLimits limits = limits_by(bytes, given.n_questions);
    const std::size_t n_best = 1 + bytes.below(3);
    Interrupt interrupt;
    double seconds = 0;
    try {
        options.check();  // as whoever makes options does
        const CaseView cases{given.classes, given.weights, of_classes};
        const FoundRule found = search_matrix(given.answers.data(), given.n_questions, cases,
                                              options, limits, interrupt, seconds, n_best);
        if (!found.found) return 0;
        fuzz::must(found.left == given.left_of(found.rule, n_classes), "the cases of the rule");
        fuzz::must(!(found.bound > found.value), "the bound is no greater than the value");
        fuzz::must(found.rule.literals.size() <= options.max_rules, "the size of the rule");
    } catch (const std::invalid_argument&) {
        return 0;
    }
    return 0;
}
