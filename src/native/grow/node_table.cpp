#include "grow/node_table.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "kernels/kernels.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

std::size_t count_bits(const Word* words, std::size_t n_words) {
    std::size_t n = 0;
    for (std::size_t w = 0; w < n_words; ++w)
        n += static_cast<std::size_t>(std::popcount(words[w]));
    return n;
}

std::size_t part_cells(const std::uint8_t* cells, std::size_t n_rows, const Word* mask,
                       std::uint8_t* yes, std::uint8_t* no) {
    return active_kernels().part_codes(cells, n_rows, mask, yes, no);
}

template <class Cell>
std::size_t part_cells(const Cell* cells, std::size_t n_rows, const Word* mask, Cell* yes,
                       Cell* no) {
    std::size_t n_yes = 0;
    for (std::size_t i = 0; i < n_rows; ++i) {
        const std::size_t goes_to_yes = (mask[i / kWordBits] >> (i % kWordBits)) & 1U;
        yes[n_yes] = cells[i];
        no[i - n_yes] = cells[i];
        n_yes += goes_to_yes;
    }
    return n_yes;
}

// Parts all segments of a column; they follow each other without gaps on both sides.
template <class Cell>
void part_segments(const RowLayout& layout, const Cell* cells, const Word* mask, Cell* yes,
                   Cell* no) {
    for (const Segment& s : layout.segments) {
        const std::size_t n_yes = part_cells(cells, s.n_rows, mask + s.first_word, yes, no);
        cells += s.n_rows;
        yes += n_yes;
        no += s.n_rows - n_yes;
    }
}

}  // namespace

// Room past the last row, for kernels that write whole vectors.
std::size_t NodeTable::padded_rows(std::size_t n_rows) {
    return (n_rows + kPartSlack - 1) / kPartSlack * kPartSlack + kPartSlack;
}

std::shared_ptr<const NodeTable::Places> NodeTable::place_columns(
    std::span<const EncodedColumn> columns) {
    auto places = std::make_shared<Places>();
    for (const EncodedColumn& column : columns) {
        if (column.n_codes == 2 && !column.has_missing) {
            places->columns.push_back({true, 1, places->n_bit_columns++});
        } else {
            places->columns.push_back({false, column.width, places->bytes_per_row});
            places->bytes_per_row += column.width;
        }
    }
    return places;
}

NodeTable::NodeTable(std::span<EncodedColumn> columns, RowOrder order, std::size_t n_threads)
    : places_(place_columns(columns)),
      layout_(std::move(order.layout)),
      n_rows_(order.rows.size()) {
    allocate();
    std::copy(order.rows.begin(), order.rows.end(), rows_.begin());
    parallel_for(columns.size(), n_threads,
                 [&](std::size_t c, std::size_t) { fill_column(c, columns[c]); });
}

void NodeTable::allocate() {
    rows_.resize(padded_rows(n_rows_));
    codes_.resize(places_->bytes_per_row * padded_rows(n_rows_));
    bits_.resize(places_->n_bit_columns * layout_.n_words);
}

void NodeTable::fill_column(std::size_t column, EncodedColumn& from) {
    const AlignedVector<std::uint8_t> bytes = std::move(from.bytes);
    from.bytes = {};
    if (!is_bits(column)) {
        visit_codes(column, [&](const auto* typed) {
            using Code = std::remove_const_t<std::remove_pointer_t<decltype(typed)>>;
            const auto* codes = reinterpret_cast<const Code*>(bytes.data());
            auto* out = const_cast<Code*>(typed);
            for (std::size_t i = 0; i < n_rows_; ++i) out[i] = codes[rows_[i]];
        });
        return;
    }
    Word* out = const_cast<Word*>(bits(column));
    const std::uint32_t* rows = rows_.data();
    for (const Segment& s : layout_.segments) {
        for (std::size_t start = 0; start < s.n_rows; start += kWordBits) {
            const std::size_t n = std::min(kWordBits, s.n_rows - start);
            Word word = 0;
            for (std::size_t i = 0; i < n; ++i) word |= Word{bytes[rows[start + i]]} << i;
            *out++ = word;
        }
        rows += s.n_rows;
    }
}

void NodeTable::part_column(std::size_t column, const Word* mask,
                            std::span<const std::size_t> n_yes, NodeTable& yes,
                            NodeTable& no) const {
    if (!is_bits(column)) {
        visit_codes(column, [&](const auto* codes) {
            using Code = std::remove_const_t<std::remove_pointer_t<decltype(codes)>>;
            const auto out = [&](NodeTable& table) {
                return table.visit_codes(column, [](const auto* typed) {
                    return const_cast<Code*>(reinterpret_cast<const Code*>(typed));
                });
            };
            part_segments(layout_, codes, mask, out(yes), out(no));
        });
        return;
    }
    Word* yes_bits = const_cast<Word*>(yes.bits(column));
    Word* no_bits = const_cast<Word*>(no.bits(column));
    for (std::size_t i = 0; i < n_yes.size(); ++i) {
        const Segment& s = layout_.segments[i];
        active_kernels().part_bits(bits(column) + s.first_word, s.n_rows, mask + s.first_word,
                                   yes_bits, no_bits);
        yes_bits += words_for(n_yes[i]);
        no_bits += words_for(s.n_rows - n_yes[i]);
    }
}

std::pair<NodeTable, NodeTable> NodeTable::part(const Word* mask, std::size_t n_threads) const {
    NodeTable yes;
    NodeTable no;
    yes.places_ = no.places_ = places_;
    yes.layout_.n_classes = no.layout_.n_classes = layout_.n_classes;
    std::vector<std::size_t> n_yes;  // per segment
    for (const Segment& s : layout_.segments) {
        const std::size_t n = n_yes.emplace_back(count_bits(mask + s.first_word, s.n_words));
        if (n > 0) yes.layout_.add(s.class_index, s.weight, n);
        if (n < s.n_rows) no.layout_.add(s.class_index, s.weight, s.n_rows - n);
        yes.n_rows_ += n;
    }
    no.n_rows_ = n_rows_ - yes.n_rows_;
    yes.allocate();
    no.allocate();
    part_segments(layout_, rows_.data(), mask, yes.rows_.data(), no.rows_.data());
    parallel_for(places_->columns.size(), n_threads,
                 [&](std::size_t c, std::size_t) { part_column(c, mask, n_yes, yes, no); });
    return {std::move(yes), std::move(no)};
}

}  // namespace bsnsing
