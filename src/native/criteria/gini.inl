// The Gini impurity of both children, each times its size.
struct Gini {
    static constexpr Criterion kCriterion = Criterion::gini;
    static constexpr const char* kName = "gini";
    static constexpr int kUnitPower = 1;
    static constexpr bool kIsExact = false;
    static constexpr bool kTwoClassesOnly = false;
    static constexpr bool kIsOriented = false;
    static constexpr bool kUsesXlogx = false;
    static constexpr bool kHasMoments = true;
    static constexpr bool kHasLeans = true;
    static constexpr bool kHasPackedPairs = true;
    static constexpr bool kIsScreened = false;
    static constexpr std::size_t kBoundWords = 8;
    // Division is what this criterion spends its time on, so all is compared multiplied by the
    // sizes of both children, and divided only where a rule is below the limit.
    static constexpr bool kDividesLast = true;

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
        return size > 0 ? std::max(0.0, size - squares / size) : 0.0;  // weights may round
    }
    static double value(const Objective& o, const double* left) {
        return value_of_children<Gini>(o, left);
    }
    static double unsplit_value(const Objective& o) { return value_of_node<Gini>(o); }
    static double largest_value(const Objective& o) { return weighted_size(o); }
    static double value_to_beat(const Objective& o) { return unsplit_value(o) * (1 - kRounding); }

    // Eight rules; l and r are the class-weighted cases of their children.

    template <class Eight>
    static Eight two_class_value(const Objective&, const Eight& l0, const Eight& l1,
                                 const Eight& r0, const Eight& r1) {
        return 2.0 * (l0 * l1 / at_least(l0 + l1, kTiny) + r0 * r1 / at_least(r0 + r1, kTiny));
    }
    // The value is scaled / scale.
    template <class Eight>
    static void two_class_ratio(const Eight& l0, const Eight& l1, const Eight& r0, const Eight& r1,
                                Eight& scaled, Eight& scale) {
        const Eight left = l0 + l1;
        const Eight right = r0 + r1;
        scaled = 2.0 * (l0 * l1 * right + r0 * r1 * left);
        scale = left * right;
    }
    // One class after the other: what is summed up per child, and what the sums come to.
    template <class Eight>
    static Eight add_class(const Objective&, const Eight& sum, const Eight&, const Eight& own) {
        return sum + own * own;
    }
    template <class Eight>
    static Eight value_of_sums(const Objective&, const Eight& left_size, const Eight& left_sum,
                               const Eight& right_size, const Eight& right_sum) {
        return left_size - left_sum / at_least(left_size, kTiny) + right_size -
               right_sum / at_least(right_size, kTiny);
    }
    template <class Moments>
    static auto moment_value(const Moments& part, double size, double square) {
        const auto rest_size = size - part.size;
        const auto rest_square = square - 2.0 * part.with_totals + part.with_self;
        return size - part.with_self / at_least(part.size, kTiny) -
               rest_square / at_least(rest_size, kTiny);
    }
    // The lanes whose moment_value is below the limit, but for rounding.
    template <class Moments>
    static unsigned moments_below(const Moments& part, double size, double square, double limit) {
        const auto rest_size = size - part.size;
        const auto rest_square = square - 2.0 * part.with_totals + part.with_self;
        return lanes_below((size - limit) * part.size * rest_size,
                           part.with_self * rest_size + rest_square * part.size);
    }

    // Bounds.

    template <class Eight>
    static Eight two_class_bound(const Objective& o, const Eight* low, const Eight* high) {
        return least_corner<Gini>(o, low, high);
    }
    template <class Eight>
    static Eight class_share(const Objective&, const Eight& own, const Eight& other) {
        const Eight all = at_least(own + other, kTiny);
        return own * other / all;
    }
    template <class Eight>
    static Eight many_class_bound(const Objective& o, const Eight* low, const Eight* high) {
        return sum_of_least_corners<Gini>(o, low, high);
    }
};
