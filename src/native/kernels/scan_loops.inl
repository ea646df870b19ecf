// The scans, written once over eight lanes; each kernel file includes this inside its own target
// region and namespace, and the compiler turns the lane loops into vector code.
// No include guard: it is meant to be included once per kernel file.

using Lanes = double[kLanes];

inline double at_most(double a, double b) { return a < b ? a : b; }
inline double at_least(double a, double b) { return a > b ? a : b; }

inline double x_log_x(const Objective& o, double x) {
    if (o.xlogx != nullptr) return o.xlogx[static_cast<std::size_t>(x)];
    return x > 0 ? x * std::log(x) : 0.0;
}

// The criterion for eight rules at once. `left` and `right` hold class-weighted cases, class by
// class, eight lanes each.
template <Criterion C>
inline void two_class_values(const Objective& o, const double* left, const double* right,
                             double* value) {
    constexpr double kTiny = 1e-300;
    if constexpr (C == Criterion::gini_squared) {
        for (std::size_t k = 0; k < kLanes; ++k)
            value[k] = left[k] * left[kLanes + k] + right[k] * right[kLanes + k];
    } else if constexpr (C == Criterion::gini) {
        for (std::size_t k = 0; k < kLanes; ++k) {
            const double l = at_least(left[k] + left[kLanes + k], kTiny);
            const double r = at_least(right[k] + right[kLanes + k], kTiny);
            value[k] = 2 * (left[k] * left[kLanes + k] / l + right[k] * right[kLanes + k] / r);
        }
    } else if constexpr (C == Criterion::entropy) {
        for (std::size_t k = 0; k < kLanes; ++k)
            value[k] = x_log_x(o, left[k] + left[kLanes + k]) - x_log_x(o, left[k]) -
                       x_log_x(o, left[kLanes + k]) + x_log_x(o, right[k] + right[kLanes + k]) -
                       x_log_x(o, right[k]) - x_log_x(o, right[kLanes + k]);
    } else if constexpr (C == Criterion::misclassification) {
        for (std::size_t k = 0; k < kLanes; ++k)
            value[k] =
                at_most(left[k], left[kLanes + k]) + at_most(right[k], right[kLanes + k]);
    } else {
        const std::size_t p = o.positive * kLanes;
        const std::size_t q = (1 - o.positive) * kLanes;
        for (std::size_t k = 0; k < kLanes; ++k)
            value[k] = (left[p + k] + right[p + k]) * left[q + k] +
                       (left[q + k] + right[q + k]) * right[p + k];
    }
}

template <Criterion C>
inline void many_class_values(const Objective& o, const double* left, const double* right,
                              double* value) {
    constexpr double kTiny = 1e-300;
    Lanes left_size = {}, right_size = {}, left_sum = {}, right_sum = {};
    for (std::size_t j = 0; j < o.n_classes; ++j) {
        for (std::size_t k = 0; k < kLanes; ++k) {
            const double l = left[j * kLanes + k];
            const double r = right[j * kLanes + k];
            if constexpr (C == Criterion::gini_squared) {
                left_sum[k] += left_size[k] * l;
                right_sum[k] += right_size[k] * r;
            } else if constexpr (C == Criterion::gini) {
                left_sum[k] += l * l;
                right_sum[k] += r * r;
            } else if constexpr (C == Criterion::entropy) {
                left_sum[k] += x_log_x(o, l);
                right_sum[k] += x_log_x(o, r);
            } else {
                left_sum[k] = at_least(left_sum[k], l);
                right_sum[k] = at_least(right_sum[k], r);
            }
            left_size[k] += l;
            right_size[k] += r;
        }
    }
    for (std::size_t k = 0; k < kLanes; ++k) {
        if constexpr (C == Criterion::gini_squared) {
            value[k] = left_sum[k] + right_sum[k];
        } else if constexpr (C == Criterion::gini) {
            value[k] = left_size[k] - left_sum[k] / at_least(left_size[k], kTiny) + right_size[k] -
                       right_sum[k] / at_least(right_size[k], kTiny);
        } else if constexpr (C == Criterion::entropy) {
            value[k] = x_log_x(o, left_size[k]) - left_sum[k] + x_log_x(o, right_size[k]) -
                       right_sum[k];
        } else {
            value[k] = left_size[k] - left_sum[k] + right_size[k] - right_sum[k];
        }
    }
}

