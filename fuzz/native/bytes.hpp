// Numbers out of the bytes that a fuzzer gives; zeros once they are used up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace bsnsing::fuzz {

class Bytes {
  public:
    Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    bool is_empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }

    template <class T>
    T take() {
        T value{};
        const std::size_t n = size_ < sizeof(T) ? size_ : sizeof(T);
        std::memcpy(&value, data_, n);
        data_ += n;
        size_ -= n;
        return value;
    }
    std::size_t below(std::size_t end) { return take<std::uint8_t>() % end; }
    bool flag() { return (take<std::uint8_t>() & 1U) != 0; }

    template <class T>
    std::vector<T> some(std::size_t n) {
        std::vector<T> values;
        for (std::size_t i = 0; i < n; ++i) values.push_back(take<T>());
        return values;
    }

  private:
    const std::uint8_t* data_;
    std::size_t size_;
};

// What must hold, or the fuzzer keeps the bytes.
inline void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

}  // namespace bsnsing::fuzz
