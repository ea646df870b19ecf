// Finding the ones of 0/1 columns, eight cells of a row at a time. Include after `row_equals`,
// which compares eight numbers with one and gives a bit for each. No include guard: it is meant to
// be included once per kernel file.

template <class T>
std::uint8_t find_ones(const T* cells, std::ptrdiff_t stride, std::size_t n_rows,
                       std::uint8_t* ones) noexcept {
    unsigned other = 0;
    for (std::size_t i = 0; i < n_rows; ++i, cells += stride) {
        const unsigned one = row_equals(cells, T{1});
        other |= ~(one | row_equals(cells, T{0}));
        ones[i] = static_cast<std::uint8_t>(one);
    }
    return static_cast<std::uint8_t>(other);
}
