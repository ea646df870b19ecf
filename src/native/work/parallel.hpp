// Runs numbered tasks on a few threads. Which thread runs which task must not matter.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bsnsing {

// Threads that have something to do.
inline std::size_t useful_threads(std::size_t n_threads, std::size_t n_tasks) {
    return std::max<std::size_t>(1, std::min(n_threads, n_tasks));
}

// Calls work(task, thread) for every task; the calling thread takes part as thread 0. While it
// waits for the others, it calls poll() now and then.
template <class Work, class Poll>
void parallel_for(std::size_t n_tasks, std::size_t n_threads, const Work& work, const Poll& poll) {
    n_threads = useful_threads(n_threads, n_tasks);
    if (n_threads == 1) {
        for (std::size_t task = 0; task < n_tasks; ++task) work(task, std::size_t{0});
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::size_t n_running = 0;
    std::mutex lock;
    std::condition_variable is_done;
    const auto take_tasks = [&](std::size_t thread) {
        try {
            for (std::size_t task = next++; task < n_tasks; task = next++) work(task, thread);
        } catch (...) {
            next = n_tasks;
            const std::lock_guard<std::mutex> guard(lock);
            if (!failure) failure = std::current_exception();
        }
    };
    const auto run_thread = [&](std::size_t thread) {
        take_tasks(thread);
        const std::lock_guard<std::mutex> guard(lock);
        --n_running;
        is_done.notify_one();
    };
    std::vector<std::thread> threads;
    threads.reserve(n_threads - 1);  // nothing may throw past threads that run
    for (std::size_t t = 1; t < n_threads; ++t) {
        {
            const std::lock_guard<std::mutex> guard(lock);
            ++n_running;
        }
        try {
            threads.emplace_back(run_thread, t);
        } catch (const std::exception&) {  // no more threads to be had: go on with these
            const std::lock_guard<std::mutex> guard(lock);
            --n_running;
            break;
        }
    }
    take_tasks(0);
    {
        constexpr auto kPause = std::chrono::milliseconds(20);
        std::unique_lock<std::mutex> guard(lock);
        while (!is_done.wait_for(guard, kPause, [&] { return n_running == 0; })) {
            guard.unlock();
            poll();
            guard.lock();
        }
    }
    for (std::thread& t : threads) t.join();
    if (failure) std::rethrow_exception(failure);
}

template <class Work>
void parallel_for(std::size_t n_tasks, std::size_t n_threads, const Work& work) {
    parallel_for(n_tasks, n_threads, work, [] {});
}

}  // namespace bsnsing
