// The scans, written once over eight lanes; each kernel file includes this inside its own target
// region and namespace, after `Part` and the few operations on it that have no operator:
// load_part, store_part, all_of, at_most, at_least, below (bit k: lane k of a is below b's) and
// look_up (entries of a table at whole numbers).
// No include guard: it is meant to be included once per kernel file.

// NOLINTNEXTLINE(bugprone-sizeof-expression): the plain loops have parts of one lane
constexpr std::size_t kPartLanes = sizeof(Part) / sizeof(double);
constexpr std::size_t kParts = kLanes / kPartLanes;

// One number for each of the eight questions of a block. Left to itself, the compiler turns loops
// over eight lanes into scalar code more often than not.
struct Eight {
    Part part[kParts];

    Eight() = default;
    Eight(double x) {
        for (std::size_t i = 0; i < kParts; ++i) part[i] = all_of(x);
    }
    explicit Eight(const double* p) {
        for (std::size_t i = 0; i < kParts; ++i) part[i] = load_part(p + i * kPartLanes);
    }
    void store(double* p) const {
        for (std::size_t i = 0; i < kParts; ++i) store_part(p + i * kPartLanes, part[i]);
    }
};

inline Eight operator+(const Eight& a, const Eight& b) {
    Eight out;
    for (std::size_t i = 0; i < kParts; ++i) out.part[i] = a.part[i] + b.part[i];
    return out;
}
inline Eight operator-(const Eight& a, const Eight& b) {
    Eight out;
    for (std::size_t i = 0; i < kParts; ++i) out.part[i] = a.part[i] - b.part[i];
    return out;
}
inline Eight operator*(const Eight& a, const Eight& b) {
    Eight out;
    for (std::size_t i = 0; i < kParts; ++i) out.part[i] = a.part[i] * b.part[i];
    return out;
}
inline Eight operator/(const Eight& a, const Eight& b) {
    Eight out;
    for (std::size_t i = 0; i < kParts; ++i) out.part[i] = a.part[i] / b.part[i];
    return out;
}
inline Eight at_most(const Eight& a, const Eight& b) {
    Eight out;
    for (std::size_t i = 0; i < kParts; ++i) out.part[i] = at_most(a.part[i], b.part[i]);
    return out;
}
inline Eight at_least(const Eight& a, const Eight& b) {
    Eight out;
    for (std::size_t i = 0; i < kParts; ++i) out.part[i] = at_least(a.part[i], b.part[i]);
    return out;
}

// Bit k is set where lane k of `a` is below that of `b`.
inline unsigned lanes_below(const Eight& a, const Eight& b) {
    unsigned lanes = 0;
    for (std::size_t i = 0; i < kParts; ++i)
        lanes |= below(a.part[i], b.part[i]) << (i * kPartLanes);
    return lanes;
}

constexpr unsigned kAllLanes = (1U << kLanes) - 1;

// The lanes of the block at `start` whose questions lie in [first, end).
inline unsigned lanes_within(std::size_t start, std::size_t first, std::size_t end) {
    unsigned lanes = kAllLanes;
    if (first > start) lanes &= lanes << (first - start);
    if (end < start + kLanes) lanes &= (1U << (end - start)) - 1;
    return lanes;
}

inline double x_log_x(const Objective& o, double x) {
    if (o.xlogx != nullptr) return o.xlogx[static_cast<std::size_t>(x)];
    return x > 0 ? x * std::log(x) : 0.0;
}

inline Eight look_up(const double* table, const Eight& places) {
    Eight out;
    for (std::size_t i = 0; i < kParts; ++i) out.part[i] = look_up(table, places.part[i]);
    return out;
}

inline Eight x_log_x(const Objective& o, const Eight& x) {
    if (o.xlogx != nullptr) return look_up(o.xlogx, x);
    alignas(64) double lanes[kLanes];
    x.store(lanes);
    for (double& lane : lanes) lane = x_log_x(o, lane);
    return Eight(lanes);
}

#include "criteria/every.inl"

