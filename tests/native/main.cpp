// Runs the C++ tests: no framework, one function per file.
#include <cstdio>

#include "check.hpp"

namespace bsnsing::test {

void test_bits();
void test_criteria();
void test_kernels();
void test_search();
void test_counted();
void test_columns();
void test_part_columns();
void test_questions();
void test_answers();
void test_engine();
void test_apply();
void test_forest();

}  // namespace bsnsing::test

int main() {
    using namespace bsnsing::test;
    constexpr struct {
        const char* name;
        void (*run)();
    } kTests[] = {
        {"bits", test_bits},           {"criteria", test_criteria}, {"kernels", test_kernels},
        {"search", test_search},       {"counted", test_counted},   {"columns", test_columns},
        {"questions", test_questions}, {"answers", test_answers},   {"engine", test_engine},
        {"apply", test_apply},         {"forest", test_forest},     {"parts", test_part_columns},
    };
    for (const auto& test : kTests) {
        const Tally before = tally();
        test.run();
        std::printf("%-10s %8zu checks, %zu failed\n", test.name,
                    tally().n_checks - before.n_checks, tally().n_failures - before.n_failures);
        std::fflush(stdout);
    }
    return tally().n_failures == 0 ? 0 : 1;
}
