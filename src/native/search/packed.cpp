#include "search/packed.hpp"

#include <algorithm>
#include <bit>

namespace bsnsing {
namespace {

unsigned half_of(std::size_t class_index) {
    return class_index % 2 == 0 ? 0U : 16U;
}

// Turns how far each count has to be shifted into how far the sum of it and all before it has to.
void shift_in_turn(std::vector<PackedSegment>& segments) {
    std::sort(segments.begin(), segments.end(),
              [](const PackedSegment& a, const PackedSegment& b) { return a.shift > b.shift; });
    for (std::size_t i = 0; i + 1 < segments.size(); ++i)
        segments[i].shift -= segments[i + 1].shift;
}

}  // namespace

bool PackedPool::fits(const Pool& pool) {
    const Objective& o = pool.objective();
    return facts_of(o.criterion).has_packed_pairs && o.whole_numbers && !o.is_oriented() &&
           o.total <= kMostPackedCases;
}

PackedPool::PackedPool(const Pool& pool)
    : pool_(pool),
      stride_((pool.n_questions() + kPackedLanes - 1) / kPackedLanes * kPackedLanes),
      segments_((pool.n_classes() + 1) / 2),
      totals_(segments_.size(), 0),
      singles_(segments_.size() * stride_, 0),
      size_(stride_, 0),
      with_totals_(stride_, 0),
      with_self_(stride_, 0) {
    const Objective& o = pool.objective();
    for (const Segment& s : pool.rows().segments)
        segments_[s.class_index / 2].push_back(
            {s.first_word, s.n_words,
             half_of(s.class_index) +
                 static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(s.weight)))});
    for (std::vector<PackedSegment>& segments : segments_) shift_in_turn(segments);
    for (std::size_t j = 0; j < o.n_classes; ++j) {
        const auto total = static_cast<std::int32_t>(o.totals[j]);
        totals_[j / 2] |= static_cast<std::uint32_t>(total) << half_of(j);
        for (std::size_t q = 0; q < pool.n_questions(); ++q) {
            const auto n = static_cast<std::int32_t>(pool.singles().row(j)[q]);
            singles_[j / 2 * stride_ + q] |= static_cast<std::uint32_t>(n) << half_of(j);
            size_[q] += n;
            with_totals_[q] += total * n;
            if (o.n_classes == 2)  // the lean
                with_self_[q] += static_cast<std::int32_t>(o.totals[1 - j]) * (j == 0 ? n : -n);
            else
                with_self_[q] += n * n;
        }
    }
}

std::vector<std::vector<PackedSegment>> weighted_segments(const RowLayout& rows,
                                                          std::size_t most_words) {
    constexpr std::int64_t kMostWeight = std::int64_t{1} << 30U;  // sums stay far below 2^52
    std::vector<std::vector<PackedSegment>> segments(rows.n_classes);
    std::vector<std::size_t> n_words(rows.n_classes, 0);
    for (const Segment& s : rows.segments) {
        n_words[s.class_index] += s.weight <= kMostWeight ? s.n_words : most_words + 1;
        segments[s.class_index].push_back(
            {s.first_word, s.n_words,
             static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(s.weight)))});
    }
    for (std::size_t j = 0; j < rows.n_classes; ++j) {
        if (n_words[j] > most_words) segments[j].clear();
        shift_in_turn(segments[j]);
    }
    return segments;
}

PackedScan PackedPool::scan_of(std::size_t question) const {
    PackedScan scan;
    scan.objective = &pool_.objective();
    scan.n_questions = pool_.n_questions();
    scan.n_class_pairs = n_class_pairs();
    scan.stride = stride_;
    scan.first = question + 1;
    scan.own_position = question;
    scan.totals = totals_.data();
    scan.singles = singles_.data();
    scan.size = size_.data();
    scan.with_totals = with_totals_.data();
    scan.with_self = with_self_.data();
    return scan;
}

}  // namespace bsnsing
