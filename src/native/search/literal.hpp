// A question of a pool, or its negation.
#pragma once

#include <cstdint>

namespace bsnsing {

struct Literal {
    std::uint32_t question = 0;
    bool negated = false;
};

}  // namespace bsnsing