// Eight lanes of every class: on the stack, or the array number `place` of the scan's memory.
template <bool TwoClasses>
class PerClass {
  public:
    PerClass(std::size_t n_classes, void* memory, std::size_t place) {
        if (n_classes > kInside) outside_ = static_cast<Eight*>(memory) + place * n_classes;
    }
    PerClass(const PerClass&) = delete;
    PerClass& operator=(const PerClass&) = delete;
    Eight* data() { return outside_ != nullptr ? outside_ : inside_; }
    Eight& operator[](std::size_t class_index) { return data()[class_index]; }

  private:
    static constexpr std::size_t kInside = ScanMemory::kMostClassesOnStack;
    Eight inside_[kInside];
    Eight* outside_ = nullptr;
};

template <>
class PerClass<true> {
  public:
    PerClass(std::size_t, void*, std::size_t) {}
    Eight* data() { return inside_; }
    Eight& operator[](std::size_t class_index) { return inside_[class_index]; }

  private:
    Eight inside_[2];
};

static_assert(sizeof(Eight) == kLanes * sizeof(double), "ScanMemory is measured in it");

#include "kernels/entropy_screen.inl"

// For criteria without one.
struct NoScreen {
    NoScreen(const Objective&, const Screen*) {}
};
struct NoPairScreen {
    explicit NoPairScreen(const PairScan&) {}
    bool is_usable() const { return false; }
    void open_forms(std::size_t, double, unsigned*) {}
};

// Values and bounds of eight rules by criterion C, with limits applied. One scorer per scan.
template <class C, bool TwoClasses>
class Scorer {
  public:
    // Takes the first two arrays of the scan's memory. `screen` is the pool's, or null.
    Scorer(const Objective& o, void* memory, const Screen* screen)
        : left_(o.n_classes, memory, 0),
          right_(o.n_classes, memory, 1),
          o_(o),
          n_classes_(TwoClasses ? 2 : o.n_classes),
          screen_(o, screen),
          has_screen_(screen != nullptr) {}

    std::size_t n_classes() const { return n_classes_; }

    // `covered`: cases the eight rules send to "yes". Returns the lanes of the feasible rules
    // whose value is below `limit`.
    unsigned values(const Eight* covered, double limit, Eight& value) {
        Eight size = 0.0;
        for (std::size_t j = 0; j < n_classes_; ++j) {
            size = size + covered[j];
            left_[j] = covered[j] * o_.class_weights[j];
        }
        if constexpr (C::kIsScreened)
            if (has_screen_ && screen_.open_lanes(left_.data(), limit) == 0) return 0;
        for (std::size_t j = 0; j < n_classes_; ++j)
            right_[j] = (o_.totals[j] - covered[j]) * o_.class_weights[j];
        unsigned lanes = 0;
        if constexpr (TwoClasses && C::kDividesLast) {
            Eight scaled;
            Eight scale;
            C::two_class_ratio(left_[0], left_[1], right_[0], right_[1], scaled, scale);
            lanes = lanes_below(scaled, limit * scale);
            if (lanes != 0) value = scaled / scale;
        } else {
            if constexpr (TwoClasses)
                value = C::two_class_value(o_, left_[0], left_[1], right_[0], right_[1]);
            else
                value = many_class_value();
            lanes = lanes_below(value, limit);
        }
        return lanes & ~lanes_below(size, o_.min_leaf) & ~lanes_below(o_.total - o_.min_leaf, size);
    }

    // Lanes whose box of covered cases may hold a rule below `limit`. A box whose "no" side is
    // too small already, or whose "yes" side cannot become large enough, is closed.
    unsigned open_lanes(const Eight* low, const Eight* high, bool both_ways, double limit) {
        const unsigned open = lanes_bounded_below(low, high, both_ways, limit);
        if (open == 0) return 0;
        Eight least = 0.0, most = 0.0;
        for (std::size_t j = 0; j < n_classes_; ++j) {
            least = least + low[j];
            most = most + high[j];
        }
        return open & ~lanes_below(o_.total - o_.min_leaf, least) & ~lanes_below(most, o_.min_leaf);
    }

