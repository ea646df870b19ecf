// The native engine: holds the cells of every open node, counts, searches and parts the rows.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bits/row_order.hpp"
#include "grow/answers.hpp"
#include "grow/chooser.hpp"
#include "grow/spare_words.hpp"
#include "search/search.hpp"

namespace bsnsing {

// A node's pool: the questions, the answers, and what a rule is judged by.
struct NodePool {
    std::vector<Question> questions;
    std::size_t n_own = 0;  // those the engine asks; given ones come behind them
    BitBlocks blocks;
    Objective objective;
};

// Answers of a node's rows, each row once: row-major, a column per question.
struct RowAnswers {
    std::vector<std::uint8_t> answers;
    std::vector<std::int64_t> rows;  // ascending
};

// Nodes are named by numbers. All calls throw std::invalid_argument for a node that is not there,
// or is no longer: one that was split or closed.
class Engine {
  public:
    Engine(Columns columns, std::span<const std::int32_t> classes, std::size_t n_classes,
           std::span<const std::int64_t> weights, EngineOptions options);
    // An engine of the same nodes. The two share cells, which never change; what one does to its
    // nodes the other does not see.
    Engine(const Engine& other);
    Engine& operator=(const Engine&) = delete;

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_classes() const { return chooser_.n_classes(); }
    const Chooser& chooser() const { return chooser_; }
    const EngineOptions& options() const { return chooser_.options(); }
    const ColumnSchema& columns() const { return chooser_.columns(); }

    std::vector<double> class_totals(std::size_t node) const {
        return table(node).layout().class_totals();
    }
    // The cells of a node.
    const NodeTable& table(std::size_t node) const;

    // The questions of nodes; `target` is the class that they single out. Without one it is the
    // majority class or, with more than two classes, each class in turn.
    std::vector<std::vector<Question>> ask(std::span<const std::size_t> nodes,
                                           std::optional<std::uint32_t> target);
    RowAnswers answers(std::size_t node, std::span<const Question> questions) const;

    // Three sums over rows, which may be added up over parts of a table. Incomplete if interrupted.
    // Per node and column, cases by class and code: see ClassHistogram.
    std::vector<std::vector<std::vector<std::int64_t>>> histograms(
        std::span<const std::size_t> nodes, Interrupt& interrupt);
    // Per node, cases by class and pair of questions: see count_all_pairs.
    std::vector<std::vector<std::int64_t>> pair_counts(
        std::span<const std::size_t> nodes, std::span<const std::vector<Question>> questions,
        Interrupt& interrupt);
    // Per node, cases that answer yes by rule and class.
    std::vector<std::vector<std::int64_t>> rule_counts(std::span<const std::size_t> nodes,
                                                       std::span<const std::vector<NodeRule>> rules,
                                                       Interrupt& interrupt);

    // Asks and searches several nodes, by all threads. `seconds` are for all of them together; each
    // has those of the options at most. A node that is left without time is not searched, and its
    // split not proven.
    // `limits`, if any: what is known of each node.
    std::vector<NodeSplit> best_rules(std::span<const std::size_t> nodes, Interrupt& interrupt,
                                      double seconds = std::numeric_limits<double>::infinity(),
                                      std::span<const NodeLimits> limits = {});

    // Gives a node further questions, behind those that all nodes are given.
    void give(std::size_t node, std::vector<Question> questions);

    // Account of a rule that was chosen elsewhere; nothing if it breaks a limit.
    std::optional<NodeSplit> evaluate(std::size_t node, NodeRule rule) const;

    // Parts the rows of several nodes by a rule each; returns the new nodes, yes and no.
    std::vector<std::pair<std::size_t, std::size_t>> split(std::span<const std::size_t> nodes,
                                                           std::span<const NodeRule> rules);

    // The rows of each node, ascending, each once.
    std::vector<std::vector<std::int64_t>> rows_of(std::span<const std::size_t> nodes) const;

    // Forgets the cells of nodes that stay leaves.
    void close(std::span<const std::size_t> nodes);

  private:
    // Calls work(i, n_threads) for each node: side by side where they are many or small, else one
    // by one with all threads.
    template <class Work>
    void for_each_node(std::span<const std::size_t> nodes, Interrupt* interrupt, const Work& work);
    void check_nodes(std::span<const std::size_t> nodes) const;
    std::span<const Question> given_to(std::size_t node) const {
        return node < given_.size() ? std::span<const Question>(given_[node])
                                    : std::span<const Question>();
    }
    std::vector<Question> ask_node(std::size_t node, std::optional<std::uint32_t> target,
                                   std::uint32_t wanted, std::size_t n_threads) const;
    NodePool pool_of(std::size_t node, std::size_t n_threads, UnfilledVector<Word> memory) const;
    NodeSplit search_node(std::size_t node, std::size_t n_threads, Watch& watch,
                          const NodeLimits* limits);
    std::shared_ptr<LevelMemory> level_memory(std::size_t n_bytes);

    Chooser chooser_;
    std::size_t n_rows_;
    std::vector<NodeTable> nodes_;
    std::vector<std::vector<Question>> given_;          // by node, where some were given
    std::vector<std::shared_ptr<LevelMemory>> memory_;  // of levels so far
    SpareWords spare_words_;
    std::vector<double> xlogx_;
};

}  // namespace bsnsing
