#include "grow/engine.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>

#include "search/settings.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

// Work below this many row-question answers is not worth a second thread.
constexpr std::size_t kLargeNode = 1U << 18U;
// Nodes go side by side if the largest leaves room for so many like it in each thread's share.
constexpr std::size_t kNodesPerThread = 3;

bool has_code(const NodeTable& node, std::uint32_t column, std::uint32_t code) {
    if (node.is_bits(column)) return true;  // who asked has seen both values
    return node.visit_codes(column, [&](const auto* codes) {
        using Code = std::remove_const_t<std::remove_pointer_t<decltype(codes)>>;
        return std::find(codes, codes + node.n_rows(), static_cast<Code>(code)) !=
               codes + node.n_rows();
    });
}

// "not x > 3" is better called "x < 3", and "not x == 1" of a 0/1 column "x == 0": a plain question
// gets "no" from a cell that is missing at prediction. Where cells are missing at the node, or a
// value of the node lies on the threshold, the two differ and the negation stays.
void name_plainly(const EncodedColumn& column, const NodeTable& node, Question& question,
                  Literal& literal) {
    if (!literal.negated) return;
    if (column.has_missing && has_code(node, question.column, column.n_codes)) return;
    const auto place = std::lower_bound(column.values.begin(), column.values.end(), question.value);
    const auto code = static_cast<std::uint32_t>(place - column.values.begin());
    const bool is_on_value = place != column.values.end() && *place == question.value;
    const bool is_threshold = question.test == Test::greater || question.test == Test::less;
    if (is_threshold && is_on_value && has_code(node, question.column, code)) return;
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

// A node's problem without the classes that have no case there: they cost time and change nothing.
struct PresentClasses {
    RowLayout layout;
    Objective objective;
    std::vector<std::size_t> classes;  // the node's number of each class that is kept

    PresentClasses(const RowLayout& all, const Objective& full) : layout(all), objective(full) {
        // That children differ in their leading class means another thing for two classes.
        const bool keeps_all = full.n_classes == 2 || full.distinct_children;
        for (std::size_t j = 0; j < full.n_classes; ++j)
            if (keeps_all || full.totals[j] > 0) classes.push_back(j);
        for (std::size_t j = 0; classes.size() < 2 && j < full.n_classes; ++j)
            if (full.totals[j] <= 0) classes.insert(classes.begin(), j);
        if (classes.size() == full.n_classes) return;
        objective.n_classes = layout.n_classes = classes.size();
        objective.positive = 0;
        std::vector<std::uint32_t> place(full.n_classes, 0);
        for (std::size_t i = 0; i < classes.size(); ++i) {
            place[classes[i]] = static_cast<std::uint32_t>(i);
            objective.totals[i] = full.totals[classes[i]];
            objective.class_weights[i] = full.class_weights[classes[i]];
            if (classes[i] == full.positive) objective.positive = i;
        }
        objective.totals.resize(classes.size());
        objective.class_weights.resize(classes.size());
        for (Segment& s : layout.segments) s.class_index = place[s.class_index];
    }

    // From counts by kept class to counts by class of the node.
    std::vector<double> spread(const std::vector<double>& counts, std::size_t n_classes) const {
        std::vector<double> all(counts.empty() ? 0 : n_classes, 0.0);
        for (std::size_t i = 0; i < counts.size(); ++i) all[classes[i]] = counts[i];
        return all;
    }
};

}  // namespace

