// Packing without vector compares, for kernel files that have none and for the rows past the last
// whole vector. No include guard: it is meant to be included once per kernel file.

void pack_plain(const std::uint8_t* bins, std::size_t n_rows, std::uint8_t low, std::uint8_t length,
                Word* lane) noexcept {
    for (std::size_t start = 0; start < n_rows; start += kWordBits) {
        const std::size_t n = n_rows - start < kWordBits ? n_rows - start : kWordBits;
        Word word = 0;
        for (std::size_t i = 0; i < n; ++i)
            word |= Word{static_cast<std::uint8_t>(bins[start + i] - low) < length} << i;
        lane[start / kWordBits * kLanes] = word;
    }
}
