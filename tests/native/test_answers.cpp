// The answers of a node's rows, against one row and one question at a time.
#include <limits>

#include "bits/row_order.hpp"
#include "check.hpp"
#include "grow/answers.hpp"
#include "inputs.hpp"
#include "kernels/kernels.hpp"
#include "table.hpp"

namespace bsnsing::test {
namespace {

RawColumn random_column(Random& random, std::size_t n_rows, std::size_t n_values, bool is_text) {
    RawColumn column{is_text, n_values, {}, {}};
    for (std::size_t i = 0; i < n_rows; ++i) {
        const bool is_missing = random.chance(0.1);
        const std::uint64_t code = i < n_values ? i : random.below(n_values);
        if (is_text)
            column.codes.push_back(is_missing ? -1 : static_cast<std::int32_t>(code));
        else
            column.numbers.push_back(is_missing ? std::numeric_limits<double>::quiet_NaN()
                                                : static_cast<double>(code) + 0.5);
    }
    return column;
}

// Questions of every kind, some of which nobody or everybody answers with yes.
std::vector<Question> random_questions(Random& random, const ColumnShape& column,
                                       std::uint32_t index, std::size_t n) {
    std::vector<Question> questions;
    const std::uint32_t n_codes = column.n_codes;
    const auto value = [&](std::uint32_t code) { return column.values[code]; };
    for (std::size_t i = 0; i < n; ++i) {
        const auto code = static_cast<std::uint32_t>(random.below(n_codes));
        const std::uint64_t kind = random.below(5);
        if (kind == 0) {
            questions.push_back({index, Test::missing, 0, n_codes, n_codes + 1, {}});
        } else if (column.kind != ColumnKind::categorical) {
            if (kind == 1)
                questions.push_back({index, Test::equal, value(code), code, code + 1, {}});
            else if (kind == 2)
                questions.push_back({index, Test::less, value(code), 0, code, {}});
            else if (kind == 3)
                questions.push_back({index, Test::greater, value(code), code + 1, n_codes, {}});
            else  // a value that does not occur
                questions.push_back({index, Test::equal, -1, code, code, {}});
        } else if (kind < 3) {
            questions.push_back(
                {index, Test::equal, static_cast<double>(code), code, code + 1, {}});
        } else {
            Question in{index, Test::in, 0, 0, 0, {}};
            for (std::uint32_t level = 0; level < n_codes; ++level)
                if (random.chance(0.3)) in.levels.push_back(level);
            questions.push_back(in);
        }
    }
    return questions;
}

void check_answers(Random& random, std::size_t n_rows, std::size_t n_kept) {
    std::vector<RawColumn> raw;
    for (const std::size_t n_values : {2U, 200U, 255U, 256U, 1000U})
        for (const bool is_text : {false, true})
            raw.push_back(random_column(random, n_rows, n_values, is_text));
    raw.push_back(random_column(random, n_rows, 70000, true));
    raw.push_back(random_column(random, n_rows, n_rows, false));
    Columns columns;
    std::vector<Question> questions;
    for (const RawColumn& column : raw) {
        columns.add(column.encode());
        const std::size_t place = columns.schema.size() - 1;
        // More than share one set of bins.
        const std::vector<Question> more =
            random_questions(random, columns.schema[place], static_cast<std::uint32_t>(place), 130);
        questions.insert(questions.end(), more.begin(), more.end());
    }
    std::vector<std::int32_t> classes(n_rows);
    std::vector<std::int64_t> weights(n_rows, 0);
    for (std::size_t i = 0; i < n_rows; ++i)
        classes[i] = static_cast<std::int32_t>(random.below(3));
    for (std::size_t i = 0; i < n_kept; ++i)
        weights[random.below(n_rows)] = 1 + static_cast<std::int64_t>(random.below(3));
    const RowOrder order = order_rows(classes, 3, weights);
    const NodeTable table(columns, order, 1);

    for (const std::size_t n_threads : {1U, 2U}) {
        const BitBlocks blocks = answer_questions(columns.schema, questions, table, n_threads);
        CHECK(blocks.n_questions() == questions.size() && blocks.n_words() == order.layout.n_words);
        for (std::size_t q = 0; q < questions.size(); ++q) {
            const RawColumn& column = raw[questions[q].column];
            const std::uint32_t* rows = order.rows.data();
            bool is_right = true;
            for (const Segment& s : order.layout.segments) {
                for (std::size_t w = 0; w < s.n_words; ++w) {
                    Word expected = 0;  // also past the last row
                    for (std::size_t k = 0; k < kWordBits && w * kWordBits + k < s.n_rows; ++k)
                        expected |= Word{says_yes(column, questions[q], rows[w * kWordBits + k])}
                                    << k;
                    is_right = is_right && blocks.lane(q)[(s.first_word + w) * kLanes] == expected;
                }
                rows += s.n_rows;
            }
            CHECK(is_right);
        }
    }
}

}  // namespace

void test_answers() {
    const std::string before = active_kernels().name;
    for (const Kernels* kernels : available_kernels()) {
        use_kernels(kernels->name);
        Random random(6);
        check_answers(random, 3000, 2500);
        check_answers(random, 3000, 40);  // a node much smaller than the tables of bins
        check_answers(random, 300, 0);
    }
    use_kernels(before.c_str());
}

}  // namespace bsnsing::test
