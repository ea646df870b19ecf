#include "bits/aligned.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bsnsing {
namespace {

constexpr std::align_val_t kLine{64};

#if defined(__linux__)
// Large pieces come from the system and go back to it at once, which the C library does not
// promise; huge pages, where they may be had, spare most of the faults that fresh memory costs.
constexpr std::size_t kLarge = std::size_t{1} << 19U;
#endif

}  // namespace

void* allocate_lines(std::size_t n_bytes) {
#if defined(__linux__)
    if (n_bytes >= kLarge) {
        void* const p =
            mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) throw std::bad_alloc();
        madvise(p, n_bytes, MADV_HUGEPAGE);
        return p;
    }
#endif
    return ::operator new(n_bytes, kLine);
}

void free_lines(void* p, std::size_t n_bytes) noexcept {
#if defined(__linux__)
    if (n_bytes >= kLarge) {
        munmap(p, n_bytes);
        return;
    }
#endif
    ::operator delete(p, kLine);
}

}  // namespace bsnsing
