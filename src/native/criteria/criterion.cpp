#include "criteria/criterion.hpp"

#include "search/objective.hpp"

namespace bsnsing {
namespace {

#include "criteria/every.inl"

constexpr CriterionFacts collect_facts(Criterion criterion) noexcept {
    return visit_criterion(criterion, [](auto c) {
        using C = decltype(c);
        static_assert(C::kTwoClassesOnly || !C::kIsOriented,
                      "kernels bound mirror images of two classes only");
        return CriterionFacts{C::kName,           C::kUnitPower,  C::kIsExact,
                              C::kTwoClassesOnly, C::kIsOriented, C::kUsesXlogx,
                              C::kHasMoments,     C::kHasLeans,   C::kHasPackedPairs,
                              C::kIsScreened,     C::kBoundWords};
    });
}

constexpr std::array<CriterionFacts, kNCriteria> collect_all_facts() noexcept {
    std::array<CriterionFacts, kNCriteria> all{};
    for (const Criterion c : every_criterion()) all[static_cast<std::size_t>(c)] = collect_facts(c);
    return all;
}

// Whether visit_criterion leads to the criterion's own file.
constexpr bool is_known(Criterion criterion) {
    return visit_criterion(criterion, [=](auto c) { return decltype(c)::kCriterion == criterion; });
}

constexpr bool are_all_known() {
    for (const Criterion c : every_criterion())
        if (!is_known(c)) return false;
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): there must be no such value
    return !is_known(static_cast<Criterion>(kNCriteria));
}

static_assert(are_all_known(), "kNCriteria and the cases of visit_criterion differ");

}  // namespace

constinit const std::array<CriterionFacts, kNCriteria> kCriterionFacts = collect_all_facts();

}  // namespace bsnsing
