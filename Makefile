# Two commands are enough: `make demo` and `make test`. Both make .venv and install what they need; both may be run again.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test test-all guard check bench nightly mutants wheel bundle clean help

help: ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/:/'

# Tests of games and examples drawn by lot: `make nightly` plays more of them (tests/sample_size.py).
DRAWN_BY_LOT := tests/vision/capture/test_decoder_process.py tests/lab/benchmarks/test_simulation.py tests/lab/benchmarks/test_film_forms.py tests/referee tests/features/notation tests/webapp/live/test_chronology.py tests/webapp/match/test_projection.py tests/webapp/match/test_hands_in_hindsight.py tests/webapp/test_fuzz_inputs.py tests/browser/test_accessible_scenes.py tests/browser/test_crawler.py tests/browser/test_languages.py tests/browser/test_phone.py tests/webapp/store/test_damaged.py

# What the installation compiles.
BUILT_FROM := pyproject.toml hatch_build.py scripts/compile_catalogues.py $(wildcard webapp/text/catalogues/*.po)

$(VENV)/.runtime: $(BUILT_FROM)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "kozyr needs Python 3.11 or newer; name one with: make demo PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.test: $(BUILT_FROM)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "kozyr needs Python 3.11 or newer; name one with: make test PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@ $(VENV)/.runtime

demo: $(VENV)/.runtime ## play the shipped game and open the dashboard; ARGS="..." is handed on
	@$(BIN)/kozyr demo $(ARGS)

# Examples in docstrings: collected once, not by each worker.
EXAMPLES := referee vision webapp features tests/patience.py tests/referee/certain_referee.py tests/sample_size.py

# Compiled tests are kept, whatever the caller's environment says: each worker and each program would compile them again.
unexport PYTHONDONTWRITEBYTECODE
IN_PARALLEL := --numprocesses auto --dist loadfile --no-loadscope-reorder --durations 10
STORED_BY_TESTS := .pytest_cache

test: $(VENV)/.test ## format, lint, types, import arrows, and the tests of what is installed that a change needs at once
	@mkdir -p $(STORED_BY_TESTS) && date +%s >$(STORED_BY_TESTS)/make-test-began
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --doctest-modules $(EXAMPLES)
	$(BIN)/python -m pytest $(IN_PARALLEL) -m "not thorough" --ignore tests/lab
	@echo $$(($$(date +%s) - $$(cat $(STORED_BY_TESTS)/make-test-began))) >$(STORED_BY_TESTS)/make-test-seconds

test-all: test ## make test, then the tests marked as thorough and those of datasets, models, benchmarks and scripts
	$(BIN)/python -m pytest $(IN_PARALLEL) -m thorough

GUARD ?= ../shared/guard/guard

guard: $(VENV)/.runtime ## read real films and pictures and compare with their floors, nine minutes; ARGS="films c02" STORED=FOLDER
	@test -x $(GUARD) || { echo "make guard needs the films beside this checkout ($(GUARD)); name another place with GUARD=..."; exit 1; }
	@KOZYR_PROGRAM="$(if $(STORED),$(abspath $(BIN)/python) -m benchmarks.stored_results $(abspath $(STORED)),$(abspath $(BIN)/kozyr))" $(GUARD) $(ARGS)

bench: $(VENV)/.runtime ## speed and memory on fixed input
	@$(BIN)/python -m benchmarks.bench $(ARGS)

nightly: $(VENV)/.test ## what make test draws by lot at full number, an hour of random inputs, 500 kills of a game being kept, stores cut off in mid-commit, ten hours with viewers, faults of cameras, a match of two hours opened, an evening in each language and one of five games before a camera, 5,000 corrected games of a person and of a camera, 10,000 random games; ARGS="--games N --seed S"
	@KOZYR_NIGHTLY=1 $(BIN)/python -m pytest --timeout 0 --numprocesses auto --dist loadfile --no-loadscope-reorder $(DRAWN_BY_LOT)
	@$(BIN)/python -m tests.webapp.fuzz --seconds 3600
	@$(BIN)/python -m tests.webapp.store.kills --kills 500
	@$(BIN)/python -m tests.webapp.store.cuts
	@$(BIN)/python -m tests.webapp.store.cuts --postgres
	@$(BIN)/python -m benchmarks.camera_faults
	@$(BIN)/python -m tests.browser.long_match
	@$(BIN)/python -m tests.browser.evening
	@$(BIN)/python -m benchmarks.whole_evening
	@$(BIN)/python -m tests.referee.falsified
	@$(BIN)/python -m tests.referee.falsified --witness camera
	@$(BIN)/python -m tests.referee.restated --games 1000
	@$(BIN)/python -m tests.referee.nightly $(ARGS)
	@$(BIN)/python -m tests.referee.perft check
	@$(BIN)/python -m benchmarks.endurance

mutants: $(VENV)/.test ## does a test fail for each small change of the referee? ARGS="--count N --results FILE"
	@$(BIN)/python -m tests.lab.mutation.driver $(ARGS)

wheel: $(VENV)/.test ## build the wheel into dist/
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

bundle: ## build dist/kozyr, a folder that runs on machines without Python (docs/install.md)
	@$(PYTHON) scripts/bundle.py $(ARGS)

clean: ## remove what was made
	rm -rf $(VENV) dist build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
