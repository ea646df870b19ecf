// A node's problem without the classes that have no case there: they cost time and change nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bits/bit_blocks.hpp"
#include "search/objective.hpp"

namespace bsnsing {

struct PresentClasses {
    Objective objective;
    std::vector<std::size_t> classes;  // the node's number of each class that is kept

    explicit PresentClasses(const Objective& full) : objective(full), n_classes_(full.n_classes) {
        // That children differ in their leading class means another thing for two classes.
        const bool keeps_all = full.n_classes == 2 || full.distinct_children;
        for (std::size_t j = 0; j < full.n_classes; ++j)
            if (keeps_all || full.totals[j] > 0) classes.push_back(j);
        for (std::size_t j = 0; classes.size() < 2 && j < full.n_classes; ++j)
            if (full.totals[j] <= 0) classes.insert(classes.begin(), j);
        if (keeps_everyone()) return;
        objective.n_classes = classes.size();
        objective.positive = 0;
        for (std::size_t i = 0; i < classes.size(); ++i) {
            objective.totals[i] = full.totals[classes[i]];
            objective.class_weights[i] = full.class_weights[classes[i]];
            if (classes[i] == full.positive) objective.positive = i;
        }
        objective.totals.resize(classes.size());
        objective.class_weights.resize(classes.size());
    }

    bool keeps_everyone() const { return classes.size() == n_classes_; }

    RowLayout layout_of(const RowLayout& all) const {
        RowLayout layout = all;
        if (keeps_everyone()) return layout;
        std::vector<std::uint32_t> place(n_classes_, 0);
        for (std::size_t i = 0; i < classes.size(); ++i)
            place[classes[i]] = static_cast<std::uint32_t>(i);
        layout.n_classes = classes.size();
        for (Segment& s : layout.segments) s.class_index = place[s.class_index];
        return layout;
    }

    // From counts by kept class to counts by class of the node.
    std::vector<double> spread(const std::vector<double>& counts) const {
        std::vector<double> all(counts.empty() ? 0 : n_classes_, 0.0);
        for (std::size_t i = 0; i < counts.size(); ++i) all[classes[i]] = counts[i];
        return all;
    }

  private:
    std::size_t n_classes_;
};

}  // namespace bsnsing
