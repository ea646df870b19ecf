// Any arrays as a tree, as a damaged model file has them: they are refused, or every row ends in a
// node, and what it gets lies between the least and the greatest value of a leaf.
#include <stdexcept>

#include "bytes.hpp"
#include "predict/apply.hpp"

using namespace bsnsing;

namespace {

template <class T>
std::vector<T> small(fuzz::Bytes& bytes, std::size_t n, int low, std::size_t n_values) {
    std::vector<T> values;
    for (std::size_t i = 0; i < n; ++i)
        values.push_back(static_cast<T>(low + static_cast<int>(bytes.below(n_values))));
    return values;
}

// Mostly a tree: each inner node has the next two as its children. Then some numbers are changed.
FlatTree tree_by(fuzz::Bytes& bytes) {
    FlatTree tree;
    const std::size_t n_nodes = 1 + 2 * bytes.below(12);
    const std::size_t n_columns = 1 + bytes.below(4);
    const std::size_t n_literals = bytes.below(30);
    tree.yes.assign(n_nodes, -1);
    tree.no.assign(n_nodes, -1);
    for (std::size_t child = 1, node = 0; child + 1 < n_nodes; child += 2) {
        node = node + bytes.below(child - node);
        if (tree.yes[node] >= 0) node = child - 1;
        tree.yes[node] = static_cast<std::int32_t>(child);
        tree.no[node] = static_cast<std::int32_t>(child + 1);
    }
    tree.operators = small<std::uint8_t>(bytes, n_nodes, 0, 3);
    std::size_t first = 0;
    for (std::size_t node = 0; node <= n_nodes; ++node) {
        tree.first_literal.push_back(static_cast<std::int32_t>(first));
        if (node < n_nodes && tree.yes[node] >= 0 && first < n_literals)
            first += 1 + bytes.below(2);
    }
    const std::size_t n = first;
    tree.columns = small<std::int32_t>(bytes, n, 0, n_columns);
    tree.tests = small<std::uint8_t>(bytes, n, 0, 5);
    tree.values = bytes.some<double>(n);
    tree.negated = small<std::uint8_t>(bytes, n, 0, 2);
    tree.first_level.assign(n + 1, 0);
    for (std::size_t i = 0; i < n; ++i)
        tree.first_level[i + 1] = tree.first_level[i] + static_cast<std::int32_t>(bytes.below(3));
    const auto n_levels = static_cast<std::size_t>(tree.first_level.back());
    for (std::size_t i = 0; i < n_levels; ++i)
        tree.levels.push_back(static_cast<std::int32_t>(i % 3));
    tree.n_levels = small<std::int32_t>(bytes, n_columns, -1, 5);
    for (std::size_t c = 0; c < n_columns; ++c) tree.has_missing.push_back(bytes.flag());
    return tree;
}

void damage(FlatTree& tree, fuzz::Bytes& bytes) {
    std::vector<std::int32_t>* const parts[] = {&tree.yes,     &tree.no,     &tree.first_literal,
                                                &tree.columns, &tree.levels, &tree.first_level,
                                                &tree.n_levels};
    for (std::size_t i = bytes.below(4); i > 0; --i) {
        std::vector<std::int32_t>& part = *parts[bytes.below(7)];
        if (part.empty()) continue;
        if (bytes.below(4) == 0) {
            part.pop_back();
        } else {
            part[bytes.below(part.size())] = bytes.take<std::int32_t>();
        }
    }
    if (bytes.below(6) == 0 && !tree.tests.empty()) tree.tests[0] = bytes.take<std::uint8_t>();
    if (bytes.below(6) == 0) tree.operators[0] = bytes.take<std::uint8_t>();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes bytes(data, size);
    FlatTree tree = tree_by(bytes);
    damage(tree, bytes);
    const std::size_t n_rows = bytes.below(9);
    const std::size_t n_columns = tree.n_levels.size();
    std::vector<std::vector<double>> numbers;
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<ColumnView> columns;
    for (std::size_t c = 0; c < n_columns; ++c) {
        numbers.push_back(bytes.some<double>(n_rows));
        codes.push_back(bytes.below(3) == 0 ? bytes.some<std::int32_t>(n_rows)
                                            : small<std::int32_t>(bytes, n_rows, -1, 6));
    }
    for (std::size_t c = 0; c < n_columns; ++c) {
        const bool is_levels = tree.n_levels[c] >= 0;
        const void* cells = is_levels ? static_cast<const void*>(codes[c].data())
                                      : static_cast<const void*>(numbers[c].data());
        columns.push_back({{cells, 1, is_levels ? NumberType::i32 : NumberType::f64}, true});
    }
    try {
        tree.check();
        tree.check_columns(columns);
    } catch (const std::invalid_argument&) {
        return 0;
    }
    std::vector<std::int64_t> ends(n_rows, -1);
    apply_tree(tree, columns, n_rows, 1 + bytes.below(2), ends.data());
    const std::size_t n_nodes = tree.yes.size();
    for (const std::int64_t end : ends)
        fuzz::must(end >= 0 && end < static_cast<std::int64_t>(n_nodes),
                   "every row ends in a node");
    std::vector<double> values, shares;
    for (std::size_t i = 0; i < n_nodes; ++i) {
        values.push_back(static_cast<double>(bytes.below(11)) / 10);
        shares.push_back(static_cast<double>(bytes.below(11)) / 10);
    }
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < n_rows; ++i) rows.push_back(static_cast<std::int64_t>(i));
    std::vector<double> out(n_rows, -1.0);
    mix_leaves(tree, columns, rows, ends, {values, 1, shares}, 1, out.data());
    for (const double value : out) fuzz::must(value >= 0 && value <= 1, "means stay between");
    return 0;
}
