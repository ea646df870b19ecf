#include "grow/engine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "grow/present_classes.hpp"
#include "grow/rule_rows.hpp"
#include "search/pairs.hpp"
#include "search/settings.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

// Work below this many row-question answers is not worth a second thread.
constexpr std::size_t kLargeNode = 1U << 18U;
// Nodes go side by side if each thread's share has room for this many as large as the largest.
constexpr std::size_t kNodesPerThread = 3;

constexpr std::uint32_t kNowhere = 0xffffffffU;

// Codes of a node whose rows are at hand.
HasCode codes_in(const NodeTable& node, std::size_t column) {
    return [&node, column](std::uint32_t code) {
        if (node.is_bits(column)) return true;  // who asked has seen both values
        return node.visit_codes(column, [&](const auto* codes) {
            using Code = std::remove_const_t<std::remove_pointer_t<decltype(codes)>>;
            return std::find(codes, codes + node.n_rows(), static_cast<Code>(code)) !=
                   codes + node.n_rows();
        });
    };
}

void check_length(std::size_t n_nodes, std::size_t n_given, const char* what) {
    if (n_nodes != n_given)
        throw std::invalid_argument("there are " + std::to_string(n_given) + ' ' + what + " for " +
                                    std::to_string(n_nodes) + " nodes");
}

}  // namespace

Engine::Engine(Columns columns, std::span<const std::int32_t> classes, std::size_t n_classes,
               std::span<const std::int64_t> weights, EngineOptions options)
    : chooser_(columns.schema, std::move(options)), n_rows_(classes.size()) {
    for (std::size_t c = 0; c < columns.codes.size(); ++c)
        if (columns.codes[c].n_rows != n_rows_)
            throw std::invalid_argument("column " + std::to_string(c) + " has " +
                                        std::to_string(columns.codes[c].n_rows) + " rows for " +
                                        std::to_string(n_rows_) + " cases");
    nodes_.emplace_back(columns, order_rows(classes, n_classes, weights),
                        this->options().search.n_threads);
    memory_.push_back(nodes_.front().memory());
    if (facts_of(this->options().criterion).uses_xlogx && !this->options().has_class_weights) {
        double total = 0;
        for (const double n : class_totals(0)) total += n;
        xlogx_ = tabulate_xlogx(total);
    }
}

// The memory of levels is not taken along but by nodes that are open: it is freed with the last of
// them, and nothing can be written to what the other engine may read.
Engine::Engine(const Engine& other)
    : chooser_(other.chooser_),
      n_rows_(other.n_rows_),
      nodes_(other.nodes_),
      xlogx_(other.xlogx_) {}

const NodeTable& Engine::table(std::size_t node) const {
    if (node >= nodes_.size())
        throw std::invalid_argument("there is no node " + std::to_string(node) +
                                    ": the engine has nodes 0 to " +
                                    std::to_string(nodes_.size() - 1));
    if (!nodes_[node].is_open())
        throw std::invalid_argument("node " + std::to_string(node) +
                                    " has no rows any more: it was split or closed");
    return nodes_[node];
}

void Engine::check_nodes(std::span<const std::size_t> nodes) const {
    for (const std::size_t node : nodes) table(node);
}

std::vector<Question> Engine::ask_node(std::size_t node, std::optional<std::uint32_t> target,
                                       std::uint32_t wanted, std::size_t n_threads) const {
    const NodeTable& table = nodes_[node];
    std::vector<Question> questions;
    const AskOptions how = chooser_.ask_options(target.has_value());
    const auto ask_one = [&](std::size_t c, std::vector<Question>& asked) {
        if (chooser_.may_ask(c))
            ask_column(columns()[c], static_cast<std::uint32_t>(c), table, wanted, how, asked);
    };
    if (n_threads == 1) {  // without a list per column: small nodes feel each allocation
        for (std::size_t c = 0; c < columns().size(); ++c) ask_one(c, questions);
    } else {
        std::vector<std::vector<Question>> asked(columns().size());
        parallel_for(columns().size(), n_threads,
                     [&](std::size_t c, std::size_t) { ask_one(c, asked[c]); });
        for (std::vector<Question>& more : asked)
            std::move(more.begin(), more.end(), std::back_inserter(questions));
    }
    questions.insert(questions.end(), options().extra_questions.begin(),
                     options().extra_questions.end());
    const std::span<const Question> of_node = given_to(node);
    questions.insert(questions.end(), of_node.begin(), of_node.end());
    return questions;
}

std::vector<std::vector<Question>> Engine::ask(std::span<const std::size_t> nodes,
                                               std::optional<std::uint32_t> target) {
    if (target && *target >= n_classes())
        throw std::invalid_argument("there is no class " + std::to_string(*target) +
                                    ": there are " + std::to_string(n_classes()));
    check_nodes(nodes);
    std::vector<std::vector<Question>> questions(nodes.size());
    for_each_node(nodes, nullptr, [&](std::size_t i, std::size_t n_threads) {
        const std::vector<double> totals = class_totals(nodes[i]);
        questions[i] =
            ask_node(nodes[i], target, target.value_or(chooser_.majority_class(totals)), n_threads);
    });
    return questions;
}

