// Pairs by packed counts, written once over sixteen lanes; include after scan_loops.inl and after
// `IntPart` and `FloatPart` (vectors of 32-bit numbers, or plain ones) with load_ints, all_ints,
// dot_halves, to_float, all_floats, store_floats and float_below.
// No include guard: it is meant to be included once per kernel file.
//
// Sums are exact in integers. The criterion itself is worked out in floats: their rounding is far
// below kPackedSlack of a node's cases, by which every limit is widened, and whoever takes the hits
// judges them exactly.

constexpr double kPackedSlack = 0x1p-19;
// NOLINTNEXTLINE(bugprone-sizeof-expression): the plain loops have parts of one lane
constexpr std::size_t kPackedPartLanes = sizeof(IntPart) / sizeof(std::int32_t);
constexpr std::size_t kPackedParts = kPackedLanes / kPackedPartLanes;

struct Ints {
    IntPart part[kPackedParts];

    Ints() = default;
    Ints(std::int32_t x) {
        for (std::size_t i = 0; i < kPackedParts; ++i) part[i] = all_ints(x);
    }
    explicit Ints(const void* p) {
        const auto* numbers = static_cast<const std::int32_t*>(p);
        for (std::size_t i = 0; i < kPackedParts; ++i)
            part[i] = load_ints(numbers + i * kPackedPartLanes);
    }
};

inline Ints operator+(const Ints& a, const Ints& b) {
    Ints out;
    for (std::size_t i = 0; i < kPackedParts; ++i) out.part[i] = a.part[i] + b.part[i];
    return out;
}
inline Ints operator-(const Ints& a, const Ints& b) {
    Ints out;
    for (std::size_t i = 0; i < kPackedParts; ++i) out.part[i] = a.part[i] - b.part[i];
    return out;
}
inline Ints twice(const Ints& a) {
    return a + a;
}
// The products of both halves, added up.
inline Ints dot(const Ints& a, const Ints& b) {
    Ints out;
    for (std::size_t i = 0; i < kPackedParts; ++i) out.part[i] = dot_halves(a.part[i], b.part[i]);
    return out;
}

struct Floats {
    FloatPart part[kPackedParts];

    Floats() = default;
    Floats(float x) {
        for (std::size_t i = 0; i < kPackedParts; ++i) part[i] = all_floats(x);
    }
    explicit Floats(const Ints& x) {
        for (std::size_t i = 0; i < kPackedParts; ++i) part[i] = to_float(x.part[i]);
    }
    void store(float* p) const {
        for (std::size_t i = 0; i < kPackedParts; ++i)
            store_floats(p + i * kPackedPartLanes, part[i]);
    }
};

inline Floats operator+(const Floats& a, const Floats& b) {
    Floats out;
    for (std::size_t i = 0; i < kPackedParts; ++i) out.part[i] = a.part[i] + b.part[i];
    return out;
}
inline Floats operator-(const Floats& a, const Floats& b) {
    Floats out;
    for (std::size_t i = 0; i < kPackedParts; ++i) out.part[i] = a.part[i] - b.part[i];
    return out;
}
inline Floats operator*(const Floats& a, const Floats& b) {
    Floats out;
    for (std::size_t i = 0; i < kPackedParts; ++i) out.part[i] = a.part[i] * b.part[i];
    return out;
}
inline unsigned lanes_below(const Floats& a, const Floats& b) {
    unsigned lanes = 0;
    for (std::size_t i = 0; i < kPackedParts; ++i)
        lanes |= float_below(a.part[i], b.part[i]) << (i * kPackedPartLanes);
    return lanes;
}

// The lanes of the sixteen questions at `start` that lie in [first, end).
inline unsigned packed_lanes_within(std::size_t start, std::size_t first, std::size_t end) {
    unsigned lanes = (1U << kPackedLanes) - 1;
    if (first > start) lanes &= lanes << (first - start);
    if (end < start + kPackedLanes) lanes &= (1U << (end - start)) - 1;
    return lanes;
}

// Writes the rules below the limit, lowering it as it goes; see HitWriter.
class PackedWriter {
  public:
    PackedWriter(const PackedScan& scan, double unsplit, Hit* hits)
        : hits_(hits),
          unsplit_(unsplit),
          slack_(scan.objective->total * kPackedSlack),
          limit_(scan.limit + slack_),
          grain_(scan.grain + 2 * slack_),
          total_(static_cast<float>(scan.objective->total)),
          least_(static_cast<float>(std::ceil(scan.objective->min_leaf))) {
        set_needed();
    }

