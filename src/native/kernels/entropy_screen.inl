// Part of scan_loops.inl: tells most rules that are not good enough without a logarithm.
//
// A split of N cases saves as much entropy as its children's cases times how far each departs from
// the node, sum of x_j ln(x_j / p_j) over classes: x_j and p_j are shares of class j in the child
// and in the node. By Taylor's formula with the remainder as an integral this is
//
//     sum of (x_j - p_j)^2 g_j(x_j),   g_j(x) = (x ln(x / p_j) - x + p_j) / (x - p_j)^2,
//
// and g_j is convex, so that it lies below its chords from 0 to p_j and from p_j to 1, where it is
// 1 / p_j, 1 / (2 p_j) and (p_j - 1 - ln p_j) / (1 - p_j)^2. With the chords in its place, what a
// split saves is bounded from above, and hardly more than it is.
//
// Before that, a look at the sizes of the children: no split saves more than the entropy of the way
// its N cases go, which is at most N ln 2 (4 x (1 - x))^(1 / ln 4) if a share x goes one way.

// The product of both children's sizes that a split of `size` cases needs at least to save `saved`.
inline double least_product(double size, double saved) {
    constexpr double kSlack = 1e-9;  // for rounding
    constexpr double kLn2 = std::numbers::ln2;
    if (!(saved > 0)) return -1;  // any will do
    return std::pow(saved / (size * kLn2), 2 * kLn2) * (size * size / 4) * (1 - kSlack);
}

template <bool TwoClasses>
class EntropyScreen {
  public:
    EntropyScreen(const Objective& o, const Screen* screen)
        : n_classes_(TwoClasses ? 2 : o.n_classes), screen_(screen) {}

    // The lanes that may be below `limit`, by the class-weighted cases of one child.
    unsigned open_lanes(const Eight* child, double limit) {
        if (limit != limit_) set_limit(limit);
        Eight size = child[0];
        for (std::size_t j = 1; j < n_classes_; ++j) size = size + child[j];
        const Eight rest = screen_->size - size;
        const Eight product = size * rest;
        const unsigned lanes = lanes_below(least_product_, product);
        if (lanes == 0) return 0;
        // By `d` cases of a class one child departs from its share, and the other by -d.
        Eight squares = 0.0;     // d^2 times g at the share
        Eight cubes = 0.0;       // |d|^3 times the slope of the chord, of the child
        Eight rest_cubes = 0.0;  // ... and of the other one
        const auto add = [&](const Eight& d, const Eight& level, const Eight& above,
                             const Eight& below) {
            const Eight up = at_least(d, 0.0);
            const Eight down = up - d;
            const Eight up_cube = up * up * up;
            const Eight down_cube = down * down * down;
            squares = squares + d * d * level;
            cubes = cubes + up_cube * above + down_cube * below;
            rest_cubes = rest_cubes + up_cube * below + down_cube * above;
        };
        if constexpr (TwoClasses) {  // what the child has more of the one, it has less of the other
            const ClassScreen& first = screen_->classes[0];
            const ClassScreen& second = screen_->classes[1];
            add(child[0] - size * first.share, first.level + second.level,
                first.slope_above + second.slope_below, first.slope_below + second.slope_above);
        } else {
            for (std::size_t j = 0; j < n_classes_; ++j) {
                const ClassScreen& own = screen_->classes[j];
                add(child[j] - size * own.share, own.level, own.slope_above, own.slope_below);
            }
        }
        const Eight saved =
            squares * screen_->size * product + cubes * rest * rest + rest_cubes * size * size;
        return lanes & lanes_below(needed_ * product * product, saved);
    }

  private:
    void set_limit(double limit) {
        constexpr double kSlack = 1e-6;  // for the rounding of the sums above, with much to spare
        limit_ = limit;
        const double unsplit = screen_->unsplit;
        needed_ = (unsplit - limit) * (1 - kSlack) - unsplit * kSlack * kSlack;
        least_product_ = least_product(screen_->size, unsplit - limit);
    }

    const std::size_t n_classes_;
    const Screen* screen_;
    double limit_ = __builtin_nan("");
    double needed_ = 0;
    double least_product_ = 0;
};

// The same for the pairs of one question, by a bound that is looser and costs less: of N cases a
// split saves at most N ln(1 + chi2 / N), where chi2 is Pearson's statistic of children by classes.
// (What is saved is N times a mean of logarithms, no more than N times the logarithm of the mean.)
//
// Each form of a pair cuts one of the four parts off that two questions cut the cases into, and
// what chi2 takes of a part follows from that of both questions and of what they have in common.
template <bool TwoClasses>
class PairScreen {
  public:
    explicit PairScreen(const PairScan& scan)
        : scan_(scan), o_(*scan.objective), own_(scan.own_position) {}

