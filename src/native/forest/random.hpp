// The chance of one tree: the same for the same seed and tree, on every machine.
#pragma once

#include <cstdint>

namespace bsnsing {

// SplitMix64: a counter, well mixed.
class Random {
  public:
    // Streams of different trees have nothing to do with each other.
    Random(std::uint64_t seed, std::uint64_t tree) : state_(mix(mix(seed) + tree)) {}

    std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15U); }

    // One of 0 ... n - 1.
    std::uint32_t below(std::uint32_t n) {
        return static_cast<std::uint32_t>(((next() >> 32U) * n) >> 32U);
    }

  private:
    static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

    std::uint64_t state_;
};

}  // namespace bsnsing
