// The only place that asks what CPU this is.
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"

namespace bsnsing {

extern const Kernels kScalarKernels;
#if defined(__x86_64__) && defined(__GNUC__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#elif defined(__aarch64__)
extern const Kernels kNeonKernels;
#endif

namespace {

std::vector<const Kernels*> usable_kernels() {
    std::vector<const Kernels*> usable;
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq"))
        usable.push_back(&kAvx512Kernels);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        usable.push_back(&kAvx2Kernels);
#elif defined(__aarch64__)
    usable.push_back(&kNeonKernels);
#endif
    usable.push_back(&kScalarKernels);
    return usable;
}

const Kernels& find_kernels(const std::string& name) {
    std::string names;
    for (const Kernels* k : available_kernels()) {
        if (name == k->name) return *k;
        names += std::string(names.empty() ? "" : ", ") + k->name;
    }
    throw std::invalid_argument("kernels '" + name +
                                "' are not usable on this CPU. Choose one of: " + names + ".");
}

std::atomic<const Kernels*>& chosen() {
    static std::atomic<const Kernels*> table{[] {
        // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here ever changes the environment
        const char* wanted = std::getenv("BSNSING_KERNELS");
        return wanted != nullptr ? &find_kernels(wanted) : available_kernels().front();
    }()};
    return table;
}

}  // namespace

std::span<const Kernels* const> available_kernels() {
    static const std::vector<const Kernels*> usable = usable_kernels();
    return usable;
}

const Kernels& active_kernels() {
    return *chosen().load(std::memory_order_relaxed);
}

void use_kernels(const char* name) {
    chosen().store(&find_kernels(name));
}

}  // namespace bsnsing
