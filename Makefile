# Everything happens in .venv and build/; nothing else on the machine is touched.
# Needs python3 (3.10 or newer), a C++20 compiler and make; the other tools come from PyPI.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
# The way to R is made without compiling, so that headers of R are not needed.
PIP := RPY2_CFFI_MODE=ABI $(RUN) -m pip -qq --disable-pip-version-check
# Versions are in pyproject.toml; these must be there before pip can ask it.
BUILD_TOOLS := scikit-build-core nanobind cmake ninja

# Directories are listed too: they change when a file goes away.
NATIVE := $(shell find src/native 2>/dev/null)
NATIVE_TESTS := $(wildcard tests/native/*.cpp)
# .inl files are headers that are included inside a namespace, some of them by several files.
NATIVE_CODE := $(shell find src/native tests/native benchmarks/native fuzz/native \
	-name '*.[ch]pp' -o -name '*.inl' 2>/dev/null)

# A stamp in the environment says what has been done there, so that a second run is quick.
MADE := $(VENV)/.made
TOOLS := $(VENV)/.build-tools
BUILT := $(VENV)/.built
DEV := $(VENV)/.extras-test,dev $(if $(shell command -v R),$(VENV)/.way-to-r)
BENCH := $(VENV)/.extras-bench

unexport PYTHONPATH PYTHONHOME

.DEFAULT_GOAL := help
.PHONY: help demo test lint format native-test sanitize sanitize-threads \
	sanitize-python pytest stubs fuzz fuzz-native fuzz-guided audit \
	bench bench-quick bench-search bench-solvers bench-dask bench-quality instructions wheel wheel-test \
	clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s%s\n", $$1, $$2 }' Makefile

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

sanitize-threads: $(TOOLS) ## The C++ tests under the thread sanitizer
	$(call run-native-tests,sanitize-threads)

# What reaches native code from Python: arguments, layouts, threads and searches. Leaks are not
# looked for, since Python keeps what it has until it ends.
SANITIZED_TESTS ?= tests/reference/test_native_arguments.py tests/reference/test_engine_counts.py \
	tests/reference/test_chooser.py tests/robust/test_no_feasible_rule.py \
	tests/robust/test_unaligned.py tests/unit/test_rows.py tests/unit/test_forest.py
sanitize-python: $(BUILT) $(DEV) ## Python tests of an extension under address and undefined-behavior sanitizers
	@set -e; export PATH="$(CURDIR)/$(VENV)/bin:$$PATH"; log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	{ cmake --preset sanitize-python -DPython_EXECUTABLE="$(CURDIR)/$(RUN)" \
	  -Dnanobind_DIR="$$($(RUN) -m nanobind --cmake_dir)" && \
	  cmake --build --preset sanitize-python; } >"$$log" 2>&1 || { cat "$$log"; exit 1; }; \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	$(RUN) tests/sanitized.py build/python-sanitize $(SANITIZED_TESTS)

pytest: $(BUILT) $(DEV) ## Run the Python tests
	$(RUN) -m pytest -q

# Uses the python3 that has CuPy, on a machine with a card: make test-gpu RUN=python3
.PHONY: test-gpu bench-gpu
test-gpu: ## Run the tests that need a graphics card, under compute-sanitizer too where it is installed
	$(RUN) -m pytest -q -m gpu tests/gpu
	@if command -v compute-sanitizer >/dev/null; then \
	  for tool in memcheck racecheck; do \
	    compute-sanitizer --tool $$tool --error-exitcode 1 \
	      $(RUN) -m pytest -q -m gpu tests/gpu -k "gather or gini_squared" || exit 1; \
	  done; \
	else echo "no compute-sanitizer here: memory and races are not checked"; fi

bench-gpu: ## Measure one tree on a graphics card, beside the CPU and others
	$(RUN) -m benchmarks.speed.gpu

# How long, from which seed on, and in how many processes: make fuzz SECONDS=60 SEED=7 WORKERS=4
SECONDS ?= 3600
SEED ?= 0
WORKERS ?= 1
fuzz: $(BUILT) $(DEV) ## Look for faults in random tables, pools and texts, for an hour
	$(RUN) -m fuzz --seconds $(SECONDS) --seed $(SEED) --workers $(WORKERS)

# Needs clang 16 or newer, with its libFuzzer: make fuzz-native BSNSING_CLANG=clang++-16 SECONDS=60
BSNSING_CLANG ?= clang++
NATIVE_FUZZ := $(patsubst fuzz/native/%.cpp,%,$(wildcard fuzz/native/*.cpp))
fuzz-native: $(TOOLS) ## Let libFuzzer look for bytes that break native code, for an hour
	@set -e; export PATH="$(CURDIR)/$(VENV)/bin:$$PATH" BSNSING_CLANG="$(BSNSING_CLANG)"; \
	log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	{ cmake --preset fuzz && cmake --build --preset fuzz; } >"$$log" 2>&1 || { cat "$$log"; exit 1; }; \
	for target in $(NATIVE_FUZZ); do \
	  mkdir -p build/corpus/$$target; \
	  build/native-fuzz/fuzz_$$target -max_total_time=$$(($(SECONDS) / $(words $(NATIVE_FUZZ)))) \
	    -max_len=4096 -print_final_stats=1 -artifact_prefix=build/corpus/ build/corpus/$$target; \
	done

fuzz-guided: $(BUILT) $(DEV) ## Let atheris look for texts that break the readers of rules and models, for an hour
	@mkdir -p build/corpus
	$(RUN) -m fuzz.guided build/corpus/texts -max_total_time=$(SECONDS) -max_len=20000 \
	  -artifact_prefix=build/corpus/

audit: $(BUILT) ## Look for known vulnerabilities of what bsnsing depends on (needs the network)
	@$(PIP) install pip-audit
	@$(RUN) -m pip_audit --skip-editable || { echo "pip-audit asks the package index for advisories: \
	a failure may also mean that it cannot be reached from here."; exit 1; }

stubs: $(BUILT) $(DEV) ## Write the typed face of the native module, and the help of parameters, anew
	$(RUN) -m nanobind.stubgen -q -m bsnsing._core -o src/bsnsing/_core.pyi
	$(RUN) -m bsnsing.cli.write_help

# Runs the code of all pages and of the gallery; a warning is an error.
.PHONY: docs
docs: $(BUILT) $(DEV) $(VENV)/.extras-docs ## Build the documentation site into build/docs/html
	@$(RUN) -m sphinx -q -W --keep-going -j 2 -d build/docs/doctrees docs build/docs/html
	@echo "Open build/docs/html/index.html"

bench: $(BUILT) $(BENCH) ## Measure all speeds (half an hour), write benchmarks/results/RESULTS.md
	$(RUN) -m benchmarks.speed

bench-quick: $(BUILT) $(BENCH) ## The same in two minutes, smaller; only shows it
	$(RUN) -m benchmarks.speed --quick

instructions: $(BENCH) ## Compare instruction counts with those on file; RECORD=1 WHY="..." renews them
	@$(RUN) -m benchmarks.speed.instructions $(if $(RECORD),--record) $(if $(WHY),--why "$(WHY)") \
	  $(if $(SKIP_UNKNOWN),--skip-unknown)

bench-search: $(BUILT) $(BENCH) ## Measure the rule search
	$(RUN) -m benchmarks.speed.search

bench-solvers: $(BUILT) $(BENCH) $(VENV)/.extras-mip ## Compare mixed-integer solvers with the rule search
	$(RUN) -m benchmarks.speed.solvers

# ROWS: of the largest table; 50 million need 16 GB of memory.
ROWS ?= 50000000
bench-dask: $(BUILT) $(BENCH) $(VENV)/.extras-dask,cli ## Compare a Dask cluster with local threads and with LightGBM's
	$(RUN) -W ignore -m benchmarks.speed.cluster --most $(ROWS)

bench-quality: $(BUILT) $(BENCH) $(VENV)/.extras-peers ## Compare predictions with other learners
	$(RUN) -m benchmarks.quality --quick

wheel: $(TOOLS) ## Build a wheel into dist/
	$(PIP) wheel --no-build-isolation --no-deps --wheel-dir dist .

# Other interpreters than those that are found: make wheel-test PYTHONS=/opt/python3.14t/bin/python3
wheel-test: $(MADE) ## Build sdist and wheels into dist/, test them in bare environments (10 minutes)
	$(RUN) tests/wheels.py $(PYTHONS)

clean: ## Remove what make made, the environment too
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf docs/_made docs/gallery docs/sg_execution_times.rst docs/reference/api.rst docs/reference/generated
	find src tests benchmarks fuzz docs -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

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
$(BUILT): pyproject.toml CMakeLists.txt $(wildcard cmake/*) src/bsnsing/data/release.py $(NATIVE) | $(TOOLS)
	@echo "Building bsnsing"
	@$(PIP) install --no-build-isolation --editable .
	@touch $@

# rpy2 is linked to R, which takes headers that may not be there; tests of R's learners then skip.
$(VENV)/.way-to-r: pyproject.toml | $(BUILT)
	@echo "Installing what [r] needs"
	@{ $(PIP) install setuptools wheel cffi && $(PIP) install --no-build-isolation --editable '.[r]'; } >/dev/null 2>&1 || echo "rpy2 could not be installed: \
	tests of R's learners are skipped. On Debian or Ubuntu: apt install r-base-dev; then remove $@"
	@touch $@

# One of the peers comes as source, and is built with what it asks for, not with what is here.
$(VENV)/.extras-peers: pyproject.toml | $(BUILT)
	@echo "Installing what [peers] needs"
	@$(PIP) install pydl8.5
	@$(PIP) install --no-build-isolation --editable '.[peers]'
	@touch $@

$(VENV)/.extras-%: pyproject.toml | $(BUILT)
	@echo "Installing what [$*] needs"
	@$(PIP) install --no-build-isolation --editable '.[$*]'
	@touch $@
