// The cases of a node by the values of one column, counted from its rows or given as counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grow/columns.hpp"
#include "grow/node_table.hpp"

namespace bsnsing {

// Cases of a node that share a value.
struct Group {
    std::uint32_t code = 0;
    std::int32_t only_class = kNoClass;  // the one class that occurs, or kManyClasses
    double target = 0;
    double other = 0;
    double cases() const { return target + other; }

    static constexpr std::int32_t kNoClass = -1;
    static constexpr std::int32_t kManyClasses = -2;

    void add(std::uint32_t class_index, double n_cases, std::uint32_t target_class) {
        if (n_cases <= 0) return;
        (class_index == target_class ? target : other) += n_cases;
        only_class = with_class(only_class, static_cast<std::int32_t>(class_index));
    }

    static std::int32_t with_class(std::int32_t before, std::int32_t more) {
        return before == kNoClass || before == more ? more : kManyClasses;
    }
};

// The values that occur at a node, ascending, and the cases without one.
struct Groups {
    std::span<const Group> known;
    Group missing;
    double n_cases = 0;

    // Of all groups, ascending; the last may be that of the missing cells.
    Groups(std::span<const Group> all, std::uint32_t n_codes) : known(all) {
        for (const Group& group : all) n_cases += group.cases();
        if (all.empty() || all.back().code != n_codes) return;
        missing = all.back();
        known = all.first(all.size() - 1);
    }
};

// Cases of one column by class and code, the last code for those without a value: entry
// (class j, code c) is [j * (n_codes + 1) + c].
struct ClassHistogram {
    std::span<const std::int64_t> counts;
    std::size_t n_classes = 0;

    std::size_t n_counts() const { return counts.size() / n_classes; }
    std::int64_t cases(std::size_t class_index, std::size_t code) const {
        return counts[class_index * n_counts() + code];
    }
    bool has(std::size_t code) const {
        for (std::size_t j = 0; j < n_classes; ++j)
            if (cases(j, code) > 0) return true;
        return false;
    }
};

// Adds the cases of a node's rows to a histogram of one of its columns.
void count_histogram(const ColumnShape& column, std::size_t column_index, const NodeTable& node,
                     std::int64_t* counts);

// Finds groups, with memory that serves one column after the other. What it returns is valid until
// the next call.
class GroupFinder {
  public:
    Groups find(const ColumnShape& column, std::size_t column_index, const NodeTable& node,
                std::uint32_t target_class);
    Groups find(const ColumnShape& column, const ClassHistogram& histogram,
                std::uint32_t target_class);

  private:
    Groups find_in_bits(const Word* bits, const NodeTable& node, std::uint32_t target_class);
    template <class Code>
    Groups find_dense(const Code* codes, std::uint32_t n_codes, const NodeTable& node,
                      std::uint32_t target_class);
    template <class Code>
    Groups find_sparse(const Code* codes, std::uint32_t n_codes, const NodeTable& node,
                       std::uint32_t target_class);

    std::vector<std::uint32_t> counts_;
    std::vector<double> target_;  // by code
    std::vector<double> other_;
    std::vector<std::int32_t> only_class_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint64_t> other_keys_;
    std::vector<Group> groups_;
};

}  // namespace bsnsing
