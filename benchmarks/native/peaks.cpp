// What this machine can do at most: 64-bit words and-ed, counted and summed per second, and bytes
// read from memory per second. `peaks N_THREADS` prints both as JSON.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define ON_X86 1
#endif

namespace {

using Word = std::uint64_t;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kBufferWords = 1024;  // 8 KiB: stays in the first-level cache
constexpr std::size_t kMemoryWords = std::size_t{1} << 25U;  // 256 MiB: beyond the caches
constexpr std::size_t kKept = 8;                             // operands that stay in registers
constexpr int kTries = 15;  // on a shared machine some are interrupted

// A counter goes `n_passes` times over the buffer and counts each word against kKept others.
using Counter = Word (*)(const Word* buffer, const Word* kept, std::size_t n_passes);

#ifdef ON_X86
__attribute__((target("popcnt")))
#endif
Word count_plain(const Word* buffer, const Word* kept, std::size_t n_passes) {
    Word sums[kKept] = {};
    for (std::size_t pass = 0; pass < n_passes; ++pass)
        for (std::size_t i = 0; i < kBufferWords; ++i)
            for (std::size_t k = 0; k < kKept; ++k)
                sums[k] += static_cast<Word>(std::popcount(buffer[i] & kept[k]));
    Word sum = 0;
    for (const Word s : sums) sum += s;
    return sum;
}

#ifdef ON_X86
// Each half-byte looks its count up in a table of 16.
__attribute__((target("avx2"))) Word count_avx2(const Word* buffer, const Word* kept,
                                                std::size_t n_passes) {
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                           2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    __m256i operand[4];
    __m256i sums[4];
    for (std::size_t k = 0; k < 4; ++k) {
        operand[k] = _mm256_set1_epi64x(static_cast<long long>(kept[k]));
        sums[k] = _mm256_setzero_si256();
    }
    for (std::size_t pass = 0; pass < 2 * n_passes; ++pass)  // four operands at a time, not eight
        for (std::size_t i = 0; i < kBufferWords; i += 4) {
            const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(buffer + i));
            for (std::size_t k = 0; k < 4; ++k) {
                const __m256i both = _mm256_and_si256(x, operand[k]);
                const __m256i counts = _mm256_add_epi8(
                    _mm256_shuffle_epi8(table, _mm256_and_si256(both, low)),
                    _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi32(both, 4), low)));
                sums[k] =
                    _mm256_add_epi64(sums[k], _mm256_sad_epu8(counts, _mm256_setzero_si256()));
            }
        }
    Word sum = 0;
    for (const __m256i& s : sums) {
        alignas(32) Word lanes[4];
        _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), s);
        for (const Word lane : lanes) sum += lane;
    }
    return sum;
}

__attribute__((target("avx512f,avx512vpopcntdq"))) Word count_avx512(const Word* buffer,
                                                                     const Word* kept,
                                                                     std::size_t n_passes) {
    __m512i operand[kKept];
    __m512i sums[kKept];
    for (std::size_t k = 0; k < kKept; ++k) {
        operand[k] = _mm512_set1_epi64(static_cast<long long>(kept[k]));
        sums[k] = _mm512_setzero_si512();
    }
    for (std::size_t pass = 0; pass < n_passes; ++pass)
        for (std::size_t i = 0; i < kBufferWords; i += 8) {
            const __m512i x = _mm512_loadu_si512(buffer + i);
            for (std::size_t k = 0; k < kKept; ++k)
                sums[k] =
                    _mm512_add_epi64(sums[k], _mm512_popcnt_epi64(_mm512_and_si512(x, operand[k])));
        }
    Word sum = 0;
    for (const __m512i& s : sums) {
        alignas(64) Word lanes[8];
        _mm512_store_si512(lanes, s);
        for (const Word lane : lanes) sum += lane;
    }
    return sum;
}
#endif

struct NamedCounter {
    const char* name;
    Counter count;
};

std::vector<NamedCounter> usable_counters() {
    std::vector<NamedCounter> usable = {{"plain popcount", count_plain}};
#ifdef ON_X86
    if (__builtin_cpu_supports("avx2")) usable.push_back({"AVX2 table", count_avx2});
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq"))
        usable.push_back({"AVX-512 popcount", count_avx512});
#endif
    return usable;
}

// Seconds until `work(thread)` is done on all threads; the best of a few tries.
double best_seconds(std::size_t n_threads, const std::function<void(std::size_t)>& work) {
    double best = 1e300;
    for (int i = 0; i < kTries; ++i) {
        const auto start = Clock::now();
        std::vector<std::thread> threads;
        for (std::size_t t = 1; t < n_threads; ++t) threads.emplace_back(work, t);
        work(0);
        for (std::thread& t : threads) t.join();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return best;
}

double words_per_second(Counter count, std::size_t n_threads, std::vector<Word>& sinks) {
    std::vector<Word> buffer(kBufferWords);
    std::vector<Word> kept(kKept);
    Word state = 0x9E3779B97F4A7C15U;
    for (Word& word : buffer) word = state = state * 6364136223846793005U + 1442695040888963407U;
    for (Word& word : kept) word = state = state * 6364136223846793005U + 1442695040888963407U;
    constexpr std::size_t kPasses = 5000;
    const double seconds = best_seconds(n_threads, [&](std::size_t thread) {
        sinks[thread] += count(buffer.data(), kept.data(), kPasses);
    });
    return static_cast<double>(n_threads * kPasses * kBufferWords * kKept) / seconds;
}

double bytes_per_second(std::size_t n_threads, std::vector<Word>& sinks) {
    const std::vector<Word> memory(kMemoryWords, 3);
    const double seconds = best_seconds(n_threads, [&](std::size_t thread) {
        const std::size_t begin = kMemoryWords / n_threads * thread;
        const std::size_t end = kMemoryWords / n_threads * (thread + 1);
        Word sums[8] = {};
        for (std::size_t i = begin; i + 8 <= end; i += 8)
            for (std::size_t k = 0; k < 8; ++k) sums[k] += memory[i + k];
        for (const Word s : sums) sinks[thread] += s;
    });
    return static_cast<double>(kMemoryWords * sizeof(Word)) / seconds;
}

}  // namespace

int main(int n_arguments, char** arguments) {
    const long wanted = n_arguments == 2 ? std::strtol(arguments[1], nullptr, 10) : 0;
    if (wanted < 1 || wanted > 1024) {
        std::fprintf(stderr, "usage: peaks N_THREADS, from 1 to 1024\n");
        return 2;
    }
    const auto n_threads = static_cast<std::size_t>(wanted);
    std::vector<Word> sinks(n_threads);
    NamedCounter best = {"", nullptr};
    double most = 0;
    for (const NamedCounter& counter : usable_counters()) {
        const double rate = words_per_second(counter.count, n_threads, sinks);
        if (rate > most) {
            most = rate;
            best = counter;
        }
    }
    const double bytes = bytes_per_second(n_threads, sinks);
    Word sum = 0;
    for (const Word s : sinks) sum += s;
    std::printf(
        "{\"counter\": \"%s\", \"words_per_second\": %.0f, \"bytes_per_second\": %.0f, "
        "\"memory_bytes\": %zu, \"checksum\": %llu}\n",
        best.name, most, bytes, kMemoryWords * sizeof(Word), static_cast<unsigned long long>(sum));
    return 0;
}
