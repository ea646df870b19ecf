// When to stop early: a deadline, or the user's interrupt.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

namespace bsnsing {

// Asks now and then, from the thread that made it only, whether the user wants to stop.
class Interrupt {
  public:
    explicit Interrupt(std::function<bool()> ask = nullptr) : ask_(std::move(ask)) {}

    bool is_raised() const { return raised_.load(std::memory_order_relaxed); }

    void poll(std::chrono::steady_clock::time_point now) {
        constexpr auto kPause = std::chrono::milliseconds(50);
        if (!ask_ || std::this_thread::get_id() != owner_ || now < next_) return;
        next_ = now + kPause;
        if (ask_()) raised_.store(true);
    }

  private:
    std::function<bool()> ask_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
    std::atomic<bool> raised_{false};
};

class Watch {
  public:
    Watch(Interrupt& interrupt, double seconds)
        : interrupt_(interrupt), start_(std::chrono::steady_clock::now()), limit_(seconds) {}

    bool has_stopped() const {
        return stopped_.load(std::memory_order_relaxed) || interrupt_.is_raised();
    }

    // Looks at the clock; call it between pieces of work of at most some milliseconds.
    bool check() {
        if (has_stopped()) return true;
        const auto now = std::chrono::steady_clock::now();
        interrupt_.poll(now);
        if (std::chrono::duration<double>(now - start_).count() > limit_) stopped_.store(true);
        return has_stopped();
    }

    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    Interrupt& interrupt_;
    std::chrono::steady_clock::time_point start_;
    double limit_ = std::numeric_limits<double>::infinity();
    std::atomic<bool> stopped_{false};
};

// Shares seconds out over pieces of work: each gets its part of what those before it left.
class TimeShares {
  public:
    TimeShares(double seconds, std::size_t n_pieces)
        : start_(std::chrono::steady_clock::now()), limit_(seconds), n_waiting_(n_pieces) {}

    // Seconds for the next piece, if others may run beside it; nothing when all are used up.
    std::optional<double> next(std::size_t n_side_by_side) {
        constexpr double kLeast = 1e-3;
        const std::chrono::duration<double> used = std::chrono::steady_clock::now() - start_;
        const double left = limit_ - used.count();
        const std::size_t n_waiting = std::max<std::size_t>(1, n_waiting_.fetch_sub(1));
        if (left <= 0) return std::nullopt;
        const auto at_once = static_cast<double>(std::min(n_side_by_side, n_waiting));
        return std::min(left, std::max(kLeast, left * at_once / static_cast<double>(n_waiting)));
    }

  private:
    std::chrono::steady_clock::time_point start_;
    double limit_;
    std::atomic<std::size_t> n_waiting_;
};

}  // namespace bsnsing
