#include "bindings/fields.hpp"

#include <limits>
#include <stdexcept>
#include <string>

#include "grow/given.hpp"

namespace bsnsing {
namespace {

QuestionFields fields_of(const Question& q, const ColumnShape& column) {
    std::vector<std::int64_t> levels(q.levels.begin(), q.levels.end());
    if (column.kind == ColumnKind::categorical && q.test == Test::equal) levels = {q.low};
    return {q.column, static_cast<int>(q.test), q.value, std::move(levels)};
}

Question question_of(const QuestionFields& fields, const ColumnSchema& columns) {
    const auto& [column, test, value, levels] = fields;
    if (test < 0 || test > static_cast<int>(Test::missing))
        throw std::invalid_argument("there is no test " + std::to_string(test));
    return given_question(
        columns, to_code(column, "column"), static_cast<Test>(test), value,
        convert_all(levels, [](std::int64_t level) { return to_code(level, "level"); }));
}

std::vector<bool> negations(const Rule& rule) {
    return convert_all(rule.literals, [](const Literal& l) { return l.negated; });
}

}  // namespace

std::vector<QuestionFields> to_fields(std::span<const Question> questions,
                                      const ColumnSchema& columns) {
    return convert_all(questions,
                       [&](const Question& q) { return fields_of(q, columns[q.column]); });
}

CodedRule to_coded(const NodeRule& rule, const ColumnSchema& columns) {
    return {to_fields(rule.questions, columns), negations(rule.rule),
            static_cast<int>(rule.rule.op)};
}

Account to_account(const NodeSplit& split, const ColumnSchema& columns) {
    const FoundRule& found = split.found;
    return {split.is_worthwhile,
            to_fields(split.questions, columns),
            negations(found.rule),
            static_cast<int>(found.rule.op),
            found.left,
            found.value,
            found.bound,
            found.optimal,
            found.n_counted,
            found.n_excluded,
            split.seconds,
            split.given};
}

std::vector<Question> from_fields(const std::vector<QuestionFields>& fields,
                                  const ColumnSchema& columns) {
    return convert_all(fields,
                       [&](const QuestionFields& item) { return question_of(item, columns); });
}

NodeRule from_coded(const CodedRule& coded, const ColumnSchema& columns) {
    const auto& [questions, negated, op] = coded;
    if (questions.empty() || questions.size() != negated.size())
        throw std::invalid_argument("a rule needs questions, each negated or not; got " +
                                    std::to_string(questions.size()) + " questions and " +
                                    std::to_string(negated.size()) + " negations");
    if (op < 0 || op > static_cast<int>(Operator::exclusive_or))
        throw std::invalid_argument("there is no operator " + std::to_string(op));
    NodeRule rule{from_fields(questions, columns), {}};
    rule.rule.op = static_cast<Operator>(op);
    for (std::uint32_t i = 0; i < questions.size(); ++i)
        rule.rule.literals.push_back({i, negated[i]});
    return rule;
}

std::uint32_t to_code(std::int64_t number, const char* what) {
    if (number < 0 || number > std::numeric_limits<std::uint32_t>::max())
        throw std::invalid_argument("there is no " + std::string(what) + ' ' +
                                    std::to_string(number));
    return static_cast<std::uint32_t>(number);
}

std::size_t to_position(std::int64_t number, const char* what) {
    if (number < 0)
        throw std::invalid_argument("there is no " + std::string(what) + ' ' +
                                    std::to_string(number));
    return static_cast<std::size_t>(number);
}

std::vector<std::size_t> to_nodes(const std::vector<std::int64_t>& numbers) {
    return convert_all(numbers, [](std::int64_t n) { return to_position(n, "node"); });
}

}  // namespace bsnsing
