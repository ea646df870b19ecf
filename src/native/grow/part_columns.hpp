// Numeric columns whose rows lie in parts. Each part tells what it knows of a column: some values,
// how many cases lie between bounds, which values lie in a few spans. From the sums over all parts
// the bins of the whole column follow, and each part then encodes its rows by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/number_view.hpp"
#include "grow/columns.hpp"
#include "work/watch.hpp"

namespace bsnsing {

// The numeric columns of one part.
struct PartNumbers {
    std::span<const NumberView> columns;
    std::size_t n_rows = 0;
    std::span<const std::int64_t> weights;  // cases per row, none of them 0; empty: one each
    std::size_t n_threads = 1;
    Interrupt* interrupt = nullptr;  // results are incomplete if it was raised
};

// Distinct values, ascending, with their cases.
struct ValueCases {
    std::vector<double> values;
    std::vector<std::int64_t> cases;
};

struct ColumnOutline {
    static constexpr std::size_t kMostValues = 1024;

    bool is_few = true;          // at most kMostValues different ones
    ValueCases all;              // of them, if so
    std::vector<double> sample;  // else some, ascending
    bool has_missing = false;    // known if they are few
};

// At first, of each column.
std::vector<ColumnOutline> outline_columns(const PartNumbers& part, std::size_t n_sampled);

// The cells of a column dealt into buckets by ascending bounds: bucket b has what lies above bound
// b - 1 and not above bound b, the first and the last one all that is left.
struct DealtColumn {
    static constexpr std::uint16_t kMissing = 0xffff;
    static constexpr std::size_t kMostBounds = 0xfffd;

    UnfilledVector<std::uint16_t> buckets;  // of each row
    std::vector<std::int64_t> cases;        // of each bucket
    double least = 0;                       // of all numbers; infinite where there is none
    double greatest = 0;
    bool has_missing = false;
};

std::vector<DealtColumn> deal_columns(const PartNumbers& part,
                                      std::span<const std::span<const double>> bounds);

// A column that was dealt, and which buckets are meant.
struct DealtView {
    std::span<const std::uint16_t> buckets;
    std::span<const double> bounds;
    std::span<const std::uint8_t> is_open;  // by bucket
};

// Per column, the values in its open buckets.
std::vector<ValueCases> values_in(const PartNumbers& part, std::span<const DealtView> dealt);

// The codes of each column, given the numbers that they begin with, ascending: code c is from begin
// c up to the next, and one more than the last means missing. No number lies below the first.
std::vector<ColumnCodes> encode_from(const PartNumbers& part,
                                     std::span<const std::span<const double>> begins);

// The same of columns that were dealt. All numbers of a bucket that is not open have one code.
std::vector<ColumnCodes> encode_dealt(const PartNumbers& part, std::span<const DealtView> dealt,
                                      std::span<const std::span<const double>> begins);

}  // namespace bsnsing
