// Leaving Python for native work, being called back, and Python's end meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>

#include "work/watch.hpp"

namespace bsnsing {

namespace nb = nanobind;

// Throws SystemExit once Python ends, but in the thread that ends it.
void end_with_python();

// Without the interpreter lock while it lives. Python waits at its end until all threads that left
// are back: it would end a thread that comes later in the midst of native code. Once Python ends,
// only the thread that ends it may leave; others get SystemExit, which ends a thread silently.
class WithoutPython {
  public:
    WithoutPython();
    ~WithoutPython();
    WithoutPython(const WithoutPython&) = delete;
    WithoutPython& operator=(const WithoutPython&) = delete;

  private:
    PyThreadState* state_;
};

// What one thread tells others by: those that work under it stop soon after stop().
class StopSign {
  public:
    void stop() { stopped_->store(true); }
    bool is_stopped() const { return stopped_->load(); }
    // The calling thread works under this sign from now on, and until leave() as often.
    void enter() const;
    void leave() const;

  private:
    std::shared_ptr<std::atomic<bool>> stopped_ = std::make_shared<std::atomic<bool>>(false);
};

// Whether this thread is to stop: for a signal such as Ctrl-C, a sign that it works under, or as
// Python ends. Then the Python error is set.
bool user_interrupts();

// Calls work(interrupt) without the interpreter lock; raises what a signal handler raised.
template <class Work>
auto call_interruptibly(const Work& work) {
    Interrupt interrupt(user_interrupts);
    // It is moved from on return. NOLINTNEXTLINE(misc-const-correctness)
    auto result = [&] {
        const WithoutPython no_python_below;
        return work(interrupt);
    }();
    if (interrupt.is_raised()) throw nb::python_error();
    return result;
}

void bind_leave(nb::module_& m);

}  // namespace bsnsing
