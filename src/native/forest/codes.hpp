// Numbers as codes of one byte: a forest only asks which of two numbers is greater.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace bsnsing {

constexpr std::size_t kMostBins = 255;
constexpr std::uint8_t kLastCode = kMostBins - 1;
constexpr std::uint8_t kMissingCode = 255;

// A matrix of numbers, row after row; NaN is missing.
struct FloatMatrix {
    const float* data;
    std::size_t n_rows;
    std::size_t n_columns;
};

// A matrix of codes, column after column.
struct CodeMatrix {
    const std::uint8_t* data;
    std::size_t n_rows;
    std::size_t n_columns;

    const std::uint8_t* column(std::size_t c) const { return data + c * n_rows; }
};

// Where the bins of each column end. A column of at most 255 values has a bin for each; else bins
// have about as many rows each. Codes depend on the order of a column's values only.
class Bins {
  public:
    Bins(const FloatMatrix& numbers, std::size_t n_threads);
    explicit Bins(std::vector<std::vector<float>> ends) : ends_(std::move(ends)) {}

    const std::vector<std::vector<float>>& ends() const { return ends_; }
    std::size_t n_columns() const { return ends_.size(); }

    // Codes of any rows, column after column; between two bins, the nearer one.
    std::vector<std::uint8_t> codes(const FloatMatrix& numbers, std::size_t n_threads) const;

  private:
    std::vector<std::vector<float>> ends_;  // of all bins of a column but the last
};

}  // namespace bsnsing