  private:
    unsigned lanes_bounded_below(const Eight* low, const Eight* high, bool both_ways,
                                 double limit) {
        if constexpr (C::kIsScreened && TwoClasses)
            if (has_screen_) return lanes_of_corners(low, high, limit);
        Eight bound;
        if constexpr (TwoClasses)
            bound = C::two_class_bound(o_, low, high);
        else
            bound = C::many_class_bound(o_, low, high);
        if (both_ways) bound = at_most(bound, mirrored_bound(low, high));
        return lanes_below(bound, limit);
    }

    // Boxes with a corner, where entropy is least, that the screen leaves open: nearly as good as
    // the least corner itself, and quicker.
    unsigned lanes_of_corners(const Eight* low, const Eight* high, double limit) {
        const double w0 = o_.class_weights[0];
        const double w1 = o_.class_weights[1];
        const Eight first[2] = {low[0] * w0, high[0] * w0};
        const Eight second[2] = {low[1] * w1, high[1] * w1};
        unsigned open = 0;
        for (const Eight& a : first)
            for (const Eight& b : second) {
                const Eight corner[2] = {a, b};
                open |= screen_.open_lanes(corner, limit);
            }
        return open;
    }

    Eight many_class_value() {
        Eight left_size = 0.0;
        Eight right_size = 0.0;
        Eight left_sum = 0.0;
        Eight right_sum = 0.0;
        for (std::size_t j = 0; j < n_classes_; ++j) {
            left_sum = C::add_class(o_, left_sum, left_size, left_[j]);
            right_sum = C::add_class(o_, right_sum, right_size, right_[j]);
            left_size = left_size + left_[j];
            right_size = right_size + right_[j];
        }
        return C::value_of_sums(o_, left_size, left_sum, right_size, right_sum);
    }

    // The same boxes with the children swapped, where that makes a difference.
    Eight mirrored_bound(const Eight* low, const Eight* high) const {
        if constexpr (C::kIsOriented) {
            const Eight mirrored_low[2] = {o_.totals[0] - high[0], o_.totals[1] - high[1]};
            const Eight mirrored_high[2] = {o_.totals[0] - low[0], o_.totals[1] - low[1]};
            return C::two_class_bound(o_, mirrored_low, mirrored_high);
        } else {
            (void)low, (void)high;
            return __builtin_inf();
        }
    }

    PerClass<TwoClasses> left_, right_;
    const Objective& o_;
    const std::size_t n_classes_;
    std::conditional_t<C::kIsScreened, EntropyScreen<TwoClasses>, NoScreen> screen_;
    const bool has_screen_;
};

// Writes the rules of one block that are below the limit, lowering the limit as it goes.
class HitWriter {
  public:
    HitWriter(Hit* hits, double limit, double grain) : hits_(hits), limit_(limit), grain_(grain) {}

    std::size_t n_hits() const { return n_hits_; }
    double limit() const { return limit_; }

    [[gnu::noinline]] void write(unsigned lanes, const Eight& value, std::size_t block_start,
                                 Hit kind) {
        alignas(64) double values[kLanes];
        value.store(values);
        for (; lanes != 0; lanes &= lanes - 1) {
            const auto k = static_cast<unsigned>(__builtin_ctz(lanes));
            if (!(values[k] < limit_)) continue;
            kind.question = static_cast<std::uint32_t>(block_start + k);
            kind.value = values[k];
            hits_[n_hits_++] = kind;
            if (values[k] + grain_ < limit_) limit_ = values[k] + grain_;
        }
    }

  private:
    Hit* hits_;
    std::size_t n_hits_ = 0;
    double limit_;
    double grain_;
};

// Scores `covered`, and its mirror image where that differs, and writes the hits among `lanes`.
template <class S>
inline void score_both_ways(S& scorer, const Objective& o, const Formulas& formulas, bool mirrors,
                            Eight* covered, std::size_t block_start, unsigned lanes, Hit kind,
                            HitWriter& writer) {
    Eight value;
    if (formulas.as_or || !mirrors || kind.is_xor) {
        const unsigned hits = lanes & scorer.values(covered, writer.limit(), value);
        if (hits != 0) writer.write(hits, value, block_start, kind);
    }
    if (!mirrors || !formulas.as_and || kind.is_xor) return;
    for (std::size_t j = 0; j < scorer.n_classes(); ++j) covered[j] = o.totals[j] - covered[j];
    kind.swapped = true;
    const unsigned hits = lanes & scorer.values(covered, writer.limit(), value);
    if (hits != 0) writer.write(hits, value, block_start, kind);
}

