#include "grow/answers.hpp"

#include <algorithm>

#include "kernels/kernels.hpp"
#include "work/parallel.hpp"

namespace bsnsing {
namespace {

// Codes are first mapped to at most 256 bins, so that one byte per row decides every question of
// a run: a question is then a range of bins, which a vector compare answers for 64 rows at once.
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

class RunAnswerer {
  public:
    RunAnswerer(const EncodedColumn& column, std::span<const Question> questions,
                const NodeRows& node)
        : column_(column), questions_(questions), node_(node), bins_(node.rows.size()) {}

    void answer(std::size_t first_question, BitBlocks& blocks) {
        if (questions_.front().test == Test::in) {
            fill_membership();
            pack(first_question, 1, 1, blocks);
        } else if (column_.n_codes < 256) {
            column_.visit([&](const auto* codes) {
                gather(codes, [](auto code) { return static_cast<std::uint8_t>(code); });
            });
            for (std::size_t i = 0; i < questions_.size(); ++i)
                pack(first_question + i, questions_[i].low, questions_[i].high - questions_[i].low,
                     blocks);
        } else {
            const std::vector<std::uint32_t> edges = find_edges(questions_);
            fill_bins(edges);
            for (std::size_t i = 0; i < questions_.size(); ++i) {
                const std::uint8_t low = bin_of(edges, questions_[i].low);
                pack(first_question + i, low, bin_of(edges, questions_[i].high) - low, blocks);
            }
        }
    }

  private:
    template <class Code, class Map>
    void gather(const Code* codes, const Map& map) {
        for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] = map(codes[node_.rows[i]]);
    }

    void fill_membership() {
        std::vector<std::uint8_t> is_member(std::size_t{column_.n_codes} + 1, 0);
        for (const std::uint32_t level : questions_.front().levels) is_member[level] = 1;
        column_.visit(
            [&](const auto* codes) { gather(codes, [&](auto code) { return is_member[code]; }); });
    }

    void fill_bins(const std::vector<std::uint32_t>& edges) {
        column_.visit([&](const auto* codes) {
            // A table pays only where it is not much larger than the node.
            if (column_.n_codes > 4 * bins_.size()) {
                gather(codes, [&](auto code) { return bin_of(edges, code); });
                return;
            }
            std::vector<std::uint8_t> bin(std::size_t{column_.n_codes} + 1, 0);
            for (std::size_t e = 0; e < edges.size(); ++e) {
                const std::size_t end = e + 1 < edges.size() ? edges[e + 1] : bin.size();
                std::fill(bin.begin() + std::min<std::size_t>(edges[e], bin.size()),
                          bin.begin() + static_cast<std::ptrdiff_t>(std::min(end, bin.size())),
                          static_cast<std::uint8_t>(e + 1));
            }
            gather(codes, [&](auto code) { return bin[code]; });
        });
    }

    void pack(std::size_t question, std::uint32_t low, std::uint32_t length, BitBlocks& blocks) {
        const std::uint8_t* bins = bins_.data();
        Word* lane = blocks.lane(question);
        for (const Segment& s : node_.layout->segments) {
            active_kernels().pack_range(bins, s.n_rows, static_cast<std::uint8_t>(low),
                                        static_cast<std::uint8_t>(length),
                                        lane + s.first_word * kLanes);
            bins += s.n_rows;
        }
    }

    const EncodedColumn& column_;
    const std::span<const Question> questions_;
    const NodeRows& node_;
    AlignedVector<std::uint8_t> bins_;
};

}  // namespace

BitBlocks answer_questions(std::span<const EncodedColumn> columns,
                           std::span<const Question> questions, const NodeRows& node,
                           std::size_t n_threads) {
    BitBlocks blocks(questions.size(), node.layout->n_words);
    const std::vector<Run> runs = split_runs(questions);
    parallel_for(runs.size(), n_threads, [&](std::size_t i, std::size_t) {
        const std::span<const Question> run = questions.subspan(runs[i].first, runs[i].n);
        RunAnswerer(columns[run.front().column], run, node).answer(runs[i].first, blocks);
    });
    return blocks;
}

}  // namespace bsnsing
