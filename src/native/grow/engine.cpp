#include "grow/engine.hpp"

#include <algorithm>
#include <utility>

#include "search/settings.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

// Work below this many row-question answers is not worth a second thread.
constexpr std::size_t kLargeNode = 1U << 18U;

bool answers_yes(const EncodedColumn& column, const Question& question, std::uint32_t row) {
    const std::uint32_t code =
        column.visit([row](const auto* codes) { return std::uint32_t{codes[row]}; });
    if (question.test == Test::in)
        return std::binary_search(question.levels.begin(), question.levels.end(), code);
    return code >= question.low && code < question.high;
}

// Whether a row answers yes to the rule as a whole.
bool holds(const std::vector<EncodedColumn>& columns, const NodeSplit& split, std::uint32_t row) {
    const Rule& rule = split.found.rule;
    const bool is_and = rule.op == Operator::logical_and;
    bool result = is_and;
    for (std::size_t i = 0; i < rule.literals.size(); ++i) {
        const Question& q = split.questions[i];
        const bool yes = answers_yes(columns[q.column], q, row) != rule.literals[i].negated;
        if (rule.op == Operator::exclusive_or)
            result = result != yes;
        else if (yes != is_and)
            return yes;
    }
    return result;
}

bool has_code(const EncodedColumn& column, const NodeRows& node, std::uint32_t code) {
    return column.visit([&](const auto* codes) {
        return std::any_of(node.rows.begin(), node.rows.end(),
                           [&](std::uint32_t row) { return codes[row] == code; });
    });
}

// "not x > 3" is better called "x < 3", and "not x == 1" of a 0/1 column "x == 0": a plain question
// gets "no" from a cell that is missing at prediction. Where cells are missing at the node, or a
// value of the node lies on the threshold, the two differ and the negation stays.
void name_plainly(const EncodedColumn& column, const NodeRows& node, Question& question,
                  Literal& literal) {
    if (!literal.negated) return;
    if (column.has_missing && has_code(column, node, column.n_codes)) return;
    const auto place = std::lower_bound(column.values.begin(), column.values.end(), question.value);
    const auto code = static_cast<std::uint32_t>(place - column.values.begin());
    const bool is_on_value = place != column.values.end() && *place == question.value;
    const bool is_threshold = question.test == Test::greater || question.test == Test::less;
    if (is_threshold && is_on_value && has_code(column, node, code)) return;
    if (question.test == Test::greater) {
        question.test = Test::less;
        question.low = 0;
        question.high = code;
    } else if (question.test == Test::less) {
        question.test = Test::greater;
        question.low = code + (is_on_value ? 1 : 0);
        question.high = column.n_codes;
    } else if (question.test == Test::equal && column.kind == ColumnKind::boolean &&
               column.n_codes == 2) {
        question.low = 1 - question.low;
        question.high = question.low + 1;
        question.value = column.values[question.low];
    } else {
        return;
    }
    literal.negated = false;
}

}  // namespace

Engine::Engine(std::vector<EncodedColumn> columns, std::span<const std::int32_t> classes,
               std::size_t n_classes, std::span<const std::int64_t> weights, EngineOptions options)
    : columns_(std::move(columns)), options_(std::move(options)) {
    RowOrder order = order_rows(classes, n_classes, weights);
    rows_ = std::move(order.rows);
    nodes_.push_back({std::move(order.layout), 0, rows_.size()});
    if (options_.criterion == Criterion::entropy && !options_.has_class_weights) {
        double total = 0;
        for (const double n : class_totals(0)) total += n;
        xlogx_ = tabulate_xlogx(total);
    }
}

NodeRows Engine::rows_of(std::size_t node) const {
    const Node& n = nodes_.at(node);
    return {&n.layout, std::span<const std::uint32_t>(rows_).subspan(n.begin, n.n_rows)};
}

std::uint32_t Engine::majority_class(std::size_t node) const {
    const std::vector<double> totals = class_totals(node);
    std::uint32_t best = 0;
    for (std::uint32_t j = 1; j < totals.size(); ++j)
        if (totals[j] * options_.class_weights[j] >= totals[best] * options_.class_weights[best])
            best = j;
    return best;
}

