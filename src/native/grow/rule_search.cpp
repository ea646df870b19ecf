#include "grow/rule_search.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "search/settings.hpp"

namespace bsnsing {

RuleSearch::RuleSearch(const Chooser& chooser, std::span<const std::int64_t> totals,
                       std::span<const ClassHistogram> histograms, std::vector<Question> questions,
                       std::span<const std::int64_t> pairs, Interrupt& interrupt, double seconds,
                       const NodeLimits* node, std::size_t n_given)
    : chooser_(chooser),
      limit_(std::min(seconds, chooser.options().time_limit)),
      totals_(chooser.read_totals(totals)),
      questions_(std::move(questions)),
      n_own_(chooser.n_own(questions_, n_given)),
      objective_(chooser.objective_of(totals_, chooser.majority_class(totals_))),
      present_(objective_) {
    chooser.check_histograms(histograms);
    check_pairs(pairs);
    for (const Question& q : questions_) {
        const ColumnShape& column = chooser.columns()[q.column];
        const HasCode has_code = counted_codes(column, histograms[q.column]);
        const auto at = std::lower_bound(column.values.begin(), column.values.end(), q.value);
        const bool is_on_value = at != column.values.end() && *at == q.value;
        codes_.push_back(
            {has_code(column.n_codes),
             is_on_value && has_code(static_cast<std::uint32_t>(at - column.values.begin()))});
    }
    // A table pays where it is smaller than the number of pairs to be judged.
    const auto n_pairs = static_cast<double>(questions_.size() * questions_.size());
    if (facts_of(objective_.criterion).uses_xlogx && objective_.whole_numbers &&
        objective_.total <= n_pairs) {
        xlogx_ = tabulate_xlogx(objective_.total);
        if (!xlogx_.empty()) present_.objective.xlogx = xlogx_.data();
    }
    SearchPlan options = chooser.options().search;
    if (node != nullptr) node->check(chooser.columns().size());
    options.limits = chooser.limits_of(questions_, node, present_.classes);
    if (options.limits.has_prices()) present_.objective.whole_numbers = false;
    Watch watch(interrupt, limit_);
    search_ = search_counts({pairs, questions_.size(), present_.classes}, present_.objective,
                            options, chooser.options().greedy_level, watch);
    seconds_ = watch.seconds();
}

void RuleSearch::check_pairs(std::span<const std::int64_t> pairs) const {
    const std::size_t n = questions_.size();
    if (pairs.size() != totals_.size() * n * n)
        throw std::invalid_argument("pair counts must be of shape (" +
                                    std::to_string(totals_.size()) + ", " + std::to_string(n) +
                                    ", " + std::to_string(n) + ")");
    for (std::size_t j = 0; j < totals_.size(); ++j) {
        const std::int64_t* of_class = pairs.data() + j * n * n;
        const auto total = static_cast<std::int64_t>(totals_[j]);
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b <= a; ++b) {
                const std::int64_t both = of_class[a * n + b];
                const std::int64_t n_a = of_class[a * n + a];
                const std::int64_t n_b = of_class[b * n + b];
                if (both != of_class[b * n + a] || both > std::min(n_a, n_b) ||
                    both < std::max<std::int64_t>(0, n_a - (total - n_b)))
                    throw std::invalid_argument("pair counts of class " + std::to_string(j) +
                                                ", questions " + std::to_string(b) + " and " +
                                                std::to_string(a) +
                                                " contradict each other or the totals");
            }
    }
}

std::vector<NodeRule> RuleSearch::wanted() const {
    std::vector<NodeRule> rules;
    for (const std::vector<Literal>& literals : search_->wanted()) {
        NodeRule& rule = rules.emplace_back();
        for (const Literal& l : literals) {
            rule.rule.literals.push_back(
                {static_cast<std::uint32_t>(rule.questions.size()), l.negated});
            rule.questions.push_back(questions_[l.question]);
        }
    }
    return rules;
}

void RuleSearch::take(std::span<const std::int64_t> counts, Interrupt& interrupt) {
    const std::size_t n_classes = totals_.size();
    const std::size_t n_rules = search_->wanted().size();
    if (counts.size() != n_rules * n_classes)
        throw std::invalid_argument("counts must be of shape (" + std::to_string(n_rules) + ", " +
                                    std::to_string(n_classes) + ")");
    if (n_rules == 0) return;
    std::vector<double> covered;
    covered.reserve(n_rules * present_.classes.size());
    for (std::size_t r = 0; r < n_rules; ++r) {
        const std::vector<double> left =
            chooser_.read_left(counts.subspan(r * n_classes, n_classes), totals_);
        for (const std::size_t j : present_.classes) covered.push_back(left[j]);
    }
    Watch watch(interrupt, limit_ - seconds_);
    search_->take(covered, watch);
    seconds_ += watch.seconds();
}

NodeSplit RuleSearch::found() const {
    NodeSplit split;
    split.found = search_->found();
    split.found.left = present_.spread(split.found.left);
    for (Literal& l : split.found.rule.literals) {
        split.questions.push_back(questions_[l.question]);
        const bool is_own = l.question < n_own_;
        split.given.push_back(is_own ? -1 : static_cast<std::int64_t>(l.question - n_own_));
        if (!is_own) continue;  // given ones keep the words of the user
        Question& question = split.questions.back();
        const ColumnShape& column = chooser_.columns()[question.column];
        name_plainly(
            column,
            [&, codes = codes_[l.question]](std::uint32_t code) {
                return code == column.n_codes ? codes.has_missing : codes.has_value;
            },
            question, l);
    }
    split.is_worthwhile =
        split.found.found && chooser_.is_worthwhile(objective_, split.found.value);
    split.seconds = seconds_;
    return split;
}

}  // namespace bsnsing
