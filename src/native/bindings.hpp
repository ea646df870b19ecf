// What the binding files share. Only they include nanobind; they check shapes, make views, release
// the interpreter lock, call, and return.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "bits/number_view.hpp"
#include "search/limits.hpp"

namespace bsnsing {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using AnyNumbers = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;  // any real type, any stride
using RowNumbers = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

template <class T>
std::span<const T> as_span(const Vector<T>& v) {
    return {v.data(), v.shape(0)};
}

// The type of an array's numbers; throws if they are not real numbers of a size we read.
NumberType number_type(nb::dlpack::dtype type);

// (coefficients, lower, upper): how limits on rules cross the binding.
using LimitFields = std::tuple<std::vector<double>, double, double>;

// Limits over `n_subjects` questions or columns.
std::vector<LinearLimit> linear_limits(const std::vector<LimitFields>& fields,
                                       std::size_t n_subjects);

// Whether a signal such as Ctrl-C waits; then the Python error is set.
bool user_interrupts();

void bind_search(nb::module_& m);
void bind_engine(nb::module_& m);
void bind_predict(nb::module_& m);

}  // namespace bsnsing