Objective Engine::objective_of(std::size_t node, std::uint32_t target) const {
    Objective o;
    o.criterion = options_.criterion;
    o.n_classes = n_classes();
    o.totals = class_totals(node);
    o.class_weights = options_.class_weights;
    for (const double n : o.totals) o.total += n;
    o.min_leaf = options_.min_leaf;
    o.distinct_children = options_.distinct_children;
    o.positive = target;
    o.whole_numbers = !options_.has_class_weights;
    if (!xlogx_.empty()) o.xlogx = xlogx_.data();
    return o;
}

NodePool Engine::ask(std::size_t node, std::optional<std::uint32_t> target,
                     std::size_t n_threads) const {
    const std::uint32_t wanted = target.value_or(majority_class(node));
    const NodeRows rows = rows_of(node);
    NodePool pool;
    pool.objective = objective_of(node, wanted);
    if (options_.own_questions) {
        AskOptions how = options_.ask;
        how.every_class = !target && n_classes() > 2;
        std::vector<std::vector<Question>> asked(columns_.size());
        parallel_for(columns_.size(), n_threads, [&](std::size_t c, std::size_t) {
            if (!options_.is_forbidden.empty() && options_.is_forbidden[c]) return;
            ask_column(columns_[c], static_cast<std::uint32_t>(c), rows, wanted, how, asked[c]);
        });
        for (std::vector<Question>& questions : asked)
            std::move(questions.begin(), questions.end(), std::back_inserter(pool.questions));
    }
    pool.n_own = pool.questions.size();
    pool.questions.insert(pool.questions.end(), options_.extra_questions.begin(),
                          options_.extra_questions.end());
    pool.blocks = answer_questions(columns_, pool.questions, rows, n_threads);
    return pool;
}

// A rule must beat leaving the node alone. With squared child sizes even a random split in halves
// does that, so there the rule must beat such a split.
bool Engine::is_worthwhile(const Objective& o, double value) const {
    constexpr double kRounding = 1e-10;
    const double unsplit = unsplit_value(o);
    if (o.criterion == Criterion::gini_squared) return value < unsplit / 2;
    return value < unsplit * (1 - kRounding);
}

NodeSplit Engine::search_node(std::size_t node, std::size_t n_threads, Interrupt& interrupt) const {
    Watch watch(interrupt, options_.time_limit);
    const NodePool pool = ask(node, std::nullopt, n_threads);
    SearchOptions options = options_.search;
    options.n_threads = n_threads;
    options.limits = limits_of(pool.questions);
    const RowLayout& layout = nodes_[node].layout;
    NodeSplit split;
    if (options_.greedy_level)
        split.found = find_greedy_rule(pool.blocks, layout, pool.objective, options,
                                       *options_.greedy_level, watch);
    else
        split.found = find_best_rule(pool.blocks, layout, pool.objective, options, watch);
    for (Literal& l : split.found.rule.literals) {
        split.questions.push_back(pool.questions[l.question]);
        if (l.question >= pool.n_own) continue;  // given ones keep the words of the user
        name_plainly(columns_[split.questions.back().column], rows_of(node), split.questions.back(),
                     l);
    }
    split.is_worthwhile = split.found.found && is_worthwhile(pool.objective, split.found.value);
    split.seconds = watch.seconds();
    return split;
}

std::vector<NodeSplit> Engine::search(std::span<const std::size_t> nodes, Interrupt& interrupt) {
    std::vector<NodeSplit> splits(nodes.size());
    const std::size_t n_threads = std::max<std::size_t>(1, options_.search.n_threads);
    std::vector<std::size_t> small;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (interrupt.is_raised()) return splits;
        const bool is_large = nodes_.at(nodes[i]).n_rows * columns_.size() >= kLargeNode;
        if (is_large && n_threads > 1)
            splits[i] = search_node(nodes[i], n_threads, interrupt);
        else
            small.push_back(i);
    }
    std::size_t n_small_rows = 0;
    for (const std::size_t i : small) n_small_rows += nodes_[nodes[i]].n_rows;
    const bool is_parallel = n_small_rows * columns_.size() >= kLargeNode / 4;
    parallel_for(
        small.size(), is_parallel ? n_threads : 1,
        [&](std::size_t i, std::size_t) {
            if (!interrupt.is_raised())
                splits[small[i]] = search_node(nodes[small[i]], 1, interrupt);
        },
        [&] { interrupt.poll(std::chrono::steady_clock::now()); });
    return splits;
}