RowAnswers Engine::answers(std::size_t node, std::span<const Question> questions) const {
    const NodeTable& table = this->table(node);
    const BitBlocks blocks =
        answer_questions(columns(), questions, table, options().search.n_threads);
    // The engine lists a row once for each power of two in its weight; here it stands once.
    RowAnswers result;
    std::vector<std::uint32_t> place(n_rows_, kNowhere);
    for (const std::uint32_t row : table.rows()) place[row] = 0;
    for (std::size_t row = 0; row < n_rows_; ++row) {
        if (place[row] == kNowhere) continue;
        place[row] = static_cast<std::uint32_t>(result.rows.size());
        result.rows.push_back(static_cast<std::int64_t>(row));
    }
    result.answers.resize(result.rows.size() * questions.size());
    const std::uint32_t* rows = table.rows().data();
    for (const Segment& s : table.layout().segments)
        for (std::size_t i = 0; i < s.n_rows; ++i) {
            std::uint8_t* out = result.answers.data() + place[*rows++] * questions.size();
            for (std::size_t q = 0; q < questions.size(); ++q) {
                const Word word = blocks.lane(q)[(s.first_word + i / kWordBits) * kLanes];
                out[q] = (word >> (i % kWordBits)) & 1U;
            }
        }
    return result;
}

std::vector<std::vector<std::vector<std::int64_t>>> Engine::histograms(
    std::span<const std::size_t> nodes, Interrupt& interrupt) {
    check_nodes(nodes);
    std::vector<std::vector<std::vector<std::int64_t>>> counts(nodes.size());
    for_each_node(nodes, &interrupt, [&](std::size_t i, std::size_t n_threads) {
        Watch watch(interrupt, std::numeric_limits<double>::infinity());
        counts[i].resize(columns().size());
        parallel_for(
            columns().size(), n_threads,
            [&](std::size_t c, std::size_t) {
                counts[i][c].assign(n_classes() * (std::size_t{columns()[c].n_codes} + 1), 0);
                if (!watch.check())
                    count_histogram(columns()[c], c, nodes_[nodes[i]], counts[i][c].data());
            },
            [&] { watch.check(); });
    });
    return counts;
}

std::vector<std::vector<std::int64_t>> Engine::pair_counts(
    std::span<const std::size_t> nodes, std::span<const std::vector<Question>> questions,
    Interrupt& interrupt) {
    check_length(nodes.size(), questions.size(), "lists of questions");
    check_nodes(nodes);
    std::vector<std::vector<std::int64_t>> counts(nodes.size());
    for_each_node(nodes, &interrupt, [&](std::size_t i, std::size_t n_threads) {
        Watch watch(interrupt, std::numeric_limits<double>::infinity());
        const NodeTable& table = nodes_[nodes[i]];
        const BitBlocks blocks = answer_questions(columns(), questions[i], table, n_threads);
        counts[i].assign(n_classes() * questions[i].size() * questions[i].size(), 0);
        count_all_pairs(blocks, table.layout(), n_threads, watch, counts[i].data());
    });
    return counts;
}

std::vector<std::vector<std::int64_t>> Engine::rule_counts(
    std::span<const std::size_t> nodes, std::span<const std::vector<NodeRule>> rules,
    Interrupt& interrupt) {
    check_length(nodes.size(), rules.size(), "lists of rules");
    check_nodes(nodes);
    std::vector<std::vector<std::int64_t>> counts(nodes.size());
    for_each_node(nodes, &interrupt, [&](std::size_t i, std::size_t n_threads) {
        Watch watch(interrupt, std::numeric_limits<double>::infinity());
        counts[i] = count_rules(columns(), nodes_[nodes[i]], rules[i], n_threads, watch);
    });
    return counts;
}

NodePool Engine::pool_of(std::size_t node, std::size_t n_threads,
                         UnfilledVector<Word> memory) const {
    std::vector<double> totals = class_totals(node);
    const std::uint32_t target = chooser_.majority_class(totals);
    NodePool pool;
    pool.objective = chooser_.objective_of(std::move(totals), target);
    if (!xlogx_.empty()) pool.objective.xlogx = xlogx_.data();
    pool.questions = ask_node(node, std::nullopt, target, n_threads);
    pool.n_own = pool.questions.size() - options().extra_questions.size() - given_to(node).size();
    pool.blocks =
        answer_questions(columns(), pool.questions, nodes_[node], n_threads, std::move(memory));
    return pool;
}

