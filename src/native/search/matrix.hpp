// The best rule over a 0/1 matrix.
#pragma once

#include <cstdint>

#include "search/options.hpp"
#include "search/search.hpp"

namespace bsnsing {

// `answers` is row-major, with a row per case of `cases`. `seconds` tells how long it took.
FoundRule search_matrix(const std::uint8_t* answers, std::size_t n_questions, const CaseView& cases,
                        const SearchOptions& rules, const QuestionLimits& limits,
                        Interrupt& interrupt, double& seconds, std::size_t n_best = 1);

}  // namespace bsnsing
