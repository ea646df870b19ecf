#include "grow/given.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace bsnsing {
namespace {

void find_levels(const ColumnShape& column, std::vector<std::uint32_t> levels, Question& question) {
    std::sort(levels.begin(), levels.end());
    if (!levels.empty() && levels.back() >= column.n_codes)
        throw std::invalid_argument("column " + std::to_string(question.column) + " has no level " +
                                    std::to_string(levels.back()) + ": it has " +
                                    std::to_string(column.n_codes));
    if (question.test == Test::greater || question.test == Test::less)
        throw std::invalid_argument("column " + std::to_string(question.column) +
                                    " is categorical and has no thresholds");
    if (question.test == Test::equal && levels.size() == 1) {
        question.low = levels.front();
        question.high = question.low + 1;
        return;
    }
    question.test = Test::in;
    question.levels = std::move(levels);
}

}  // namespace

Question given_question(const ColumnSchema& columns, std::uint32_t column_index, Test test,
                        double value, std::vector<std::uint32_t> levels) {
    const ColumnShape& column = columns.at(column_index);
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
    if (test == Test::in)
        throw std::invalid_argument("'in' asks about levels, and column " +
                                    std::to_string(column_index) + " has numbers");
    if (std::isnan(value))
        throw std::invalid_argument("a question about column " + std::to_string(column_index) +
                                    " compares with NaN");
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
