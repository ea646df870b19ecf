// Counts over a pool that every stage of the search shares.
#pragma once

#include <cstddef>
#include <vector>

#include "bits/aligned.hpp"
#include "bits/bit_blocks.hpp"
#include "kernels/kernels.hpp"
#include "search/objective.hpp"

namespace bsnsing {

// Counts per class and question: entry (class j, question q) is [j * stride + q].
struct Counts {
    std::size_t stride = 0;
    AlignedVector<double> values;

    Counts() = default;
    Counts(std::size_t n_classes, std::size_t n_columns)
        : stride(n_columns), values(n_classes * n_columns, 0.0) {}

    double* row(std::size_t class_index) { return values.data() + class_index * stride; }
    const double* row(std::size_t class_index) const {
        return values.data() + class_index * stride;
    }
};

// What is known of a pool without its rows: what rules are judged by, and the cases per class that
// answer yes to each question.
class PoolCounts {
  public:
    // `singles` has a column per question, and zeros up to a whole block.
    PoolCounts(const Objective& objective, std::size_t n_questions, Counts singles);

    const Objective& objective() const { return objective_; }
    const Kernels& kernels() const { return kernels_; }
    std::size_t n_questions() const { return n_questions_; }
    std::size_t n_classes() const { return objective_.n_classes; }
    std::size_t stride() const { return singles_.stride; }
    const Counts& singles() const { return singles_; }

    // Null unless the criterion has them, there are many classes (Leans: two), and the squares of
    // counts are exact.
    Moments moments() const;
    Leans leans() const;

    // Null unless the criterion has one.
    const Screen* screen() const { return screen_.classes.empty() ? nullptr : &screen_; }

    // Cases per class that the literal covers.
    std::vector<double> literal_counts(std::size_t question, bool negated) const;

  private:
    void fill_moments();

    const Objective& objective_;
    const Kernels& kernels_;
    std::size_t n_questions_;
    Counts singles_;
    Counts moments_;  // [size, with totals, with self]
    Counts leans_;    // [size, lean]
    Screen screen_;
};

// A pool with the answers of its rows.
class Pool : public PoolCounts {
  public:
    Pool(const BitBlocks& blocks, const RowLayout& rows, const Objective& objective);

    const BitBlocks& blocks() const { return blocks_; }
    const RowLayout& rows() const { return rows_; }

    // All rows as a bit column.
    const AlignedVector<Word>& everyone() const { return everyone_; }

    // Cases of `column` that answer yes, for every question from the block of `first` on.
    void count_column(const Word* column, std::size_t first, Counts& counts) const;
    // The same for the one block that starts at question `start`; out is [class][lane].
    void count_block(const Word* column, std::size_t start, double* out) const;

    // Of the rows in `rest`, those the literal does not take.
    void remove_literal(const Word* rest, std::size_t question, bool negated, Word* out) const;

  private:
    const BitBlocks& blocks_;
    const RowLayout& rows_;
    AlignedVector<Word> everyone_;
};

}  // namespace bsnsing
