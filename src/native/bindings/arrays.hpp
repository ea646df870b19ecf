// Arrays on their way in and out. Only the files of this folder include nanobind; they check
// shapes, make views, release the interpreter lock, call, and return.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bindings/leave.hpp"
#include "bits/number_view.hpp"

namespace bsnsing {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Cube = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

using AnyNumbers = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;  // any real type, any stride

// What is handed to Python.
template <class T, std::size_t N>
using Made = nb::ndarray<nb::numpy, T, nb::ndim<N>>;

template <class T>
std::span<const T> as_span(const Vector<T>& v) {
    return {v.data(), v.shape(0)};
}

template <class T>
std::span<const T> as_span(const std::optional<Vector<T>>& v) {
    return v ? as_span(*v) : std::span<const T>();
}

template <std::size_t N, class T>
Made<T, N> to_numpy(std::vector<T> numbers, const std::array<std::size_t, N>& shape) {
    auto kept = std::make_unique<std::vector<T>>(std::move(numbers));
    if (kept->empty()) kept->reserve(1);  // an array needs an address
    const nb::capsule owner(kept.get(),
                            [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    T* data = kept.release()->data();
    return Made<T, N>(data, N, shape.data(), owner);
}

// Throws if there are no threads, or more than any count of work can be divided among.
void check_threads(std::size_t n_threads);

// An array's numbers; throws if they are not real numbers of a size and at an address we read.
NumberView view_of(const AnyNumbers& numbers);

}  // namespace bsnsing