// A lower bound on the criterion over a box of left counts, low <= left <= high.
// Two classes: every criterion is concave or bilinear, so its least value is at a corner.
template <Criterion C>
inline void two_class_bounds(const Objective& o, const double* low, const double* high,
                             double* value) {
    for (std::size_t k = 0; k < kLanes; ++k) value[k] = __builtin_inf();
    for (unsigned corner = 0; corner < 4; ++corner) {
        const double* first = corner & 1U ? high : low;
        const double* second = corner & 2U ? high : low;
        double left[2 * kLanes], right[2 * kLanes];
        Lanes v;
        for (std::size_t k = 0; k < kLanes; ++k) {
            left[k] = first[k] * o.class_weights[0];
            left[kLanes + k] = second[kLanes + k] * o.class_weights[1];
            right[k] = (o.totals[0] - first[k]) * o.class_weights[0];
            right[kLanes + k] = (o.totals[1] - second[kLanes + k]) * o.class_weights[1];
        }
        two_class_values<C>(o, left, right, v);
        for (std::size_t k = 0; k < kLanes; ++k) value[k] = at_most(value[k], v[k]);
    }
}

// One class's share of the criterion in one child: `own` cases of the class, `other` of the rest.
template <Criterion C>
inline double class_share(const Objective& o, double own, double other) {
    constexpr double kTiny = 1e-300;
    if constexpr (C == Criterion::gini_squared) return own * other / 2;
    if constexpr (C == Criterion::gini) return own * other / at_least(own + other, kTiny);
    const double all = own + other;
    if (!(own > 0)) return 0.0;
    // Summed over the classes this is all ln all - sum of own ln own.
    return o.xlogx != nullptr ? own * (o.xlogx[static_cast<std::size_t>(all)] / all) -
                                    o.xlogx[static_cast<std::size_t>(own)]
                              : own * (std::log(all) - std::log(own));
}

// Many classes: the criterion is a sum over classes of functions that are concave in (cases of
// the class, cases of all others), so the sum of their least corners is a bound.
template <Criterion C>
inline void many_class_bounds(const Objective& o, const double* low, const double* high,
                              double* value) {
    Lanes low_size = {}, high_size = {}, most_left = {}, most_right = {};
    double size = 0;
    for (std::size_t j = 0; j < o.n_classes; ++j) {
        const double w = o.class_weights[j];
        size += o.totals[j] * w;
        for (std::size_t k = 0; k < kLanes; ++k) {
            low_size[k] += low[j * kLanes + k] * w;
            high_size[k] += high[j * kLanes + k] * w;
            most_left[k] = at_least(most_left[k], high[j * kLanes + k] * w);
            most_right[k] = at_least(most_right[k], (o.totals[j] - low[j * kLanes + k]) * w);
        }
    }
    if constexpr (C == Criterion::misclassification) {
        for (std::size_t k = 0; k < kLanes; ++k)
            value[k] = at_least(0.0, size - most_left[k] - most_right[k]);
        return;
    }
    for (std::size_t k = 0; k < kLanes; ++k) value[k] = 0;
    for (std::size_t j = 0; j < o.n_classes; ++j) {
        const double w = o.class_weights[j];
        const double own_total = o.totals[j] * w;
        const double other_total = size - own_total;
        for (std::size_t k = 0; k < kLanes; ++k) {
            const double own[2] = {low[j * kLanes + k] * w, high[j * kLanes + k] * w};
            const double other[2] = {low_size[k] - own[0], high_size[k] - own[1]};
            double least = __builtin_inf();
            for (unsigned corner = 0; corner < 4; ++corner) {
                const double l = own[corner & 1U];
                const double s = at_least(other[corner >> 1U], 0.0);
                const double right_own = at_least(own_total - l, 0.0);
                const double right_other = at_least(other_total - s, 0.0);
                const double share =
                    class_share<C>(o, l, s) + class_share<C>(o, right_own, right_other);
                least = at_most(least, share);
            }
            value[k] += least;
        }
    }
}

