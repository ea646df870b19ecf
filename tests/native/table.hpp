// Questions as a person reads them, and their answers from the user's own numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "grow/questions.hpp"

namespace bsnsing::test {

// One column as the user gave it; `is_text` columns hold level codes, -1 where missing.
struct RawColumn {
    bool is_text = false;
    std::size_t n_levels = 0;
    std::vector<double> numbers;
    std::vector<std::int32_t> codes;

    std::size_t n_rows() const { return is_text ? codes.size() : numbers.size(); }
    EncodedColumn encode() const {
        return is_text ? encode_levels(codes, n_levels) : encode_numbers(numbers);
    }
};

inline RawColumn numbers(std::vector<double> values) {
    return {false, 0, std::move(values), {}};
}
inline RawColumn levels(std::size_t n_levels, std::vector<std::int32_t> codes) {
    return {true, n_levels, {}, std::move(codes)};
}

inline bool says_yes(const RawColumn& column, const Question& q, std::size_t row) {
    if (column.is_text) {
        const std::int32_t code = column.codes[row];
        if (q.test == Test::missing) return code < 0;
        if (code < 0) return false;
        if (q.test == Test::equal) return code == static_cast<std::int32_t>(q.value);
        return std::count(q.levels.begin(), q.levels.end(), static_cast<std::uint32_t>(code)) > 0;
    }
    const double x = column.numbers[row];
    switch (q.test) {
        case Test::greater:
            return x > q.value;
        case Test::less:
            return x < q.value;
        case Test::equal:
            return x == q.value;
        default:
            return std::isnan(x);
    }
}

inline std::string show(const Question& q) {
    if (q.test == Test::missing) return "missing";
    if (q.test == Test::in) {
        std::string text = "in";
        for (const std::uint32_t level : q.levels) text += ' ' + std::to_string(level);
        return text;
    }
    char text[40];
    const char* sign = q.test == Test::greater ? ">" : q.test == Test::less ? "<" : "==";
    std::snprintf(text, sizeof text, "%s %.17g", sign, q.value);
    return text;
}

inline std::vector<std::string> show(const std::vector<Question>& questions) {
    std::vector<std::string> texts;
    for (const Question& q : questions) texts.push_back(show(q));
    return texts;
}

}  // namespace bsnsing::test
