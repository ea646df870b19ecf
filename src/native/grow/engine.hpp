// The native engine: holds the encoded table and the rows of every open node, asks questions,
// searches for the best rule and parts the rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bits/row_order.hpp"
#include "grow/answers.hpp"
#include "grow/spare_words.hpp"
#include "search/search.hpp"

namespace bsnsing {

struct EngineOptions {
    AskOptions ask;
    SearchOptions search;
    Criterion criterion = Criterion::gini_squared;
    std::vector<double> class_weights;
    bool has_class_weights = false;
    double min_leaf = 1;  // in the unit of the weights
    double unit = 1;      // weight that makes one case
    bool distinct_children = false;
    bool own_questions = true;
    std::vector<Question> extra_questions;
    double time_limit = 0;                   // seconds per node
    std::optional<double> greedy_level;      // greedy instead of exact search
    std::vector<char> is_forbidden;          // per column, where some may not be asked about
    std::vector<LinearLimit> column_limits;  // coefficients per column
    bool one_per_column = false;             // at most one question per column in a rule
};

// A node's pool: the questions, the answers, and what a rule is judged by.
struct NodePool {
    std::vector<Question> questions;
    std::size_t n_own = 0;  // those the engine asks; given ones come behind them
    BitBlocks blocks;
    Objective objective;
};

// What a search found for a node. `questions` are the rule's own, in the order of its literals.
struct NodeSplit {
    FoundRule found;
    std::vector<Question> questions;
    bool is_worthwhile = false;  // better than not splitting
    double seconds = 0;
};

class Engine {
  public:
    Engine(std::vector<EncodedColumn> columns, std::span<const std::int32_t> classes,
           std::size_t n_classes, std::span<const std::int64_t> weights, EngineOptions options);

    std::size_t n_classes() const { return options_.class_weights.size(); }
    const EngineOptions& options() const { return options_; }
    const std::vector<EncodedColumn>& columns() const { return columns_; }

    std::vector<double> class_totals(std::size_t node) const {
        return nodes_.at(node).layout().class_totals();
    }
    // The cells of a node; empty once it has been split or closed.
    const NodeTable& table(std::size_t node) const { return nodes_.at(node); }

    // The pool of a node; `target` is the class that the questions single out. Without one it is
    // the majority class or, with more than two classes, each class in turn.
    NodePool ask(std::size_t node, std::optional<std::uint32_t> target, std::size_t n_threads,
                 UnfilledVector<Word> memory = {}) const;
    // The class with most cases; of equals the last.
    std::uint32_t majority_class(std::size_t node) const;

    // Searches several nodes, by all threads.
    std::vector<NodeSplit> search(std::span<const std::size_t> nodes, Interrupt& interrupt);

    // Fills in the counts, value and worth of a split whose rule was chosen elsewhere; false if
    // the rule breaks a limit.
    // Negated questions get their plain names, as in a search of our own.
    bool judge(std::size_t node, NodeSplit& split) const;

    // Parts the rows of several nodes by a rule each; returns the new nodes, yes and no.
    std::vector<std::pair<std::size_t, std::size_t>> split(std::span<const std::size_t> nodes,
                                                           std::span<const NodeSplit> splits);

    // Forgets the cells of nodes that stay leaves.
    void close(std::span<const std::size_t> nodes) {
        for (const std::size_t node : nodes) nodes_.at(node) = NodeTable();
    }

  private:
    // Calls work(i, n_threads) for each node: side by side where they are many or small, else one
    // by one with all threads.
    template <class Work>
    void for_each_node(std::span<const std::size_t> nodes, Interrupt* interrupt, const Work& work);
    // The rows of a node that answer yes to a rule, as a bit column.
    AlignedVector<Word> rows_of_rule(std::size_t node, const NodeSplit& split,
                                     std::size_t n_threads) const;
    std::shared_ptr<LevelMemory> level_memory(std::size_t n_bytes);
    NodeSplit search_node(std::size_t node, std::size_t n_threads, Interrupt& interrupt);
    // What users ask of rules, for a pool of these questions.
    RuleLimits limits_of(const std::vector<Question>& questions) const;
    bool is_given(const Question& question) const;
    Objective objective_of(std::size_t node, std::uint32_t target) const;
    bool is_worthwhile(const Objective& objective, double value) const;

    std::vector<EncodedColumn> columns_;
    EngineOptions options_;
    std::vector<NodeTable> nodes_;
    std::vector<std::shared_ptr<LevelMemory>> memory_;  // of levels so far
    SpareWords spare_words_;
    std::vector<double> xlogx_;
};

}  // namespace bsnsing