// Room for eight lanes of every class without touching the heap in the common case.
class LaneBuffer {
public:
    explicit LaneBuffer(std::size_t n_classes) {
        if (n_classes > kInside) outside_ = new double[n_classes * kLanes];
    }
    ~LaneBuffer() { delete[] outside_; }
    LaneBuffer(const LaneBuffer&) = delete;
    LaneBuffer& operator=(const LaneBuffer&) = delete;
    double* data() { return outside_ != nullptr ? outside_ : inside_; }

private:
    static constexpr std::size_t kInside = 16;
    alignas(64) double inside_[kInside * kLanes];
    double* outside_ = nullptr;
};

// Values and bounds of eight rules, with limits applied. One scorer per scan.
template <Criterion C, bool TwoClasses>
class Scorer {
public:
    explicit Scorer(const Objective& o)
        : o_(o), n_classes_(TwoClasses ? 2 : o.n_classes), left_(o.n_classes), right_(o.n_classes) {}

    std::size_t n_classes() const { return n_classes_; }

    // `covered`: cases the eight rules send to "yes". Infeasible rules get infinity.
    void values(const double* covered, double* value) {
        Lanes size = {};
        double* left = left_.data();
        double* right = right_.data();
        for (std::size_t j = 0; j < n_classes_; ++j) {
            const double w = o_.class_weights[j];
            const double total = o_.totals[j];
            for (std::size_t k = 0; k < kLanes; ++k) {
                const double n = covered[j * kLanes + k];
                size[k] += n;
                left[j * kLanes + k] = n * w;
                right[j * kLanes + k] = (total - n) * w;
            }
        }
        if constexpr (TwoClasses)
            two_class_values<C>(o_, left, right, value);
        else
            many_class_values<C>(o_, left, right, value);
        const double most = o_.total - o_.min_leaf;
        for (std::size_t k = 0; k < kLanes; ++k)
            value[k] = (size[k] >= o_.min_leaf) & (size[k] <= most) ? value[k] : __builtin_inf();
    }

    // Bounds over boxes of covered cases. A box whose "no" side is too small already, or whose
    // "yes" side cannot become large enough, is closed.
    void bounds(const double* low, const double* high, bool both_ways, double* value) {
        if constexpr (TwoClasses)
            two_class_bounds<C>(o_, low, high, value);
        else
            many_class_bounds<C>(o_, low, high, value);
        if (both_ways) mirror_bounds(low, high, value);
        Lanes least = {}, most = {};
        for (std::size_t j = 0; j < n_classes_; ++j)
            for (std::size_t k = 0; k < kLanes; ++k) {
                least[k] += low[j * kLanes + k];
                most[k] += high[j * kLanes + k];
            }
        const double limit = o_.total - o_.min_leaf;
        for (std::size_t k = 0; k < kLanes; ++k)
            value[k] = (least[k] <= limit) & (most[k] >= o_.min_leaf) ? value[k] : __builtin_inf();
    }

private:
    // The `error` criterion depends on which child is called "yes".
    void mirror_bounds(const double* low, const double* high, double* value) {
        if constexpr (TwoClasses && C == Criterion::error) {
            double mirrored_low[2 * kLanes], mirrored_high[2 * kLanes];
            Lanes v;
            for (std::size_t j = 0; j < 2; ++j)
                for (std::size_t k = 0; k < kLanes; ++k) {
                    mirrored_low[j * kLanes + k] = o_.totals[j] - high[j * kLanes + k];
                    mirrored_high[j * kLanes + k] = o_.totals[j] - low[j * kLanes + k];
                }
            two_class_bounds<C>(o_, mirrored_low, mirrored_high, v);
            for (std::size_t k = 0; k < kLanes; ++k) value[k] = at_most(value[k], v[k]);
        } else {
            (void)low, (void)high, (void)value;
        }
    }

