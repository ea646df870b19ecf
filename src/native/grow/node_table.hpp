// The cells of one node, column by column, in the order of its rows.
//
// A node has its own copy of its cells, so that everything that walks them walks memory in order:
// codes of one, two or four bytes, and one bit where a column has two values and nothing missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bits/row_order.hpp"
#include "grow/columns.hpp"

namespace bsnsing {

// Memory that the tables of one level share.
using LevelMemory = UnfilledVector<std::uint8_t>;

// At least n_bytes, and an eighth more for later levels, which have more tables and so more gaps.
std::shared_ptr<LevelMemory> make_level_memory(std::size_t n_bytes);

class NodeTable {
  public:
    NodeTable() = default;
    // The cells of all rows of `order`. Takes the codes out of the columns.
    NodeTable(Columns& columns, RowOrder order, std::size_t n_threads);

    // False of a node without a table: one that was split or closed.
    bool is_open() const { return places_ != nullptr; }

    const RowLayout& layout() const { return layout_; }
    std::size_t n_rows() const { return n_rows_; }
    // Row numbers, segment after segment.
    std::span<const std::uint32_t> rows() const { return {rows_, n_rows_}; }

    // A column of bits: bit i is set where the code of row i is 1. Segments start at words.
    bool is_bits(std::size_t column) const { return place(column).is_bits; }
    const Word* bits(std::size_t column) const {
        return bits_ + place(column).before * layout_.n_words;
    }
    // Calls f with a pointer to the codes of any other column, in their own type.
    template <class F>
    decltype(auto) visit_codes(std::size_t column, F&& f) const {
        const Place& p = place(column);
        const std::uint8_t* codes = codes_ + p.before * padded_rows(n_rows_);
        if (p.width == 1) return f(codes);
        if (p.width == 2) return f(reinterpret_cast<const std::uint16_t*>(codes));
        return f(reinterpret_cast<const std::uint32_t*>(codes));
    }

    // The tables of the rows whose bit of `mask` is set, and of the others: their shapes first,
    // then, once each has memory, their cells.
    std::pair<NodeTable, NodeTable> outline_parts(const Word* mask) const;
    void fill_parts(const Word* mask, NodeTable& yes, NodeTable& no, std::size_t n_threads) const;

    std::size_t n_bytes() const;
    const std::shared_ptr<LevelMemory>& memory() const { return memory_; }
    // Puts the cells into n_bytes() of a level's memory from `offset` on.
    void settle(std::shared_ptr<LevelMemory> memory, std::size_t offset);

  private:
    // Where a column lies: behind `before` bytes per row, or behind `before` columns of bits.
    struct Place {
        bool is_bits = false;
        std::size_t width = 1;
        std::size_t before = 0;
    };
    struct Places {
        std::vector<Place> columns;
        std::size_t bytes_per_row = 0;
        std::size_t n_bit_columns = 0;
    };

    const Place& place(std::size_t column) const { return places_->columns[column]; }
    static std::size_t padded_rows(std::size_t n_rows);
    static std::shared_ptr<const Places> place_columns(const Columns& columns);
    void fill_codes(std::size_t column, const ColumnCodes& from);
    void fill_bits(std::size_t column, const ColumnCodes& from,
                   std::span<const UnfilledVector<Word>> masks);
    // Per segment, which rows of the table it has; nothing where there are too many segments for
    // masks to be quicker than row numbers.
    std::vector<UnfilledVector<Word>> segment_masks(std::size_t n_table_rows) const;
    void part_column(std::size_t column, const Word* mask, std::span<const std::size_t> n_yes,
                     NodeTable& yes, NodeTable& no) const;
    std::vector<std::size_t> count_yes(const Word* mask) const;

    std::shared_ptr<const Places> places_;
    RowLayout layout_;
    std::size_t n_rows_ = 0;
    std::shared_ptr<LevelMemory> memory_;
    std::uint32_t* rows_ = nullptr;
    Word* bits_ = nullptr;
    std::uint8_t* codes_ = nullptr;
};

}  // namespace bsnsing
