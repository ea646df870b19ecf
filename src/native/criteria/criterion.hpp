// The criteria a rule can be judged by, and what the rest of the engine may know about each.
//
// A criterion is one file, <name>.inl, that says everything about it: its facts, its value for one
// rule and for eight at once, and its bounds. every.inl has the one switch over all of them. Adding
// a criterion: its value and the number of values below, its file, its line and its case in
// every.inl; what is forgotten does not compile.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace bsnsing {

enum class Criterion { gini_squared, gini, entropy, misclassification, error };
inline constexpr std::size_t kNCriteria = 5;

// Each fact is a constant of the criterion's own file; criterion.cpp collects them.
struct CriterionFacts {
    const char* name;
    int unit_power;         // with weights k times as large, values are k^unit_power times as large
    bool is_exact;          // a whole number unless classes are weighted, and compared as one
    bool two_classes_only;  // more classes have no value
    bool is_oriented;       // a rule and its mirror image (children swapped) differ in value
    bool uses_xlogx;        // is quicker with Objective::xlogx
    bool has_moments;       // scans judge pairs of many classes by Moments
    bool has_leans;         // scans judge pairs of two classes by Leans
    bool has_packed_pairs;  // scans judge pairs of small nodes by PackedScan
    bool is_screened;       // scans exclude most rules by a Screen, and by what pairs are judged by
    // Words of rows that are counted about as fast as one of many classes is bounded, on any CPU.
    std::size_t bound_words;
};

// In the order of the enumeration.
extern const std::array<CriterionFacts, kNCriteria> kCriterionFacts;

inline const CriterionFacts& facts_of(Criterion criterion) {
    return kCriterionFacts[static_cast<std::size_t>(criterion)];
}

constexpr std::array<Criterion, kNCriteria> every_criterion() {
    std::array<Criterion, kNCriteria> all{};
    for (std::size_t i = 0; i < kNCriteria; ++i) all[i] = static_cast<Criterion>(i);
    return all;
}

}  // namespace bsnsing
