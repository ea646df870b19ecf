#include "bindings/leave.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace bsnsing {
namespace {

// Seen by all threads; a child of fork has one.
std::atomic<std::size_t> n_away{0};
std::atomic<bool> is_ending{false};
std::thread::id ending_thread;

// The signs that this thread works under.
thread_local std::vector<std::shared_ptr<std::atomic<bool>>> signs;

bool must_end() {
    return is_ending.load() && std::this_thread::get_id() != ending_thread;
}

// Whether some other thread is between the call of a function of the package and its return.
bool is_called_elsewhere() {
    const auto own = static_cast<std::uint64_t>(PyThread_get_thread_ident());
    const auto frames = nb::cast<nb::dict>(nb::module_::import_("sys").attr("_current_frames")());
    for (const auto& [thread, top] : frames) {
        if (nb::cast<std::uint64_t>(thread) == own) continue;
        nb::object frame = nb::borrow(top);
        while (!frame.is_none()) {
            const nb::object module = frame.attr("f_globals").attr("get")("__name__", "");
            if (nb::isinstance<nb::str>(module) &&
                nb::cast<bool>(module.attr("startswith")("bsnsing.")))
                return true;
            frame = frame.attr("f_back");
        }
    }
    return false;
}

// Waits until nobody is away, and a while until nobody is in the package: other libraries leave
// Python too, and some, NumPy's own C++ among them, do not survive that Python ends a thread of
// theirs. Registered with atexit, so that threads still get the lock.
void end_native_work() {
    constexpr auto kPause = std::chrono::milliseconds(1);
    constexpr auto kPatience = std::chrono::seconds(5);  // a thread may wait for one that ends
    ending_thread = std::this_thread::get_id();
    is_ending.store(true);
    // Threads that Python ends on its way out keep what they hold: no leaks to be told of.
    if (nb::cast<int>(nb::module_::import_("threading").attr("active_count")()) > 1)
        nb::set_leak_warnings(false);
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (n_away.load() > 0 || (std::chrono::steady_clock::now() < end && is_called_elsewhere())) {
        const nb::gil_scoped_release others_may_return;
        std::this_thread::sleep_for(kPause);
    }
}

// Those who were away when a process was copied are not in the copy.
void forget_others() {
    n_away.store(0);
}

}  // namespace

void end_with_python() {
    if (!must_end()) return;
    PyErr_SetNone(PyExc_SystemExit);
    throw nb::python_error();
}

WithoutPython::WithoutPython() {
    // Counted before looking: the one who ends Python looks the other way round, so that, also
    // without an interpreter lock, one of both sees the other.
    ++n_away;
    if (must_end()) {
        --n_away;
        end_with_python();
    }
    state_ = PyEval_SaveThread();
}

WithoutPython::~WithoutPython() {
    PyEval_RestoreThread(state_);
    --n_away;
}

void StopSign::enter() const {
    signs.push_back(stopped_);
}

void StopSign::leave() const {
    const auto last = std::find(signs.rbegin(), signs.rend(), stopped_);
    if (last != signs.rend()) signs.erase(std::next(last).base());
}

bool user_interrupts() {
    const nb::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) return true;
    if (must_end()) {
        PyErr_SetNone(PyExc_SystemExit);
        return true;
    }
    if (std::any_of(signs.begin(), signs.end(), [](const auto& sign) { return sign->load(); })) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        return true;
    }
    return false;
}

void bind_leave(nb::module_& m) {
    nb::class_<StopSign>(m, "StopSign",
                         "Stops the native work of threads: `with sign:` in each, stop() in one.")
        .def(nb::init<>())
        .def("stop", &StopSign::stop)
        .def_prop_ro("is_stopped", &StopSign::is_stopped)
        .def("__enter__", [](const StopSign& self) { self.enter(); })
        .def(
            "__exit__", [](const StopSign& self, const nb::args& /*error*/) { self.leave(); },
            nb::sig("def __exit__(self, *error: object) -> None"))
        // In another process it is a sign of its own.
        .def("__getstate__", &StopSign::is_stopped)
        .def("__setstate__", [](StopSign& self, bool is_stopped) {
            new (&self) StopSign();
            if (is_stopped) self.stop();
        });
    m.def("end_with_python", &end_with_python,
          "Raises SystemExit, which ends a thread silently, once Python ends.");
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end_native_work));
#if defined(__unix__) || defined(__APPLE__)
    pthread_atfork(nullptr, nullptr, &forget_others);
#endif
}

}  // namespace bsnsing
