#include "grow/groups.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace bsnsing {
namespace {

std::size_t count_ones(const Word* bits, const Segment& s) {
    std::size_t n_ones = 0;
    for (std::size_t w = s.first_word; w < s.first_word + s.n_words; ++w)
        n_ones += static_cast<std::size_t>(std::popcount(bits[w]));
    return n_ones;
}

// Rows per code. Counting into four tables in turn spares a row from waiting for the one before it,
// which often has the same code. `counts` has room for all four.
constexpr std::size_t kTables = 4;

template <class Code>
void tally(const Code* codes, std::size_t n_rows, std::size_t n_counts, std::uint32_t* counts) {
    const bool is_long = 2 * n_rows > n_counts;
    std::fill_n(counts, is_long ? kTables * n_counts : n_counts, 0U);
    std::size_t i = 0;
    if (is_long) {
        for (; i + kTables <= n_rows; i += kTables)
            for (std::size_t t = 0; t < kTables; ++t) ++counts[t * n_counts + codes[i + t]];
        for (std::size_t c = 0; c < n_counts; ++c)
            counts[c] += counts[n_counts + c] + counts[2 * n_counts + c] + counts[3 * n_counts + c];
    }
    for (; i < n_rows; ++i) ++counts[codes[i]];
}

// Sorts by the upper 32 bits, the code, of which `n_bits` are in use; the lower 32 stay behind it.
void sort_by_code(std::vector<std::uint64_t>& keys, unsigned n_bits,
                  std::vector<std::uint64_t>& other) {
    constexpr std::size_t kFew = 64;
    constexpr unsigned kDigitBits = 8;
    if (keys.size() < kFew) {
        std::sort(keys.begin(), keys.end());
        return;
    }
    other.resize(keys.size());
    for (unsigned shift = 32; shift < 32 + n_bits; shift += kDigitBits) {
        std::array<std::uint32_t, 1U << kDigitBits> starts{};
        for (const std::uint64_t k : keys) ++starts[(k >> shift) & 0xffU];
        std::uint32_t sum = 0;
        for (std::uint32_t& s : starts) sum += std::exchange(s, sum);
        for (const std::uint64_t k : keys) other[starts[(k >> shift) & 0xffU]++] = k;
        keys.swap(other);
    }
}

}  // namespace

Groups GroupFinder::find_in_bits(const Word* bits, const NodeTable& node,
                                 std::uint32_t target_class) {
    Group zeros;
    Group ones;
    ones.code = 1;
    for (const Segment& s : node.layout().segments) {
        const std::size_t n_ones = count_ones(bits, s);
        const auto weight = static_cast<double>(s.weight);
        zeros.add(s.class_index, weight * static_cast<double>(s.n_rows - n_ones), target_class);
        ones.add(s.class_index, weight * static_cast<double>(n_ones), target_class);
    }
    groups_.clear();
    for (const Group& group : {zeros, ones})
        if (group.cases() > 0) groups_.push_back(group);
    return {groups_, 2};
}

// Segment after segment over all codes, without branches: vector code.
template <class Code>
Groups GroupFinder::find_dense(const Code* codes, std::uint32_t n_codes, const NodeTable& node,
                               std::uint32_t target_class) {
    const std::size_t n_counts = std::size_t{n_codes} + 1;
    counts_.resize(kTables * n_counts);
    target_.assign(n_counts, 0.0);
    other_.assign(n_counts, 0.0);
    only_class_.assign(n_counts, Group::kNoClass);
    const std::uint32_t* counts = counts_.data();
    std::int32_t* only_class = only_class_.data();
    for (const Segment& s : node.layout().segments) {
        tally(codes, s.n_rows, n_counts, counts_.data());
        codes += s.n_rows;
        const auto weight = static_cast<double>(s.weight);
        const auto own = static_cast<std::int32_t>(s.class_index);
        double* cases = (s.class_index == target_class ? target_ : other_).data();
        for (std::size_t c = 0; c < n_counts; ++c) {
            cases[c] += weight * static_cast<std::int32_t>(counts[c]);
            only_class[c] = counts[c] > 0 ? Group::with_class(only_class[c], own) : only_class[c];
        }
    }
    groups_.resize(n_counts);
    std::size_t n_groups = 0;
    for (std::uint32_t c = 0; c < n_counts; ++c) {
        groups_[n_groups] = {c, only_class[c], target_[c], other_[c]};
        n_groups += only_class[c] != Group::kNoClass ? 1U : 0U;
    }
    return {std::span(groups_).first(n_groups), n_codes};
}

