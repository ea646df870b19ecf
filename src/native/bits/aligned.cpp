#include "bits/aligned.hpp"

#if defined(__linux__)
#include <sys/mman.h>

#include <atomic>
#include <mutex>
#include <utility>
#endif

namespace bsnsing {
namespace {

constexpr std::size_t kLineBytes = 64;
constexpr std::align_val_t kLine{kLineBytes};

#if defined(__linux__)
// Large pieces come from the system, and go back to it while others are still in use, which the C
// library does not promise; huge pages, where they may be had, spare most of the faults that fresh
// memory costs.
constexpr std::size_t kLarge = std::size_t{1} << 19U;

// What lies before a large piece, on a line of its own.
struct Header {
    std::size_t n_bytes;  // of the piece, with this line
};

// Large pieces, and those among them that were freed, for who asks next: the system clears fresh
// memory, which takes longer than most of what is done with it. At most a quarter of what is in use
// is kept, so that nothing is once all is freed.
class Pieces {
  public:
    void* take(std::size_t n_bytes) {
        constexpr std::size_t kPage = std::size_t{1} << 12U;
        n_bytes = (n_bytes + kLineBytes + kPage - 1) / kPage * kPage;
        Header* piece = take_spare(n_bytes);
        if (piece == nullptr) piece = map_piece(n_bytes);
        if (piece == nullptr) {
            drop_all();
            piece = map_piece(n_bytes);
        }
        if (piece == nullptr) throw std::bad_alloc();
        n_used_ += piece->n_bytes;
        return reinterpret_cast<std::byte*>(piece) + kLineBytes;
    }

    void give(void* start) noexcept {
        auto* const piece = reinterpret_cast<Header*>(static_cast<std::byte*>(start) - kLineBytes);
        const std::size_t most = (n_used_ -= piece->n_bytes) / kUsedPerSpare;
        // A lock that is taken, perhaps for ever in a forked process, is not waited for.
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) {
            munmap(piece, piece->n_bytes);
            return;
        }
        if (spare_[next_] != nullptr) drop(next_);
        spare_[next_] = piece;
        n_spare_ += piece->n_bytes;
        next_ = (next_ + 1) % kMost;
        for (std::size_t i = next_; n_spare_ > most; i = (i + 1) % kMost)
            if (spare_[i] != nullptr) drop(i);
    }

  private:
    // Fresh memory; nullptr if there is none.
    static Header* map_piece(std::size_t n_bytes) noexcept {
        void* const p =
            mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) return nullptr;
        madvise(p, n_bytes, MADV_HUGEPAGE);
        return ::new (p) Header{n_bytes};
    }

    // The smallest spare piece that is large enough, and not more than twice that.
    Header* take_spare(std::size_t n_bytes) noexcept {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) return nullptr;
        std::size_t best = kMost;
        for (std::size_t i = 0; i < kMost; ++i) {
            if (spare_[i] == nullptr || spare_[i]->n_bytes < n_bytes) continue;
            if (best == kMost || spare_[i]->n_bytes < spare_[best]->n_bytes) best = i;
        }
        if (best == kMost || spare_[best]->n_bytes / 2 > n_bytes) return nullptr;
        n_spare_ -= spare_[best]->n_bytes;
        return std::exchange(spare_[best], nullptr);
    }

    void drop_all() noexcept {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) return;
        for (std::size_t i = 0; i < kMost; ++i)
            if (spare_[i] != nullptr) drop(i);
    }

    void drop(std::size_t i) noexcept {
        Header* const piece = std::exchange(spare_[i], nullptr);
        n_spare_ -= piece->n_bytes;
        munmap(piece, piece->n_bytes);
    }

    static constexpr std::size_t kMost = 64;  // pieces
    static constexpr std::size_t kUsedPerSpare = 4;

    std::atomic<std::size_t> n_used_ = 0;  // bytes
    std::mutex mutex_;
    Header* spare_[kMost] = {};  // from next_ on, in the order in which they were freed, with gaps
    std::size_t next_ = 0;
    std::size_t n_spare_ = 0;  // bytes
};

// Never destroyed: pieces are freed as long as the process lives.
Pieces& pieces() {
    static auto* const all = new Pieces;
    return *all;
}
#endif

}  // namespace

void* allocate_lines(std::size_t n_bytes) {
#if defined(__linux__)
    if (n_bytes >= kLarge) return pieces().take(n_bytes);
#endif
    return ::operator new(n_bytes, kLine);
}

void free_lines(void* p, std::size_t n_bytes) noexcept {
#if defined(__linux__)
    if (n_bytes >= kLarge) {
        pieces().give(p);
        return;
    }
#endif
    ::operator delete(p, kLine);
}

}  // namespace bsnsing
