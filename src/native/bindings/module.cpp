// The extension module. Each area binds its own names; here they only come together.
#include "bindings/module.hpp"

#include <stdexcept>

namespace bsnsing {
namespace {

NumberType number_type(nb::dlpack::dtype type) {
    using Code = nb::dlpack::dtype_code;
    const auto code = static_cast<Code>(type.code);
    if (code == Code::Float && type.bits == 64) return NumberType::f64;
    if (code == Code::Float && type.bits == 32) return NumberType::f32;
    if (code == Code::Bool && type.bits == 8) return NumberType::u8;
    const bool is_signed = code == Code::Int;
    if (is_signed || code == Code::UInt) {
        if (type.bits == 8) return is_signed ? NumberType::i8 : NumberType::u8;
        if (type.bits == 16) return is_signed ? NumberType::i16 : NumberType::u16;
        if (type.bits == 32) return is_signed ? NumberType::i32 : NumberType::u32;
        if (type.bits == 64) return is_signed ? NumberType::i64 : NumberType::u64;
    }
    throw std::invalid_argument("numbers must be Booleans, integers or floats of 32 or 64 bits");
}

}  // namespace

void check_threads(std::size_t n_threads) {
    if (n_threads == 0 || n_threads > 0x7fffffffU)
        throw std::invalid_argument("n_threads must be at least 1 and at most 2147483647; got " +
                                    std::to_string(n_threads));
}

NumberView view_of(const AnyNumbers& numbers) {
    const auto address = reinterpret_cast<std::uintptr_t>(numbers.data());
    if (address % numbers.itemsize() != 0)
        throw std::invalid_argument("numbers must be aligned in memory. Copy the array first.");
    const std::ptrdiff_t stride = numbers.shape(0) > 1 ? numbers.stride(0) : 1;
    return {numbers.data(), stride, number_type(numbers.dtype())};
}

}  // namespace bsnsing

NB_MODULE(_core, m) {
    m.doc() = "Native engine of bsnsing: counting, rule search, tree growth, prediction, forests.";
    bsnsing::bind_leave(m);
    bsnsing::bind_options(m);
    bsnsing::bind_columns(m);
    bsnsing::bind_parts(m);
    bsnsing::bind_engine(m);
    bsnsing::bind_choose(m);
    bsnsing::bind_search(m);
    bsnsing::bind_predict(m);
    bsnsing::bind_forest(m);
}
