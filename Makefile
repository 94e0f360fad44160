# `make bench` runs the benchmarks on the shipped recordings, `make test` checks everything.
# Both need only Python 3.11 or later with pip, and make; everything else goes into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
SHIPPED := qwen2.5-coder-1.5b-instruct qwen2.5-coder-0.5b-instruct smollm2-135m-instruct

.PHONY: bench test lint pages perf statistics example wheel setup clean

bench: setup  ## all that has recordings, replayed: each model's answers, and MixEval-X on given responses; reports go to reports/
	$(BIN)/pytest benchmarks/tsg benchmarks/sgi benchmarks/mixeval_x/test_text2action.py $(addprefix --model ,$(SHIPPED))
	$(BIN)/pytest benchmarks/mixeval_x --responses data/mixeval_x/responses

test: setup lint  ## style, types and tests
	$(BIN)/pytest tests -n auto

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

pages: node_modules setup  ## types and style of the pages' scripts, and axe over every kind of page; needs Node 22 and Chromium
	npm run --silent check
	$(BIN)/python -m scripts.check_pages

node_modules: package.json package-lock.json
	npm ci --silent
	@touch $@

perf: setup  ## measure against empty pytest cases and print a table of ratios
	$(BIN)/python -m perf

statistics: setup  ## print the tables of docs/explanation/statistics.md, by simulation: two minutes
	$(BIN)/python -m simulations

example: setup  ## make reports/example/ and docs/report.png anew from the shipped recordings; needs Chromium
	$(BIN)/python -m scripts.example_report

wheel: setup  ## dist/*.whl, with the benchmarks that proctor init copies
	$(BIN)/python -m hatchling build --target wheel

setup: $(INSTALLED)

$(INSTALLED): pyproject.toml requirements.txt models.yaml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or later is needed; name one with: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.txt --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
