#include "grow/rule_rows.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "work/parallel.hpp"

namespace bsnsing {
namespace {

// Joins the answers of a rule's literals; the question of literal i is lane(places[i]).
void join_answers(const Rule& rule, const BitBlocks& answers, std::span<const std::uint32_t> places,
                  const RowLayout& layout, AlignedVector<Word>& rows) {
    const bool is_and = rule.op == Operator::logical_and;
    rows.assign(answers.n_words(), is_and ? ~Word{0} : Word{0});
    for (std::size_t i = 0; i < rule.literals.size(); ++i) {
        const Word flip = rule.literals[i].negated ? ~Word{0} : Word{0};
        const Word* lane = answers.lane(places[i]);
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
    for (const Segment& s : layout.segments)
        if (s.n_rows % kWordBits != 0)
            rows[s.first_word + s.n_words - 1] &= (Word{1} << (s.n_rows % kWordBits)) - 1;
}

// The different questions of some rules, column by column, and where each rule finds its own.
struct SharedQuestions {
    std::vector<Question> questions;
    std::vector<std::vector<std::uint32_t>> places;  // by rule and literal

    explicit SharedQuestions(std::span<const NodeRule> rules) : places(rules.size()) {
        const auto key_of = [](const Question& q) {
            return std::tuple(q.column, q.test, q.low, q.high, q.levels);
        };
        std::map<decltype(key_of(Question())), std::uint32_t> place_of;
        for (const NodeRule& rule : rules)
            for (const Question& q : rule.questions) place_of.emplace(key_of(q), 0);
        std::uint32_t next = 0;
        for (auto& [key, place] : place_of) place = next++;
        questions.resize(next);
        for (std::size_t r = 0; r < rules.size(); ++r)
            for (const Question& q : rules[r].questions) {
                places[r].push_back(place_of.at(key_of(q)));
                questions[places[r].back()] = q;
            }
    }
};

}  // namespace

AlignedVector<Word> rows_of_rule(const ColumnSchema& columns, const NodeTable& node,
                                 const NodeRule& rule, std::size_t n_threads) {
    const BitBlocks answers = answer_questions(columns, rule.questions, node, n_threads);
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < rule.questions.size(); ++i) places.push_back(i);
    AlignedVector<Word> rows;
    join_answers(rule.rule, answers, places, node.layout(), rows);
    return rows;
}

std::vector<double> count_rows(const RowLayout& layout, const AlignedVector<Word>& rows) {
    std::vector<double> cases(layout.n_classes, 0.0);
    for (const Segment& s : layout.segments) {
        std::size_t n = 0;
        for (std::size_t w = s.first_word; w < s.first_word + s.n_words; ++w)
            n += static_cast<std::size_t>(std::popcount(rows[w]));
        cases[s.class_index] += static_cast<double>(s.weight) * static_cast<double>(n);
    }
    return cases;
}

std::vector<std::int64_t> count_rules(const ColumnSchema& columns, const NodeTable& node,
                                      std::span<const NodeRule> rules, std::size_t n_threads,
                                      Watch& watch) {
    constexpr std::size_t kTogether = 64;
    const std::size_t n_classes = node.layout().n_classes;
    std::vector<std::int64_t> counts(rules.size() * n_classes, 0);
    const SharedQuestions shared(rules);
    const BitBlocks answers = answer_questions(columns, shared.questions, node, n_threads);
    parallel_for((rules.size() + kTogether - 1) / kTogether, n_threads,
                 [&](std::size_t piece, std::size_t) {
                     AlignedVector<Word> rows;
                     const std::size_t end = std::min((piece + 1) * kTogether, rules.size());
                     for (std::size_t r = piece * kTogether; r < end && !watch.check(); ++r) {
                         join_answers(rules[r].rule, answers, shared.places[r], node.layout(),
                                      rows);
                         const std::vector<double> cases = count_rows(node.layout(), rows);
                         std::transform(cases.begin(), cases.end(),
                                        counts.begin() + static_cast<std::ptrdiff_t>(r * n_classes),
                                        [](double n) { return static_cast<std::int64_t>(n); });
                     }
                 },
                 [&] { watch.check(); });
    return counts;
}

}  // namespace bsnsing
