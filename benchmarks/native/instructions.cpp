// Work whose instructions are counted under valgrind: `instructions WORK` does it once, always on
// the same made-up numbers, inside counted_work(), and prints what came out.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bits/pack.hpp"
#include "grow/engine.hpp"
#include "search/settings.hpp"

// The one function that callgrind looks into. What follows the call keeps it from becoming a jump,
// which would not return here.
extern "C" [[gnu::noinline]] void counted_work(const std::function<void()>& work) {
    work();
    asm volatile("" ::: "memory");
}

namespace bsnsing {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

// The same numbers everywhere, which the standard's distributions are not.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    double unit() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }
    bool chance(double p) { return unit() < p; }
    std::size_t below(std::size_t n) { return engine_() % n; }

  private:
    std::mt19937_64 engine_;
};

// The search alone: answers that lean towards one of two classes, already packed.
void count_search(std::size_t n_rows, std::size_t n_questions, std::size_t max_rules) {
    Random random(1);
    std::vector<double> lean(2 * n_questions);
    for (double& chance : lean) chance = 0.1 + 0.4 * random.unit();
    std::vector<std::int32_t> classes;
    std::vector<std::uint8_t> answers;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::size_t c = random.below(2);
        classes.push_back(static_cast<std::int32_t>(c));
        for (std::size_t q = 0; q < n_questions; ++q)
            answers.push_back(random.chance(lean[2 * q + c]) ? 1 : 0);
    }
    const RowOrder order = order_rows(classes, 2, {});
    const BitBlocks blocks = pack_answers(answers.data(), n_questions, order);
    Objective objective;
    objective.criterion = Criterion::gini;
    objective.n_classes = 2;
    objective.totals = order.layout.class_totals();
    objective.class_weights.assign(2, 1.0);
    objective.total = static_cast<double>(n_rows);
    objective.min_leaf = std::sqrt(objective.total);
    SearchPlan options;
    options.max_rules = max_rules;
    options.formulas = formulas_from_names({"or", "and"});

    FoundRule found;
    Interrupt interrupt;
    Watch watch(interrupt, kForever);
    counted_work([&] { found = find_best_rule(blocks, order.layout, objective, options, watch); });
    std::printf("value %.6f, %.0f rules counted\n", found.value, found.n_counted);
}

// Numbers row by row; pairs of columns decide the class, but for one row in five.
struct Table {
    std::size_t n_columns;
    std::size_t n_classes;
    std::vector<float> cells;
    std::vector<std::int32_t> classes;

    Table(std::size_t n_rows, std::size_t columns, std::size_t n)
        : n_columns(columns), n_classes(n) {
        Random random(2);
        for (std::size_t row = 0; row < n_rows; ++row) {
            for (std::size_t k = 0; k < n_columns; ++k)
                cells.push_back(static_cast<float>(random.unit()));
            const float* cell = &cells[row * n_columns];
            std::size_t c = 0;
            for (std::size_t pair = 0; 2 * pair + 1 < n_columns; ++pair)
                if (cell[2 * pair] > 0.6F && cell[2 * pair + 1] < 0.5F) c = (pair + 1) % n_classes;
            if (random.chance(0.2)) c = random.below(n_classes);
            classes.push_back(static_cast<std::int32_t>(c));
        }
    }

    std::vector<EncodedColumn> encode() const {
        std::vector<NumberView> views;
        for (std::size_t k = 0; k < n_columns; ++k)
            views.push_back({&cells[k], static_cast<std::ptrdiff_t>(n_columns), NumberType::f32});
        EncodeOptions options;
        options.max_bins = 255;
        return encode_number_columns(views, classes.size(), options, 1);
    }
};

// Splits one level after the other, as the Python grower does; returns the number of leaves.
std::size_t grow(Engine& engine, double min_leaf) {
    Interrupt interrupt;
    std::size_t n_leaves = 0;
    std::vector<std::size_t> frontier = {0};
    while (!frontier.empty()) {
        const std::vector<NodeSplit> found = engine.best_rules(frontier, interrupt);
        std::vector<std::size_t> nodes;
        std::vector<NodeRule> rules;
        for (std::size_t i = 0; i < frontier.size(); ++i) {
            if (found[i].found.found && found[i].is_worthwhile) {
                nodes.push_back(frontier[i]);
                rules.push_back(found[i].rule());
            } else {
                ++n_leaves;
            }
        }
        frontier.clear();
        for (const auto& [yes, no] : engine.split(nodes, rules))
            for (const std::size_t child : {yes, no}) {
                double n_cases = 0;
                for (const double n : engine.class_totals(child)) n_cases += n;
                if (n_cases >= 2 * min_leaf)
                    frontier.push_back(child);
                else
                    ++n_leaves;
            }
    }
    return n_leaves;
}

// A whole fit with the defaults of BsnsingClassifier: from the matrix to the last leaf.
void count_fit(std::size_t n_rows, std::size_t n_columns, std::size_t n_classes) {
    const Table table(n_rows, n_columns, n_classes);
    EngineOptions options;
    options.criterion = Criterion::gini;
    options.search.formulas = formulas_from_names({"or", "and"});
    options.ask.n_segments = 8;
    options.ask.every_class = n_classes > 2;
    options.ask.negation = true;
    options.class_weights.assign(n_classes, 1.0);
    options.min_leaf = std::floor(std::sqrt(static_cast<double>(n_rows)));
    options.time_limit = kForever;

    std::size_t n_leaves = 0;
    counted_work([&] {
        Engine engine(table.encode(), table.classes, n_classes, {}, options);
        n_leaves = grow(engine, options.min_leaf);
    });
    std::printf("%zu leaves\n", n_leaves);
}

}  // namespace
}  // namespace bsnsing

int main(int n_arguments, char** arguments) {
    const struct {
        const char* name;
        std::function<void()> run;
    } kWorks[] = {
        {"search-pairs", [] { bsnsing::count_search(4000, 128, 2); }},
        {"search-triples", [] { bsnsing::count_search(1000, 64, 3); }},
        {"fit", [] { bsnsing::count_fit(4000, 10, 2); }},
        {"fit-classes", [] { bsnsing::count_fit(4000, 10, 4); }},
        {"compiler", [] { std::printf("%s\n", __VERSION__); }},
    };
    for (const auto& work : kWorks)
        if (n_arguments == 2 && std::strcmp(arguments[1], work.name) == 0) {
            work.run();
            return 0;
        }
    std::fprintf(stderr, "usage: instructions WORK, one of:\n");
    for (const auto& work : kWorks) std::fprintf(stderr, "  %s\n", work.name);
    return 2;
}
