#include "grow/chooser.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace bsnsing {
namespace {

bool is_same(const Question& a, const Question& b) {
    return a.column == b.column && a.test == b.test && a.low == b.low && a.high == b.high &&
           a.value == b.value && a.levels == b.levels;
}

std::vector<double> totals_of(const ClassHistogram& histogram) {
    std::vector<double> totals;
    for (std::size_t j = 0; j < histogram.n_classes; ++j) {
        double n = 0;  // no sum of counts overflows it
        for (std::size_t code = 0; code < histogram.n_counts(); ++code)
            n += static_cast<double>(histogram.cases(j, code));
        totals.push_back(n);
    }
    return totals;
}

}  // namespace

EngineOptions engine_options(const ColumnSchema& columns, const ClassOptions& classes,
                             const AskOptions& ask, const SearchOptions& rules,
                             const ColumnLimits& limits, bool own_questions,
                             std::vector<Question> extra_questions) {
    classes.check();
    rules.check();
    rules.check_classes(classes.n_classes);
    limits.check(columns.size());
    EngineOptions options;
    options.ask = ask;
    options.ask.bin_size *= classes.unit;
    options.ask.negation = rules.formulas.has_negation;
    options.search = {rules.max_rules, rules.formulas, rules.n_threads};
    options.criterion = rules.criterion;
    options.has_class_weights = !classes.class_weights.empty();
    for (std::size_t j = 0; j < classes.n_classes; ++j)
        options.class_weights.push_back(classes.weight_of(j));
    options.min_leaf = least_leaf(rules.min_samples_leaf, classes.unit);
    options.distinct_children = rules.distinct_children;
    options.own_questions = own_questions;
    options.extra_questions = std::move(extra_questions);
    options.time_limit = rules.time_limit;
    options.greedy_level = rules.greedy_level;
    if (!limits.forbidden.empty()) options.is_forbidden.assign(columns.size(), 0);
    for (const std::uint32_t c : limits.forbidden) options.is_forbidden[c] = 1;
    options.column_limits = limits.linear;
    options.one_per_column = limits.one_per_column;
    options.known = limits;
    for (auto& [a, b] : options.known.apart)
        if (b < a) std::swap(a, b);
    std::sort(options.known.apart.begin(), options.known.apart.end());
    if (!limits.monotone.empty() && limits.ordered_class >= classes.n_classes)
        throw std::invalid_argument("there is no class " + std::to_string(limits.ordered_class) +
                                    ": there are " + std::to_string(classes.n_classes));
    return options;
}

NodeRule NodeSplit::rule() const {
    NodeRule rule{questions, found.rule};
    for (std::uint32_t i = 0; i < rule.rule.literals.size(); ++i)
        rule.rule.literals[i].question = i;
    return rule;
}

Chooser::Chooser(ColumnSchema columns, EngineOptions options)
    : columns_(std::move(columns)), options_(std::move(options)) {}

std::uint32_t Chooser::majority_class(std::span<const double> totals) const {
    std::uint32_t best = 0;
    for (std::uint32_t j = 1; j < totals.size(); ++j)
        if (totals[j] * options_.class_weights[j] >= totals[best] * options_.class_weights[best])
            best = j;
    return best;
}

AskOptions Chooser::ask_options(bool has_target) const {
    AskOptions how = options_.ask;
    how.every_class = !has_target && n_classes() > 2;
    return how;
}

std::vector<Question> Chooser::ask(std::span<const ClassHistogram> histograms,
                                   std::optional<std::uint32_t> target) const {
    check_histograms(histograms);
    if (target && *target >= n_classes())
        throw std::invalid_argument("there is no class " + std::to_string(*target) +
                                    ": there are " + std::to_string(n_classes()));
    std::vector<Question> questions;
    const AskOptions how = ask_options(target.has_value());
    std::uint32_t wanted = 0;
    if (target)
        wanted = *target;
    else if (!histograms.empty())
        wanted = majority_class(totals_of(histograms.front()));
    for (std::size_t c = 0; c < histograms.size(); ++c)
        if (may_ask(c))
            ask_column(columns_[c], static_cast<std::uint32_t>(c), histograms[c], wanted, how,
                       questions);
    questions.insert(questions.end(), options_.extra_questions.begin(),
                     options_.extra_questions.end());
    return questions;
}

