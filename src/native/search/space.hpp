// How many rules there are.
#pragma once

#include <cstddef>

#include "search/search.hpp"

namespace bsnsing {

// Whether rules of three and more questions exist.
inline bool forms_sets(const Formulas& f) {
    return f.as_or || f.as_and;
}

// Ways to read one set of literals as a rule: as an OR and, where that differs, as an AND.
inline double ways_per_set(const Objective& o, const Formulas& f) {
    return o.is_oriented() && f.as_or && f.as_and ? 2 : 1;
}

// Formulas that one set of two or more positions stands for.
inline double forms_per_set(const Objective& o, const Formulas& f, std::size_t size) {
    if (!forms_sets(f)) return 0;
    double signs = 1;
    if (f.has_negation)
        for (std::size_t i = 0; i < size; ++i) signs *= 2;
    return signs * ways_per_set(o, f);
}

inline double binomial(std::size_t n, std::size_t k) {
    if (k > n) return 0;
    double value = 1;
    for (std::size_t i = 1; i <= k; ++i)
        value = value * static_cast<double>(n - k + i) / static_cast<double>(i);
    return value;
}

// Rules of `from`..max_rules questions over a pool of `n_questions`.
inline double n_rules(const Objective& o, const SearchPlan& options, std::size_t n_questions,
                      std::size_t from) {
    double n = 0;
    for (std::size_t size = from; size <= options.max_rules; ++size) {
        n += binomial(n_questions, size) * forms_per_set(o, options.formulas, size);
        if (size == 2 && options.formulas.as_xor) n += binomial(n_questions, 2);
    }
    return n;
}

// Rules of a question and one of `n_later` others.
inline double n_pair_rules(const Objective& o, const Formulas& f, std::size_t n_later) {
    return static_cast<double>(n_later) * (forms_per_set(o, f, 2) + (f.as_xor ? 1 : 0));
}

}  // namespace bsnsing
