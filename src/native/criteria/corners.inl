// Lower bounds on a criterion over boxes of left counts, low <= left <= high, for eight boxes at
// once. Part of every.inl.

// Two classes: a criterion that is concave or bilinear has its least value at a corner.
template <class C, class Eight>
inline Eight least_corner(const Objective& o, const Eight* low, const Eight* high) {
    const double w0 = o.class_weights[0];
    const double w1 = o.class_weights[1];
    const Eight l0[2] = {low[0] * w0, high[0] * w0};
    const Eight l1[2] = {low[1] * w1, high[1] * w1};
    const Eight r0[2] = {(o.totals[0] - low[0]) * w0, (o.totals[0] - high[0]) * w0};
    const Eight r1[2] = {(o.totals[1] - low[1]) * w1, (o.totals[1] - high[1]) * w1};
    Eight least = __builtin_inf();
    for (unsigned a = 0; a < 2; ++a)
        for (unsigned b = 0; b < 2; ++b)
            least = at_most(least, C::two_class_value(o, l0[a], l1[b], r0[a], r1[b]));
    return least;
}

// Many classes: the criterion is a sum over classes of functions that are concave in (cases of
// the class, cases of all others), so the sum of their least corners is a bound.
// C::class_share is one class's share of one child, by its own cases and those of the others.
template <class C, class Eight>
inline Eight sum_of_least_corners(const Objective& o, const Eight* low, const Eight* high) {
    Eight low_size = 0.0;
    Eight high_size = 0.0;
    double size = 0;
    for (std::size_t j = 0; j < o.n_classes; ++j) {
        const double w = o.class_weights[j];
        size += o.totals[j] * w;
        low_size = low_size + low[j] * w;
        high_size = high_size + high[j] * w;
    }
    Eight bound = 0.0;
    for (std::size_t j = 0; j < o.n_classes; ++j) {
        const double w = o.class_weights[j];
        const double own_total = o.totals[j] * w;
        const double other_total = size - own_total;
        const Eight own[2] = {low[j] * w, high[j] * w};
        const Eight other[2] = {at_least(low_size - own[0], 0.0),
                                at_least(high_size - own[1], 0.0)};
        Eight least = __builtin_inf();
        for (unsigned a = 0; a < 2; ++a)
            for (unsigned b = 0; b < 2; ++b)
                least = at_most(least, C::class_share(o, own[a], other[b]) +
                                           C::class_share(o, at_least(own_total - own[a], 0.0),
                                                          at_least(other_total - other[b], 0.0)));
        bound = bound + least;
    }
    return bound;
}