    std::size_t n_hits() const { return n_hits_; }

    // The reduction of each rule is gain / sizes, with sizes = size (total - size).
    [[gnu::always_inline]] void write(const Floats& size, const Floats& rest, const Floats& gain,
                                      std::size_t start, unsigned lanes, Hit kind) {
        const Floats sizes = size * rest;
        lanes &= lanes_below(needed_ * sizes, gain);
        if (lanes == 0) return;
        lanes &= ~lanes_below(size, least_) & ~lanes_below(rest, least_);
        if (lanes != 0) write_lanes(sizes, gain, start, lanes, kind);
    }

    float total() const { return total_; }

  private:
    void set_needed() { needed_ = static_cast<float>(unsplit_ - limit_); }

    [[gnu::noinline]] void write_lanes(const Floats& sizes, const Floats& gain, std::size_t start,
                                       unsigned lanes, Hit kind) {
        alignas(64) float divisors[kPackedLanes];
        alignas(64) float gains[kPackedLanes];
        sizes.store(divisors);
        gain.store(gains);
        for (; lanes != 0; lanes &= lanes - 1) {
            const auto k = static_cast<unsigned>(__builtin_ctz(lanes));
            const double value =
                unsplit_ - static_cast<double>(gains[k]) / static_cast<double>(divisors[k]);
            if (!(value < limit_)) continue;
            kind.question = static_cast<std::uint32_t>(start + k);
            kind.value = value;
            hits_[n_hits_++] = kind;
            if (value + grain_ < limit_) limit_ = value + grain_;
        }
        set_needed();
    }

    Hit* hits_;
    std::size_t n_hits_ = 0;
    double unsplit_;
    double slack_;
    double limit_;
    double grain_;
    float needed_ = 0;
    float total_;
    float least_;
};

// Two classes; see scan_pairs_by_lean.
struct PackedLeanScan {
    const PackedScan& scan;
    PackedWriter writer;

    [[gnu::always_inline]] void write(const Ints& part_size, const Ints& part_lean,
                                      std::size_t start, unsigned lanes, Hit kind) {
        const Floats size(part_size);
        const Floats lean(part_lean);
        const auto scale = static_cast<float>(2.0 / scan.objective->total);
        writer.write(size, writer.total() - size, lean * lean * scale, start, lanes, kind);
    }

    std::size_t run() {
        const Objective& o = *scan.objective;
        const Formulas& f = scan.formulas;
        const auto total = static_cast<std::int32_t>(o.total);
        const auto t0 = static_cast<std::uint32_t>(o.totals[0]);
        const auto t1 = static_cast<std::uint32_t>(o.totals[1]);
        const Ints leaning(static_cast<std::int32_t>(t1 | (0U - t0) << 16U));
        const Ints one(0x00010001);
        const std::int32_t own_size = scan.size[scan.own_position];
        const std::int32_t own_lean = scan.with_self[scan.own_position];
        const Sides sides = large_enough(o, own_size);
        for (std::size_t start = scan.first / kPackedLanes * kPackedLanes; start < scan.n_questions;
             start += kPackedLanes) {
            const unsigned lanes = packed_lanes_within(start, scan.first, scan.n_questions);
            const Ints both(scan.both + start);
            const Ints size = dot(both, one);
            const Ints lean = dot(both, leaning);
            const Ints other_size(scan.size + start);
            const Ints other_lean(scan.with_self + start);
            Hit kind;
            if ((f.as_or || f.as_and) && sides.outside)
                write(Ints(total - own_size) - other_size + size, lean - own_lean - other_lean,
                      start, lanes, kind);
            if (f.has_negation && sides.inside) {
                kind.first_negated = true;  // "not own or other" leaves those who only answer own
                write(own_size - size, own_lean - lean, start, lanes, kind);
                kind.negated = true;
                write(size, lean, start, lanes, kind);
            }
            if (f.has_negation && sides.outside) {
                kind.first_negated = false;
                kind.negated = true;
                write(other_size - size, other_lean - lean, start, lanes, kind);
            }
            if (f.as_xor) {
                Hit exclusive;
                exclusive.is_xor = true;
                write(own_size + other_size - twice(size), own_lean + other_lean - twice(lean),
                      start, lanes, exclusive);
            }
        }
        return writer.n_hits();
    }
};

