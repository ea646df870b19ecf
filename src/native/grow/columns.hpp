// The table as the engine takes it over: each column as small integer codes, made once per fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/aligned.hpp"
#include "bits/number_view.hpp"
#include "bits/words.hpp"

namespace bsnsing {

enum class ColumnKind : std::uint8_t { numeric, boolean, categorical };

// Code c of a numeric column is its c-th smallest value or, where it has been binned, its c-th bin
// of neighbouring values; of a categorical one, its c-th level. The code n_codes means missing.
// Codes take one, two or four bytes, whatever suffices, or a bit where there are two and none is
// missing.
struct EncodedColumn {
    ColumnKind kind = ColumnKind::numeric;
    std::size_t n_rows = 0;
    std::uint32_t n_codes = 0;
    bool has_missing = false;
    std::vector<double> values;  // by code; of a bin, its greatest value
    std::vector<double> lowest;  // by code, the least value of a bin; empty if each is one value
    std::size_t width = 1;
    UnfilledVector<std::uint8_t> bytes;
    UnfilledVector<Word> bits;  // by row, instead of bytes

    bool is_bits() const { return n_codes == 2 && !has_missing; }
    bool is_binned() const { return !lowest.empty(); }
    double least_value(std::uint32_t code) const {
        return is_binned() ? lowest[code] : values[code];
    }

    // Calls f with a pointer to the codes in their own type, where they are bytes.
    template <class F>
    decltype(auto) visit(F&& f) const {
        if (width == 1) return f(bytes.data());
        if (width == 2) return f(reinterpret_cast<const std::uint16_t*>(bytes.data()));
        return f(reinterpret_cast<const std::uint32_t*>(bytes.data()));
    }
};

struct EncodeOptions {
    // A column with more values becomes so many bins of about equal numbers of cases; 0: never.
    std::size_t max_bins = 0;
    std::span<const std::int64_t> weights;  // cases per row; empty: one each
};

// NaN means missing. A column whose values are 0 and 1 only becomes boolean.
EncodedColumn encode_numbers(std::span<const double> numbers, const EncodeOptions& options = {});

// Encodes several columns; those that are columns of one row-major matrix are read together.
std::vector<EncodedColumn> encode_number_columns(std::span<const NumberView> columns,
                                                 std::size_t n_rows, const EncodeOptions& options,
                                                 std::size_t n_threads);

// Level codes in 0..n_levels-1; negative means missing.
EncodedColumn encode_levels(std::span<const std::int32_t> codes, std::size_t n_levels);

}  // namespace bsnsing
