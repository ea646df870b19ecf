// The table as the engine keeps it: each column as small integer codes, made once per fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/aligned.hpp"

namespace bsnsing {

enum class ColumnKind : std::uint8_t { numeric, boolean, categorical };

// Code c of a numeric column is its c-th smallest value; of a categorical one, its c-th level.
// The code n_codes means missing. Codes take one, two or four bytes, whatever suffices.
struct EncodedColumn {
    ColumnKind kind = ColumnKind::numeric;
    std::uint32_t n_codes = 0;
    bool has_missing = false;
    std::vector<double> values;
    std::size_t width = 1;
    AlignedVector<std::uint8_t> bytes;

    // Calls f with a pointer to the codes in their own type.
    template <class F>
    decltype(auto) visit(F&& f) const {
        if (width == 1) return f(bytes.data());
        if (width == 2) return f(reinterpret_cast<const std::uint16_t*>(bytes.data()));
        return f(reinterpret_cast<const std::uint32_t*>(bytes.data()));
    }
};

// `stride` is the distance between neighbouring rows, in doubles. NaN means missing. A column
// whose values are 0 and 1 only becomes boolean.
EncodedColumn encode_numbers(const double* data, std::ptrdiff_t stride, std::size_t n_rows);

// Level codes in 0..n_levels-1; negative means missing.
EncodedColumn encode_levels(std::span<const std::int32_t> codes, std::size_t n_levels);

}  // namespace bsnsing
