// Forests: codes, sums, trees that two ways of counting must agree on, threads, interrupts.
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "forest/codes.hpp"
#include "forest/forest.hpp"
#include "forest/sums.hpp"
#include "inputs.hpp"
#include "work/watch.hpp"

namespace bsnsing::test {
namespace {

constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

// Codes and labels that have something to do with each other.
struct ForestProblem {
    std::size_t n_rows;
    std::size_t n_columns;
    std::vector<std::uint8_t> codes;
    std::vector<std::int32_t> labels;
    std::vector<double> weights;

    CodeMatrix matrix() const { return {codes.data(), n_rows, n_columns}; }
    Forest grow(std::size_t n_classes, std::size_t n_threads, Interrupt& interrupt) const {
        const ForestOptions options{3, 2, 3, 2, n_rows, 7};
        return {matrix(), {labels, weights, n_classes}, options, n_threads, interrupt};
    }
};

ForestProblem random_forest_problem(Random& random, std::size_t n_rows, std::size_t n_columns,
                                    std::size_t n_classes, bool is_weighted) {
    ForestProblem p{n_rows, n_columns, {}, {}, {}};
    for (std::size_t i = 0; i < n_rows * n_columns; ++i)
        p.codes.push_back(random.chance(0.05) ? kMissingCode
                                              : static_cast<std::uint8_t>(random.below(255)));
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::size_t label = random.chance(0.2) ? random.below(n_classes) : p.codes[row] / 32U;
        p.labels.push_back(static_cast<std::int32_t>(label % n_classes));
        if (is_weighted) p.weights.push_back(random.unit() + 0.1);
    }
    return p;
}

bool same_trees(const Forest& a, const Forest& b) {
    bool is_same = a.trees().size() == b.trees().size();
    for (std::size_t t = 0; is_same && t < a.trees().size(); ++t) {
        const ForestTree& one = a.trees()[t];
        const ForestTree& two = b.trees()[t];
        is_same = one.n_rows == two.n_rows && one.parent == two.parent && one.gain == two.gain &&
                  one.is_drawn == two.is_drawn;
        for (std::size_t i = 0; is_same && i < one.nodes.size(); ++i)
            is_same = one.nodes[i].column == two.nodes[i].column &&
                      one.nodes[i].last == two.nodes[i].last &&
                      one.nodes[i].shift == two.nodes[i].shift &&
                      one.nodes[i].left == two.nodes[i].left;
    }
    return is_same;
}

void check_codes() {
    const std::vector<float> cells = {3, kNoNumber, 1, kNoNumber, 3, kNoNumber, kNoNumber, 7};
    const FloatMatrix numbers{cells.data(), 4, 2};
    const Bins bins(numbers, 2);
    CHECK(bins.codes(numbers, 1) == std::vector<std::uint8_t>{1, 0, 1, 255, 255, 255, 255, 0});
    const std::vector<float> others = {2, 9, 1.9F, 7, 99, kNoNumber};
    CHECK(bins.codes({others.data(), 3, 2}, 1) == std::vector<std::uint8_t>{0, 0, 1, 0, 0, 255});
}

void check_sums() {
    TwoClassSums two(2);
    ManyClassSums many(2);
    for (const std::uint32_t weight : {5U, 1U, 1U << 30U}) {
        two.add(TwoClassSums::amount(weight % 2, weight));
        many.add(ManyClassSums::amount(weight % 2, weight));
        CHECK(two.total() == many.total());
        CHECK(two.squares() == many.squares());
    }
    two.remove(TwoClassSums::amount(1, 5));
    many.remove(ManyClassSums::amount(1, 5));
    CHECK(two.weight(1) == 1);
    CHECK(many.weight(1) == 1);
    CHECK(two.squares() == many.squares());
    CHECK(amount_if(true, 7) == 7);
    CHECK(amount_if(false, 7) == 0);
}

// One row at a time, one node at a time.
std::uint32_t plain_leaf(const ForestTree& tree, const CodeMatrix& codes, std::size_t row) {
    std::uint32_t at = 0;
    while (!tree.is_leaf(at)) at = tree.nodes[at].next(codes.column(tree.nodes[at].column)[row]);
    return at;
}

void check_predictions(const ForestProblem& problem, Forest& forest, Interrupt& interrupt) {
    const std::size_t n_classes = forest.n_classes();
    forest.cut_back(4);
    const std::vector<double> told = forest.predict(problem.matrix(), 2, interrupt);
    for (std::size_t row = 0; row < problem.n_rows; ++row) {
        std::vector<double> sums(n_classes);
        for (const ForestTree& tree : forest.trees()) {
            const std::uint32_t leaf = plain_leaf(tree, problem.matrix(), row);
            tree.shares.add_to(sums.data(), leaf);
        }
        for (std::size_t c = 0; c < n_classes; ++c) {
            const double mean = sums[c] / static_cast<double>(forest.trees().size());
            CHECK(std::abs(told[row * n_classes + c] - mean) < 1e-6);
        }
    }
}

void check_forest(const ForestProblem& problem, std::size_t n_classes) {
    Interrupt never;
    Forest one = problem.grow(n_classes, 1, never);
    const Forest two = problem.grow(n_classes, 2, never);
    CHECK(same_trees(one, two));
    const std::uint32_t sizes[] = {1, 4};
    const std::vector<double> oob = one.out_of_bag(problem.matrix(), sizes, 1, never);
    CHECK(oob == two.out_of_bag(problem.matrix(), sizes, 2, never));
    CHECK(one.importances() == two.importances());
    if (n_classes == 2) CHECK(same_trees(one, problem.grow(3, 1, never)));  // counted another way
    check_predictions(problem, one, never);
    const std::uint32_t whole[] = {1};
    const std::vector<double> cut = one.out_of_bag(problem.matrix(), whole, 1, never);
    CHECK(
        std::equal(cut.begin(), cut.end(), oob.begin() + static_cast<std::ptrdiff_t>(cut.size())));
}

void check_interrupt() {
    Random random(9);
    const ForestProblem problem = random_forest_problem(random, 5000, 5, 2, false);
    Interrupt at_once([] { return true; });
    // On a busy machine a second thread may be done before the first, which asks, begins.
    const Forest forest = problem.grow(2, 1, at_once);
    CHECK(at_once.is_raised());
    for (const ForestTree& tree : forest.trees()) CHECK(tree.nodes.size() < 1000);
}

}  // namespace

void test_forest() {
    check_codes();
    check_sums();
    Random random(8);
    for (const std::size_t n_rows : {2U, 9U, 100U, 1500U})
        for (const std::size_t n_classes : {1U, 2U, 5U, 60U})
            for (const bool is_weighted : {false, true})
                check_forest(random_forest_problem(random, n_rows, 4, n_classes, is_weighted),
                             n_classes);
    check_interrupt();
}

}  // namespace bsnsing::test