Engine::Engine(std::vector<EncodedColumn> columns, std::span<const std::int32_t> classes,
               std::size_t n_classes, std::span<const std::int64_t> weights, EngineOptions options)
    : columns_(std::move(columns)), options_(std::move(options)) {
    nodes_.emplace_back(columns_, order_rows(classes, n_classes, weights),
                        options_.search.n_threads);
    memory_.push_back(nodes_.front().memory());
    if (facts_of(options_.criterion).uses_xlogx && !options_.has_class_weights) {
        double total = 0;
        for (const double n : class_totals(0)) total += n;
        xlogx_ = tabulate_xlogx(total);
    }
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

NodePool Engine::ask(std::size_t node, std::optional<std::uint32_t> target, std::size_t n_threads,
                     UnfilledVector<Word> memory) const {
    const std::uint32_t wanted = target.value_or(majority_class(node));
    const NodeTable& table = nodes_[node];
    NodePool pool;
    pool.objective = objective_of(node, wanted);
    if (options_.own_questions) {
        AskOptions how = options_.ask;
        how.every_class = !target && n_classes() > 2;
        const auto ask_one = [&](std::size_t c, std::vector<Question>& questions) {
            if (!options_.is_forbidden.empty() && options_.is_forbidden[c]) return;
            ask_column(columns_[c], static_cast<std::uint32_t>(c), table, wanted, how, questions);
        };
        if (n_threads == 1) {  // without a list per column: small nodes feel each allocation
            for (std::size_t c = 0; c < columns_.size(); ++c) ask_one(c, pool.questions);
        } else {
            std::vector<std::vector<Question>> asked(columns_.size());
            parallel_for(columns_.size(), n_threads,
                         [&](std::size_t c, std::size_t) { ask_one(c, asked[c]); });
            for (std::vector<Question>& questions : asked)
                std::move(questions.begin(), questions.end(), std::back_inserter(pool.questions));
        }
    }
    pool.n_own = pool.questions.size();
    pool.questions.insert(pool.questions.end(), options_.extra_questions.begin(),
                          options_.extra_questions.end());
    pool.blocks = answer_questions(columns_, pool.questions, table, n_threads, std::move(memory));
    return pool;
}

bool Engine::is_worthwhile(const Objective& o, double value) const {
    return value < value_to_beat(o);
}

NodeSplit Engine::search_node(std::size_t node, std::size_t n_threads, Interrupt& interrupt) {
    Watch watch(interrupt, options_.time_limit);
    NodePool pool = ask(node, std::nullopt, n_threads, spare_words_.take());
    SearchOptions options = options_.search;
    options.n_threads = n_threads;
    options.limits = limits_of(pool.questions);
    const PresentClasses present(nodes_[node].layout(), pool.objective);
    NodeSplit split;
    if (options_.greedy_level)
        split.found = find_greedy_rule(pool.blocks, present.layout, present.objective, options,
                                       *options_.greedy_level, watch);
    else
        split.found =
            find_best_rule(pool.blocks, present.layout, present.objective, options, watch);
    split.found.left = present.spread(split.found.left, n_classes());
    for (Literal& l : split.found.rule.literals) {
        split.questions.push_back(pool.questions[l.question]);
        if (l.question >= pool.n_own) continue;  // given ones keep the words of the user
        name_plainly(columns_[split.questions.back().column], nodes_[node], split.questions.back(),
                     l);
    }
    split.is_worthwhile = split.found.found && is_worthwhile(pool.objective, split.found.value);
    spare_words_.give(std::move(pool.blocks).take_memory());
    split.seconds = watch.seconds();
    return split;
}

template <class Work>
void Engine::for_each_node(std::span<const std::size_t> nodes, Interrupt* interrupt,
                           const Work& work) {
    const std::size_t n_threads = std::max<std::size_t>(1, options_.search.n_threads);
    const auto is_raised = [&] { return interrupt != nullptr && interrupt->is_raised(); };
    const auto n_cells = [&](std::size_t i) {
        return nodes_.at(nodes[i]).n_rows() * columns_.size();
    };
    std::vector<std::size_t> order(nodes.size());  // the largest nodes first
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::size_t n_left = 0;
    for (const std::size_t i : order) n_left += n_cells(i);
    if (n_threads > 1)
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return n_cells(a) > n_cells(b); });
    // Side by side, threads need not wait for each other; all at one node share it evenly.
    std::size_t first = 0;
    for (; n_threads > 1 && first < order.size(); ++first) {
        const std::size_t n = n_cells(order[first]);
        if (n < kLargeNode || n * kNodesPerThread * n_threads <= n_left) break;
        if (is_raised()) return;
        work(order[first], n_threads);
        n_left -= n;
    }
    parallel_for(
        order.size() - first, n_left >= kLargeNode / 4 ? n_threads : 1,
        [&](std::size_t i, std::size_t) {
            if (!is_raised()) work(order[first + i], std::size_t{1});
        },
        [&] {
            if (interrupt != nullptr) interrupt->poll(std::chrono::steady_clock::now());
        });
}

std::vector<NodeSplit> Engine::search(std::span<const std::size_t> nodes, Interrupt& interrupt) {
    std::vector<NodeSplit> splits(nodes.size());
    for_each_node(nodes, &interrupt, [&](std::size_t i, std::size_t n_threads) {
        splits[i] = search_node(nodes[i], n_threads, interrupt);
    });
    return splits;
}