    const Objective& o_;
    const std::size_t n_classes_;
    LaneBuffer left_, right_;
};

// Writes the lanes of one block whose value is below the limit, lowering the limit as it goes.
class HitWriter {
public:
    HitWriter(Hit* hits, double limit, double grain) : hits_(hits), limit_(limit), grain_(grain) {}

    std::size_t n_hits() const { return n_hits_; }

    void write(const double* value, std::size_t block_start, std::size_t first, std::size_t end,
               Hit kind) {
        bool any = false;
        for (std::size_t k = 0; k < kLanes; ++k) any |= value[k] < limit_;
        if (!any) return;
        for (std::size_t k = 0; k < kLanes; ++k) {
            const std::size_t question = block_start + k;
            if (question < first || question >= end || !(value[k] < limit_)) continue;
            kind.question = static_cast<std::uint32_t>(question);
            kind.value = value[k];
            hits_[n_hits_++] = kind;
            limit_ = at_most(limit_, value[k] + grain_);
        }
    }

private:
    Hit* hits_;
    std::size_t n_hits_ = 0;
    double limit_;
    double grain_;
};

// Scores `covered`, and its mirror image where that differs, and writes the hits.
template <class S>
inline void score_both_ways(S& scorer, const Objective& o, const Formulas& formulas, bool mirrors,
                            double* covered, std::size_t block_start, std::size_t first,
                            std::size_t end, Hit kind, HitWriter& writer) {
    Lanes value;
    if (formulas.as_or || !mirrors || kind.is_xor) {
        scorer.values(covered, value);
        writer.write(value, block_start, first, end, kind);
    }
    if (!mirrors || !formulas.as_and || kind.is_xor) return;
    for (std::size_t j = 0; j < scorer.n_classes(); ++j)
        for (std::size_t k = 0; k < kLanes; ++k)
            covered[j * kLanes + k] = o.totals[j] - covered[j * kLanes + k];
    scorer.values(covered, value);
    kind.swapped = true;
    writer.write(value, block_start, first, end, kind);
}

// Cases covered by the OR of two literals, or by the XOR of two questions, for eight partners.
enum class PairForm { plain, own_negated, other_negated, both_negated, exclusive };

template <class S>
inline void cover_pairs(const PairScan& scan, const S& scorer, PairForm form, std::size_t start,
                        double* covered) {
    for (std::size_t j = 0; j < scorer.n_classes(); ++j) {
        const double own = scan.own[j];
        const double total = scan.objective->totals[j];
        const double* other = scan.singles + j * scan.stride + start;
        const double* both = scan.both + j * scan.both_stride + start;
        double* out = covered + j * kLanes;
        switch (form) {
            case PairForm::plain:
                for (std::size_t k = 0; k < kLanes; ++k) out[k] = own + other[k] - both[k];
                break;
            case PairForm::own_negated:
                for (std::size_t k = 0; k < kLanes; ++k) out[k] = total - own + both[k];
                break;
            case PairForm::other_negated:
                for (std::size_t k = 0; k < kLanes; ++k) out[k] = total - other[k] + both[k];
                break;
            case PairForm::both_negated:
                for (std::size_t k = 0; k < kLanes; ++k) out[k] = total - both[k];
                break;
            case PairForm::exclusive:
                for (std::size_t k = 0; k < kLanes; ++k) out[k] = own + other[k] - 2 * both[k];
                break;
        }
    }
}

