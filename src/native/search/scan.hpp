// The three loops over questions that decide the search's speed, as plain data: what goes in and
// what comes out. Each instruction set compiles them from kernels/scan_loops.inl.
//
// Arrays of counts are laid out class by class: entry (class j, question q) is [j * stride + q].
#pragma once

#include <cstddef>
#include <cstdint>

#include "search/objective.hpp"

namespace bsnsing {

// Which formulas the search may form. A set of literals always stands for their OR; read with the
// children swapped, it is the AND of the negated literals.
struct Formulas {
    bool as_or = true;
    bool as_and = false;
    bool as_xor = false;
    bool has_negation = false;  // the pool is closed under negation
};

// A rule that may beat the best one: the caller works out the rest.
struct Hit {
    std::uint32_t question = 0;  // the question or literal that was added
    bool negated = false;        // pairs: ... as its negation
    bool first_negated = false;  // pairs: the row's own question is negated
    bool is_xor = false;         // pairs: the two are joined by XOR
    bool swapped = false;        // the OR's rows go to "no": read it as an AND
    double value = 0;
};

// Sums over classes, one entry per question: of its cases n_j, of T_j n_j and of n_j n_j, where T_j
// are the node's cases. With many classes the Gini criteria of every form of a pair follow from
// these and six such sums over the pair; see scan_pairs_by_moments.
struct Moments {
    const double* size = nullptr;
    const double* with_totals = nullptr;
    const double* with_self = nullptr;
};

// For two classes with T_0 and T_1 cases: of each question's n_0 and n_1 cases, the sum and the
// lean n_0 T_1 - n_1 T_0, by which it departs from the node's own proportion; see
// scan_pairs_by_lean.
struct Leans {
    const double* size = nullptr;
    const double* lean = nullptr;
};

// All pairs of one question ("own") with the questions from `first` on.
struct PairScan {
    const Objective* objective = nullptr;
    Formulas formulas;
    std::size_t n_questions = 0;
    std::size_t stride = 0;
    std::size_t first = 0;
    const double* own = nullptr;      // [class]: cases that answer yes to the own question
    const double* singles = nullptr;  // cases that answer yes to each question
    const double* both = nullptr;     // cases that answer yes to both
    std::size_t both_stride = 0;
    std::size_t own_position = 0;
    Moments moments;   // null where they do not apply; see Pool
    Leans leans;       // likewise
    double limit = 0;  // report values below this ...
    double grain = 0;  // ... and lower it to the least value seen plus this
};

// All rules that add one literal, from `first` on, to a rule whose gains are known.
struct ExtendScan {
    const Objective* objective = nullptr;
    Formulas formulas;
    std::size_t n_literals = 0;
    std::size_t stride = 0;
    std::size_t first = 0;
    const double* base = nullptr;  // [class]: cases the rule covers
    const double* gain = nullptr;  // cases each literal would add
    bool report_hits = true;
    double limit = 0;
    double grain = 0;
    // Openings: literals that leave a rule from which `n_more` further ones may still get there.
    std::size_t n_more = 0;
    const double* most_after = nullptr;   // most that one literal after this one adds to the rule
    const double* most_single = nullptr;  // ... to this literal alone
    double open_limit = 0;
};

// Bounds on all rules that add a second literal after `last` was added to a rule.
struct LastScan {
    const Objective* objective = nullptr;
    Formulas formulas;
    std::size_t n_literals = 0;
    std::size_t stride = 0;
    std::size_t first = 0;
    const double* base = nullptr;  // [class]: cases covered, `last` included
    const double* gain = nullptr;  // cases each literal adds to the rule without `last`
    const double* singles = nullptr;
    const double* both = nullptr;  // cases that both `last` and each literal cover
    std::size_t both_stride = 0;
    double open_limit = 0;
};

}  // namespace bsnsing
