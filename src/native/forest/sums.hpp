// Weights of cases by class, of two classes and of any number, and the same by code of a column.
// Weights are whole numbers, and those of a tree sum up to less than 2^31: whatever the order they
// are added in, sums are exact, and so are sums of squares.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/codes.hpp"

namespace bsnsing {

using Amount = std::uint64_t;  // what a row adds to the sums of its class; 0 adds nothing

// Without a branch: facts about rows are hard to foresee.
inline Amount amount_if(bool fact, Amount amount) {
    return amount & (Amount{0} - static_cast<Amount>(fact));
}

// Which codes occur.
class CodeSet {
  public:
    void add(std::uint8_t code) { words_[code / 64U] |= std::uint64_t{1} << (code % 64U); }
    bool has(std::uint8_t code) const { return (words_[code / 64U] >> (code % 64U) & 1U) != 0; }
    void clear() { words_ = {}; }

    std::size_t size() const {
        std::size_t n = 0;
        for (const std::uint64_t word : words_) n += static_cast<std::size_t>(std::popcount(word));
        return n;
    }

    // In ascending order.
    template <class Work>
    void for_each(const Work& work) const {
        for (std::size_t w = 0; w < words_.size(); ++w)
            for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
                work(static_cast<std::uint8_t>(w * 64 +
                                               static_cast<std::size_t>(std::countr_zero(word))));
    }

  private:
    std::array<std::uint64_t, 4> words_{};
};

// The weight of the first class in the lower half of a number, that of the second in the upper.
class TwoClassSums {
  public:
    explicit TwoClassSums(std::size_t) {}

    static std::size_t n_classes() { return 2; }
    static void set_classes(std::size_t) {}

    static Amount amount(std::uint32_t label, std::uint32_t weight) {
        return Amount{weight} << (32U * label);
    }
    void clear() { both_ = 0; }
    // The sums of amount_of(0) ... amount_of(n - 1).
    template <class AmountOf>
    void sum_up(std::size_t n, const AmountOf& amount_of) {
        Amount sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += amount_of(i);
        both_ = sum;
    }
    // Those of the rows of a node for which fact(0) ... fact(n - 1) hold.
    template <class Fact>
    void sum_up_where(const TwoClassSums&, std::span<const Amount> amounts, const Fact& fact) {
        sum_up(amounts.size(), [&](std::size_t i) { return amount_if(fact(i), amounts[i]); });
    }
    void add(Amount amount) { both_ += amount; }
    void remove(Amount amount) { both_ -= amount; }
    void add(const TwoClassSums& other) { both_ += other.both_; }
    void remove(const TwoClassSums& other) { both_ -= other.both_; }

    std::int64_t weight(std::size_t label) const {
        return static_cast<std::int64_t>(label == 0 ? both_ & 0xffffffffU : both_ >> 32U);
    }
    std::int64_t total() const { return weight(0) + weight(1); }
    std::int64_t squares() const { return weight(0) * weight(0) + weight(1) * weight(1); }

  private:
    std::uint64_t both_ = 0;
};

class ManyClassSums {
  public:
    explicit ManyClassSums(std::size_t n_classes) : weights_(n_classes) {}

    // How many classes sums are of from the next clear() or sum_up() on.
    std::size_t n_classes() const { return weights_.size(); }
    void set_classes(std::size_t n_classes) { weights_.resize(n_classes); }

    static Amount amount(std::uint32_t label, std::uint32_t weight) {
        return Amount{label} << 32U | weight;
    }
    static std::uint32_t label_of(Amount amount) {
        return static_cast<std::uint32_t>(amount >> 32U);
    }
    static std::uint32_t weight_of(Amount amount) { return static_cast<std::uint32_t>(amount); }
    void clear() {
        weights_.assign(weights_.size(), 0);
        total_ = squares_ = 0;
    }
    // Rows come class after class, so that a class has a run of them.
    template <class AmountOf>
    void sum_up(std::size_t n, const AmountOf& amount_of) {
        clear();
        ends_.assign(weights_.size(), 0);
        for (std::size_t i = 0; i < n; ++i) {
            const Amount amount = amount_of(i);
            weights_[amount >> 32U] += static_cast<std::int64_t>(amount & kLow);
            ends_[amount >> 32U] = i + 1;
        }
        std::size_t end = 0;
        for (std::size_t c = 0; c < weights_.size(); ++c) {
            ends_[c] = end = std::max(end, ends_[c]);
            total_ += weights_[c];
            squares_ += weights_[c] * weights_[c];
        }
    }
    template <class Fact>
    void sum_up_where(const ManyClassSums& node, std::span<const Amount> amounts,
                      const Fact& fact) {
        weights_.resize(node.weights_.size());
        total_ = squares_ = 0;
        std::size_t i = 0;
        for (std::size_t c = 0; c < weights_.size(); ++c) {
            std::uint32_t sum = 0;
            for (; i < node.ends_[c]; ++i)
                sum += static_cast<std::uint32_t>(amount_if(fact(i), amounts[i]));
            weights_[c] = sum;
            total_ += weights_[c];
            squares_ += weights_[c] * weights_[c];
        }
    }
    void add(Amount amount) { change(amount >> 32U, static_cast<std::int64_t>(amount & kLow)); }
    void remove(Amount amount) { change(amount >> 32U, -static_cast<std::int64_t>(amount & kLow)); }
    void add(const ManyClassSums& other) {
        for (std::size_t c = 0; c < weights_.size(); ++c) change(c, other.weights_[c]);
    }
    void remove(const ManyClassSums& other) {
        for (std::size_t c = 0; c < weights_.size(); ++c) change(c, -other.weights_[c]);
    }

