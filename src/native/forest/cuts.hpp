// Cuts of a node's rows in two by one column: the best one, or one by chance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/codes.hpp"
#include "forest/random.hpp"
#include "forest/sums.hpp"

namespace bsnsing {

struct Cut {
    double purity = -1;  // of both sides together
    std::uint32_t column = 0;
    std::uint8_t last = 0;  // code that goes left
    bool is_missing_left = false;
    bool has_missing = false;  // whether rows of the node have no value in this column
};

template <class Sums>
struct NodeCases {
    std::span<const std::uint32_t> rows;
    std::span<const Amount> amounts;  // of these rows
    const Sums& sums;
};

// Looks at one column after another and keeps the best cut; among equal ones the first.
template <class Buckets>
class CutFinder {
  public:
    using Sums = Buckets::Sums;

    explicit CutFinder(std::size_t n_classes)
        : left_(n_classes), right_(n_classes), missing_(n_classes) {}

    // Whether there is any. With missing cells, cuts are tried with these on the right, then on
    // the left; they may also be alone on the right.
    bool try_all(const NodeCases<Sums>& node, const std::uint8_t* column, std::uint32_t number,
                 Cut& best) {
        left_.set_classes(node.sums.n_classes());
        buckets_.fill(column, node.rows, node.amounts.data());
        const bool has_missing = buckets_.codes().has(kMissingCode);
        const bool can_cut = buckets_.codes().size() > 1;
        if (can_cut) {
            sweep(node, {-1, number, 0, false, has_missing}, best);
            if (has_missing) sweep(node, {-1, number, 0, true, true}, best);
        }
        buckets_.clear();
        return can_cut;
    }

    // The same for one cut, each as likely between the least code of the node and the greatest.
    bool try_one(const NodeCases<Sums>& node, const std::uint8_t* column, std::uint32_t number,
                 Random& random, Cut& best) {
        const auto [least, greatest, has_missing] = read_codes(column, node.rows);
        if (least >= greatest && !(has_missing && least == greatest)) return false;
        const std::uint32_t n_cuts = std::uint32_t{greatest} - least + (has_missing ? 1 : 0);
        auto last = static_cast<std::uint8_t>(least + random.below(n_cuts));
        if (last == greatest) last = kLastCode;  // only missing cells go right
        left_.sum_up_where(node.sums, node.amounts,
                           [&](std::size_t i) { return codes_[i] <= last; });
        right_ = node.sums;
        right_.remove(left_);
        keep_better({-1, number, last, false, has_missing}, best);
        if (has_missing && last < greatest) {
            missing_.sum_up_where(node.sums, node.amounts,
                                  [&](std::size_t i) { return codes_[i] == kMissingCode; });
            left_.add(missing_);
            right_.remove(missing_);
            keep_better({-1, number, last, true, true}, best);
        }
        return true;
    }

  private:
    struct Range {
        std::uint8_t least;
        std::uint8_t greatest;  // of those that are not missing; below the least if all are
        bool has_missing;
    };

    Range read_codes(const std::uint8_t* column, std::span<const std::uint32_t> rows) {
        if (codes_.size() < rows.size()) codes_.resize(rows.size());
        std::uint8_t least = 255;
        std::uint8_t after_greatest = 0;
        std::uint8_t any = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) codes_[i] = column[rows[i]];
        for (std::size_t i = 0; i < rows.size(); ++i) {
            least = std::min(least, codes_[i]);
            any = std::max(any, codes_[i]);
            after_greatest = std::max(after_greatest, static_cast<std::uint8_t>(codes_[i] + 1));
        }
        if (after_greatest == 0) return {255, 0, true};
        return {least, static_cast<std::uint8_t>(after_greatest - 1), any == kMissingCode};
    }

    // Moves one code after another from the right to the left. New rows whose code lies between two
    // of the node go to the nearer one.
    void sweep(const NodeCases<Sums>& node, Cut cut, Cut& best) {
        left_.clear();
        right_ = node.sums;
        const auto move = [&](Amount amount) {
            left_.add(amount);
            right_.remove(amount);
        };
        if (cut.is_missing_left) buckets_.move(kMissingCode, move);
        int before = -1;
        buckets_.codes().for_each([&](std::uint8_t code) {
            if (code == kMissingCode) return;
            cut.last = static_cast<std::uint8_t>((before + code) / 2);
            if (before >= 0) keep_better(cut, best);
            buckets_.move(code, move);
            before = code;
        });
        cut.last = kLastCode;
        if (before >= 0 && cut.has_missing && !cut.is_missing_left) keep_better(cut, best);
    }

    void keep_better(Cut cut, Cut& best) const {
        cut.purity = purity(left_) + purity(right_);
        if (cut.purity > best.purity) best = cut;
    }

    Buckets buckets_;
    Sums left_;
    Sums right_;
    Sums missing_;
    std::vector<std::uint8_t> codes_;
};

}  // namespace bsnsing
