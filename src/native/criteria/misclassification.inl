// Cases that are not of their child's largest class, in both children.
struct Misclassification {
    static constexpr Criterion kCriterion = Criterion::misclassification;
    static constexpr const char* kName = "misclassification";
    static constexpr int kUnitPower = 1;
    static constexpr bool kIsExact = true;
    static constexpr bool kTwoClassesOnly = false;
    static constexpr bool kIsOriented = false;
    static constexpr bool kUsesXlogx = false;
    static constexpr bool kHasMoments = false;
    static constexpr bool kHasLeans = false;
    static constexpr bool kHasPackedPairs = false;
    static constexpr bool kIsScreened = false;
    static constexpr std::size_t kBoundWords = 0;
    static constexpr bool kDividesLast = false;

    // One rule.

    template <class Cases>
    static double child_value(std::size_t n_classes, const Cases& cases) {
        double size = 0;
        double largest = 0;
        for (std::size_t j = 0; j < n_classes; ++j) {
            const double n = cases(j);
            size += n;
            largest = std::max(largest, n);
        }
        return size - largest;
    }
    static double value(const Objective& o, const double* left) {
        return value_of_children<Misclassification>(o, left);
    }
    static double unsplit_value(const Objective& o) { return value_of_node<Misclassification>(o); }
    static double largest_value(const Objective& o) { return weighted_size(o); }
    static double value_to_beat(const Objective& o) { return unsplit_value(o) * (1 - kRounding); }

    template <class Cases>
    static WideInteger exact_child_value(std::size_t n_classes, const Cases& cases) {
        WideInteger size = 0;
        WideInteger largest = 0;
        for (std::size_t j = 0; j < n_classes; ++j) {
            const WideInteger n = cases(j);
            size += n;
            largest = std::max(largest, n);
        }
        return size - largest;
    }
    static WideInteger exact_value(const Objective& o, const double* left) {
        return exact_value_of_children<Misclassification>(o, left);
    }

    // Eight rules; l and r are the class-weighted cases of their children.

    template <class Eight>
    static Eight two_class_value(const Objective&, const Eight& l0, const Eight& l1,
                                 const Eight& r0, const Eight& r1) {
        return at_most(l0, l1) + at_most(r0, r1);
    }
    // One class after the other: what is summed up per child, and what the sums come to.
    template <class Eight>
    static Eight add_class(const Objective&, const Eight& sum, const Eight&, const Eight& own) {
        return at_least(sum, own);
    }
    template <class Eight>
    static Eight value_of_sums(const Objective&, const Eight& left_size, const Eight& left_sum,
                               const Eight& right_size, const Eight& right_sum) {
        return left_size - left_sum + right_size - right_sum;
    }

    // Bounds.

    template <class Eight>
    static Eight two_class_bound(const Objective& o, const Eight* low, const Eight* high) {
        return least_corner<Misclassification>(o, low, high);
    }
    // No child's largest class has more than the most that its side of the box allows.
    template <class Eight>
    static Eight many_class_bound(const Objective& o, const Eight* low, const Eight* high) {
        Eight most_left = 0.0;
        Eight most_right = 0.0;
        double size = 0;
        for (std::size_t j = 0; j < o.n_classes; ++j) {
            const double w = o.class_weights[j];
            size += o.totals[j] * w;
            most_left = at_least(most_left, high[j] * w);
            most_right = at_least(most_right, (o.totals[j] - low[j]) * w);
        }
        return at_least(0.0, size - most_left - most_right);
    }
};