// Cases covered by the OR of two literals, or by the XOR of two questions, for eight partners.
enum class PairForm { plain, own_negated, other_negated, both_negated, exclusive };

inline Eight cover_pairs(PairForm form, double own, double total, const Eight& other,
                         const Eight& both) {
    switch (form) {
        case PairForm::plain:
            return own + other - both;
        case PairForm::own_negated:
            return total - own + both;
        case PairForm::other_negated:
            return total - other + both;
        case PairForm::both_negated:
            return total - both;
        case PairForm::exclusive:
            break;
    }
    return own + other - 2.0 * both;
}

// Eight splits into a part and the rest, by sums over classes of the part's cases n_j: of n_j, of
// T_j n_j and of n_j n_j.
struct EightMoments {
    Eight size, with_totals, with_self;
};

// The moments of what two questions have in common, and of their products with each.
struct CommonMoments {
    EightMoments common;
    Eight with_own, with_other, own_with_other;
};

inline CommonMoments common_moments(const PairScan& scan, std::size_t start) {
    const Objective& o = *scan.objective;
    CommonMoments m{{0.0, 0.0, 0.0}, 0.0, 0.0, 0.0};
    for (std::size_t j = 0; j < o.n_classes; ++j) {
        const Eight both(scan.both_of(j, start));
        const Eight other(scan.singles + j * scan.stride + start);
        m.common.size = m.common.size + both;
        m.common.with_totals = m.common.with_totals + o.totals[j] * both;
        m.common.with_self = m.common.with_self + both * both;
        m.with_own = m.with_own + scan.own[j] * both;
        m.with_other = m.with_other + other * both;
        m.own_with_other = m.own_with_other + scan.own[j] * other;
    }
    return m;
}

// Which sides of the own question are large enough to hold a child.
struct Sides {
    bool inside;   // those who answer yes
    bool outside;  // those who answer no
};

inline Sides large_enough(const Objective& o, double own_size) {
    return {own_size >= o.min_leaf, o.total - own_size >= o.min_leaf};
}

// Writes the splits that cut off a part, where both sides are large enough.
template <class C>
struct PartWriter {
    const Objective& o;
    double square;  // sum of the squares of the node's cases
    HitWriter hits;

    [[gnu::always_inline]] void write(const EightMoments& part, std::size_t start, unsigned lanes,
                                      Hit kind) {
        if constexpr (C::kDividesLast) {
            lanes &= C::moments_below(part, o.total, square, hits.limit());
            if (lanes == 0) return;
        }
        const Eight value = C::moment_value(part, o.total, square);
        lanes &= lanes_below(value, hits.limit());
        if (lanes == 0) return;
        lanes &= ~lanes_below(part.size, o.min_leaf);
        lanes &= ~lanes_below(o.total - o.min_leaf, part.size);
        hits.write(lanes, value, start, kind);
    }
};