    std::int64_t weight(std::size_t label) const { return weights_[label]; }
    std::int64_t total() const { return total_; }
    std::int64_t squares() const { return squares_; }

  private:
    static constexpr Amount kLow = 0xffffffffU;

    // (a + x)^2 = a^2 + x (2 a + x)
    void change(std::size_t label, std::int64_t by) {
        squares_ += by * (2 * weights_[label] + by);
        weights_[label] += by;
        total_ += by;
    }

    std::vector<std::int64_t> weights_;
    std::vector<std::size_t> ends_;  // of the rows of each class, where sums are those of a node
    std::int64_t total_ = 0;
    std::int64_t squares_ = 0;
};

// The sum of squares per case: the more, the purer.
template <class Sums>
double purity(const Sums& sums) {
    return static_cast<double>(sums.squares()) / static_cast<double>(sums.total());
}

// Cases of a node by code: sums where there are two classes.
class TwoClassBuckets {
  public:
    using Sums = TwoClassSums;

    void fill(const std::uint8_t* column, std::span<const std::uint32_t> rows,
              const Amount* amounts) {
        const std::size_t n_rows = rows.size();
        for (std::size_t i = 0; i < n_rows; ++i) sums_[column[rows[i]]] += amounts[i];
        if (n_rows < sums_.size()) {
            for (const std::uint32_t row : rows) codes_.add(column[row]);
        } else {
            for (std::size_t code = 0; code < sums_.size(); ++code)
                if (sums_[code] != 0) codes_.add(static_cast<std::uint8_t>(code));
        }
    }
    const CodeSet& codes() const { return codes_; }
    template <class Move>
    void move(std::uint8_t code, const Move& move) const {
        move(sums_[code]);
    }
    void clear() {
        codes_.for_each([&](std::uint8_t code) { sums_[code] = 0; });
        codes_.clear();
    }

  private:
    CodeSet codes_;
    std::array<Amount, 256> sums_{};
};

// The same for any number of classes: a list of rows for each code.
class ManyClassBuckets {
  public:
    using Sums = ManyClassSums;

    ManyClassBuckets() { first_.fill(kNone); }

    void fill(const std::uint8_t* column, std::span<const std::uint32_t> rows,
              const Amount* amounts) {
        if (next_.size() < rows.size()) next_.resize(rows.size());
        amounts_ = amounts;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            std::uint32_t& first = first_[column[rows[i]]];
            next_[i] = first;
            first = static_cast<std::uint32_t>(i);
        }
        if (rows.size() < first_.size()) {
            for (const std::uint32_t row : rows) codes_.add(column[row]);
        } else {
            for (std::size_t code = 0; code < first_.size(); ++code)
                if (first_[code] != kNone) codes_.add(static_cast<std::uint8_t>(code));
        }
    }
    const CodeSet& codes() const { return codes_; }
    template <class Move>
    void move(std::uint8_t code, const Move& move) const {
        for (std::uint32_t i = first_[code]; i != kNone; i = next_[i]) move(amounts_[i]);
    }
    void clear() {
        codes_.for_each([&](std::uint8_t code) { first_[code] = kNone; });
        codes_.clear();
    }

  private:
    static constexpr std::uint32_t kNone = 0xffffffffU;

    CodeSet codes_;
    std::array<std::uint32_t, 256> first_;
    std::vector<std::uint32_t> next_;
    const Amount* amounts_ = nullptr;
};

}  // namespace bsnsing