void Chooser::check_histograms(std::span<const ClassHistogram> histograms) const {
    if (histograms.size() != columns_.size())
        throw std::invalid_argument("there are " + std::to_string(histograms.size()) +
                                    " histograms for " + std::to_string(columns_.size()) +
                                    " columns");
    for (std::size_t c = 0; c < histograms.size(); ++c) {
        const ClassHistogram& histogram = histograms[c];
        const std::string name = "the histogram of column " + std::to_string(c);
        const std::size_t n_counts = std::size_t{columns_[c].n_codes} + 1;
        if (histogram.n_classes != n_classes() || histogram.counts.size() != n_classes() * n_counts)
            throw std::invalid_argument(name + " must be of shape (" + std::to_string(n_classes()) +
                                        ", " + std::to_string(n_counts) + ")");
        for (const std::int64_t n : histogram.counts)
            if (n < 0) throw std::invalid_argument(name + " has a count of " + std::to_string(n));
        if (totals_of(histogram) != totals_of(histograms.front()))
            throw std::invalid_argument(name + " and that of column 0 count different cases");
    }
}

Objective Chooser::objective_of(std::vector<double> totals, std::uint32_t target) const {
    Objective o;
    o.criterion = options_.criterion;
    o.n_classes = n_classes();
    o.totals = std::move(totals);
    o.class_weights = options_.class_weights;
    for (const double n : o.totals) o.total += n;
    o.min_leaf = options_.min_leaf;
    o.distinct_children = options_.distinct_children;
    o.positive = target;
    o.whole_numbers = !options_.has_class_weights;
    return o;
}

bool Chooser::is_worthwhile(const Objective& o, double value) const {
    return value < value_to_beat(o);
}

RuleLimits Chooser::limits_of(std::span<const Question> questions, const NodeLimits* node,
                              std::span<const std::size_t> present) const {
    std::vector<LinearLimit> linear;
    for (const LinearLimit& by_column : options_.column_limits) {
        linear.push_back({{}, by_column.lower, by_column.upper});
        for (const Question& q : questions)
            linear.back().coefficients.push_back(by_column.coefficients[q.column]);
    }
    std::vector<std::uint32_t> column_of;
    if (options_.one_per_column)
        for (const Question& q : questions) column_of.push_back(q.column);
    RuleLimits limits(std::move(linear), std::move(column_of));
    PoolKnowledge knowledge = knowledge_of(questions, node, present);
    if (!knowledge.is_empty()) {
        for (const Question& q : questions) knowledge.column_of.push_back(q.column);
        limits.add(std::move(knowledge));
    }
    return limits;
}

PoolKnowledge Chooser::knowledge_of(std::span<const Question> questions, const NodeLimits* node,
                                    std::span<const std::size_t> present) const {
    const ColumnLimits& known = options_.known;
    PoolKnowledge knowledge;
    knowledge.apart = known.apart;
    knowledge.group_of = known.group_of;
    if (!known.monotone.empty()) {
        for (const Question& q : questions) knowledge.sign.push_back(sign_of(q));
        if (present.empty()) knowledge.ordered_class = known.ordered_class;
        for (std::size_t i = 0; i < present.size(); ++i)
            if (present[i] == known.ordered_class) knowledge.ordered_class = i;
    }
    if (node == nullptr) return knowledge;
    knowledge.low = node->low;
    knowledge.high = node->high;
    knowledge.price = node->prices;
    if (!node->closed.empty()) knowledge.is_closed.assign(columns_.size(), 0);
    for (const std::uint32_t column : node->closed) knowledge.is_closed[column] = 1;
    if (node->max_new) {
        knowledge.max_new = *node->max_new;
        knowledge.is_used.assign(columns_.size(), 0);
        for (const std::uint32_t column : node->used) knowledge.is_used[column] = 1;
    }
    return knowledge;
}

std::int8_t Chooser::sign_of(const Question& question) const {
    const std::int8_t way = options_.known.monotone[question.column];
    if (way == 0 || question.test == Test::missing) return 0;
    const auto turned = static_cast<std::int8_t>(-way);
    if (question.test == Test::greater) return way;
    if (question.test == Test::less) return turned;
    const bool is_flag =
        question.test == Test::equal && columns_[question.column].kind == ColumnKind::boolean;
    if (!is_flag) return PoolKnowledge::kUnordered;
    return question.value != 0 ? way : turned;
}

std::int64_t Chooser::place_of_given(const Question& question,
                                     std::span<const Question> of_node) const {
    std::int64_t place = 0;
    for (const std::span<const Question> given :
         {std::span<const Question>(options_.extra_questions), of_node})
        for (const Question& q : given) {
            if (is_same(q, question)) return place;
            ++place;
        }
    return -1;
}

