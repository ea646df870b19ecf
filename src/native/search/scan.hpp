// The three loops over questions that decide the search's speed, as plain data: what goes in and
// what comes out. Each instruction set compiles them from kernels/scan_loops.inl.
//
// Arrays of counts are laid out class by class: entry (class j, question q) is [j * stride + q].
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bits/aligned.hpp"
#include "bits/words.hpp"
#include "search/objective.hpp"
#include "search/screen.hpp"

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

// What a scan works in: eight numbers per class, a few times over. For few classes the stack will
// do. For more, whoever calls makes this, once per thread: a scan is noexcept and must not ask for
// memory, which may not be had.
class ScanMemory {
  public:
    static constexpr std::size_t kMostClassesOnStack = 16;
    static constexpr std::size_t kMostPerScan = 4;  // arrays of eight numbers per class

    explicit ScanMemory(std::size_t n_classes)
        : bytes_(n_classes > kMostClassesOnStack
                     ? n_classes * kMostPerScan * kLanes * sizeof(double)
                     : 0) {}

    // Null where the stack will do.
    void* data() { return bytes_.empty() ? nullptr : bytes_.data(); }

  private:
    AlignedVector<std::byte> bytes_;
};

// Sums over classes, one entry per question: of its cases n_j, of T_j n_j and of n_j n_j, where T_j
// are the node's cases. With many classes the Gini criteria of every form of a pair follow from
// these and six such sums over the pair; see scan_pairs_by_moments. For the entropy criterion
// products are divided by T_j, which gives Pearson's statistic; see PairScreen.
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
    const double* both = nullptr;     // cases that answer yes to both, from `both_first` on
    std::size_t both_first = 0;
    std::size_t both_stride = 0;
    std::size_t own_position = 0;
    Moments moments;                 // null where they do not apply; see Pool
    Leans leans;                     // likewise
    double limit = 0;                // report values below this ...
    double grain = 0;                // ... and lower it to the least value seen plus this
    const Screen* screen = nullptr;  // where the criterion has one
    void* memory = nullptr;          // of ScanMemory

    const double* both_of(std::size_t class_index, std::size_t question) const {
        return both + class_index * both_stride + (question - both_first);
    }
};

// Small nodes hold the counts of two classes in one 32-bit number: class 2i in its lower half,
// class 2i + 1 in its upper half. Products of such counts then sum up two classes, sixteen
// questions at a time.
inline constexpr std::size_t kPackedLanes = 16;
inline constexpr double kMostPackedCases = 16000;  // eight squares of it still fit 31 bits

// Rows whose count is added to the packed number, which is then shifted to the left: by and by,
// each count comes to stand in its class's half, times its weight.
struct PackedSegment {
    std::size_t first_word = 0;
    std::size_t n_words = 0;
    unsigned shift = 0;
};

// As PairScan, for the Gini criterion. Arrays of counts are laid out class pair by class pair.
struct PackedScan {
    const Objective* objective = nullptr;
    Formulas formulas;
    std::size_t n_questions = 0;
    std::size_t n_class_pairs = 0;
    std::size_t stride = 0;
    std::size_t first = 0;
    std::size_t own_position = 0;
    const std::uint32_t* totals = nullptr;   // [class pair]
    const std::uint32_t* singles = nullptr;  // [class pair][question]
    const std::uint32_t* both = nullptr;     // [class pair][question], both_stride apart
    std::size_t both_stride = 0;
    // Sums over classes, as in Moments; for two classes with_self holds the lean instead.
    const std::int32_t* size = nullptr;
    const std::int32_t* with_totals = nullptr;
    const std::int32_t* with_self = nullptr;
    double limit = 0;
    double grain = 0;
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
    const Screen* screen = nullptr;  // where the criterion has one
    void* memory = nullptr;          // of ScanMemory
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
    const Screen* screen = nullptr;  // where the criterion has one
    void* memory = nullptr;          // of ScanMemory
};

}  // namespace bsnsing
