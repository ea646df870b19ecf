// Any numbers of any type, with any step between them: codes are positions of the sorted values.
#include "grow/columns.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bytes.hpp"

using namespace bsnsing;

namespace {

constexpr std::size_t kBytes[] = {8, 4, 1, 1, 2, 2, 4, 4, 8, 8};  // of each NumberType

void check_column(const EncodedColumn& column, std::size_t n_rows) {
    fuzz::must(column.n_rows == n_rows, "every row has a code");
    fuzz::must(std::is_sorted(column.values.begin(), column.values.end()), "values are sorted");
    for (const std::uint32_t code : list_codes(column, column))
        fuzz::must(code < column.n_codes || (code == column.n_codes && column.has_missing),
                   "codes name values");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes bytes(data, size);
    const auto type = static_cast<NumberType>(bytes.below(10));
    const std::size_t width = kBytes[static_cast<std::size_t>(type)];
    const std::size_t n_columns = 1 + bytes.below(5);
    EncodeOptions options;
    options.max_bins = bytes.below(2) == 0 ? 0 : bytes.below(40);
    const bool is_by_column = bytes.flag();
    const bool is_weighted = bytes.flag();
    const std::size_t n_threads = 1 + bytes.below(3);
    const std::size_t n_rows = bytes.size() / (width * n_columns + (is_weighted ? 1 : 0));
    std::vector<std::int64_t> weights;
    if (is_weighted)
        for (std::size_t row = 0; row < n_rows; ++row)
            weights.push_back(static_cast<std::int64_t>(bytes.below(5)));
    options.weights = weights;
    // On the heap and no longer than needed, so that every step over the end is seen.
    const std::vector<std::uint64_t> storage =
        bytes.some<std::uint64_t>((n_rows * n_columns * width + 7) / 8);
    const auto* cells = reinterpret_cast<const std::uint8_t*>(storage.data());
    std::vector<NumberView> views;
    for (std::size_t c = 0; c < n_columns; ++c) {
        const std::size_t first = is_by_column || n_rows == 0 ? c * n_rows : c;
        const auto stride = static_cast<std::ptrdiff_t>(is_by_column ? 1 : n_columns);
        views.push_back({cells + first * width, stride, type});
    }
    try {
        const std::vector<EncodedColumn> encoded =
            encode_number_columns(views, n_rows, options, n_threads);
        for (const EncodedColumn& column : encoded) check_column(column, n_rows);
    } catch (const std::invalid_argument&) {
        return 0;
    }
    return 0;
}
