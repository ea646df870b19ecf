// Every criterion, and the one switch over them. Include after search/objective.hpp inside an
// unnamed namespace of bsnsing: a kernel file includes this in its own target region, so that the
// formulas over eight rules are compiled for its instruction set and for no one else.
// No include guard: it is meant to be included once per file.

// Divides instead of the size of an empty child, of which there is nothing to divide.
constexpr double kTiny = 1e-300;

// A split is worthwhile if it is better than none by more than rounding.
constexpr double kRounding = 1e-10;

// clang-format off: each of the first two is used by the others
#include "criteria/children.inl"
#include "criteria/corners.inl"

#include "criteria/entropy.inl"
#include "criteria/error.inl"
#include "criteria/gini.inl"
#include "criteria/gini_squared.inl"
#include "criteria/misclassification.inl"
// clang-format on

// Calls `visit` with an object of the criterion's type. A number that is no criterion gives an
// empty result.
template <class Visitor>
constexpr auto visit_criterion(Criterion criterion, const Visitor& visit)
    -> decltype(visit(GiniSquared())) {
    switch (criterion) {  // without a default: the compiler names what is forgotten
        case Criterion::gini_squared:
            return visit(GiniSquared());
        case Criterion::gini:
            return visit(Gini());
        case Criterion::entropy:
            return visit(Entropy());
        case Criterion::misclassification:
            return visit(Misclassification());
        case Criterion::error:
            return visit(Error());
    }
    return {};
}
