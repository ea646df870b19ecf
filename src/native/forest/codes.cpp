#include "forest/codes.hpp"

#include <algorithm>
#include <cmath>

#include "grow/bins.hpp"
#include "grow/keys.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

// Columns that are read at once: as many floats as a line of the cache has.
constexpr std::size_t kTogether = 16;

// Calls work(column, its numbers) for each column, a block of columns at a time.
template <class Work>
void for_each_column(const FloatMatrix& numbers, std::size_t n_threads, const Work& work) {
    const auto [data, n_rows, n_columns] = numbers;
    const std::size_t n_blocks = (n_columns + kTogether - 1) / kTogether;
    parallel_for(n_blocks, n_threads, [&](std::size_t block, std::size_t) {
        const std::size_t first = block * kTogether;
        const std::size_t width = std::min(kTogether, n_columns - first);
        std::vector<float> cells(width * n_rows);
        for (std::size_t row = 0; row < n_rows; ++row)
            for (std::size_t c = 0; c < width; ++c)
                cells[c * n_rows + row] = data[row * n_columns + first + c];
        for (std::size_t c = 0; c < width; ++c)
            work(first + c, std::span<const float>(cells).subspan(c * n_rows, n_rows));
    });
}

struct Value {
    float number;
    double n_rows;
};

std::vector<Value> distinct_values(std::span<const float> numbers) {
    std::vector<std::uint32_t> keys;
    keys.reserve(numbers.size());
    for (const float x : numbers)
        if (!std::isnan(x)) keys.push_back(key_of(x));
    std::vector<std::uint32_t> memory(keys.size());
    sort_keys(keys.data(), keys.size(), memory.data());
    std::vector<Value> values;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i == 0 || keys[i] != keys[i - 1]) values.push_back({from_key<float>(keys[i]), 0});
        values.back().n_rows += 1;
    }
    return values;
}

// Midway between two neighbors, but not as far as the upper one.
float end_between(float lower, float upper) {
    const auto middle = static_cast<float>((double{lower} + double{upper}) / 2);
    return middle < upper ? middle : lower;
}

std::vector<float> ends_of_bins(std::span<const float> numbers) {
    const std::vector<Value> values = distinct_values(numbers);
    double n_cases = 0;
    for (const Value& value : values) n_cases += value.n_rows;
    BinChooser bins(n_cases, kMostBins);
    std::vector<float> ends;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool is_new = bins.begins(values[i].n_rows) || values.size() <= kMostBins;
        if (i > 0 && is_new) ends.push_back(end_between(values[i - 1].number, values[i].number));
    }
    return ends;
}

// How many bins end below x. There is no branch to foresee.
std::uint8_t code_of(float x, const std::vector<float>& ends) {
    if (std::isnan(x)) return kMissingCode;
    const float* first = ends.data();
    std::size_t n = ends.size();
    while (n > 1) {
        const std::size_t half = n / 2;
        first += static_cast<std::size_t>(first[half - 1] < x) * half;
        n -= half;
    }
    const std::size_t is_past = n == 1 && *first < x ? 1 : 0;
    return static_cast<std::uint8_t>(static_cast<std::size_t>(first - ends.data()) + is_past);
}

}  // namespace

Bins::Bins(const FloatMatrix& numbers, std::size_t n_threads) : ends_(numbers.n_columns) {
    for_each_column(numbers, n_threads, [&](std::size_t c, std::span<const float> column) {
        ends_[c] = ends_of_bins(column);
    });
}

std::vector<std::uint8_t> Bins::codes(const FloatMatrix& numbers, std::size_t n_threads) const {
    std::vector<std::uint8_t> codes(numbers.n_rows * numbers.n_columns);
    for_each_column(numbers, n_threads, [&](std::size_t c, std::span<const float> column) {
        std::uint8_t* out = codes.data() + c * column.size();
        for (std::size_t row = 0; row < column.size(); ++row)
            out[row] = code_of(column[row], ends_[c]);
    });
    return codes;
}

}  // namespace bsnsing
