#include "forest/tree.hpp"

namespace bsnsing {

void ForestTree::cut_back(std::uint32_t least_rows) {
    const std::size_t n_classes = shares.size() / nodes.size();
    for (std::uint32_t node = 1; node < nodes.size(); ++node) {
        if (n_rows[node] >= least_rows) continue;
        nodes[node] = {.left = node};
        // Parents come first: what they say is cut back already.
        std::copy_n(shares.begin() + static_cast<std::ptrdiff_t>(parent[node] * n_classes),
                    n_classes, shares.begin() + static_cast<std::ptrdiff_t>(node * n_classes));
    }
}

void ForestTree::find_leaves(const std::uint8_t* cells, std::size_t width,
                             std::span<const std::uint32_t> rows, std::uint32_t* leaves) const {
    constexpr std::size_t kTogether = 8;  // rows that wait for memory side by side
    for (std::size_t first = 0; first < rows.size(); first += kTogether) {
        const std::size_t n = std::min(kTogether, rows.size() - first);
        const std::uint8_t* cells_of[kTogether];
        std::uint32_t at[kTogether] = {};
        for (std::size_t i = 0; i < kTogether; ++i)
            cells_of[i] = cells + rows[first + std::min(i, n - 1)] * width;
        for (bool is_moving = true; is_moving;) {
            is_moving = false;
            for (std::size_t i = 0; i < kTogether; ++i) {
                const ForestNode& node = nodes[at[i]];
                const std::uint32_t next = node.next(cells_of[i][node.column]);
                is_moving = is_moving | (next != at[i]);
                at[i] = next;
            }
        }
        std::copy_n(at, n, leaves + first);
    }
}

}  // namespace bsnsing