NodeSplit Engine::search_node(std::size_t node, std::size_t n_threads, Watch& watch,
                              const NodeLimits* limits) {
    NodePool pool = pool_of(node, n_threads, spare_words_.take());
    SearchPlan how = options().search;
    how.n_threads = n_threads;
    PresentClasses present(pool.objective);
    how.limits = chooser_.limits_of(pool.questions, limits, present.classes);
    const RowLayout layout = present.layout_of(nodes_[node].layout());
    if (how.limits.has_prices()) present.objective.whole_numbers = false;  // they are fractions
    NodeSplit split;
    if (options().greedy_level)
        split.found = find_greedy_rule(pool.blocks, layout, present.objective, how,
                                       *options().greedy_level, watch);
    else
        split.found = find_best_rule(pool.blocks, layout, present.objective, how, watch);
    split.found.left = present.spread(split.found.left);
    for (Literal& l : split.found.rule.literals) {
        split.questions.push_back(pool.questions[l.question]);
        const bool is_own = l.question < pool.n_own;
        split.given.push_back(is_own ? -1 : static_cast<std::int64_t>(l.question - pool.n_own));
        if (!is_own) continue;  // given ones keep the words of the user
        Question& question = split.questions.back();
        name_plainly(columns()[question.column], codes_in(nodes_[node], question.column), question,
                     l);
    }
    split.is_worthwhile =
        split.found.found && chooser_.is_worthwhile(pool.objective, split.found.value);
    spare_words_.give(std::move(pool.blocks).take_memory());
    split.seconds = watch.seconds();
    return split;
}

template <class Work>
void Engine::for_each_node(std::span<const std::size_t> nodes, Interrupt* interrupt,
                           const Work& work) {
    const std::size_t n_threads = std::max<std::size_t>(1, options().search.n_threads);
    const auto is_raised = [&] { return interrupt != nullptr && interrupt->is_raised(); };
    const auto n_cells = [&](std::size_t i) {
        return nodes_[nodes[i]].n_rows() * columns().size();
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

std::vector<NodeSplit> Engine::best_rules(std::span<const std::size_t> nodes, Interrupt& interrupt,
                                          double seconds, std::span<const NodeLimits> limits) {
    check_nodes(nodes);
    if (!limits.empty()) check_length(nodes.size(), limits.size(), "limits");
    for (const NodeLimits& own : limits) own.check(columns().size());
    if (std::isnan(seconds)) throw std::invalid_argument("time_limit must be a number; got NaN");
    std::vector<NodeSplit> splits(nodes.size());
    TimeShares shares(seconds, nodes.size());
    for_each_node(nodes, &interrupt, [&](std::size_t i, std::size_t n_threads) {
        const std::size_t n_all = std::max<std::size_t>(1, options().search.n_threads);
        const std::optional<double> share = shares.next(n_threads == n_all ? 1 : n_all);
        if (!share) {
            splits[i].found.optimal = false;
            return;
        }
        Watch watch(interrupt, std::min(*share, options().time_limit));
        splits[i] = search_node(nodes[i], n_threads, watch, limits.empty() ? nullptr : &limits[i]);
    });
    return splits;
}

void Engine::give(std::size_t node, std::vector<Question> questions) {
    table(node);  // throws if there is none
    if (given_.size() <= node) given_.resize(node + 1);
    given_[node] = std::move(questions);
}

std::optional<NodeSplit> Engine::evaluate(std::size_t node, NodeRule rule) const {
    const NodeTable& table = this->table(node);
    const AlignedVector<Word> rows =
        rows_of_rule(columns(), table, rule, options().search.n_threads);
    std::vector<double> left = count_rows(table.layout(), rows);
    return chooser_.evaluate(
        class_totals(node), std::move(rule), std::move(left),
        [&](std::size_t column) { return codes_in(table, column); }, given_to(node));
}

std::vector<std::pair<std::size_t, std::size_t>> Engine::split(std::span<const std::size_t> nodes,
                                                               std::span<const NodeRule> rules) {
    check_length(nodes.size(), rules.size(), "rules");
    check_nodes(nodes);
    std::vector<std::size_t> sorted(nodes.begin(), nodes.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
        throw std::invalid_argument("node " + std::to_string(*twice) + " cannot be split twice");
    std::vector<AlignedVector<Word>> masks(nodes.size());
    std::vector<std::pair<NodeTable, NodeTable>> parts(nodes.size());
    for_each_node(nodes, nullptr, [&](std::size_t i, std::size_t n_threads) {
        masks[i] = rows_of_rule(columns(), nodes_[nodes[i]], rules[i], n_threads);
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

std::vector<std::vector<std::int64_t>> Engine::rows_of(std::span<const std::size_t> nodes) const {
    check_nodes(nodes);
    // Nodes have no row in common, so one mark per row tells them apart: no sorting.
    std::vector<std::uint32_t> mark(n_rows_, kNowhere);
    std::vector<std::uint32_t> first(nodes_.size(), kNowhere);  // where a node is named first
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        if (first[nodes[i]] != kNowhere) continue;
        first[nodes[i]] = i;
        for (const std::uint32_t row : nodes_[nodes[i]].rows()) mark[row] = i;
    }
    std::vector<std::vector<std::int64_t>> rows(nodes.size());
    for (std::size_t row = 0; row < n_rows_; ++row)
        if (mark[row] != kNowhere) rows[mark[row]].push_back(static_cast<std::int64_t>(row));
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (first[nodes[i]] != i) rows[i] = rows[first[nodes[i]]];
    return rows;
}

void Engine::close(std::span<const std::size_t> nodes) {
    check_nodes(nodes);
    for (const std::size_t node : nodes) {
        nodes_[node] = NodeTable();
        if (node < given_.size()) given_[node] = {};
    }
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
