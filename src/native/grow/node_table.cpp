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

std::shared_ptr<const NodeTable::Places> NodeTable::place_columns(const Columns& columns) {
    auto places = std::make_shared<Places>();
    for (std::size_t c = 0; c < columns.codes.size(); ++c) {
        if (columns.schema[c].is_bits()) {
            places->columns.push_back({true, 1, places->n_bit_columns++});
        } else {
            const std::size_t width = columns.codes[c].width;
            places->columns.push_back({false, width, places->bytes_per_row});
            places->bytes_per_row += width;
        }
    }
    return places;
}

NodeTable::NodeTable(Columns& columns, RowOrder order, std::size_t n_threads)
    : places_(place_columns(columns)),
      layout_(std::move(order.layout)),
      n_rows_(order.rows.size()) {
    settle(make_level_memory(n_bytes()), 0);
    std::copy(order.rows.begin(), order.rows.end(), rows_);
    std::vector<UnfilledVector<Word>> masks;
    if (places_->n_bit_columns > 0) masks = segment_masks(columns.codes.front().n_rows);
    parallel_for(columns.codes.size(), n_threads, [&](std::size_t c, std::size_t) {
        ColumnCodes& codes = columns.codes[c];
        if (is_bits(c))
            fill_bits(c, codes, masks);
        else
            fill_codes(c, codes);
        codes.bytes = {};
        codes.bits = {};
    });
}

std::shared_ptr<LevelMemory> make_level_memory(std::size_t n_bytes) {
    return std::make_shared<LevelMemory>(n_bytes + n_bytes / 8);
}

std::size_t NodeTable::n_bytes() const {
    constexpr std::size_t kLine = 64;
    const std::size_t n = sizeof(*rows_) * padded_rows(n_rows_) +
                          sizeof(Word) * places_->n_bit_columns * layout_.n_words +
                          places_->bytes_per_row * padded_rows(n_rows_);
    return (n + kLine - 1) / kLine * kLine;
}

void NodeTable::settle(std::shared_ptr<LevelMemory> memory, std::size_t offset) {
    memory_ = std::move(memory);
    rows_ = reinterpret_cast<std::uint32_t*>(memory_->data() + offset);
    bits_ = reinterpret_cast<Word*>(rows_ + padded_rows(n_rows_));
    codes_ = reinterpret_cast<std::uint8_t*>(bits_ + places_->n_bit_columns * layout_.n_words);
}

void NodeTable::fill_codes(std::size_t column, const ColumnCodes& from) {
    from.visit([&](const auto* codes) {
        using Code = std::remove_const_t<std::remove_pointer_t<decltype(codes)>>;
        visit_codes(column, [&](const auto* typed) {
            auto* out = const_cast<Code*>(reinterpret_cast<const Code*>(typed));
            for (std::size_t i = 0; i < n_rows_; ++i) out[i] = codes[rows_[i]];
        });
    });
}

std::vector<UnfilledVector<Word>> NodeTable::segment_masks(std::size_t n_table_rows) const {
    constexpr std::size_t kRowsPerWord = 4;  // what a mask's word costs, in rows taken by number
    const std::size_t n_words = words_for(n_table_rows);
    std::vector<UnfilledVector<Word>> masks;
    if (layout_.segments.size() * n_words * kRowsPerWord > n_rows_) return masks;
    const std::uint32_t* rows = rows_;
    for (const Segment& s : layout_.segments) {
        UnfilledVector<Word>& mask = masks.emplace_back(n_words, Word{0});
        for (std::size_t i = 0; i < s.n_rows; ++i)
            mask[rows[i] / kWordBits] |= Word{1} << (rows[i] % kWordBits);
        rows += s.n_rows;
    }
    return masks;
}

void NodeTable::fill_bits(std::size_t column, const ColumnCodes& from,
                          std::span<const UnfilledVector<Word>> masks) {
    Word* out = const_cast<Word*>(bits(column));
    const std::uint32_t* rows = rows_;
    for (std::size_t s = 0; s < layout_.segments.size(); ++s) {
        const Segment& segment = layout_.segments[s];
        Word* words = out + segment.first_word;
        if (!masks.empty()) {
            active_kernels().take_bits(from.bits.data(), from.bits.size(), masks[s].data(), words);
            continue;
        }
        std::fill_n(words, segment.n_words, Word{0});
        for (std::size_t i = 0; i < segment.n_rows; ++i) {
            const std::uint32_t row = *rows++;
            const Word bit = (from.bits[row / kWordBits] >> (row % kWordBits)) & 1U;
            words[i / kWordBits] |= bit << (i % kWordBits);
        }
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

std::vector<std::size_t> NodeTable::count_yes(const Word* mask) const {
    std::vector<std::size_t> n_yes;  // per segment
    for (const Segment& s : layout_.segments)
        n_yes.push_back(count_bits(mask + s.first_word, s.n_words));
    return n_yes;
}

std::pair<NodeTable, NodeTable> NodeTable::outline_parts(const Word* mask) const {
    NodeTable yes;
    NodeTable no;
    yes.places_ = no.places_ = places_;
    yes.layout_.n_classes = no.layout_.n_classes = layout_.n_classes;
    const std::vector<std::size_t> n_yes = count_yes(mask);
    for (std::size_t i = 0; i < n_yes.size(); ++i) {
        const Segment& s = layout_.segments[i];
        if (n_yes[i] > 0) yes.layout_.add(s.class_index, s.weight, n_yes[i]);
        if (n_yes[i] < s.n_rows) no.layout_.add(s.class_index, s.weight, s.n_rows - n_yes[i]);
        yes.n_rows_ += n_yes[i];
    }
    no.n_rows_ = n_rows_ - yes.n_rows_;
    return {std::move(yes), std::move(no)};
}

void NodeTable::fill_parts(const Word* mask, NodeTable& yes, NodeTable& no,
                           std::size_t n_threads) const {
    const std::vector<std::size_t> n_yes = count_yes(mask);
    part_segments(layout_, rows_, mask, yes.rows_, no.rows_);
    parallel_for(places_->columns.size(), n_threads,
                 [&](std::size_t c, std::size_t) { part_column(c, mask, n_yes, yes, no); });
}

}  // namespace bsnsing
