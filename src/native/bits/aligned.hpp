// A vector whose memory starts at a cache line, so that vector loads never straddle two lines.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace bsnsing {

// Memory from the start of a line on, to be freed with the size it was asked for.
void* allocate_lines(std::size_t n_bytes);
void free_lines(void* p, std::size_t n_bytes) noexcept;

template <class T>
struct CacheLineAllocator {
    using value_type = T;

    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>&) noexcept {}

    T* allocate(std::size_t n) { return static_cast<T*>(allocate_lines(n * sizeof(T))); }
    void deallocate(T* p, std::size_t n) noexcept { free_lines(p, n * sizeof(T)); }

    template <class U>
    bool operator==(const CacheLineAllocator<U>&) const noexcept {
        return true;
    }
};

// The same without filling new memory first, for what is written in full anyway.
template <class T>
struct UnfilledAllocator : CacheLineAllocator<T> {
    template <class U>
    struct rebind {
        using other = UnfilledAllocator<U>;
    };
    template <class U>
    void construct(U* p) noexcept {
        ::new (static_cast<void*>(p)) U;
    }
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        ::new (static_cast<void*>(p)) U(static_cast<Args&&>(args)...);
    }
};

template <class T>
using UnfilledVector = std::vector<T, UnfilledAllocator<T>>;

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace bsnsing
