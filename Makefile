# Everything happens in .venv and build/; nothing else on the machine is touched.
# Needs python3 (3.10 or newer), a C++20 compiler and make; the other tools come from PyPI.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip -qq --disable-pip-version-check
# Versions are in pyproject.toml; these must be there before pip can ask it.
BUILD_TOOLS := scikit-build-core nanobind cmake ninja

# Directories are listed too: they change when a file goes away.
NATIVE := $(shell find src/native 2>/dev/null)
NATIVE_TESTS := $(wildcard tests/native/*.cpp)
# .inl files are headers that are included inside a namespace, some of them by several files.
NATIVE_CODE := $(shell find src/native tests/native benchmarks/native \
	-name '*.[ch]pp' -o -name '*.inl' 2>/dev/null)

# A stamp in the environment says what has been done there, so that a second run is quick.
MADE := $(VENV)/.made
TOOLS := $(VENV)/.build-tools
BUILT := $(VENV)/.built
DEV := $(VENV)/.extras-test,dev
BENCH := $(VENV)/.extras-bench

unexport PYTHONPATH PYTHONHOME

.DEFAULT_GOAL := help
.PHONY: help demo test lint format native-test sanitize pytest stubs \
	bench bench-quick bench-search bench-solvers bench-quality instructions wheel clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s%s\n", $$1, $$2 }' Makefile

demo: $(BUILT) ## Build the package and show it at work
	@$(RUN) -m bsnsing.demo

test: lint native-test sanitize pytest ## Run everything CI runs

lint: $(DEV) ## Check format, lint and types of Python and C++
	$(RUN) -m ruff format --check --quiet .
	$(RUN) -m ruff check --quiet .
	$(RUN) -m mypy
	$(VENV)/bin/clang-format --dry-run -Werror $(NATIVE_CODE)
	$(tidy-native-code)

format: $(DEV) ## Put Python and C++ files into shape
	$(RUN) -m ruff check --quiet --fix-only .
	$(RUN) -m ruff format --quiet .
	$(VENV)/bin/clang-format -i $(NATIVE_CODE)

native-test: $(TOOLS) ## Build and run the C++ tests
	$(call run-native-tests,dev)

sanitize: $(TOOLS) ## The C++ tests under address and undefined-behavior sanitizers
	$(call run-native-tests,sanitize)

pytest: $(BUILT) $(DEV) ## Run the Python tests
	$(RUN) -m pytest -q

stubs: $(BUILT) ## Write the typed face of the native module anew
	$(RUN) -m nanobind.stubgen -q -m bsnsing._core -o src/bsnsing/_core.pyi

bench: $(BUILT) $(BENCH) ## Measure all speeds (half an hour), write benchmarks/results/RESULTS.md
	$(RUN) -m benchmarks.speed

bench-quick: $(BUILT) $(BENCH) ## The same in two minutes, smaller; only shows it
	$(RUN) -m benchmarks.speed --quick

instructions: $(BENCH) ## Compare instruction counts with those on file; RECORD=1 renews them
	$(RUN) -m benchmarks.speed.instructions $(if $(RECORD),--record)

bench-search: $(BUILT) $(BENCH) ## Measure the rule search
	$(RUN) -m benchmarks.speed.search

bench-solvers: $(BUILT) $(BENCH) $(VENV)/.extras-mip ## Compare mixed-integer solvers with the rule search
	$(RUN) -m benchmarks.speed.solvers

bench-quality: $(BUILT) $(BENCH) $(VENV)/.extras-peers ## Compare predictions with other learners
	$(RUN) -m benchmarks.quality --quick

wheel: $(TOOLS) ## Build a wheel into dist/
	$(PIP) wheel --no-build-isolation --no-deps --wheel-dir dist .

clean: ## Remove what make made, the environment too
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# Presets live in CMakePresets.json. The log is shown only when something goes wrong.
define run-native-tests
$(if $(NATIVE_TESTS),@set -e; export PATH="$(CURDIR)/$(VENV)/bin:$$PATH"; \
	echo "C++ tests ($(1))"; log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	{ cmake --preset $(1) && cmake --build --preset $(1); } >"$$log" 2>&1 || { cat "$$log"; exit 1; }; \
	ctest --preset $(1) >"$$log" 2>&1 || { cat "$$log"; exit 1; }; \
	grep 'tests passed' "$$log",@echo "No C++ tests in tests/native")
endef

# A file is read anew only if it, a header or a setting has changed. Kernels of other CPUs than this
# one (neon.cpp on x86) are empty to the preprocessor and so to clang-tidy.
TIDY := build/native-tidy
TIDIED := $(patsubst %.cpp,$(TIDY)/%.tidied,$(filter %.cpp,$(NATIVE_CODE)))

define tidy-native-code
@set -e; export PATH="$(CURDIR)/$(VENV)/bin:$$PATH"; \
	log=$$(cmake --preset tidy -DPython_EXECUTABLE="$(CURDIR)/$(RUN)" \
	  -Dnanobind_DIR="$$($(RUN) -m nanobind --cmake_dir)" 2>&1) || { echo "$$log"; exit 1; }
@$(MAKE) --no-print-directory --keep-going --jobs $$($(RUN) -c 'import os; print(os.cpu_count())') $(TIDIED)
endef

$(TIDY)/%.tidied: %.cpp $(filter-out %.cpp,$(NATIVE_CODE)) .clang-tidy CMakeLists.txt CMakePresets.json
	@echo "clang-tidy $<"
	@log=$$($(VENV)/bin/clang-tidy --quiet -p $(TIDY) $< 2>&1) || { echo "$$log"; exit 1; }
	@mkdir -p $(@D) && touch $@

$(MADE):
	@command -v "$(PYTHON)" >/dev/null || { \
	  echo "There is no '$(PYTHON)' here. Install Python 3.10 or newer, or name one: make PYTHON=/path/to/python3"; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo "bsnsing needs Python 3.10 or newer, and '$(PYTHON)' is $$("$(PYTHON)" --version 2>&1). Name another: make PYTHON=python3.12"; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "'$(PYTHON)' cannot make environments with pip in them. On Debian or Ubuntu: apt install python3-venv"; exit 1; }
	@echo "Making the environment $(VENV)"
	@"$(PYTHON)" -m venv $(VENV)
	@touch $@

$(TOOLS): pyproject.toml | $(MADE)
	@command -v "$${CXX:-c++}" >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null || { \
	  echo "There is no C++ compiler here. On Debian or Ubuntu: apt install g++; on macOS: xcode-select --install"; exit 1; }
	@echo "Installing build tools"
	@$(PIP) install $(BUILD_TOOLS)
	@touch $@

# Python files are used in place; only native sources need building.
$(BUILT): pyproject.toml CMakeLists.txt $(NATIVE) | $(TOOLS)
	@echo "Building bsnsing"
	@$(PIP) install --no-build-isolation --editable .
	@touch $@

$(VENV)/.extras-%: pyproject.toml | $(BUILT)
	@echo "Installing what [$*] needs"
	@$(PIP) install --no-build-isolation --editable '.[$*]'
	@touch $@
