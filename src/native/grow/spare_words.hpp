// Memory for the answers at one node, kept for the next: fresh memory costs a fault per page.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "bits/aligned.hpp"
#include "bits/words.hpp"

namespace bsnsing {

class SpareWords {
  public:
    UnfilledVector<Word> take() {
        const std::lock_guard<std::mutex> guard(lock_);
        if (spare_.empty()) return {};
        UnfilledVector<Word> memory = std::move(spare_.back());
        spare_.pop_back();
        return memory;
    }
    void give(UnfilledVector<Word> memory) {
        const std::lock_guard<std::mutex> guard(lock_);
        spare_.push_back(std::move(memory));
    }

  private:
    std::mutex lock_;
    std::vector<UnfilledVector<Word>> spare_;
};

}  // namespace bsnsing
