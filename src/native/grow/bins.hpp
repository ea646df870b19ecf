// Deciding where bins of a column's values end.
#pragma once

#include <cstddef>

namespace bsnsing {

// Decides, value after value, where bins end so that all have about the same number of cases; what
// a frequent value takes is not missed by the bins after it.
class BinChooser {
  public:
    BinChooser(double n_cases, std::size_t n_bins)
        : n_left_(n_cases), n_bins_left_(static_cast<double>(n_bins)) {}

    // Whether a new bin begins with the next value, which n_cases have.
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

    // Adds several values at once if no bin begins among them, however their cases are spread.
    bool takes_all(double n_cases) {
        if (n_bins_left_ > 1 && in_bin_ + n_cases > n_left_ / n_bins_left_) return false;
        in_bin_ += n_cases;
        return true;
    }

  private:
    double n_left_;
    double n_bins_left_;
    double in_bin_ = 0;
};

}  // namespace bsnsing