    bool is_usable() const {
        return scan_.screen != nullptr &&
               (TwoClasses ? scan_.leans.size != nullptr : scan_.moments.size != nullptr);
    }

    // open[i]: the lanes of the block whose rule of form i (see PairForm) may be below `limit`.
    void open_forms(std::size_t start, double limit, unsigned* open) {
        if (limit != limit_) set_limit(limit);
        if constexpr (TwoClasses)
            open_by_lean(start, open);
        else
            open_by_moments(start, open);
    }

  private:
    // chi2 / N is lean^2 / (T_0 T_1 size (N - size)).
    void open_by_lean(std::size_t start, unsigned* open) const {
        const Eight both_0(scan_.both_of(0, start));
        const Eight both_1(scan_.both_of(1, start));
        const Eight size = both_0 + both_1;
        const Eight lean = both_0 * o_.totals[1] - both_1 * o_.totals[0];
        const Eight other_size(scan_.leans.size + start);
        const Eight other_lean(scan_.leans.lean + start);
        const double own_size = scan_.leans.size[own_];
        const double own_lean = scan_.leans.lean[own_];
        const double needed = needed_ * (o_.totals[0] * o_.totals[1]);
        const auto may_save = [&](const Eight& s, const Eight& l) {
            const Eight product = s * (o_.total - s);
            return lanes_below(least_product_, product) & lanes_below(needed * product, l * l);
        };
        open[0] = may_save(o_.total - own_size - other_size + size, lean - own_lean - other_lean);
        open[1] = may_save(own_size - size, own_lean - lean);
        open[2] = may_save(other_size - size, other_lean - lean);
        open[3] = may_save(size, lean);
        open[4] = scan_.formulas.as_xor ? may_save(own_size + other_size - 2.0 * size,
                                                   own_lean + other_lean - 2.0 * lean)
                                        : 0U;
    }

    // chi2 / N is (N squares - size^2) / (size (N - size)), with the sum of n_j^2 / T_j as squares.
    void open_by_moments(std::size_t start, unsigned* open) const {
        Eight size = 0.0, squares = 0.0, with_own = 0.0, with_other = 0.0, own_with_other = 0.0;
        for (std::size_t j = 0; j < o_.n_classes; ++j) {
            const Eight both(scan_.both_of(j, start));
            const Eight other(scan_.singles + j * scan_.stride + start);
            const Eight scaled = both * scan_.screen->classes[j].inverse;
            size = size + both;
            squares = squares + both * scaled;
            with_own = with_own + scan_.own[j] * scaled;
            with_other = with_other + other * scaled;
            own_with_other =
                own_with_other + other * (scan_.own[j] * scan_.screen->classes[j].inverse);
        }
        const Eight other_size(scan_.moments.size + start);
        const Eight other_squares(scan_.moments.with_self + start);
        const double own_size = scan_.moments.size[own_];
        const double own_squares = scan_.moments.with_self[own_];
        const auto may_save = [&](const Eight& s, const Eight& of_squares) {
            const Eight product = s * (o_.total - s);
            return lanes_below(least_product_, product) &
                   lanes_below(needed_ * product, o_.total * of_squares - s * s + rounding_);
        };
        open[0] = may_save(
            o_.total - own_size - other_size + size,
            o_.total + own_squares + other_squares + squares -
                2.0 * (own_size + other_size - size - own_with_other + with_own + with_other));
        open[1] = may_save(own_size - size, own_squares - 2.0 * with_own + squares);
        open[2] = may_save(other_size - size, other_squares - 2.0 * with_other + squares);
        open[3] = may_save(size, squares);
        open[4] = scan_.formulas.as_xor
                      ? may_save(own_size + other_size - 2.0 * size,
                                 own_squares + other_squares + 2.0 * own_with_other -
                                     4.0 * (with_own + with_other - squares))
                      : 0U;
    }

    void set_limit(double limit) {
        constexpr double kSlack = 1e-9;
        limit_ = limit;
        const double saved = scan_.screen->unsplit - limit;
        needed_ = std::expm1(saved / o_.total) * (1 - kSlack);
        least_product_ = least_product(o_.total, saved);
        // Of sums over classes, and of a dozen of these that nearly cancel each other.
        rounding_ = static_cast<double>(o_.n_classes + 20) * 0x1p-50 * o_.total * o_.total;
    }

    const PairScan& scan_;
    const Objective& o_;
    const std::size_t own_;
    double limit_ = __builtin_nan("");
    double needed_ = 0;
    double least_product_ = 0;
    double rounding_ = 0;
};
