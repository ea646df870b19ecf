// The entropy of both children, each times its size: size ln size - sum of n ln n over classes.
struct Entropy {
    static constexpr Criterion kCriterion = Criterion::entropy;
    static constexpr const char* kName = "entropy";
    static constexpr int kUnitPower = 1;
    static constexpr bool kIsExact = false;
    static constexpr bool kTwoClassesOnly = false;
    static constexpr bool kIsOriented = false;
    static constexpr bool kUsesXlogx = true;
    static constexpr bool kHasMoments = true;
    static constexpr bool kHasLeans = true;
    static constexpr bool kHasPackedPairs = false;
    static constexpr bool kIsScreened = true;
    static constexpr std::size_t kBoundWords = 24;
    static constexpr bool kDividesLast = false;

    // One rule.

    static double times_log(double x) { return x > 0 ? x * std::log(x) : 0.0; }

    template <class Cases>
    static double child_value(std::size_t n_classes, const Cases& cases) {
        double size = 0;
        double sum = 0;
        for (std::size_t j = 0; j < n_classes; ++j) {
            const double n = cases(j);
            size += n;
            sum += times_log(n);
        }
        return times_log(size) - sum;
    }
    static double value(const Objective& o, const double* left) {
        return value_of_children<Entropy>(o, left);
    }
    static double unsplit_value(const Objective& o) { return value_of_node<Entropy>(o); }
    static double largest_value(const Objective& o) {
        return weighted_size(o) *
               std::log(static_cast<double>(std::max<std::size_t>(o.n_classes, 2)));
    }
    static double value_to_beat(const Objective& o) { return unsplit_value(o) * (1 - kRounding); }

    // Eight rules; l and r are the class-weighted cases of their children.

    template <class Eight>
    static Eight two_class_value(const Objective& o, const Eight& l0, const Eight& l1,
                                 const Eight& r0, const Eight& r1) {
        return x_log_x(o, l0 + l1) - x_log_x(o, l0) - x_log_x(o, l1) + x_log_x(o, r0 + r1) -
               x_log_x(o, r0) - x_log_x(o, r1);
    }
    // One class after the other: what is summed up per child, and what the sums come to.
    template <class Eight>
    static Eight add_class(const Objective& o, const Eight& sum, const Eight&, const Eight& own) {
        return sum + x_log_x(o, own);
    }
    template <class Eight>
    static Eight value_of_sums(const Objective& o, const Eight& left_size, const Eight& left_sum,
                               const Eight& right_size, const Eight& right_sum) {
        return x_log_x(o, left_size) - left_sum + x_log_x(o, right_size) - right_sum;
    }

    // Bounds.

    template <class Eight>
    static Eight two_class_bound(const Objective& o, const Eight* low, const Eight* high) {
        return least_corner<Entropy>(o, low, high);
    }
    // Summed over the classes this is all ln all - sum of own ln own.
    template <class Eight>
    static Eight class_share(const Objective& o, const Eight& own, const Eight& other) {
        const Eight all = at_least(own + other, kTiny);
        return own * (x_log_x(o, own + other) / all) - x_log_x(o, own);
    }
    template <class Eight>
    static Eight many_class_bound(const Objective& o, const Eight* low, const Eight* high) {
        return sum_of_least_corners<Entropy>(o, low, high);
    }
};
