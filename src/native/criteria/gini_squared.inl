// Pairs of cases of different classes that stay together, in both children: the Gini impurity times
// half the square of the child's size.
struct GiniSquared {
    static constexpr Criterion kCriterion = Criterion::gini_squared;
    static constexpr const char* kName = "gini_squared";
    static constexpr int kUnitPower = 2;
    static constexpr bool kIsExact = true;
    static constexpr bool kTwoClassesOnly = false;
    static constexpr bool kIsOriented = false;
    static constexpr bool kUsesXlogx = false;
    static constexpr bool kHasMoments = true;
    static constexpr bool kHasLeans = false;
    static constexpr bool kHasPackedPairs = false;
    static constexpr bool kIsScreened = false;
    static constexpr std::size_t kBoundWords = 1;
    static constexpr bool kDividesLast = false;

    // One rule.

    template <class Cases>
    static double child_value(std::size_t n_classes, const Cases& cases) {
        double size = 0;
        double squares = 0;
        for (std::size_t j = 0; j < n_classes; ++j) {
            const double n = cases(j);
            size += n;
            squares += n * n;
        }
        return (size * size - squares) / 2;
    }
    static double value(const Objective& o, const double* left) {
        return value_of_children<GiniSquared>(o, left);
    }
    static double unsplit_value(const Objective& o) { return value_of_node<GiniSquared>(o); }
    static double largest_value(const Objective& o) {
        const double size = weighted_size(o);
        return size * size / 2;
    }
    // Squared sizes make even a random split in halves better than none: this is its value.
    static double value_to_beat(const Objective& o) { return unsplit_value(o) / 2; }

    template <class Cases>
    static WideInteger exact_child_value(std::size_t n_classes, const Cases& cases) {
        WideInteger size = 0;
        WideInteger pairs = 0;
        for (std::size_t j = 0; j < n_classes; ++j) {
            const WideInteger n = cases(j);
            pairs += size * n;
            size += n;
        }
        return pairs;
    }
    static WideInteger exact_value(const Objective& o, const double* left) {
        return exact_value_of_children<GiniSquared>(o, left);
    }

    // Eight rules; l and r are the class-weighted cases of their children.

    template <class Eight>
    static Eight two_class_value(const Objective&, const Eight& l0, const Eight& l1,
                                 const Eight& r0, const Eight& r1) {
        return l0 * l1 + r0 * r1;
    }
    // One class after the other: what is summed up per child, and what the sums come to.
    template <class Eight>
    static Eight add_class(const Objective&, const Eight& sum, const Eight& size,
                           const Eight& own) {
        return sum + size * own;
    }
    template <class Eight>
    static Eight value_of_sums(const Objective&, const Eight&, const Eight& left_sum, const Eight&,
                               const Eight& right_sum) {
        return left_sum + right_sum;
    }
    template <class Moments>
    static auto moment_value(const Moments& part, double size, double square) {
        const auto rest_size = size - part.size;
        const auto rest_square = square - 2.0 * part.with_totals + part.with_self;
        return 0.5 * (part.size * part.size - part.with_self + rest_size * rest_size - rest_square);
    }

    // Bounds.

    template <class Eight>
    static Eight two_class_bound(const Objective& o, const Eight* low, const Eight* high) {
        return least_corner<GiniSquared>(o, low, high);
    }
    template <class Eight>
    static Eight class_share(const Objective&, const Eight& own, const Eight& other) {
        return own * other * 0.5;
    }
    template <class Eight>
    static Eight many_class_bound(const Objective& o, const Eight* low, const Eight* high) {
        return sum_of_least_corners<GiniSquared>(o, low, high);
    }
};
