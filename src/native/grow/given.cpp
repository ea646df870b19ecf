#include "grow/given.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace bsnsing {
namespace {

void find_levels(const EncodedColumn& column, std::vector<std::uint32_t> levels,
                 Question& question) {
    std::sort(levels.begin(), levels.end());
    if (!levels.empty() && levels.back() >= column.n_codes)
        throw std::invalid_argument("no such level");
    if (question.test == Test::equal && levels.size() == 1) {
        question.low = levels.front();
        question.high = question.low + 1;
        return;
    }
    question.test = Test::in;
    question.levels = std::move(levels);
}

}  // namespace

Question given_question(std::span<const EncodedColumn> columns, std::uint32_t column_index,
                        Test test, double value, std::vector<std::uint32_t> levels) {
    if (column_index >= columns.size()) throw std::invalid_argument("no such column");
    const EncodedColumn& column = columns[column_index];
    Question question{column_index, test, value, 0, 0, {}};
    if (test == Test::missing) {
        question.low = column.n_codes;
        question.high = column.n_codes + 1;
        return question;
    }
    if (column.kind == ColumnKind::categorical) {
        find_levels(column, std::move(levels), question);
        return question;
    }
    if (test == Test::in) throw std::invalid_argument("'in' asks about categorical columns only");
    const auto begin = column.values.begin();
    const auto end = column.values.end();
    // Codes of the first value that is at least, and of the first that is above `value`.
    const auto at = static_cast<std::uint32_t>(std::lower_bound(begin, end, value) - begin);
    const auto past = static_cast<std::uint32_t>(std::upper_bound(begin, end, value) - begin);
    question.low = test == Test::greater ? past : test == Test::equal ? at : 0;
    question.high = test == Test::greater ? column.n_codes : test == Test::equal ? past : at;
    return question;
}

}  // namespace bsnsing