template <Criterion C, bool TwoClasses>
std::size_t scan_pairs_of(const PairScan& scan, Hit* hits) {
    const Objective& o = *scan.objective;
    const Formulas& f = scan.formulas;
    Scorer<C, TwoClasses> scorer(o);
    LaneBuffer covered(o.n_classes);
    HitWriter writer(hits, scan.limit, scan.grain);
    const bool mirrors = o.is_oriented();
    constexpr PairForm kSigned[] = {PairForm::plain, PairForm::own_negated, PairForm::other_negated,
                                    PairForm::both_negated};
    const std::size_t n_signed = f.as_or || f.as_and ? (f.has_negation ? 4 : 1) : 0;
    for (std::size_t start = scan.first / kLanes * kLanes; start < scan.n_questions;
         start += kLanes) {
        for (std::size_t i = 0; i < n_signed; ++i) {
            cover_pairs(scan, scorer, kSigned[i], start, covered.data());
            Hit kind;
            kind.first_negated = i == 1 || i == 3;
            kind.negated = i == 2 || i == 3;
            score_both_ways(scorer, o, f, mirrors, covered.data(), start, scan.first,
                            scan.n_questions, kind, writer);
        }
        if (f.as_xor) {
            cover_pairs(scan, scorer, PairForm::exclusive, start, covered.data());
            Hit kind;
            kind.is_xor = true;
            score_both_ways(scorer, o, f, mirrors, covered.data(), start, scan.first,
                            scan.n_questions, kind, writer);
        }
    }
    return writer.n_hits();
}

template <Criterion C, bool TwoClasses>
std::size_t scan_extensions_of(const ExtendScan& scan, Hit* hits, Opening* openings,
                               std::size_t* n_openings) {
    const Objective& o = *scan.objective;
    const Formulas& f = scan.formulas;
    Scorer<C, TwoClasses> scorer(o);
    LaneBuffer covered(o.n_classes), highest(o.n_classes);
    HitWriter writer(hits, scan.limit, scan.grain);
    const bool mirrors = o.is_oriented();
    const double n_more = static_cast<double>(scan.n_more);
    *n_openings = 0;
    for (std::size_t start = scan.first / kLanes * kLanes; start < scan.n_questions;
         start += kLanes) {
        for (const bool negated : {false, true}) {
            if (negated && !f.has_negation) break;
            for (std::size_t j = 0; j < scorer.n_classes(); ++j) {
                const double* gain = scan.gain + j * scan.stride + start - scan.block_origin;
                const double base = scan.base[j];
                const double total = o.totals[j];
                double* out = covered.data() + j * kLanes;
                for (std::size_t k = 0; k < kLanes; ++k)
                    out[k] = negated ? total - gain[k] : base + gain[k];
            }
            if (scan.n_more > 0) {
                const double* single = negated ? scan.most_negated : scan.most_single;
                for (std::size_t j = 0; j < scorer.n_classes(); ++j) {
                    const double* after = scan.most_after + j * scan.stride + start;
                    const double* alone = single + j * scan.stride + start;
                    const double* low = covered.data() + j * kLanes;
                    double* high = highest.data() + j * kLanes;
                    const double total = o.totals[j];
                    for (std::size_t k = 0; k < kLanes; ++k)
                        high[k] = at_most(total, low[k] + n_more * at_most(after[k], alone[k]));
                }
                Lanes bound;
                scorer.bounds(covered.data(), highest.data(), mirrors && f.as_and, bound);
                for (std::size_t k = 0; k < kLanes; ++k) {
                    const std::size_t question = start + k;
                    if (!(bound[k] < scan.open_limit)) continue;
                    if (question < scan.first || question >= scan.n_questions) continue;
                    openings[(*n_openings)++] = {static_cast<std::uint32_t>(question), negated};
                }
            }
            if (scan.report_hits) {
                Hit kind;
                kind.negated = negated;
                score_both_ways(scorer, o, f, mirrors, covered.data(), start, scan.first,
                                scan.n_questions, kind, writer);
            }
        }
    }
    return writer.n_hits();
}

