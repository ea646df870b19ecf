#include "grow/answers.hpp"

#include <algorithm>
#include <utility>

#include "kernels/kernels.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

// Codes of more than a byte are first mapped to at most 256 bins, so that one byte per row decides
// every question of a run: a question is then a range of bins, which a vector compare answers for
// 64 rows at once.
constexpr std::size_t kMostQuestionsPerRun = 100;  // each brings at most two edges

struct Run {
    std::size_t first = 0;
    std::size_t n = 0;
};

// Consecutive questions about one column that share their bins; an `in` stands alone.
std::vector<Run> split_runs(std::span<const Question> questions) {
    std::vector<Run> runs;
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const Question& q = questions[i];
        const bool continues = !runs.empty() && runs.back().n < kMostQuestionsPerRun &&
                               questions[i - 1].column == q.column && q.test != Test::in &&
                               questions[i - 1].test != Test::in;
        if (continues)
            ++runs.back().n;
        else
            runs.push_back({i, 1});
    }
    return runs;
}

// Where bins begin: every low and high of the questions.
std::vector<std::uint32_t> find_edges(std::span<const Question> questions) {
    std::vector<std::uint32_t> edges;
    for (const Question& q : questions) {
        edges.push_back(q.low);
        edges.push_back(q.high);
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

std::uint8_t bin_of(const std::vector<std::uint32_t>& edges, std::uint32_t code) {
    return static_cast<std::uint8_t>(std::upper_bound(edges.begin(), edges.end(), code) -
                                     edges.begin());
}

// Answers a run of questions; first_question is the place of its first in the blocks.
class RunAnswerer {
  public:
    RunAnswerer(const ColumnShape& column, std::span<const Question> questions,
                const NodeTable& node)
        : column_(column), index_(questions.front().column), questions_(questions), node_(node) {}

    void answer(std::size_t first_question, BitBlocks& blocks) {
        if (node_.is_bits(index_)) {
            for (std::size_t i = 0; i < questions_.size(); ++i)
                copy_bits(questions_[i], blocks.lane(first_question + i));
            return;
        }
        node_.visit_codes(index_, [&](const auto* codes) {
            if (questions_.front().test == Test::in) {
                fill_membership(codes);
                pack(bins_.data(), 1, 2, blocks.lane(first_question));
            } else if constexpr (sizeof(*codes) == 1) {
                for (std::size_t i = 0; i < questions_.size(); ++i)
                    pack(codes, questions_[i].low, questions_[i].high,
                         blocks.lane(first_question + i));
            } else {
                const std::vector<std::uint32_t> edges = find_edges(questions_);
                fill_bins(codes, edges);
                for (std::size_t i = 0; i < questions_.size(); ++i)
                    pack(bins_.data(), bin_of(edges, questions_[i].low),
                         bin_of(edges, questions_[i].high), blocks.lane(first_question + i));
            }
        });
    }

  private:
    bool takes(const Question& question, std::uint32_t code) const {
        if (question.test == Test::in)
            return std::binary_search(question.levels.begin(), question.levels.end(), code);
        return code >= question.low && code < question.high;
    }

    // Of a column of bits, a question takes the ones, the zeros, all or none.
    void copy_bits(const Question& question, Word* lane) const {
        const Word ones = takes(question, 1) ? ~Word{0} : Word{0};
        const Word zeros = takes(question, 0) ? ~Word{0} : Word{0};
        const Word* bits = node_.bits(index_);
        for (const Segment& s : node_.layout().segments) {
            const std::size_t end = s.first_word + s.n_words;
            for (std::size_t w = s.first_word; w < end; ++w)
                lane[w * kLanes] = (bits[w] & ones) | (~bits[w] & zeros);
            if (s.n_rows % kWordBits != 0)
                lane[(end - 1) * kLanes] &= (Word{1} << (s.n_rows % kWordBits)) - 1;
        }
    }

    template <class Code, class Map>
    void map_codes(const Code* codes, const Map& map) {
        bins_.resize(node_.n_rows());
        for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] = map(codes[i]);
    }

    template <class Code>
    void fill_membership(const Code* codes) {
        std::vector<std::uint8_t> is_member(std::size_t{column_.n_codes} + 1, 0);
        for (const std::uint32_t level : questions_.front().levels) is_member[level] = 1;
        map_codes(codes, [&](Code code) { return is_member[code]; });
    }

    template <class Code>
    void fill_bins(const Code* codes, const std::vector<std::uint32_t>& edges) {
        // A table pays only where it is not much larger than the node.
        if (column_.n_codes > 4 * node_.n_rows()) {
            map_codes(codes, [&](Code code) { return bin_of(edges, code); });
            return;
        }
        std::vector<std::uint8_t> bin(std::size_t{column_.n_codes} + 1, 0);
        for (std::size_t e = 0; e < edges.size(); ++e) {
            const std::size_t end = e + 1 < edges.size() ? edges[e + 1] : bin.size();
            const std::size_t begin = std::min<std::size_t>(edges[e], bin.size());
            std::fill_n(bin.data() + begin, std::max(std::min(end, bin.size()), begin) - begin,
                        static_cast<std::uint8_t>(e + 1));
        }
        map_codes(codes, [&](Code code) { return bin[code]; });
    }

    // Rows whose bin lies in [low, high) answer yes.
    void pack(const std::uint8_t* bins, std::uint32_t low, std::uint32_t high, Word* lane) const {
        const Kernels& kernels = active_kernels();
        for (const Segment& s : node_.layout().segments) {
            kernels.pack_range(bins, s.n_rows, static_cast<std::uint8_t>(low),
                               static_cast<std::uint8_t>(high - low), lane + s.first_word * kLanes);
            bins += s.n_rows;
        }
    }

    const ColumnShape& column_;
    const std::size_t index_;
    const std::span<const Question> questions_;
    const NodeTable& node_;
    UnfilledVector<std::uint8_t> bins_;
};

}  // namespace

BitBlocks answer_questions(const ColumnSchema& columns, std::span<const Question> questions,
                           const NodeTable& node, std::size_t n_threads,
                           UnfilledVector<Word> memory) {
    BitBlocks blocks =
        BitBlocks::unfilled(questions.size(), node.layout().n_words, std::move(memory));
    const std::vector<Run> runs = split_runs(questions);
    parallel_for(runs.size(), n_threads, [&](std::size_t i, std::size_t) {
        const std::span<const Question> run = questions.subspan(runs[i].first, runs[i].n);
        RunAnswerer(columns[run.front().column], run, node).answer(runs[i].first, blocks);
    });
    return blocks;
}

}  // namespace bsnsing