bool Engine::judge(std::size_t node, NodeSplit& split) const {
    const Objective objective = objective_of(node, majority_class(node));
    const NodeRows node_rows = rows_of(node);
    split.found.left.assign(n_classes(), 0.0);
    const std::uint32_t* rows = node_rows.rows.data();
    for (const Segment& s : node_rows.layout->segments) {
        for (std::size_t i = 0; i < s.n_rows; ++i)
            if (holds(columns_, split, rows[i]))
                split.found.left[s.class_index] += static_cast<double>(s.weight);
        rows += s.n_rows;
    }
    split.found.found = true;
    split.found.value = objective_value(objective, split.found.left.data());
    split.is_worthwhile = is_worthwhile(objective, split.found.value);
    const bool is_allowed = limits_of(split.questions).allow(split.found.rule.literals);
    for (std::size_t i = 0; i < split.questions.size(); ++i)
        if (!is_given(split.questions[i]))
            name_plainly(columns_[split.questions[i].column], node_rows, split.questions[i],
                         split.found.rule.literals[i]);
    return is_allowed && is_feasible(objective, split.found.left.data());
}

RuleLimits Engine::limits_of(const std::vector<Question>& questions) const {
    std::vector<LinearLimit> linear;
    for (const LinearLimit& by_column : options_.column_limits) {
        linear.push_back({{}, by_column.lower, by_column.upper});
        for (const Question& q : questions)
            linear.back().coefficients.push_back(by_column.coefficients[q.column]);
    }
    std::vector<std::uint32_t> column_of;
    if (options_.one_per_column)
        for (const Question& q : questions) column_of.push_back(q.column);
    return {std::move(linear), std::move(column_of)};
}

// Given questions keep the words of the user.
bool Engine::is_given(const Question& question) const {
    const auto is_same = [&](const Question& q) {
        return q.column == question.column && q.test == question.test && q.low == question.low &&
               q.high == question.high && q.value == question.value && q.levels == question.levels;
    };
    return std::any_of(options_.extra_questions.begin(), options_.extra_questions.end(), is_same);
}

std::pair<std::size_t, std::size_t> Engine::split(std::size_t node, const NodeSplit& split) {
    const Node parent = nodes_.at(node);
    Node yes;
    Node no;
    yes.layout.n_classes = no.layout.n_classes = parent.layout.n_classes;
    std::vector<std::uint32_t> no_rows;
    std::size_t place = parent.begin;
    std::size_t next = parent.begin;
    for (const Segment& s : parent.layout.segments) {
        const std::size_t yes_before = next;
        const std::size_t no_before = no_rows.size();
        for (std::size_t i = 0; i < s.n_rows; ++i) {
            const std::uint32_t row = rows_[place++];
            if (holds(columns_, split, row))
                rows_[next++] = row;
            else
                no_rows.push_back(row);
        }
        if (next > yes_before) yes.layout.add(s.class_index, s.weight, next - yes_before);
        if (no_rows.size() > no_before)
            no.layout.add(s.class_index, s.weight, no_rows.size() - no_before);
    }
    std::copy(no_rows.begin(), no_rows.end(), rows_.begin() + static_cast<std::ptrdiff_t>(next));
    yes.begin = parent.begin;
    yes.n_rows = next - parent.begin;
    no.begin = next;
    no.n_rows = no_rows.size();
    nodes_.push_back(std::move(yes));
    nodes_.push_back(std::move(no));
    return {nodes_.size() - 2, nodes_.size() - 1};
}

}  // namespace bsnsing
