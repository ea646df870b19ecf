// The table as the engine takes it over: each column as small integer codes, made once per fit.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bits/aligned.hpp"
#include "bits/number_view.hpp"
#include "bits/words.hpp"
#include "work/watch.hpp"

namespace bsnsing {

enum class ColumnKind : std::uint8_t { numeric, boolean, categorical };

// What the codes of a column stand for: all that is known of it without its rows. Code c of a
// numeric column is its c-th smallest value or, where it has been binned, its c-th bin of
// neighbouring values; of a categorical one, its c-th level. The code n_codes means missing.
struct ColumnShape {
    ColumnKind kind = ColumnKind::numeric;
    std::uint32_t n_codes = 0;
    bool has_missing = false;
    std::vector<double> values;  // by code; of a bin, its greatest value
    std::vector<double> lowest;  // by code, the least value of a bin; empty if each is one value

    bool is_bits() const { return n_codes == 2 && !has_missing; }
    bool is_binned() const { return !lowest.empty(); }
    double least_value(std::uint32_t code) const {
        return is_binned() ? lowest[code] : values[code];
    }
};

// The codes of a column's rows. They take one, two or four bytes, whatever suffices, or a bit where
// there are two and none is missing.
struct ColumnCodes {
    std::size_t n_rows = 0;
    std::size_t width = 1;
    UnfilledVector<std::uint8_t> bytes;
    UnfilledVector<Word> bits;  // by row, instead of bytes

    // Calls f with a pointer to the codes in their own type, where they are bytes.
    template <class F>
    decltype(auto) visit(F&& f) const {
        if (width == 1) return f(bytes.data());
        if (width == 2) return f(reinterpret_cast<const std::uint16_t*>(bytes.data()));
        return f(reinterpret_cast<const std::uint32_t*>(bytes.data()));
    }
};

struct EncodedColumn : ColumnShape, ColumnCodes {};

// The shapes of a table's columns; copies share them.
class ColumnSchema {
  public:
    std::size_t size() const { return columns_->size(); }
    const ColumnShape& operator[](std::size_t column) const { return (*columns_)[column]; }
    // The same, but throws std::invalid_argument for a column that is not there.
    const ColumnShape& at(std::size_t column) const;
    void add(ColumnShape shape) {
        if (columns_.use_count() > 1)  // copies keep what they have
            columns_ = std::make_shared<std::vector<ColumnShape>>(*columns_);
        columns_->push_back(std::move(shape));
    }

  private:
    // Side by side: a fit of a small table feels every line of memory that is not in the cache.
    std::shared_ptr<std::vector<ColumnShape>> columns_ =
        std::make_shared<std::vector<ColumnShape>>();
};

// A table's columns, shapes and codes apart: codes are taken over by who counts, shapes are shared.
struct Columns {
    ColumnSchema schema;
    std::vector<ColumnCodes> codes;

    Columns() = default;
    Columns(std::vector<EncodedColumn> encoded) {
        for (EncodedColumn& column : encoded) add(std::move(column));
    }
    void add(EncodedColumn column) {
        schema.add(std::move(static_cast<ColumnShape&>(column)));
        codes.push_back(std::move(static_cast<ColumnCodes&>(column)));
    }
};

// The code of each row, in the order of the rows.
std::vector<std::uint32_t> list_codes(const ColumnShape& shape, const ColumnCodes& codes);

struct EncodeOptions {
    // A column with more values becomes max_bins bins of about equal numbers of cases; 0: never.
    std::size_t max_bins = 0;
    std::span<const std::int64_t> weights;  // cases per row; empty: one each
    Interrupt* interrupt = nullptr;         // what was encoded is incomplete if it was raised

    bool is_interrupted() const { return interrupt != nullptr && interrupt->is_raised(); }
    void poll() const {
        if (interrupt != nullptr) interrupt->poll(std::chrono::steady_clock::now());
    }
};

// NaN means missing. A column whose values are 0 and 1 only becomes boolean.
EncodedColumn encode_numbers(std::span<const double> numbers, const EncodeOptions& options = {});

// Encodes several columns; those that are columns of one row-major matrix are read together.
std::vector<EncodedColumn> encode_number_columns(std::span<const NumberView> columns,
                                                 std::size_t n_rows, const EncodeOptions& options,
                                                 std::size_t n_threads);

// Level codes in 0..n_levels-1; negative means missing.
EncodedColumn encode_levels(std::span<const std::int32_t> codes, std::size_t n_levels);

// A column of a known shape whose codes were made elsewhere. Throws std::invalid_argument if there
// are others than those of the shape, or if they are wider than needed.
EncodedColumn column_of(const ColumnShape& shape, std::span<const std::uint8_t> codes);
EncodedColumn column_of(const ColumnShape& shape, std::span<const std::uint16_t> codes);
EncodedColumn column_of(const ColumnShape& shape, std::span<const std::uint32_t> codes);

}  // namespace bsnsing
