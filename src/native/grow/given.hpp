// Questions that come from outside: by hand, or from other trees.
#pragma once

#include <cstdint>
#include <vector>

#include "grow/questions.hpp"

namespace bsnsing {

// The question in terms of the column's codes. `levels` are positions of levels, for categorical
// columns. Throws std::invalid_argument if the column cannot be asked so.
Question given_question(const ColumnSchema& columns, std::uint32_t column, Test test, double value,
                        std::vector<std::uint32_t> levels);

}  // namespace bsnsing
