// Runs numbered tasks on a few threads. Which thread runs which task must not matter.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bsnsing {

// Calls work(task, thread) for every task; the calling thread takes part as thread 0.
template <class Work>
void parallel_for(std::size_t n_tasks, std::size_t n_threads, const Work& work) {
    if (n_threads <= 1 || n_tasks <= 1) {
        for (std::size_t task = 0; task < n_tasks; ++task) work(task, std::size_t{0});
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_lock;
    const auto take_tasks = [&](std::size_t thread) {
        try {
            for (std::size_t task = next++; task < n_tasks; task = next++) work(task, thread);
        } catch (...) {
            next = n_tasks;
            const std::lock_guard<std::mutex> guard(failure_lock);
            if (!failure) failure = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t t = 1; t < n_threads && t < n_tasks; ++t) threads.emplace_back(take_tasks, t);
    take_tasks(0);
    for (std::thread& t : threads) t.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace bsnsing