template <Criterion C, bool TwoClasses>
std::size_t scan_last_of(const LastScan& scan, std::uint32_t* blocks) {
    const Objective& o = *scan.objective;
    Scorer<C, TwoClasses> scorer(o);
    LaneBuffer low(o.n_classes), high(o.n_classes);
    const bool both_ways = o.is_oriented() && scan.formulas.as_and;
    std::size_t n_blocks = 0;
    for (std::size_t start = scan.first / kLanes * kLanes; start < scan.n_questions;
         start += kLanes) {
        bool is_open = false;
        for (const bool negated : {false, true}) {
            if (negated && !scan.formulas.has_negation) break;
            for (std::size_t j = 0; j < scorer.n_classes(); ++j) {
                const double* gain = scan.gain + j * scan.stride + start;
                const double* single = scan.singles + j * scan.stride + start;
                const double* both = scan.both + j * scan.both_stride + start;
                const double base = scan.base[j];
                const double rest = scan.rest[j];
                const double total = o.totals[j];
                // What the literal adds to the rule without `last`, and to `last` alone. The gain
                // over both is at most either, and at least their sum less the literal's size.
                const double outside_last =
                    scan.last_negated ? scan.last_total[j] : total - scan.last_total[j];
                for (std::size_t k = 0; k < kLanes; ++k) {
                    const double plain_last = scan.last_negated ? both[k] : single[k] - both[k];
                    const double to_rule = negated ? rest - gain[k] : gain[k];
                    const double to_last = negated ? outside_last - plain_last : plain_last;
                    const double size = negated ? total - single[k] : single[k];
                    low.data()[j * kLanes + k] = base + at_least(0.0, to_rule + to_last - size);
                    high.data()[j * kLanes + k] = base + at_most(to_rule, to_last);
                }
            }
            Lanes bound;
            scorer.bounds(low.data(), high.data(), both_ways, bound);
            for (std::size_t k = 0; k < kLanes; ++k)
                is_open |= (bound[k] < scan.open_limit) & (start + k >= scan.first) &
                           (start + k < scan.n_questions);
        }
        if (is_open) blocks[n_blocks++] = static_cast<std::uint32_t>(start);
    }
    return n_blocks;
}

// Picks the compiled variant for a criterion and a number of classes.
#define BSNSING_DISPATCH(function, objective, ...)                                                  \
    do {                                                                                            \
        const bool two = (objective).n_classes == 2;                                                \
        switch ((objective).criterion) {                                                            \
            case Criterion::gini_squared:                                                           \
                return two ? function<Criterion::gini_squared, true>(__VA_ARGS__)                   \
                           : function<Criterion::gini_squared, false>(__VA_ARGS__);                 \
            case Criterion::gini:                                                                   \
                return two ? function<Criterion::gini, true>(__VA_ARGS__)                           \
                           : function<Criterion::gini, false>(__VA_ARGS__);                         \
            case Criterion::entropy:                                                                \
                return two ? function<Criterion::entropy, true>(__VA_ARGS__)                        \
                           : function<Criterion::entropy, false>(__VA_ARGS__);                      \
            case Criterion::misclassification:                                                      \
                return two ? function<Criterion::misclassification, true>(__VA_ARGS__)              \
                           : function<Criterion::misclassification, false>(__VA_ARGS__);            \
            default: return function<Criterion::error, true>(__VA_ARGS__);                          \
        }                                                                                           \
    } while (false)

std::size_t scan_pairs(const PairScan& scan, Hit* hits) noexcept {
    BSNSING_DISPATCH(scan_pairs_of, *scan.objective, scan, hits);
}

std::size_t scan_extensions(const ExtendScan& scan, Hit* hits, Opening* openings,
                            std::size_t* n_openings) noexcept {
    BSNSING_DISPATCH(scan_extensions_of, *scan.objective, scan, hits, openings, n_openings);
}

std::size_t scan_last(const LastScan& scan, std::uint32_t* blocks) noexcept {
    BSNSING_DISPATCH(scan_last_of, *scan.objective, scan, blocks);
}

#undef BSNSING_DISPATCH
