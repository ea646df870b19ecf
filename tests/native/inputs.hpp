// Random problems, and their counts the obvious way.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "bits/pack.hpp"
#include "search/objective.hpp"

namespace bsnsing::test {

// The same numbers on every machine, which the standard's distributions are not.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    std::uint64_t word() { return engine_(); }
    std::uint64_t below(std::uint64_t n) { return engine_() % n; }
    bool chance(double p) { return unit() < p; }
    double unit() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }

    template <class T>
    void shuffle(std::vector<T>& items) {
        for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
    }

  private:
    std::mt19937_64 engine_;
};

struct Problem {
    std::size_t n_questions = 0;
    std::size_t n_classes = 0;
    std::vector<std::uint8_t> answers;  // row by row
    std::vector<std::int32_t> classes;
    std::vector<std::int64_t> weights;  // empty: all one

    std::size_t n_rows() const { return classes.size(); }
    bool answer(std::size_t row, std::size_t question) const {
        return answers[row * n_questions + question] != 0;
    }
    RowOrder order() const { return order_rows(classes, n_classes, weights); }
    BitBlocks blocks() const { return pack_answers(answers.data(), n_questions, order()); }

    // Cases per class among the rows for which is_in(row) holds.
    template <class IsIn>
    std::vector<double> cases(const IsIn& is_in) const {
        std::vector<double> sums(n_classes, 0.0);
        for (std::size_t row = 0; row < n_rows(); ++row)
            if (is_in(row))
                sums[static_cast<std::size_t>(classes[row])] +=
                    weights.empty() ? 1.0 : static_cast<double>(weights[row]);
        return sums;
    }

    Objective objective(Criterion criterion, double min_leaf = 1) const {
        Objective o;
        o.criterion = criterion;
        o.n_classes = n_classes;
        o.totals = cases([](std::size_t) { return true; });
        o.class_weights.assign(n_classes, 1.0);
        for (const double n : o.totals) o.total += n;
        o.min_leaf = min_leaf;
        return o;
    }
};

// Answers lean towards the class, so that rules differ in worth.
inline Problem random_problem(Random& random, std::size_t n_rows, std::size_t n_questions,
                              std::size_t n_classes, bool weighted = false) {
    Problem p;
    p.n_questions = n_questions;
    p.n_classes = n_classes;
    std::vector<double> lean(n_questions * n_classes);
    for (double& chance : lean) chance = 0.05 + 0.5 * random.unit();
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::size_t c = row < n_classes ? row : random.below(n_classes);
        p.classes.push_back(static_cast<std::int32_t>(c));
        if (weighted) p.weights.push_back(static_cast<std::int64_t>(random.below(6)));
        for (std::size_t q = 0; q < n_questions; ++q)
            p.answers.push_back(random.chance(lean[q * n_classes + c]) ? 1 : 0);
    }
    return p;
}

}  // namespace bsnsing::test
