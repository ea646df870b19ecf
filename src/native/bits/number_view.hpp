// Numbers in memory as the user has them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bsnsing {

enum class NumberType : std::uint8_t { f64, f32, i8, u8, i16, u16, i32, u32, i64, u64 };

struct NumberView {
    const void* data = nullptr;
    std::ptrdiff_t stride = 1;  // in elements
    NumberType type = NumberType::f64;
};

// Calls f with the numbers of a view in their own type.
template <class F>
decltype(auto) visit_numbers(const NumberView& view, F&& f) {
    switch (view.type) {
        case NumberType::f64:
            return f(static_cast<const double*>(view.data));
        case NumberType::f32:
            return f(static_cast<const float*>(view.data));
        case NumberType::i8:
            return f(static_cast<const std::int8_t*>(view.data));
        case NumberType::u8:
            return f(static_cast<const std::uint8_t*>(view.data));
        case NumberType::i16:
            return f(static_cast<const std::int16_t*>(view.data));
        case NumberType::u16:
            return f(static_cast<const std::uint16_t*>(view.data));
        case NumberType::i32:
            return f(static_cast<const std::int32_t*>(view.data));
        case NumberType::u32:
            return f(static_cast<const std::uint32_t*>(view.data));
        case NumberType::i64:
            return f(static_cast<const std::int64_t*>(view.data));
        case NumberType::u64:
            break;
    }
    return f(static_cast<const std::uint64_t*>(view.data));
}

}  // namespace bsnsing
