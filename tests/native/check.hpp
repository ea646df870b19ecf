// CHECK(fact) says where a fact does not hold and goes on; main() asks how many did not.
#pragma once

#include <cstdio>
#include <stdexcept>

namespace bsnsing::test {

struct Tally {
    std::size_t n_checks = 0;
    std::size_t n_failures = 0;
};

inline Tally& tally() {
    static Tally counts;
    return counts;
}

inline void check(bool fact, const char* text, const char* file, int line) {
    constexpr std::size_t kMostShown = 50;
    ++tally().n_checks;
    if (!fact && ++tally().n_failures <= kMostShown)
        std::printf("%s:%d: not so: %s\n", file, line, text);
}

template <class Work>
bool is_refused(const Work& work) {
    try {
        work();
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

}  // namespace bsnsing::test

#define CHECK(...) ::bsnsing::test::check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
