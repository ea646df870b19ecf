// Runs CUDA kernels on a CPU: the threads of a block are fibers that take turns, in an order drawn
// by chance, up to the next barrier. Blocks run one after the other.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __shared__ static

struct Index {
    unsigned x = 0, y = 0, z = 0;
};
inline Index blockIdx, threadIdx, blockDim, gridDim;

inline ucontext_t scheduler;
inline ucontext_t* running;

inline void __syncthreads() { swapcontext(running, &scheduler); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
template <class T>
T atomicAdd(T* place, T more) {
    const T before = *place;
    *place += more;
    return before;
}

struct Fiber {
    ucontext_t context{};
    std::vector<char> stack = std::vector<char>(64 * 1024);
    bool is_done = false;
};
inline void (*call_kernel)(void**);
inline void** call_arguments;
inline Fiber* current;
inline void start() {
    call_kernel(call_arguments);
    current->is_done = true;
}

inline void run_block(unsigned n_threads, std::mt19937& random) {
    static std::vector<Fiber> fibers;  // their stacks serve all blocks
    fibers.resize(n_threads);
    for (Fiber& fiber : fibers) {
        fiber.is_done = false;
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.data();
        fiber.context.uc_stack.ss_size = fiber.stack.size();
        fiber.context.uc_link = &scheduler;
        makecontext(&fiber.context, start, 0);
    }
    std::vector<unsigned> order(n_threads);
    std::iota(order.begin(), order.end(), 0U);
    while (std::any_of(fibers.begin(), fibers.end(), [](const Fiber& f) { return !f.is_done; })) {
        std::shuffle(order.begin(), order.end(), random);
        for (const unsigned t : order) {
            if (fibers[t].is_done) continue;
            threadIdx.x = t;
            current = &fibers[t];
            running = &current->context;
            swapcontext(&scheduler, running);
        }
    }
}

template <auto kernel>
struct Caller;
template <class... A, void (*kernel)(A...)>
struct Caller<kernel> {
    static void call(void** arguments) { unpack(arguments, std::index_sequence_for<A...>()); }
    template <std::size_t... i>
    static void unpack(void** arguments, std::index_sequence<i...>) {
        kernel(*static_cast<A*>(arguments[i])...);
    }
};

inline void run_grid(void (*call)(void**), void** arguments, const unsigned* shape, unsigned seed) {
    std::mt19937 random(seed);
    call_kernel = call;
    call_arguments = arguments;
    gridDim = {shape[0], shape[1], 1};
    blockDim = {shape[2], 1, 1};
    for (unsigned x = 0; x < shape[0]; ++x)
        for (unsigned y = 0; y < shape[1]; ++y) {
            blockIdx = {x, y, 0};
            run_block(shape[2], random);
        }
}

#define KERNEL(name)                                                                          \
    extern "C" void run_##name(void** arguments, const unsigned* shape, unsigned seed) {      \
        run_grid(&Caller<&name>::call, arguments, shape, seed);                               \
    }