struct PackedMoments {
    Ints size, with_totals, with_self;
};

// Many classes; see scan_pairs_by_moments.
struct PackedMomentScan {
    const PackedScan& scan;
    std::int32_t total;
    std::int32_t square;  // sum of the squares of the node's cases
    PackedWriter writer;

    [[gnu::always_inline]] void write(const PackedMoments& part, std::size_t start, unsigned lanes,
                                      Hit kind) {
        const Ints rest_size = total - part.size;
        const Ints rest_square = square - twice(part.with_totals) + part.with_self;
        const Floats size(part.size);
        const Floats rest(rest_size);
        // What both children keep of the cases' pairs of one class, times their sizes.
        const Floats kept = Floats(part.with_self) * rest + Floats(rest_square) * size;
        writer.write(size, rest, kept, start, lanes, kind);
    }

    std::size_t run() {
        const Formulas& f = scan.formulas;
        const std::size_t own_position = scan.own_position;
        const std::int32_t own_size = scan.size[own_position];
        const std::int32_t own_totals = scan.with_totals[own_position];
        const std::int32_t own_square = scan.with_self[own_position];
        const Sides sides = large_enough(*scan.objective, own_size);
        const Ints one(0x00010001);
        for (std::size_t start = scan.first / kPackedLanes * kPackedLanes; start < scan.n_questions;
             start += kPackedLanes) {
            const unsigned lanes = packed_lanes_within(start, scan.first, scan.n_questions);
            PackedMoments both{0, 0, 0};
            Ints with_own = 0, with_other = 0, own_with_other = 0;
            for (std::size_t i = 0; i < scan.n_class_pairs; ++i) {
                const Ints counts(scan.both + i * scan.both_stride + start);
                const Ints other(scan.singles + i * scan.stride + start);
                const Ints own(
                    static_cast<std::int32_t>(scan.singles[i * scan.stride + own_position]));
                both.size = both.size + dot(counts, one);
                both.with_totals =
                    both.with_totals + dot(counts, Ints(static_cast<std::int32_t>(scan.totals[i])));
                both.with_self = both.with_self + dot(counts, counts);
                with_own = with_own + dot(counts, own);
                with_other = with_other + dot(counts, other);
                own_with_other = own_with_other + dot(own, other);
            }
            const PackedMoments other{Ints(scan.size + start), Ints(scan.with_totals + start),
                                      Ints(scan.with_self + start)};
            Hit kind;
            if ((f.as_or || f.as_and) && sides.outside)
                write(
                    {Ints(total - own_size) - other.size + both.size,
                     Ints(square - own_totals) - other.with_totals + both.with_totals,
                     Ints(square + own_square - 2 * own_totals) + other.with_self + both.with_self +
                         twice(both.with_totals - other.with_totals + own_with_other - with_own -
                               with_other)},
                    start, lanes, kind);
            if (f.has_negation && sides.inside) {
                kind.first_negated = true;  // "not own or other" leaves those who only answer own
                write({own_size - both.size, own_totals - both.with_totals,
                       own_square - twice(with_own) + both.with_self},
                      start, lanes, kind);
                kind.negated = true;
                write(both, start, lanes, kind);
            }
            if (f.has_negation && sides.outside) {
                kind.first_negated = false;
                kind.negated = true;
                write({other.size - both.size, other.with_totals - both.with_totals,
                       other.with_self - twice(with_other) + both.with_self},
                      start, lanes, kind);
            }
            if (f.as_xor) {
                Hit exclusive;
                exclusive.is_xor = true;
                write({own_size + other.size - twice(both.size),
                       own_totals + other.with_totals - twice(both.with_totals),
                       own_square + other.with_self +
                           twice(own_with_other - twice(with_own + with_other - both.with_self))},
                      start, lanes, exclusive);
            }
        }
        return writer.n_hits();
    }
};

std::size_t scan_pairs_packed(const PackedScan& scan, Hit* hits) noexcept {
    const Objective& o = *scan.objective;
    if (o.n_classes == 2)
        return PackedLeanScan{scan,
                              PackedWriter(scan, 2.0 * o.totals[0] * o.totals[1] / o.total, hits)}
            .run();
    double square = 0;
    for (const double n : o.totals) square += n * n;
    return PackedMomentScan{scan, static_cast<std::int32_t>(o.total),
                            static_cast<std::int32_t>(square), PackedWriter(scan, o.total, hits)}
        .run();
}