std::size_t Chooser::n_own(std::span<const Question> questions, std::size_t n_of_node) const {
    if (n_of_node > questions.size())
        throw std::invalid_argument("a pool of " + std::to_string(questions.size()) +
                                    " questions has none for " + std::to_string(n_of_node) +
                                    " that were given");
    const std::span<const Question> rest = questions.first(questions.size() - n_of_node);
    const std::vector<Question>& given = options_.extra_questions;
    if (given.size() > rest.size()) return rest.size();
    const std::size_t n = rest.size() - given.size();
    return std::equal(given.begin(), given.end(), rest.begin() + static_cast<std::ptrdiff_t>(n),
                      is_same)
               ? n
               : rest.size();
}

std::optional<NodeSplit> Chooser::evaluate(std::vector<double> totals, NodeRule rule,
                                           std::vector<double> left,
                                           const std::function<HasCode(std::size_t)>& codes_of,
                                           std::span<const Question> given_to_node) const {
    const std::uint32_t target = majority_class(totals);
    const Objective objective = objective_of(std::move(totals), target);
    if (!limits_of(rule.questions).allow(rule.rule.literals) ||
        !is_feasible(objective, left.data()))
        return std::nullopt;
    NodeSplit split;
    split.questions = std::move(rule.questions);
    split.found.rule = std::move(rule.rule);
    split.found.left = std::move(left);
    split.found.found = true;
    split.found.optimal = false;
    split.found.value = split.found.bound = objective_value(objective, split.found.left.data());
    split.is_worthwhile = is_worthwhile(objective, split.found.value);
    for (std::size_t i = 0; i < split.questions.size(); ++i) {
        Question& question = split.questions[i];
        split.given.push_back(place_of_given(question, given_to_node));
        if (split.given.back() < 0)
            name_plainly(columns_[question.column], codes_of(question.column), question,
                         split.found.rule.literals[i]);
    }
    return split;
}

std::optional<NodeSplit> Chooser::evaluate(std::span<const std::int64_t> totals,
                                           std::span<const ClassHistogram> histograms,
                                           NodeRule rule,
                                           std::span<const std::int64_t> left) const {
    check_histograms(histograms);
    std::vector<double> cases = read_totals(totals);
    std::vector<double> yes = read_left(left, cases);
    return evaluate(std::move(cases), std::move(rule), std::move(yes), [&](std::size_t column) {
        return counted_codes(columns_[column], histograms[column]);
    });
}

std::vector<double> Chooser::read_totals(std::span<const std::int64_t> totals) const {
    if (totals.size() != n_classes())
        throw std::invalid_argument("there are " + std::to_string(totals.size()) + " counts for " +
                                    std::to_string(n_classes()) + " classes");
    for (const std::int64_t n : totals)
        if (n < 0) throw std::invalid_argument("a class has " + std::to_string(n) + " cases");
    return {totals.begin(), totals.end()};
}

std::vector<double> Chooser::read_left(std::span<const std::int64_t> left,
                                       std::span<const double> totals) const {
    std::vector<double> cases = read_totals(left);
    for (std::size_t j = 0; j < cases.size(); ++j)
        if (cases[j] > totals[j])
            throw std::invalid_argument(std::to_string(left[j]) + " cases of class " +
                                        std::to_string(j) + " answer yes, and it has fewer");
    return cases;
}

void name_plainly(const ColumnShape& column, const HasCode& has_code, Question& question,
                  Literal& literal) {
    if (!literal.negated) return;
    if (column.has_missing && has_code(column.n_codes)) return;
    const auto place = std::lower_bound(column.values.begin(), column.values.end(), question.value);
    const auto code = static_cast<std::uint32_t>(place - column.values.begin());
    const bool is_on_value = place != column.values.end() && *place == question.value;
    const bool is_threshold = question.test == Test::greater || question.test == Test::less;
    if (is_threshold && is_on_value && has_code(code)) return;
    if (question.test == Test::greater) {
        question.test = Test::less;
        question.low = 0;
        question.high = code;
    } else if (question.test == Test::less) {
        question.test = Test::greater;
        question.low = code + (is_on_value ? 1 : 0);
        question.high = column.n_codes;
    } else if (question.test == Test::equal && column.kind == ColumnKind::boolean &&
               column.n_codes == 2 && question.low < question.high) {
        question.low = 1 - question.low;
        question.high = question.low + 1;
        question.value = column.values[question.low];
    } else {
        return;
    }
    literal.negated = false;
}

HasCode counted_codes(const ColumnShape& column, const ClassHistogram& histogram) {
    return [is_bits = column.is_bits(), histogram](std::uint32_t code) {
        return is_bits || histogram.has(code);  // who asked has seen both values
    };
}

}  // namespace bsnsing