// scan_pairs for the Gini criteria of many classes: each of the four parts that two questions cut
// the cases into (both, one, the other, neither) is the "no" side of one form, and its moments
// follow from the common ones, so that the classes are walked once and not once per form.
template <class C>
std::size_t scan_pairs_by_moments(const PairScan& scan, Hit* hits) {
    const Objective& o = *scan.objective;
    const Formulas& f = scan.formulas;
    double square = 0;
    for (const double n : o.totals) square += n * n;
    PartWriter<C> writer{o, square, HitWriter(hits, scan.limit, scan.grain)};
    const double own_size = scan.moments.size[scan.own_position];
    const double own_totals = scan.moments.with_totals[scan.own_position];
    const double own_square = scan.moments.with_self[scan.own_position];
    const Sides sides = large_enough(o, own_size);
    for (std::size_t start = scan.first / kLanes * kLanes; start < scan.n_questions;
         start += kLanes) {
        const unsigned lanes = lanes_within(start, scan.first, scan.n_questions);
        const CommonMoments m = common_moments(scan, start);
        const EightMoments& both = m.common;
        const EightMoments other{Eight(scan.moments.size + start),
                                 Eight(scan.moments.with_totals + start),
                                 Eight(scan.moments.with_self + start)};
        const EightMoments neither{o.total - own_size - other.size + both.size,
                                   square - own_totals - other.with_totals + both.with_totals,
                                   square + own_square + other.with_self + both.with_self -
                                       2.0 * own_totals - 2.0 * other.with_totals +
                                       2.0 * both.with_totals + 2.0 * m.own_with_other -
                                       2.0 * m.with_own - 2.0 * m.with_other};
        if ((f.as_or || f.as_and) && sides.outside) writer.write(neither, start, lanes, {});
        if (f.has_negation && sides.inside) {
            Hit kind;
            kind.first_negated = true;  // "not own or other" leaves those who only answer own
            writer.write({own_size - both.size, own_totals - both.with_totals,
                          own_square - 2.0 * m.with_own + both.with_self},
                         start, lanes, kind);
            kind.negated = true;
            writer.write(both, start, lanes, kind);
        }
        if (f.has_negation && sides.outside) {
            Hit kind;
            kind.negated = true;
            writer.write({other.size - both.size, other.with_totals - both.with_totals,
                          other.with_self - 2.0 * m.with_other + both.with_self},
                         start, lanes, kind);
        }
        if (f.as_xor) {
            Hit kind;
            kind.is_xor = true;
            writer.write({own_size + other.size - 2.0 * both.size,
                          own_totals + other.with_totals - 2.0 * both.with_totals,
                          own_square + other.with_self + 2.0 * m.own_with_other - 4.0 * m.with_own -
                              4.0 * m.with_other + 4.0 * both.with_self},
                         start, lanes, kind);
        }
    }
    return writer.hits.n_hits();
}

// Writes the splits of two classes that cut off a part, given by its size and lean.
struct LeanWriter {
    const Objective& o;
    double unsplit;  // the criterion without a split
    HitWriter hits;

    // What lean^2 must exceed, divided by the sizes of both children: a split reduces the criterion
    // by 2 lean^2 / (total size (total - size)).
    double needed() const { return (unsplit - hits.limit()) * (0.5 * o.total); }

    [[gnu::always_inline]] void write(const Eight& size, const Eight& lean, std::size_t start,
                                      unsigned lanes, Hit kind) {
        const Eight sizes = size * (o.total - size);
        const Eight square = lean * lean;
        lanes &= lanes_below(needed() * sizes, square);
        if (lanes == 0) return;
        lanes &= ~lanes_below(size, o.min_leaf);
        lanes &= ~lanes_below(o.total - o.min_leaf, size);
        hits.write(lanes, unsplit - 2.0 * (square / (o.total * sizes)), start, kind);
    }
};

// scan_pairs for the Gini criterion of two classes: leans add up like cases, so each of the four
// parts that two questions cut the cases into costs a handful of operations.
inline std::size_t scan_pairs_by_lean(const PairScan& scan, Hit* hits) {
    const Objective& o = *scan.objective;
    const Formulas& f = scan.formulas;
    const double t0 = o.totals[0];
    const double t1 = o.totals[1];
    LeanWriter writer{o, 2.0 * t0 * t1 / o.total, HitWriter(hits, scan.limit, scan.grain)};
    const double own_size = scan.leans.size[scan.own_position];
    const double own_lean = scan.leans.lean[scan.own_position];
    const Sides sides = large_enough(o, own_size);
    for (std::size_t start = scan.first / kLanes * kLanes; start < scan.n_questions;
         start += kLanes) {
        const unsigned lanes = lanes_within(start, scan.first, scan.n_questions);
        const Eight both_0(scan.both_of(0, start));
        const Eight both_1(scan.both_of(1, start));
        const Eight size = both_0 + both_1;
        const Eight lean = both_0 * t1 - both_1 * t0;
        const Eight other_size(scan.leans.size + start);
        const Eight other_lean(scan.leans.lean + start);
        Hit kind;
        if ((f.as_or || f.as_and) && sides.outside)
            writer.write((o.total - own_size) - other_size + size, lean - own_lean - other_lean,
                         start, lanes, kind);
        if (f.has_negation) {
            kind.first_negated = true;  // "not own or other" leaves those who only answer own
            if (sides.inside) writer.write(own_size - size, own_lean - lean, start, lanes, kind);
            kind.negated = true;
            if (sides.inside) writer.write(size, lean, start, lanes, kind);
            kind.first_negated = false;
            if (sides.outside)
                writer.write(other_size - size, other_lean - lean, start, lanes, kind);
        }
        if (f.as_xor) {
            Hit exclusive;
            exclusive.is_xor = true;
            writer.write(own_size + other_size - 2.0 * size, own_lean + other_lean - 2.0 * lean,
                         start, lanes, exclusive);
        }
    }
    return writer.hits.n_hits();
}

