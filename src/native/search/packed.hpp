// A pool's counts with two classes to a number, for nodes that are small enough; see PackedScan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/pool.hpp"

namespace bsnsing {

class PackedPool {
  public:
    // Whether the pool's counts and their products fit, and the criterion is one they serve.
    static bool fits(const Pool& pool);

    explicit PackedPool(const Pool& pool);

    std::size_t n_class_pairs() const { return segments_.size(); }
    std::size_t stride() const { return stride_; }
    const std::vector<PackedSegment>& segments(std::size_t class_pair) const {
        return segments_[class_pair];
    }
    // A scan of one question's pairs, but for the counts of the pairs themselves.
    PackedScan scan_of(std::size_t question) const;

  private:
    const Pool& pool_;
    std::size_t stride_;
    std::vector<std::vector<PackedSegment>> segments_;  // by class pair
    std::vector<std::uint32_t> totals_;
    AlignedVector<std::uint32_t> singles_;
    AlignedVector<std::int32_t> size_;
    AlignedVector<std::int32_t> with_totals_;
    AlignedVector<std::int32_t> with_self_;
};

// The segments of each class, for count_tile_weighted; none of a class that is too large for it.
std::vector<std::vector<PackedSegment>> weighted_segments(const RowLayout& rows,
                                                          std::size_t most_words);

// The count of one class in a packed number.
inline double unpack_count(std::uint32_t packed, std::size_t class_index) {
    return static_cast<double>(class_index % 2 == 0 ? packed & 0xffffU : packed >> 16U);
}

}  // namespace bsnsing
