// False positives times the node's positives plus false negatives times its negatives, where "yes"
// stands for the class Objective::positive.
struct Error {
    static constexpr Criterion kCriterion = Criterion::error;
    static constexpr const char* kName = "error";
    static constexpr int kUnitPower = 2;
    static constexpr bool kIsExact = true;
    static constexpr bool kTwoClassesOnly = true;
    static constexpr bool kIsOriented = true;
    static constexpr bool kUsesXlogx = false;
    static constexpr bool kHasMoments = false;
    static constexpr bool kHasLeans = false;
    static constexpr bool kHasPackedPairs = false;
    static constexpr bool kIsScreened = false;
    static constexpr std::size_t kBoundWords = 0;
    static constexpr bool kDividesLast = false;

    // One rule.

    static double value(const Objective& o, const double* left) {
        const std::size_t p = o.positive;
        const std::size_t q = 1 - p;
        const double positives = o.totals[p] * o.class_weights[p];
        const double negatives = o.totals[q] * o.class_weights[q];
        return positives * (left[q] * o.class_weights[q]) +
               negatives * (positives - left[p] * o.class_weights[p]);
    }
    // All to one child, whichever that is.
    static double unsplit_value(const Objective& o) {
        return o.totals[0] * o.class_weights[0] * o.totals[1] * o.class_weights[1];
    }
    static double largest_value(const Objective& o) { return 2 * unsplit_value(o); }
    static double value_to_beat(const Objective& o) { return unsplit_value(o) * (1 - kRounding); }

    static WideInteger exact_value(const Objective& o, const double* left) {
        const std::size_t p = o.positive;
        const WideInteger false_negatives = whole(o.totals[p]) - whole(left[p]);
        return whole(o.totals[p]) * whole(left[1 - p]) + whole(o.totals[1 - p]) * false_negatives;
    }

    // Eight rules; l and r are the class-weighted cases of their children.

    template <class Eight>
    static Eight two_class_value(const Objective& o, const Eight& l0, const Eight& l1,
                                 const Eight& r0, const Eight& r1) {
        if (o.positive == 1) return (l1 + r1) * l0 + (l0 + r0) * r1;
        return (l0 + r0) * l1 + (l1 + r1) * r0;
    }

    // Bounds.

    template <class Eight>
    static Eight two_class_bound(const Objective& o, const Eight* low, const Eight* high) {
        return least_corner<Error>(o, low, high);
    }
};