template <class C, bool TwoClasses>
std::size_t scan_pairs_of(const PairScan& scan, Hit* hits) {
    const Objective& o = *scan.objective;
    if constexpr (!TwoClasses && C::kHasMoments && !C::kIsScreened)
        if (scan.moments.size != nullptr) return scan_pairs_by_moments<C>(scan, hits);
    if constexpr (TwoClasses && C::kHasLeans && !C::kIsScreened)
        if (scan.leans.size != nullptr) return scan_pairs_by_lean(scan, hits);
    const Formulas& f = scan.formulas;
    Scorer<C, TwoClasses> scorer(o, scan.memory, scan.screen);
    PerClass<TwoClasses> covered(o.n_classes, scan.memory, 2);
    HitWriter writer(hits, scan.limit, scan.grain);
    const bool mirrors = o.is_oriented();
    constexpr PairForm kForms[] = {PairForm::plain, PairForm::own_negated, PairForm::other_negated,
                                   PairForm::both_negated, PairForm::exclusive};
    const std::size_t n_signed = f.as_or || f.as_and ? (f.has_negation ? 4 : 1) : 0;
    std::conditional_t<C::kIsScreened, PairScreen<TwoClasses>, NoPairScreen> screen(scan);
    const bool is_screened = screen.is_usable();
    unsigned open[5] = {kAllLanes, kAllLanes, kAllLanes, kAllLanes, kAllLanes};
    for (std::size_t start = scan.first / kLanes * kLanes; start < scan.n_questions;
         start += kLanes) {
        const unsigned all_lanes = lanes_within(start, scan.first, scan.n_questions);
        if (is_screened) screen.open_forms(start, writer.limit(), open);
        for (std::size_t i = 0; i < 5; ++i) {
            const bool is_xor = kForms[i] == PairForm::exclusive;
            if (is_xor ? !f.as_xor : i >= n_signed) continue;
            const unsigned lanes = all_lanes & open[i];
            if (lanes == 0) continue;
            for (std::size_t j = 0; j < scorer.n_classes(); ++j)
                covered[j] = cover_pairs(kForms[i], scan.own[j], o.totals[j],
                                         Eight(scan.singles + j * scan.stride + start),
                                         Eight(scan.both_of(j, start)));
            Hit kind;
            kind.first_negated = i == 1 || i == 3;
            kind.negated = i == 2 || i == 3;
            kind.is_xor = is_xor;
            score_both_ways(scorer, o, f, mirrors, covered.data(), start, lanes, kind, writer);
        }
    }
    return writer.n_hits();
}

