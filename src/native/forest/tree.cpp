#include "forest/tree.hpp"

namespace bsnsing {

void ForestTree::cut_back(std::uint32_t least_rows) {
    for (std::uint32_t node = 1; node < nodes.size(); ++node) {
        if (n_rows[node] >= least_rows) continue;
        nodes[node] = {.left = node};
        // Parents come first: what they say is cut back already.
        shares.repeat(node, parent[node]);
    }
}

ForestTree ForestTree::reached() const {
    ForestTree kept;
    kept.shares = NodeShares(shares.n_classes());
    std::vector<std::uint32_t> classes;
    std::vector<float> own;
    std::vector<std::uint32_t> old{0};  // numbers of the nodes kept, level by level
    for (std::uint32_t self = 0; self < old.size(); ++self) {
        ForestNode node = nodes[old[self]];
        if (is_leaf(old[self])) {
            node = {.left = self};
        } else {
            const std::uint32_t left = node.left;
            node.left = static_cast<std::uint32_t>(old.size());
            old.push_back(left);
            old.push_back(left + 1);
        }
        kept.nodes.push_back(node);
        classes.clear();
        own.clear();
        shares.append_to(old[self], classes, own);
        kept.shares.set(self, classes, own);
    }
    kept.shares.finish(old.size());
    return kept;
}

bool ForestTree::is_sound(std::size_t n_columns) const {
    if (nodes.empty() || shares.n_nodes() != nodes.size()) return false;
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
        if (nodes[node].column >= n_columns) return false;  // which leaves look at, too
        if (is_leaf(node)) {
            if (nodes[node].last != ForestNode{}.last) return false;  // rows would go on from it
            continue;
        }
        const std::size_t left = nodes[node].left;
        if (left <= node || left + 1 >= nodes.size()) return false;
    }
    return true;
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
