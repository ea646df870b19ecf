#include "bits/row_order.hpp"

#include <stdexcept>
#include <string>

namespace bsnsing {
namespace {

constexpr std::size_t kWeightBits = 63;

}  // namespace

void check_cases(std::span<const std::int32_t> classes, std::size_t n_classes,
                 std::span<const std::int64_t> weights) {
    if (classes.size() > 0x7fffffffU)
        throw std::invalid_argument("at most 2147483647 rows can be counted; got " +
                                    std::to_string(classes.size()) + ". Fit a sample of them.");
    if (!weights.empty() && weights.size() != classes.size())
        throw std::invalid_argument("there are " + std::to_string(weights.size()) +
                                    " weights for " + std::to_string(classes.size()) + " rows");
    for (const std::int32_t c : classes)
        if (c < 0 || static_cast<std::size_t>(c) >= n_classes)
            throw std::invalid_argument("class codes must lie in 0.." +
                                        std::to_string(n_classes - 1) + "; got " +
                                        std::to_string(c));
    for (const std::int64_t w : weights)
        if (w < 0)
            throw std::invalid_argument("weights must not be negative; got " + std::to_string(w));
}

RowOrder order_rows(std::span<const std::int32_t> classes, std::size_t n_classes,
                    std::span<const std::int64_t> weights) {
    check_cases(classes, n_classes, weights);
    const std::size_t n_planes = weights.empty() ? 1 : kWeightBits;
    // Rows of each class and weight bit, counted first so that the lists are filled in place.
    std::vector<std::size_t> sizes(n_classes * n_planes, 0);
    const auto for_each_place = [&](std::size_t row, auto&& place) {
        const std::size_t first = static_cast<std::size_t>(classes[row]) * n_planes;
        if (weights.empty()) {
            place(first);
            return;
        }
        auto rest = static_cast<std::uint64_t>(weights[row]);
        for (std::size_t bit = 0; rest != 0; ++bit, rest >>= 1U)
            if (rest & 1U) place(first + bit);
    };
    for (std::size_t row = 0; row < classes.size(); ++row)
        for_each_place(row, [&](std::size_t i) { ++sizes[i]; });

    RowOrder order;
    order.layout.n_classes = n_classes;
    std::vector<std::size_t> next(sizes.size(), 0);
    std::size_t n_rows = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        next[i] = n_rows;
        n_rows += sizes[i];
        if (sizes[i] > 0)
            order.layout.add(static_cast<std::uint32_t>(i / n_planes),
                             std::int64_t{1} << (i % n_planes), sizes[i]);
    }
    order.rows.resize(n_rows);
    for (std::size_t row = 0; row < classes.size(); ++row)
        for_each_place(
            row, [&](std::size_t i) { order.rows[next[i]++] = static_cast<std::uint32_t>(row); });
    return order;
}

}  // namespace bsnsing
