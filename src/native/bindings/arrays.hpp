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

#include "bits/number_view.hpp"
#include "work/watch.hpp"

namespace bsnsing {

namespace nb = nanobind;

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

// The type of an array's numbers; throws if they are not real numbers of a size we read.
NumberType number_type(nb::dlpack::dtype type);

// Whether a signal such as Ctrl-C waits; then the Python error is set.
bool user_interrupts();

// Calls work(interrupt) without the interpreter lock; raises what a signal handler raised.
template <class Work>
auto call_interruptibly(const Work& work) {
    Interrupt interrupt(user_interrupts);
    // It is moved from on return. NOLINTNEXTLINE(misc-const-correctness)
    auto result = [&] {
        const nb::gil_scoped_release no_python_below;
        return work(interrupt);
    }();
    if (interrupt.is_raised()) throw nb::python_error();
    return result;
}

}  // namespace bsnsing
