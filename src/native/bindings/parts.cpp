// Numeric columns whose rows lie in parts: what each part tells, and its codes.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

#include "bindings/module.hpp"
#include "grow/part_columns.hpp"

namespace bsnsing {
namespace {

using Numbers = std::vector<AnyNumbers>;
using Weights = std::optional<Vector<std::int64_t>>;
using Doubles = Vector<double>;
using ValueArrays = std::pair<Made<double, 1>, Made<std::int64_t, 1>>;

// Checks the arrays of a part, and calls work(part) without the interpreter lock.
template <class Work>
auto with_part(const Numbers& numbers, const Weights& weights, std::size_t n_threads,
               const Work& work) {
    std::vector<NumberView> views;
    const std::size_t n_rows = numbers.empty() ? 0 : numbers.front().shape(0);
    for (const AnyNumbers& n : numbers) {
        if (n.shape(0) != n_rows) throw std::invalid_argument("columns differ in length");
        views.push_back(view_of(n));
    }
    if (weights && weights->shape(0) != n_rows)
        throw std::invalid_argument("weights and columns differ in length");
    check_threads(n_threads);
    return call_interruptibly([&](Interrupt& interrupt) {
        return work(PartNumbers{views, n_rows, as_span(weights), n_threads, &interrupt});
    });
}

void check_number(std::size_t n_columns, std::size_t n_given, const char* what) {
    if (n_columns != n_given)
        throw std::invalid_argument("there are " + std::to_string(n_given) + ' ' + what + " for " +
                                    std::to_string(n_columns) + " columns");
}

void check_ascending(std::span<const double> numbers, const char* what) {
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (!(numbers[i] == numbers[i]) || (i > 0 && !(numbers[i - 1] < numbers[i])))
            throw std::invalid_argument(std::string(what) + " must be ascending");
}

// A vector as an array, without a copy.
template <class T, class Memory>
Made<T, 1> to_array(std::vector<T, Memory> numbers) {
    auto kept = std::make_unique<std::vector<T, Memory>>(std::move(numbers));
    if (kept->empty()) kept->reserve(1);  // an array needs an address
    const nb::capsule owner(
        kept.get(), [](void* p) noexcept { delete static_cast<std::vector<T, Memory>*>(p); });
    const std::size_t n = kept->size();
    return Made<T, 1>(kept.release()->data(), {n}, owner);
}

ValueArrays to_arrays(ValueCases found) {
    return {to_array(std::move(found.values)), to_array(std::move(found.cases))};
}

// (values and their cases, or None if they are many; a sample; whether some are missing, if few)
using OutlineFields = std::tuple<std::optional<ValueArrays>, Made<double, 1>, bool>;

std::vector<OutlineFields> outline(const Numbers& numbers, const Weights& weights,
                                   std::size_t n_sampled, std::size_t n_threads) {
    std::vector<ColumnOutline> outlines =
        with_part(numbers, weights, n_threads,
                  [&](const PartNumbers& part) { return outline_columns(part, n_sampled); });
    std::vector<OutlineFields> fields;
    for (ColumnOutline& own : outlines) {
        std::optional<ValueArrays> few;
        if (own.is_few) few = to_arrays(std::move(own.all));
        fields.emplace_back(std::move(few), to_array(std::move(own.sample)), own.has_missing);
    }
    return fields;
}

std::vector<std::span<const double>> ascending(const std::vector<Doubles>& several,
                                               std::size_t n_columns, const char* what) {
    check_number(n_columns, several.size(), what);
    std::vector<std::span<const double>> own;
    for (const Doubles& of_column : several)
        check_ascending(own.emplace_back(as_span(of_column)), what);
    return own;
}

// (bucket of each row; cases of each bucket; least and greatest number; whether some are missing)
using DealtFields = std::tuple<Made<std::uint16_t, 1>, Made<std::int64_t, 1>, double, double, bool>;

std::vector<DealtFields> deal(const Numbers& numbers, const std::vector<Doubles>& bounds,
                              const Weights& weights, std::size_t n_threads) {
    const auto own = ascending(bounds, numbers.size(), "bounds");
    std::vector<DealtColumn> dealt =
        with_part(numbers, weights, n_threads,
                  [&](const PartNumbers& part) { return deal_columns(part, own); });
    std::vector<DealtFields> fields;
    for (DealtColumn& column : dealt)
        fields.emplace_back(to_array(std::move(column.buckets)), to_array(std::move(column.cases)),
                            column.least, column.greatest, column.has_missing);
    return fields;
}

// (buckets of the rows, bounds of the buckets, which buckets are open) of a column
using DealtInput = std::tuple<Vector<std::uint16_t>, Doubles, Vector<std::uint8_t>>;

// The last bucket that has a row, without branches: vector code.
std::uint16_t last_bucket(std::span<const std::uint16_t> buckets) {
    constexpr std::uint16_t kOne = 1;
    std::uint16_t last = 0;  // and one more, so that what is missing is none
    for (const std::uint16_t bucket : buckets)
        last = std::max(last, static_cast<std::uint16_t>(bucket + kOne));
    return last == 0 ? last : static_cast<std::uint16_t>(last - kOne);
}

std::vector<DealtView> to_views(const std::vector<DealtInput>& dealt, const Numbers& numbers) {
    check_number(numbers.size(), dealt.size(), "dealt columns");
    std::vector<DealtView> views;
    for (std::size_t c = 0; c < dealt.size(); ++c) {
        const auto& [buckets, bounds, is_open] = dealt[c];
        check_ascending(as_span(bounds), "bounds");
        if (buckets.shape(0) != numbers[c].shape(0))
            throw std::invalid_argument("buckets and numbers differ in length");
        if (is_open.shape(0) != bounds.shape(0) + 1)
            throw std::invalid_argument("there is one bucket more than bounds");
        for (const std::uint8_t flag : as_span(is_open))
            if (flag > 1) throw std::invalid_argument("buckets are open (1) or not (0)");
        const std::uint16_t last = last_bucket(as_span(buckets));
        if (last > bounds.shape(0))
            throw std::invalid_argument("there is no bucket " + std::to_string(last));
        views.push_back({as_span(buckets), as_span(bounds), as_span(is_open)});
    }
    return views;
}

std::vector<ValueArrays> values(const Numbers& numbers, const std::vector<DealtInput>& dealt,
                                const Weights& weights, std::size_t n_threads) {
    const std::vector<DealtView> views = to_views(dealt, numbers);
    std::vector<ValueCases> found =
        with_part(numbers, weights, n_threads,
                  [&](const PartNumbers& part) { return values_in(part, views); });
    std::vector<ValueArrays> arrays;
    for (ValueCases& of_column : found) arrays.push_back(to_arrays(std::move(of_column)));
    return arrays;
}

// The codes as an array of their own type, without a copy.
nb::object to_codes(ColumnCodes codes) {
    auto kept = std::make_unique<ColumnCodes>(std::move(codes));
    if (kept->bytes.empty()) kept->bytes.reserve(1);  // an array needs an address
    const std::size_t n_rows = kept->n_rows;
    const std::size_t width = kept->width;
    const nb::capsule owner(kept.get(),
                            [](void* p) noexcept { delete static_cast<ColumnCodes*>(p); });
    void* data = kept.release()->bytes.data();
    if (width == 1)
        return nb::cast(Made<std::uint8_t, 1>(static_cast<std::uint8_t*>(data), {n_rows}, owner));
    if (width == 2)
        return nb::cast(Made<std::uint16_t, 1>(static_cast<std::uint16_t*>(data), {n_rows}, owner));
    return nb::cast(Made<std::uint32_t, 1>(static_cast<std::uint32_t*>(data), {n_rows}, owner));
}

bool is_code(const AnyNumbers& numbers) {
    return numbers.dtype() == nb::dtype<std::uint8_t>() ||
           numbers.dtype() == nb::dtype<std::uint16_t>() ||
           numbers.dtype() == nb::dtype<std::uint32_t>();
}

// Codes of a column in several parts, one part behind the other. They may lie at any address, as
// those of messages do.
nb::object join(const std::vector<AnyNumbers>& pieces) {
    std::vector<std::span<const std::uint8_t>> views;
    ColumnCodes codes;
    for (const AnyNumbers& piece : pieces) {
        const std::size_t width = piece.itemsize();
        const bool is_dense = piece.shape(0) < 2 || piece.stride(0) == 1;
        if (!is_code(piece) || !is_dense || (!views.empty() && width != codes.width))
            throw std::invalid_argument(
                "codes must be contiguous unsigned integers of one size, at most 32 bits");
        codes.width = width;
        codes.n_rows += piece.shape(0);
        views.emplace_back(static_cast<const std::uint8_t*>(piece.data()), piece.shape(0) * width);
    }
    {
        const WithoutPython no_python_below;
        codes.bytes.resize(codes.n_rows * codes.width);
        auto end = codes.bytes.begin();
        for (const std::span<const std::uint8_t> view : views)
            end = std::copy(view.begin(), view.end(), end);
    }
    return to_codes(std::move(codes));
}

std::vector<nb::object> to_codes(std::vector<ColumnCodes> encoded) {
    std::vector<nb::object> arrays;
    for (ColumnCodes& codes : encoded) arrays.push_back(to_codes(std::move(codes)));
    return arrays;
}

std::vector<nb::object> encode(const Numbers& numbers, const std::vector<Doubles>& begins,
                               std::size_t n_threads) {
    const auto own = ascending(begins, numbers.size(), "begins");
    return to_codes(with_part(numbers, std::nullopt, n_threads,
                              [&](const PartNumbers& part) { return encode_from(part, own); }));
}

std::vector<nb::object> encode_buckets(const Numbers& numbers, const std::vector<DealtInput>& dealt,
                                       const std::vector<Doubles>& begins, std::size_t n_threads) {
    const auto own = ascending(begins, numbers.size(), "begins");
    const std::vector<DealtView> views = to_views(dealt, numbers);
    return to_codes(with_part(numbers, std::nullopt, n_threads, [&](const PartNumbers& part) {
        return encode_dealt(part, views, own);
    }));
}

}  // namespace

void bind_parts(nb::module_& m) {
    m.def("outline_columns", &outline,
          nb::sig("def outline_columns(numbers: collections.abc.Sequence[NDArray[numpy.generic]], "
                  "weights: NDArray[numpy.int64] | None, n_sampled: int, n_threads: int) -> "
                  "list[tuple[tuple[NDArray[numpy.float64], NDArray[numpy.int64]] | None, "
                  "NDArray[numpy.float64], bool]]"),
          nb::arg("numbers"), nb::arg("weights").none(), nb::arg("n_sampled"), nb::arg("n_threads"),
          "Per column: all values with their cases if they are few, else None; then a sample if "
          "they are many, and whether some are missing if they are few.");
    m.def("deal_columns", &deal,
          nb::sig("def deal_columns(numbers: collections.abc.Sequence[NDArray[numpy.generic]], "
                  "bounds: collections.abc.Sequence[NDArray[numpy.float64]], "
                  "weights: NDArray[numpy.int64] | None, n_threads: int) -> "
                  "list[tuple[NDArray[numpy.uint16], NDArray[numpy.int64], float, float, bool]]"),
          nb::arg("numbers"), nb::arg("bounds"), nb::arg("weights").none(), nb::arg("n_threads"),
          "Per column: the bucket of each row, the cases of each bucket, the least and the "
          "greatest number, and whether some are missing. Bucket b has what lies above bound b - 1 "
          "and not above bound b.");
    m.def("values_in", &values,
          nb::sig("def values_in(numbers: collections.abc.Sequence[NDArray[numpy.generic]], "
                  "dealt: collections.abc.Sequence[tuple[NDArray[numpy.uint16], "
                  "NDArray[numpy.float64], NDArray[numpy.uint8]]], "
                  "weights: NDArray[numpy.int64] | None, n_threads: int) -> "
                  "list[tuple[NDArray[numpy.float64], NDArray[numpy.int64]]]"),
          nb::arg("numbers"), nb::arg("dealt"), nb::arg("weights").none(), nb::arg("n_threads"),
          "Per column, the values in its open buckets, with their cases.");
    m.def("encode_from", &encode,
          nb::sig("def encode_from(numbers: collections.abc.Sequence[NDArray[numpy.generic]], "
                  "begins: collections.abc.Sequence[NDArray[numpy.float64]], n_threads: int) -> "
                  "list[NDArray[numpy.unsignedinteger[typing.Any]]]"),
          nb::arg("numbers"), nb::arg("begins"), nb::arg("n_threads"),
          "Per column, the code of each number, in the fewest bytes that hold them. Codes begin "
          "with the given numbers; one more than the last means missing.");
    m.def("join_codes", &join,
          nb::sig("def join_codes(pieces: "
                  "collections.abc.Sequence[NDArray[numpy.unsignedinteger[typing.Any]]]) -> "
                  "NDArray[numpy.unsignedinteger[typing.Any]]"),
          nb::arg("pieces"), "Codes of a column in several parts, one part behind the other.");
    m.def("encode_dealt", &encode_buckets,
          nb::sig("def encode_dealt(numbers: collections.abc.Sequence[NDArray[numpy.generic]], "
                  "dealt: collections.abc.Sequence[tuple[NDArray[numpy.uint16], "
                  "NDArray[numpy.float64], NDArray[numpy.uint8]]], "
                  "begins: collections.abc.Sequence[NDArray[numpy.float64]], n_threads: int) -> "
                  "list[NDArray[numpy.unsignedinteger[typing.Any]]]"),
          nb::arg("numbers"), nb::arg("dealt"), nb::arg("begins"), nb::arg("n_threads"),
          "The same of columns that were dealt; in buckets that are not open no code begins.");
}

}  // namespace bsnsing
