// Cutting a column of many values into bins, and finding a number's bin.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bsnsing {

// Decides, value after value, where bins end so that all have about the same number of cases; what
// a frequent value takes is not missed by the bins after it.
class BinChooser {
  public:
    BinChooser(double n_cases, std::size_t n_bins)
        : n_left_(n_cases), n_bins_left_(static_cast<double>(n_bins)) {}

    // Whether a new bin begins with a value of so many cases.
    bool begins(double n_cases) {
        const double wanted = n_left_ / n_bins_left_;
        const bool is_new =
            in_bin_ > 0 && n_bins_left_ > 1 && in_bin_ + n_cases - wanted > wanted - in_bin_;
        if (is_new) {
            n_left_ -= in_bin_;
            n_bins_left_ -= 1;
            in_bin_ = 0;
        }
        in_bin_ += n_cases;
        return is_new;
    }

  private:
    double n_left_;
    double n_bins_left_;
    double in_bin_ = 0;
};

// The code of a number in a binned column of at most 256 codes, by halving, without branches.
class BinFinder {
  public:
    explicit BinFinder(const std::vector<double>& greatest) {
        greatest_.fill(std::numeric_limits<double>::infinity());
        std::copy(greatest.begin(), greatest.end(), greatest_.begin());
    }
    std::uint32_t operator()(double x) const {
        std::size_t code = 0;
        for (std::size_t step = kMost / 2; step > 0; step /= 2)
            code += step * static_cast<std::size_t>(greatest_[code + step - 1] < x);
        return static_cast<std::uint32_t>(code);
    }

    static constexpr std::size_t kMost = 256;

  private:
    std::array<double, kMost> greatest_;
};

}  // namespace bsnsing
