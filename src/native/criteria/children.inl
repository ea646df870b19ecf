// What criteria have in common that add up both children of one rule, each by the cases of its
// classes. Part of every.inl.

// C::child_value(n_classes, cases) is the value of a child with cases(j) cases of class j.
template <class C>
double value_of_children(const Objective& o, const double* left) {
    const auto in_left = [&](std::size_t j) { return left[j] * o.class_weights[j]; };
    const auto in_right = [&](std::size_t j) {
        return (o.totals[j] - left[j]) * o.class_weights[j];
    };
    return C::child_value(o.n_classes, in_left) + C::child_value(o.n_classes, in_right);
}

// The node itself as the only child.
template <class C>
double value_of_node(const Objective& o) {
    return C::child_value(o.n_classes,
                          [&](std::size_t j) { return o.totals[j] * o.class_weights[j]; });
}

// Cases as a whole number. They are below 2^53, and 64 bits are quicker to come by than 128.
inline WideInteger whole(double cases) {
    return static_cast<std::int64_t>(cases);
}

// The same in whole numbers, which cannot overflow: C::exact_child_value.
template <class C>
WideInteger exact_value_of_children(const Objective& o, const double* left) {
    const auto in_left = [&](std::size_t j) { return whole(left[j]); };
    const auto in_right = [&](std::size_t j) { return whole(o.totals[j] - left[j]); };
    return C::exact_child_value(o.n_classes, in_left) + C::exact_child_value(o.n_classes, in_right);
}

// The node's cases, times the weights of their classes.
inline double weighted_size(const Objective& o) {
    double size = 0;
    for (std::size_t j = 0; j < o.n_classes; ++j) size += o.totals[j] * o.class_weights[j];
    return size;
}