AlignedVector<Word> Engine::rows_of_rule(std::size_t node, const NodeSplit& split,
                                         std::size_t n_threads) const {
    const Rule& rule = split.found.rule;
    const NodeTable& table = nodes_.at(node);
    const BitBlocks answers = answer_questions(columns_, split.questions, table, n_threads);
    const bool is_and = rule.op == Operator::logical_and;
    AlignedVector<Word> rows(answers.n_words(), is_and ? ~Word{0} : Word{0});
    for (std::size_t i = 0; i < rule.literals.size(); ++i) {
        const Word flip = rule.literals[i].negated ? ~Word{0} : Word{0};
        const Word* lane = answers.lane(i);
        for (std::size_t w = 0; w < rows.size(); ++w) {
            const Word yes = lane[w * kLanes] ^ flip;
            if (is_and)
                rows[w] &= yes;
            else if (rule.op == Operator::logical_or)
                rows[w] |= yes;
            else
                rows[w] ^= yes;
        }
    }
    for (const Segment& s : table.layout().segments)
        if (s.n_rows % kWordBits != 0)
            rows[s.first_word + s.n_words - 1] &= (Word{1} << (s.n_rows % kWordBits)) - 1;
    return rows;
}

bool Engine::judge(std::size_t node, NodeSplit& split) const {
    const Objective objective = objective_of(node, majority_class(node));
    const AlignedVector<Word> rows = rows_of_rule(node, split, options_.search.n_threads);
    split.found.left.assign(n_classes(), 0.0);
    for (const Segment& s : nodes_[node].layout().segments)
        for (std::size_t w = s.first_word; w < s.first_word + s.n_words; ++w)
            split.found.left[s.class_index] +=
                static_cast<double>(s.weight) * static_cast<double>(std::popcount(rows[w]));
    split.found.found = true;
    split.found.value = objective_value(objective, split.found.left.data());
    split.is_worthwhile = is_worthwhile(objective, split.found.value);
    const bool is_allowed = limits_of(split.questions).allow(split.found.rule.literals);
    for (std::size_t i = 0; i < split.questions.size(); ++i)
        if (!is_given(split.questions[i]))
            name_plainly(columns_[split.questions[i].column], nodes_[node], split.questions[i],
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

std::vector<std::pair<std::size_t, std::size_t>> Engine::split(std::span<const std::size_t> nodes,
                                                               std::span<const NodeSplit> splits) {
    std::vector<AlignedVector<Word>> masks(nodes.size());
    std::vector<std::pair<NodeTable, NodeTable>> parts(nodes.size());
    for_each_node(nodes, nullptr, [&](std::size_t i, std::size_t n_threads) {
        masks[i] = rows_of_rule(nodes[i], splits[i], n_threads);
        parts[i] = nodes_[nodes[i]].outline_parts(masks[i].data());
    });
    std::size_t n_bytes = 0;
    for (const auto& [yes, no] : parts) n_bytes += yes.n_bytes() + no.n_bytes();
    const std::shared_ptr<LevelMemory> memory = level_memory(n_bytes);
    std::size_t offset = 0;
    for (auto& [yes, no] : parts)
        for (NodeTable* part : {&yes, &no}) {
            part->settle(memory, offset);
            offset += part->n_bytes();
        }
    for_each_node(nodes, nullptr, [&](std::size_t i, std::size_t n_threads) {
        nodes_[nodes[i]].fill_parts(masks[i].data(), parts[i].first, parts[i].second, n_threads);
    });
    std::vector<std::pair<std::size_t, std::size_t>> children;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        nodes_[nodes[i]] = NodeTable();
        children.emplace_back(nodes_.size(), nodes_.size() + 1);
        nodes_.push_back(std::move(parts[i].first));
        nodes_.push_back(std::move(parts[i].second));
    }
    return children;
}

// What an earlier level no longer needs serves again: fresh memory costs a fault per page.
std::shared_ptr<LevelMemory> Engine::level_memory(std::size_t n_bytes) {
    const auto is_spare = [&](const std::shared_ptr<LevelMemory>& m) {
        return m.use_count() == 1 && m->size() >= n_bytes;
    };
    const auto spare = std::find_if(memory_.begin(), memory_.end(), is_spare);
    if (spare != memory_.end()) return *spare;
    std::erase_if(memory_, [](const auto& m) { return m.use_count() == 1; });
    return memory_.emplace_back(make_level_memory(n_bytes));
}

}  // namespace bsnsing
