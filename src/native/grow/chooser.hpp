// What a node's rules are chosen by, without its rows: which questions to ask, what a rule is
// worth, and whether it keeps the limits. The engine counts rows and leaves these decisions to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "grow/questions.hpp"
#include "search/options.hpp"
#include "search/search.hpp"

namespace bsnsing {

struct EngineOptions {
    AskOptions ask;
    SearchPlan search;
    Criterion criterion = Criterion::gini_squared;
    std::vector<double> class_weights;
    bool has_class_weights = false;
    double min_leaf = 1;  // in the unit of the weights
    bool distinct_children = false;
    bool own_questions = true;
    std::vector<Question> extra_questions;
    double time_limit = 0;                   // seconds per node
    std::optional<double> greedy_level;      // greedy instead of exact search
    std::vector<char> is_forbidden;          // per column, where some may not be asked about
    std::vector<LinearLimit> column_limits;  // coefficients per column
    bool one_per_column = false;             // at most one question per column in a rule
    ColumnLimits known;                      // what else is known of columns
};

// Checks what users say, and puts it into the unit of the weights.
EngineOptions engine_options(const ColumnSchema& columns, const ClassOptions& classes,
                             const AskOptions& ask, const SearchOptions& rules,
                             const ColumnLimits& limits, bool own_questions,
                             std::vector<Question> extra_questions);

// A rule over questions of its own: literal i asks question i.
struct NodeRule {
    std::vector<Question> questions;
    Rule rule;
};

// What a search found for a node. `questions` are the rule's own, in the order of its literals.
struct NodeSplit {
    FoundRule found;
    std::vector<Question> questions;
    std::vector<std::int64_t> given;  // place of each among those from outside; -1 is our own
    bool is_worthwhile = false;       // better than not splitting
    double seconds = 0;

    NodeRule rule() const;
};

// Whether some case of a node has a code, in the column that is asked about.
using HasCode = std::function<bool(std::uint32_t code)>;

class Chooser {
  public:
    Chooser(ColumnSchema columns, EngineOptions options);

    std::size_t n_classes() const { return options_.class_weights.size(); }
    const EngineOptions& options() const { return options_; }
    const ColumnSchema& columns() const { return columns_; }

    // The class with most cases; of equals the last.
    std::uint32_t majority_class(std::span<const double> totals) const;
    // How to ask: without a target, and with more than two classes, for each class in turn.
    AskOptions ask_options(bool has_target) const;
    bool may_ask(std::size_t column) const {
        return options_.own_questions &&
               (options_.is_forbidden.empty() || !options_.is_forbidden[column]);
    }
    // The questions of a node whose cases have been counted; see Engine::ask.
    std::vector<Question> ask(std::span<const ClassHistogram> histograms,
                              std::optional<std::uint32_t> target) const;

    Objective objective_of(std::vector<double> totals, std::uint32_t target) const;
    bool is_worthwhile(const Objective& objective, double value) const;
    // What users ask of rules, for a pool of these questions.
    // `node`: what is known of one node beside that, whose classes `present` are kept.
    RuleLimits limits_of(std::span<const Question> questions, const NodeLimits* node = nullptr,
                         std::span<const std::size_t> present = {}) const;
    // Place of a question among those from outside, `of_node` behind those of all nodes; -1 if it
    // is not one of them.
    std::int64_t place_of_given(const Question& question, std::span<const Question> of_node) const;
    // How many of a pool's questions are our own: given ones come behind them and keep the words of
    // the user. The last `n_of_node` were given for its node alone.
    std::size_t n_own(std::span<const Question> questions, std::size_t n_of_node) const;

    // Account of a rule that sends `left` (cases per class) to "yes"; nothing if it breaks a limit.
    // Negated questions get their plain names, as in a search of our own.
    std::optional<NodeSplit> evaluate(std::vector<double> totals, NodeRule rule,
                                      std::vector<double> left,
                                      const std::function<HasCode(std::size_t)>& codes_of,
                                      std::span<const Question> given_to_node = {}) const;

    // The same from counts alone.
    std::optional<NodeSplit> evaluate(std::span<const std::int64_t> totals,
                                      std::span<const ClassHistogram> histograms, NodeRule rule,
                                      std::span<const std::int64_t> left) const;

    // Throws std::invalid_argument unless there is one count per class, none negative.
    std::vector<double> read_totals(std::span<const std::int64_t> totals) const;
    // The same, and if more cases answer yes than there are.
    std::vector<double> read_left(std::span<const std::int64_t> left,
                                  std::span<const double> totals) const;
    // Throws std::invalid_argument unless there is a histogram per column, each of the same cases.
    void check_histograms(std::span<const ClassHistogram> histograms) const;

  private:
    PoolKnowledge knowledge_of(std::span<const Question> questions, const NodeLimits* node,
                               std::span<const std::size_t> present) const;
    std::int8_t sign_of(const Question& question) const;

    ColumnSchema columns_;
    EngineOptions options_;
};

// "not x > 3" is better called "x < 3", and "not x == 1" of a 0/1 column "x == 0": a plain question
// gets "no" from a cell that is missing at prediction. Where cells are missing at the node, or a
// value of the node lies on the threshold, the two differ and the negation stays.
void name_plainly(const ColumnShape& column, const HasCode& has_code, Question& question,
                  Literal& literal);

// Codes of a node whose cases have been counted.
HasCode counted_codes(const ColumnShape& column, const ClassHistogram& histogram);

}  // namespace bsnsing
