# Two commands set everything up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
# The tests start thousands of processes: without cached bytecode each compiles the package anew.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.installed
DEV := $(VENV)/.installed-dev

# What Windows lacks must be guarded: `sys.platform == "win32"`, `hasattr` or `getattr`.
FOR_WINDOWS := --platform win32 --no-warn-unreachable --cache-dir .mypy_cache/windows src

.PHONY: demo test test-hosts fast fuzz check format bench docs screenshots install clean

demo: $(RUN)  ## capture, merge two clones, recall: the main job, in under a minute
	$(BIN)/python scripts/demo.py

test: $(DEV)  ## install what the tests need and run them all
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy $(FOR_WINDOWS)
	$(BIN)/lint-imports
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --ignore=tests/realhosts

test-hosts: $(DEV)  ## drive the other agents for real; npm fetches them once for each version
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 tests/realhosts

# Rules and parsers, and what holds for all files; nothing that starts processes or many repositories.
FAST := tests/core tests/config tests/hosts tests/redact tests/state tests/index tests/capture \
	tests/search/test_sanitise.py tests/search/test_selection.py \
	$(addprefix tests/sleep/test_,boundaries.py clusters.py overlaps.py planning.py wording.py) \
	$(addprefix tests/typed/test_,action_table.py candidates.py merge_rules.py) \
	tests/hooks/test_pipeline.py tests/mcp/test_documented.py tests/test_docs.py tests/test_layout.py

fast: $(DEV)  ## what can be tested in two minutes: checks, and the rules of every package
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy $(FOR_WINDOWS)
	$(BIN)/lint-imports
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 2 $(FAST)

install:  ## install the commands `recollect` and `git recollect` for you, with uv, pipx or pip
	@if command -v uv >/dev/null 2>&1; then uv tool install --force .; \
	elif command -v pipx >/dev/null 2>&1; then pipx install --force .; \
	elif [ -n "$$VIRTUAL_ENV" ]; then $(PYTHON) -m pip install .; \
	else $(PYTHON) -m pip install --user .; fi


# RECOLLECT_FUZZ is a number of examples, or minutes such as 10m, for each property.
fuzz: $(DEV)  ## what `make test` does with a few hundred broken inputs, for two minutes each
	RECOLLECT_FUZZ=$${RECOLLECT_FUZZ:-2m} $(BIN)/python -m pytest -p no:randomly tests/fuzz

check: test  ## format, lint, types, import contract, tests

format: $(DEV)  ## rewrite the code in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(RUN)  ## speed as ratios to plain git and bare engines; quality where RECOLLECT_DATA says
	$(BIN)/python -m benchmarks.ledger
	$(BIN)/python -m benchmarks.index
	$(BIN)/python -m benchmarks.hooks
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.capture
	$(BIN)/python -m benchmarks.sleep
ifdef RECOLLECT_DATA
	$(BIN)/python -m benchmarks.quality
	$(BIN)/python -m benchmarks.injection --sizes 20,1000
	$(BIN)/python -m benchmarks.capture.replay
else
	@echo "RECOLLECT_DATA is not set: recall quality and injection are left out."
endif

screenshots: $(DEV)  ## take the pictures of the pages in docs/, with a real browser
	$(BIN)/python -m scripts.screenshots

docs: $(DEV)  ## build the documentation site into site/
	$(BIN)/pip install --quiet -e '.[docs]'
	$(BIN)/mkdocs build --strict

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(RUN): pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	touch $@

$(DEV): pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(RUN)

clean:
	rm -rf $(VENV) site .mypy_cache .pytest_cache .ruff_cache .hypothesis