// For a node that is small against the number of values: sorts its codes instead of walking all.
template <class Code>
Groups GroupFinder::find_sparse(const Code* codes, std::uint32_t n_codes, const NodeTable& node,
                                std::uint32_t target_class) {
    const std::vector<Segment>& segments = node.layout().segments;
    std::vector<std::uint64_t>& keys = keys_;  // code, then segment
    keys.clear();
    keys.reserve(node.n_rows());
    for (std::size_t s = 0; s < segments.size(); ++s)
        for (std::size_t i = 0; i < segments[s].n_rows; ++i)
            keys.push_back(std::uint64_t{*codes++} << 32U | s);
    sort_by_code(keys, static_cast<unsigned>(std::bit_width(n_codes)), other_keys_);
    groups_.clear();
    for (std::size_t i = 0; i < keys.size();) {
        Group group;
        group.code = static_cast<std::uint32_t>(keys[i] >> 32U);
        for (; i < keys.size() && keys[i] >> 32U == group.code; ++i) {
            const Segment& s = segments[keys[i] & 0xffffffffU];
            group.add(s.class_index, static_cast<double>(s.weight), target_class);
        }
        groups_.push_back(group);
    }
    return {groups_, n_codes};
}

Groups GroupFinder::find(const ColumnShape& column, std::size_t column_index, const NodeTable& node,
                         std::uint32_t target_class) {
    if (node.is_bits(column_index))
        return find_in_bits(node.bits(column_index), node, target_class);
    // Walking all codes costs per segment, sorting per row.
    constexpr std::size_t kAlwaysDense = 256;
    const bool is_dense =
        column.n_codes <=
        std::max(kAlwaysDense,
                 4 * node.n_rows() / std::max<std::size_t>(1, node.layout().segments.size()));
    return node.visit_codes(column_index, [&](const auto* codes) {
        return is_dense ? find_dense(codes, column.n_codes, node, target_class)
                        : find_sparse(codes, column.n_codes, node, target_class);
    });
}

Groups GroupFinder::find(const ColumnShape& column, const ClassHistogram& histogram,
                         std::uint32_t target_class) {
    groups_.clear();
    for (std::uint32_t code = 0; code <= column.n_codes; ++code) {
        Group group;
        group.code = code;
        for (std::uint32_t j = 0; j < histogram.n_classes; ++j)
            group.add(j, static_cast<double>(histogram.cases(j, code)), target_class);
        if (group.only_class != Group::kNoClass) groups_.push_back(group);
    }
    return {groups_, column.n_codes};
}

void count_histogram(const ColumnShape& column, std::size_t column_index, const NodeTable& node,
                     std::int64_t* counts) {
    const std::size_t n_counts = std::size_t{column.n_codes} + 1;
    const std::vector<Segment>& segments = node.layout().segments;
    if (node.is_bits(column_index)) {
        for (const Segment& s : segments) {
            const auto n_ones = static_cast<std::int64_t>(count_ones(node.bits(column_index), s));
            std::int64_t* of_class = counts + s.class_index * n_counts;
            of_class[0] += s.weight * (static_cast<std::int64_t>(s.n_rows) - n_ones);
            of_class[1] += s.weight * n_ones;
        }
        return;
    }
    node.visit_codes(column_index, [&](const auto* codes) {
        for (const Segment& s : segments) {
            std::int64_t* of_class = counts + s.class_index * n_counts;
            for (std::size_t i = 0; i < s.n_rows; ++i) of_class[codes[i]] += s.weight;
            codes += s.n_rows;
        }
    });
}

}  // namespace bsnsing
