// Growing: the engine parts rows exactly as its rules say.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "check.hpp"
#include "grow/engine.hpp"
#include "inputs.hpp"
#include "table.hpp"

namespace bsnsing::test {
namespace {

struct Table {
    std::vector<RawColumn> columns;
    std::vector<std::int32_t> classes;
    std::vector<std::int64_t> weights;

    std::vector<EncodedColumn> encode() const {
        std::vector<EncodedColumn> encoded;
        for (const RawColumn& column : columns) encoded.push_back(column.encode());
        return encoded;
    }
};

Table random_table(Random& random, std::size_t n_rows, bool weighted) {
    Table table;
    std::vector<double> x, flag;
    std::vector<std::int32_t> plan;
    for (std::size_t i = 0; i < n_rows; ++i) {
        x.push_back(random.chance(0.1) ? std::numeric_limits<double>::quiet_NaN()
                                       : 10 * random.unit());
        flag.push_back(random.chance(0.4) ? 1 : 0);
        plan.push_back(static_cast<std::int32_t>(random.below(7)) - 1);
        const bool leaves = x.back() > 6 || plan.back() == 2 || random.chance(0.1);
        table.classes.push_back(leaves ? 1 : flag.back() > 0 && random.chance(0.8) ? 2 : 0);
        if (weighted) table.weights.push_back(static_cast<std::int64_t>(random.below(4)));
    }
    table.columns = {numbers(x), levels(6, plan), numbers(flag)};
    return table;
}

EngineOptions options_for(std::size_t max_rules, std::size_t n_threads) {
    EngineOptions options;
    options.search = {max_rules, {true, true, true, true}, n_threads};
    options.class_weights.assign(3, 1.0);
    options.min_leaf = 5;
    options.time_limit = std::numeric_limits<double>::infinity();
    return options;
}

bool follows(const Table& table, const NodeSplit& split, std::size_t row) {
    const Rule& rule = split.found.rule;
    std::size_t n_yes = 0;
    for (std::size_t i = 0; i < rule.literals.size(); ++i) {
        const Question& q = split.questions[i];
        if (says_yes(table.columns[q.column], q, row) != rule.literals[i].negated) ++n_yes;
    }
    switch (rule.op) {
        case Operator::logical_or:
            return n_yes > 0;
        case Operator::logical_and:
            return n_yes == rule.literals.size();
        default:
            return n_yes % 2 == 1;
    }
}

std::vector<std::uint32_t> rows_at(const Engine& engine, std::size_t node) {
    const std::span<const std::uint32_t> rows = engine.table(node).rows();
    return {rows.begin(), rows.end()};
}

std::pair<std::size_t, std::size_t> split_one(Engine& engine, std::size_t node,
                                              const NodeSplit& split) {
    const NodeRule rule = split.rule();
    return engine.split({&node, 1}, {&rule, 1}).front();
}

// Segments of a node describe its rows; returns its row numbers.
std::set<std::uint32_t> check_node(const Table& table, const Engine& engine, std::size_t node) {
    const std::span<const std::uint32_t> rows = engine.table(node).rows();
    std::size_t place = 0;
    for (const Segment& s : engine.table(node).layout().segments) {
        for (std::size_t i = 0; i < s.n_rows; ++i) {
            const std::uint32_t row = rows[place + i];
            CHECK(table.classes[row] == static_cast<std::int32_t>(s.class_index));
            CHECK(table.weights.empty() || (table.weights[row] & s.weight) != 0);
            CHECK(i == 0 || rows[place + i - 1] < row);
        }
        place += s.n_rows;
    }
    CHECK(place == rows.size());
    return {rows.begin(), rows.end()};
}

std::size_t check_split(const Table& table, Engine& engine, std::size_t node,
                        const NodeSplit& split) {
    const std::vector<std::uint32_t> before = rows_at(engine, node);
    const std::vector<double> totals = engine.class_totals(node);
    const auto [yes, no] = split_one(engine, node, split);
    for (const std::uint32_t row : check_node(table, engine, yes))
        CHECK(follows(table, split, row));
    for (const std::uint32_t row : check_node(table, engine, no))
        CHECK(!follows(table, split, row));
    std::vector<std::uint32_t> after = rows_at(engine, yes);
    for (const std::uint32_t row : rows_at(engine, no)) after.push_back(row);
    CHECK(std::multiset<std::uint32_t>(before.begin(), before.end()) ==
          std::multiset<std::uint32_t>(after.begin(), after.end()));
    if (split.found.found) CHECK(engine.class_totals(yes) == split.found.left);
    for (std::size_t j = 0; j < totals.size(); ++j)
        CHECK(engine.class_totals(yes)[j] + engine.class_totals(no)[j] == totals[j]);
    return yes;
}

void test_growing(Random& random, std::size_t n_threads, bool weighted) {
    const Table table = random_table(random, 900, weighted);
    Engine engine(table.encode(), table.classes, 3, table.weights, options_for(2, n_threads));
    Interrupt nobody;
    std::vector<std::size_t> open = {0};
    std::size_t n_splits = 0;
    for (int depth = 0; depth < 3; ++depth) {
        const std::vector<NodeSplit> splits = engine.best_rules(open, nobody);
        std::vector<std::size_t> next;
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (!splits[i].is_worthwhile) continue;
            CHECK(splits[i].found.optimal);
            const std::size_t yes = check_split(table, engine, open[i], splits[i]);
            next.insert(next.end(), {yes, yes + 1});
            ++n_splits;
        }
        open = next;
    }
    CHECK(n_splits >= 3);
}

// A branch shares the cells of open nodes, and keeps nothing of those that it has split.
void test_branches(Random& random) {
    const Table table = random_table(random, 900, false);
    Interrupt nobody;
    auto engine = std::make_unique<Engine>(table.encode(), table.classes, 3, table.weights,
                                           options_for(2, 1));
    const std::vector<std::size_t> root = {0};
    const NodeSplit split = engine->best_rules(root, nobody).front();
    const std::vector<std::uint32_t> rows = rows_at(*engine, 0);
    const std::weak_ptr<LevelMemory> of_root = engine->table(0).memory();
    Engine branch(*engine);
    const auto [yes, no] = split_one(branch, 0, split);
    CHECK(rows_at(*engine, 0) == rows);
    CHECK(rows_at(branch, yes).size() + rows_at(branch, no).size() == rows.size());
    engine.reset();
    CHECK(of_root.expired());
    const std::weak_ptr<LevelMemory> of_branch = branch.table(yes).memory();
    Engine further(branch);
    branch.close(std::vector<std::size_t>{yes, no});
    CHECK(rows_at(further, yes).size() + rows_at(further, no).size() == rows.size());
    further.close(std::vector<std::size_t>{yes});
    CHECK(!of_branch.expired());
}

// Rules that a search need not come upon: every operator, with and without negations.
void test_given_rules(Random& random) {
    const Table table = random_table(random, 300, true);
    for (const Operator op : {Operator::logical_or, Operator::logical_and, Operator::exclusive_or})
        for (unsigned signs = 0; signs < 8; ++signs) {
            Engine engine(table.encode(), table.classes, 3, table.weights, options_for(3, 1));
            const ColumnShape& x = engine.columns()[0];
            const std::uint32_t middle = x.n_codes / 2;
            NodeSplit split;
            split.questions = {{0, Test::greater, x.values[middle], middle + 1, x.n_codes, {}},
                               {1, Test::in, 0, 0, 0, {0, 3, 4}},
                               {1, Test::missing, 0, 6, 7, {}}};
            for (std::uint32_t i = 0; i < 3; ++i)
                split.found.rule.literals.push_back({i, ((signs >> i) & 1U) != 0});
            split.found.rule.op = op;
            check_split(table, engine, 0, split);
        }
}

// Threads change nothing, for one large node and for many small ones.
void test_threads(Random& random) {
    const Table table = random_table(random, 100000, false);
    std::vector<std::vector<std::uint32_t>> parts[2];
    for (const std::size_t n_threads : {1U, 2U}) {
        Engine engine(table.encode(), table.classes, 3, {}, options_for(3, n_threads));
        Interrupt nobody;
        const std::vector<NodeSplit> root = engine.best_rules(std::vector<std::size_t>{0}, nobody);
        CHECK(root[0].is_worthwhile);
        const auto [yes, no] = split_one(engine, 0, root[0]);
        const std::vector<std::size_t> both = {yes, no};
        const std::vector<NodeSplit> splits = engine.best_rules(both, nobody);
        for (std::size_t i = 0; i < 2; ++i) {
            if (!splits[i].is_worthwhile) continue;
            parts[n_threads - 1].push_back(
                rows_at(engine, split_one(engine, both[i], splits[i]).first));
        }
    }
    CHECK(!parts[0].empty() && parts[0] == parts[1]);
}

void test_majority() {
    const std::vector<double> totals = {2, 1, 2};
    CHECK(Chooser({}, options_for(2, 1)).majority_class(totals) == 2);  // of equals the last
    EngineOptions weighted = options_for(2, 1);
    weighted.class_weights = {1.0, 3.0, 1.0};
    CHECK(Chooser({}, weighted).majority_class(totals) == 1);
}

// Counts are sums over rows: those of two halves add up to those of all, and each is what a walk
// over the rows finds.
void test_counts(Random& random) {
    Table table = random_table(random, 400, true);
    Interrupt nobody;
    const std::vector<std::size_t> root = {0};
    Engine whole(table.encode(), table.classes, 3, table.weights, options_for(2, 2));
    const std::vector<std::vector<Question>> questions = whole.ask(root, std::nullopt);
    std::vector<std::vector<NodeRule>> rules(1);
    for (std::size_t i = 0; i + 1 < questions[0].size(); ++i)
        for (const Operator op :
             {Operator::logical_or, Operator::logical_and, Operator::exclusive_or})
            rules[0].push_back(
                {{questions[0][i], questions[0][i + 1]}, {{{0, i % 2 == 0}, {1, i % 3 == 0}}, op}});
    std::vector<std::int64_t> sums[3];
    const auto add_counts = [&](Engine& engine, std::int64_t sign) {
        const auto add = [&](std::vector<std::int64_t>& sum,
                             const std::vector<std::int64_t>& more) {
            sum.resize(more.size(), 0);
            for (std::size_t i = 0; i < more.size(); ++i) sum[i] += sign * more[i];
        };
        std::vector<std::int64_t> cases;
        const std::vector<std::vector<std::vector<std::int64_t>>> histograms =
            engine.histograms(root, nobody);
        for (const std::vector<std::int64_t>& column : histograms[0])
            cases.insert(cases.end(), column.begin(), column.end());
        add(sums[0], cases);
        add(sums[1], engine.pair_counts(root, questions, nobody)[0]);
        add(sums[2], engine.rule_counts(root, rules, nobody)[0]);
    };
    add_counts(whole, 1);
    for (const bool is_odd : {false, true}) {
        std::vector<std::int64_t> weights = table.weights;
        for (std::size_t row = 0; row < weights.size(); ++row)
            if ((row % 2 == 1) != is_odd) weights[row] = 0;
        Engine half(table.encode(), table.classes, 3, weights, options_for(2, 1));
        add_counts(half, -1);
    }
    for (const auto& sum : sums)
        CHECK(!sum.empty() &&
              std::all_of(sum.begin(), sum.end(), [](std::int64_t n) { return n == 0; }));

    const std::vector<std::int64_t> counts = whole.rule_counts(root, rules, nobody)[0];
    for (std::size_t r = 0; r < rules[0].size(); ++r) {
        NodeSplit split;
        split.questions = rules[0][r].questions;
        split.found.rule = rules[0][r].rule;
        std::vector<std::int64_t> expected(3, 0);
        for (std::size_t row = 0; row < table.classes.size(); ++row)
            if (follows(table, split, row))
                expected[static_cast<std::size_t>(table.classes[row])] += table.weights[row];
        CHECK(std::equal(expected.begin(), expected.end(),
                         counts.begin() + static_cast<std::ptrdiff_t>(3 * r)));
    }
}

// Each row once, ascending, whatever its weight.
void test_rows(Random& random) {
    const Table table = random_table(random, 300, true);
    Engine engine(table.encode(), table.classes, 3, table.weights, options_for(2, 1));
    const Interrupt nobody;
    const std::vector<std::size_t> root = {0};
    const std::vector<Question> questions = engine.ask(root, 1U)[0];
    const RowAnswers answers = engine.answers(0, questions);
    CHECK(answers.rows == engine.rows_of(root)[0]);
    std::size_t place = 0;
    for (std::size_t row = 0; row < table.classes.size(); ++row) {
        if (table.weights[row] == 0) continue;
        CHECK(answers.rows[place] == static_cast<std::int64_t>(row));
        for (std::size_t q = 0; q < questions.size(); ++q)
            CHECK((answers.answers[place * questions.size() + q] != 0) ==
                  says_yes(table.columns[questions[q].column], questions[q], row));
        ++place;
    }
    CHECK(place == answers.rows.size());
    const std::vector<NodeRule> rules = {{{questions[0]}, {{{0, false}}, Operator::logical_or}}};
    const auto [yes, no] = engine.split(root, rules).front();
    const auto parts = engine.rows_of(std::vector<std::size_t>{no, yes, no});
    CHECK(parts[0].size() + parts[1].size() == place && parts[0] == parts[2]);
}

void test_refusals(Random& random) {
    const Table table = random_table(random, 50, false);
    Engine engine(table.encode(), table.classes, 3, {}, options_for(2, 1));
    const NodeRule rule{{engine.ask(std::vector<std::size_t>{0}, std::nullopt)[0][0]},
                        {{{0, false}}, Operator::logical_or}};
    const auto split = [&](std::vector<std::size_t> nodes, std::vector<NodeRule> rules) {
        return engine.split(nodes, rules);
    };
    CHECK(is_refused([&] { engine.table(1); }));
    CHECK(is_refused([&] { split({0}, {}); }));
    CHECK(is_refused([&] { split({0, 0}, {rule, rule}); }));
    const auto [yes, no] = split({0}, {rule}).front();
    CHECK(is_refused([&] { split({0}, {rule}); }));
    engine.close(std::vector<std::size_t>{yes});
    CHECK(is_refused([&] { engine.class_totals(yes); }));
    CHECK(is_refused([&] { engine.close(std::vector<std::size_t>{yes}); }));
    CHECK(engine.table(no).is_open());
}

void test_interrupt(Random& random) {
    const Table table = random_table(random, 2000, false);
    Engine engine(table.encode(), table.classes, 3, {}, options_for(3, 1));
    Interrupt at_once([] { return true; });
    const std::vector<std::size_t> root = {0};
    CHECK(engine.best_rules(root, at_once).size() == 1);
    CHECK(at_once.is_raised());
}

void test_seconds_for_all_nodes(Random& random) {
    const Table table = random_table(random, 2000, false);
    Engine engine(table.encode(), table.classes, 3, {}, options_for(3, 1));
    Interrupt nobody;
    const std::vector<std::size_t> root = {0};
    const NodeSplit unsearched = engine.best_rules(root, nobody, 0).front();
    CHECK(!unsearched.found.found);
    CHECK(!unsearched.found.optimal);
    CHECK(!unsearched.is_worthwhile);
    const NodeSplit searched = engine.best_rules(root, nobody, 3600).front();
    CHECK(searched.found.optimal);
    CHECK(searched.found.value == engine.best_rules(root, nobody).front().found.value);
    CHECK(is_refused([&] { engine.best_rules(root, nobody, std::nan("")); }));
    TimeShares shares(1000, 4);
    const double first = shares.next(1).value_or(0);
    CHECK(first > 240 && first <= 250);
    CHECK(shares.next(2).value_or(0) > 600);  // two of three run at once
    CHECK(TimeShares(1e-3, 100).next(1).value_or(0) <= 1e-3);
    CHECK(!TimeShares(0, 1).next(1));
}

}  // namespace

void test_engine() {
    Random random(7);
    for (const std::size_t n_threads : {1U, 2U})
        for (const bool weighted : {false, true}) test_growing(random, n_threads, weighted);
    test_seconds_for_all_nodes(random);
    test_branches(random);
    test_given_rules(random);
    test_threads(random);
    test_majority();
    test_counts(random);
    test_rows(random);
    test_refusals(random);
    test_interrupt(random);
}

}  // namespace bsnsing::test