template <class C, bool TwoClasses>
std::size_t scan_extensions_of(const ExtendScan& scan, Hit* hits, std::uint32_t* openings,
                               std::size_t* n_openings) {
    const Objective& o = *scan.objective;
    const Formulas& f = scan.formulas;
    Scorer<C, TwoClasses> scorer(o, scan.memory, scan.screen);
    PerClass<TwoClasses> covered(o.n_classes, scan.memory, 2);
    PerClass<TwoClasses> highest(o.n_classes, scan.memory, 3);
    HitWriter writer(hits, scan.limit, scan.grain);
    const bool mirrors = o.is_oriented();
    const auto n_more = static_cast<double>(scan.n_more);
    *n_openings = 0;
    for (std::size_t start = scan.first / kLanes * kLanes; start < scan.n_literals;
         start += kLanes) {
        const unsigned lanes = lanes_within(start, scan.first, scan.n_literals);
        for (std::size_t j = 0; j < scorer.n_classes(); ++j)
            covered[j] = scan.base[j] + Eight(scan.gain + j * scan.stride + start);
        if (scan.n_more > 0) {
            for (std::size_t j = 0; j < scorer.n_classes(); ++j) {
                const Eight after(scan.most_after + j * scan.stride + start);
                const Eight alone(scan.most_single + j * scan.stride + start);
                highest[j] = at_most(o.totals[j], covered[j] + n_more * at_most(after, alone));
            }
            unsigned open = lanes & scorer.open_lanes(covered.data(), highest.data(),
                                                      mirrors && f.as_and, scan.open_limit);
            for (; open != 0; open &= open - 1)
                openings[(*n_openings)++] =
                    static_cast<std::uint32_t>(start) + static_cast<unsigned>(__builtin_ctz(open));
        }
        if (scan.report_hits)
            score_both_ways(scorer, o, f, mirrors, covered.data(), start, lanes, Hit(), writer);
    }
    return writer.n_hits();
}

template <class C, bool TwoClasses>
std::size_t scan_last_of(const LastScan& scan, std::uint32_t* blocks) {
    const Objective& o = *scan.objective;
    Scorer<C, TwoClasses> scorer(o, scan.memory, scan.screen);
    PerClass<TwoClasses> low(o.n_classes, scan.memory, 2);
    PerClass<TwoClasses> high(o.n_classes, scan.memory, 3);
    const bool both_ways = o.is_oriented() && scan.formulas.as_and;
    std::size_t n_blocks = 0;
    for (std::size_t start = scan.first / kLanes * kLanes; start < scan.n_literals;
         start += kLanes) {
        for (std::size_t j = 0; j < scorer.n_classes(); ++j) {
            const Eight gain(scan.gain + j * scan.stride + start);
            const Eight single(scan.singles + j * scan.stride + start);
            const Eight both(scan.both + j * scan.both_stride + start);
            // The gain over the rule and `last` is at most that over either of them, and at least
            // the gain over the rule less all that the literal shares with `last`.
            low[j] = scan.base[j] + at_least(0.0, gain - both);
            high[j] = at_most(o.totals[j], scan.base[j] + at_most(gain, single - both));
        }
        const unsigned open =
            scorer.open_lanes(low.data(), high.data(), both_ways, scan.open_limit);
        if ((open & lanes_within(start, scan.first, scan.n_literals)) != 0)
            blocks[n_blocks++] = static_cast<std::uint32_t>(start);
    }
    return n_blocks;
}

// Calls `scan` with the criterion and whether there are two classes, as types.
template <class Scan>
inline std::size_t scan_by_criterion(const Objective& o, const Scan& scan) {
    return visit_criterion(o.criterion, [&](auto c) {
        if constexpr (!decltype(c)::kTwoClassesOnly)
            if (o.n_classes != 2) return scan(c, std::false_type());
        return scan(c, std::true_type());
    });
}

std::size_t scan_pairs(const PairScan& scan, Hit* hits) noexcept {
    return scan_by_criterion(*scan.objective, [&](auto c, auto two_classes) {
        return scan_pairs_of<decltype(c), two_classes()>(scan, hits);
    });
}

std::size_t scan_extensions(const ExtendScan& scan, Hit* hits, std::uint32_t* openings,
                            std::size_t* n_openings) noexcept {
    return scan_by_criterion(*scan.objective, [&](auto c, auto two_classes) {
        return scan_extensions_of<decltype(c), two_classes()>(scan, hits, openings, n_openings);
    });
}

std::size_t scan_last(const LastScan& scan, std::uint32_t* blocks) noexcept {
    return scan_by_criterion(*scan.objective, [&](auto c, auto two_classes) {
        return scan_last_of<decltype(c), two_classes()>(scan, blocks);
    });
}
