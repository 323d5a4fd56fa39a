# Everyday commands. `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
EVAL ?= ../shared/eval/mmdocir
QUESTION ?= How many departures were cancelled, and why?
ARGS ?=
export VOUCH_EVAL := $(EVAL)

##@ Try it

.PHONY: demo
demo: $(VENV)/.stamp ## install, index the samples, ask a question, draw the answer
	$(BIN)/vouch index samples/documents --collection samples
	$(BIN)/vouch ask "$(QUESTION)" --collection samples --overlay demo-output
	@printf '\nThe cited pages, boxed, are in demo-output/. Next:\n'
	@printf '  %s\n' '$(BIN)/vouch serve                                      ask in the browser, click a number, see its page' \
	  '$(BIN)/vouch ask "your question" --collection samples  another question' \
	  '$(BIN)/vouch index YOUR/FOLDER --collection mine       your own documents' \
	  'make test                                             the tests'

.PHONY: serve
serve: $(VENV)/.stamp ## open the page in a browser (loopback only)
	$(BIN)/vouch serve $(ARGS)

.PHONY: samples
samples: $(VENV)/.stamp ## draw the sample documents anew
	$(BIN)/python -m samples.make

##@ Work on it

.PHONY: .venv
.venv: $(VENV)/.stamp ## the virtual environment, at the versions of constraints.txt

$(VENV)/.stamp: pyproject.toml constraints.txt
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Vouch needs Python 3.11 or newer: make PYTHON=/path/to/python3.11'; exit 1; }
	"$(PYTHON)" -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

.PHONY: test
test: $(VENV)/.stamp ## every test (under ten minutes)
	$(BIN)/pytest $(ARGS)

.PHONY: test-fast
test-fast: $(VENV)/.stamp ## the tests that take no time (under 90 seconds)
	$(BIN)/pytest -m "not slow" $(ARGS)

.PHONY: lint
lint: $(VENV)/.stamp ## ruff, formatting, mypy --strict, the rules of the house
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

.PHONY: format
format: $(VENV)/.stamp ## format, and mend what ruff can mend
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

.PHONY: hooks
hooks: $(VENV)/.stamp ## check every commit before it is made
	$(BIN)/pre-commit install

.PHONY: constraints
constraints: ## pin anew: what pip picks today in an empty environment
	rm -rf build/pins
	"$(PYTHON)" -m venv build/pins
	build/pins/bin/pip install --quiet --disable-pip-version-check -e '.[dev]'
	build/pins/bin/pip check
	{ grep '^#' constraints.txt; build/pins/bin/pip freeze --exclude-editable | LC_ALL=C sort -f; } > build/pins.txt
	mv build/pins.txt constraints.txt
	rm -rf build/pins

.PHONY: clean
clean: ## remove everything that was made (not the collections)
	rm -rf $(VENV) build dist *.egg-info demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

##@ Measure it (EVAL=folder of the benchmark, ARGS=options)

BENCHES := layout indexing memory ask search scale verify

.PHONY: bench
bench: $(BENCHES:%=bench-%) ## all of the following, one after the other

.PHONY: bench-layout
bench-layout: ## how many gold boxes some element or group meets
.PHONY: bench-indexing
bench-indexing: ## indexing against its bare parts; pages a second
.PHONY: bench-memory
bench-memory: ## peak memory on a 1,600-page PDF
.PHONY: bench-ask
bench-ask: ## latency of a question, warm and cold
.PHONY: bench-search
bench-search: ## search against LanceDB's exact search and numpy
.PHONY: bench-scale
bench-scale: ## search over 10,000 and 100,000 pages (4 GB of disk)
.PHONY: bench-verify
bench-verify: ## precision and recall of checking sentences, by kind of change

$(BENCHES:%=bench-%): bench-%: $(VENV)/.stamp
	@test -e "$(EVAL)" || { echo 'no benchmark at $(EVAL): make $@ EVAL=/path/to/mmdocir'; exit 2; }
	$(BIN)/python -m evaluation.bench_$* --eval "$(EVAL)" $(ARGS)

.PHONY: eval-dev
eval-dev: $(VENV)/.stamp ## retrieval, citations and answers in all modes, both scopes (ARGS=--by modality)
	@test -e "$(EVAL)" || { echo 'no benchmark at $(EVAL): make $@ EVAL=/path/to/mmdocir'; exit 2; }
	out="build/eval/$$(date +%Y%m%d-%H%M%S)"; for scope in document collection; do \
	  $(BIN)/python -m evaluation.run mmdocir --gold "$(EVAL)/dev.jsonl" --pdfs "$(EVAL)/pdfs" \
	    --mode text image multi --scope $$scope --out "$$out/$$scope" $(ARGS); done

.PHONY: bench-baselines
bench-baselines: $(VENV)/.stamp ## BM25, MiniLM and LlamaIndex; beside Vouch with ARGS="--collection eval"
	@test -e "$(EVAL)" || { echo 'no benchmark at $(EVAL): make $@ EVAL=/path/to/mmdocir'; exit 2; }
	$(BIN)/python -m evaluation.baselines --eval "$(EVAL)" $(ARGS)

.PHONY: help
help: ## this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z.][a-z.-]*:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
