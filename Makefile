# Everyday commands. `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
VLLM_ENV := build/vllm-env
VISUAL_ENV := .venv-visual
LOCAL_ENV := .venv-local
RAY_ENV := .venv-ray
TORCH ?= torch==2.13.0
AZURITE := azurite@3.35.0
TWO := -n 2 --dist loadfile --no-loadscope-reorder --max-worker-restart 0 --ignore=tests/visual
QUIETLY := --quiet --disable-pip-version-check
PINNED := --universal --python-version 3.11 --generate-hashes --no-annotate --no-header
AUDIT := tests/audit/requirements.txt
SBOM := tests/audit/sbom.txt
IMAGE := docs/deploy/requirements.txt
IMAGE_EXTRAS := --extra stores --extra sso --extra postgres --extra traces
# Python brings a pip of its age, which takes three times as long to find the same files.
PIP := pip==26.3 --hash=sha256:f3b60b20ffaadd4415ed7957212a38ac63fa4c5fa375bd0f4a797777940fad13
SITE := 'import sysconfig; print(sysconfig.get_path("purelib"))'
VISUAL_SITE := 'import sysconfig; print(sysconfig.get_path("purelib", vars={"base": "$(abspath $(VISUAL_ENV))"}))'
EVAL ?= ../shared/eval/mmdocir
QUESTION ?= How many departures were cancelled, and why?
ARGS ?=
export VOUCH_EVAL := $(EVAL)
# Tests and commands start many processes: each would compile anew what none may keep.
unexport PYTHONDONTWRITEBYTECODE

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
.venv: $(VENV)/.stamp ## the virtual environment: the files of constraints.txt, each known by its hash

$(VENV)/.stamp: pyproject.toml constraints.txt
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Vouch needs Python 3.11 or newer: make PYTHON=/path/to/python3.11'; exit 1; }
	"$(PYTHON)" -m venv $(VENV)
	echo '$(PIP)' | $(BIN)/pip install $(QUIETLY) --require-hashes -r /dev/stdin
	$(BIN)/pip install $(QUIETLY) --no-compile --no-deps --require-hashes -r constraints.txt
	PYTHONWARNINGS=ignore $(BIN)/pip install $(QUIETLY) --no-deps --no-build-isolation -e .
	touch $@

.PHONY: dist
dist: $(VENV)/.stamp ## what can be installed elsewhere: dist/vouch-*.whl, and its source
	@mkdir -p dist
	$(BIN)/python -c 'from setuptools.build_meta import build_sdist; build_sdist("dist")' > /dev/null
	$(BIN)/pip wheel $(QUIETLY) --no-deps --no-build-isolation --wheel-dir dist dist/vouch-*.tar.gz
	@ls dist

.PHONY: sbom
sbom: build/sbom/.stamp ## what the image is made of, in CycloneDX, held against its schema: dist/vouch.cdx.json
	@mkdir -p dist
	build/sbom/bin/cyclonedx-py requirements $(IMAGE) --pyproject pyproject.toml --mc-type application \
	  --spec-version 1.6 --output-format JSON --output-reproducible --validate --output-file dist/vouch.cdx.json

build/sbom/.stamp: $(VENV)/.stamp $(SBOM)
	rm -rf $(@D)
	$(BIN)/python -m venv --without-pip $(@D)
	$(BIN)/pip --python $(@D)/bin/python install $(QUIETLY) --require-hashes -r $(SBOM)
	touch $@

.PHONY: test-container
test-container: dist ## the steps of the Containerfile in a chroot, and its command in it (as root, with debootstrap; minutes)
	$(BIN)/python -m tests.packaging.containerfile $(ARGS)

.PHONY: browser
browser: build/browser/.stamp ## what the browser tests drive: Chromium (by apt, if it may) and axe-core (by npm)
	@command -v chromium chromium-browser google-chrome > /dev/null || [ -n "$${VOUCH_CHROMIUM:-}" ] \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && apt-get update -qq \
	       && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium > /dev/null; } \
	  || echo 'No Chromium, and none could be installed: the browser tests will be skipped.'
	@command -v chromium-headless-shell > /dev/null || [ -n "$${VOUCH_CHROMIUM:-}" ] || [ "$$(id -u)" != 0 ] \
	  || DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium-headless-shell > /dev/null 2>&1 \
	  || echo 'No headless shell of Chromium: the browser tests take the whole browser, and twice the time.'

build/browser/.stamp: tests/ui/browser/package.json tests/ui/browser/package-lock.json
	@mkdir -p $(@D)
	@cp $^ $(@D)
	@if command -v npm > /dev/null && (cd $(@D) && npm ci --silent --ignore-scripts --no-audit --no-fund); then touch $@; \
	  else echo 'No axe-core (is npm there?): the tests of accessibility will be skipped.'; fi

.PHONY: azurite
azurite: build/azurite/.stamp ## a server of Azure's protocol (by npm, 190 MB), for tests/indexing/storage/test_other_stores.py

build/azurite/.stamp:
	@mkdir -p $(@D)
	@if command -v npm > /dev/null && npm install --prefix $(@D) --silent --ignore-scripts --no-audit --no-fund $(AZURITE); then touch $@; \
	  else echo 'No Azurite (is npm there?): the tests of Azure will be skipped.'; fi

OFFICE := libreoffice-writer-nogui libreoffice-impress-nogui libreoffice-calc-nogui

.PHONY: office
office: ## what reads Office files: LibreOffice (by apt, if it may; 104 MB)
	@command -v soffice libreoffice > /dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && apt-get update -qq \
	       && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $(OFFICE) > /dev/null; } \
	  || echo 'No LibreOffice, and none could be installed: the tests that need it will be skipped.'

.PHONY: postgres
postgres: ## a PostgreSQL that the tests of the state start for themselves (by apt, if it may)
	@ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && apt-get update -qq \
	       && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends postgresql > /dev/null; } \
	  || echo 'No PostgreSQL, and none could be installed: the tests that need it will be skipped.'

.PHONY: tools
tools: ## browser, office and postgres, one after the other: apt can do no more at once
	@for tool in browser office postgres; do $(MAKE) --no-print-directory $$tool; done

HERE := not vllm and not local and not ray
# What the gate runs: fast tests, and the slow ones that are marked `gate`. docs/testing.md has the table.
GATE := (not slow or gate) and not thorough
CASES ?= not thorough

.PHONY: test
test: $(VENV)/.stamp browser ## the gate's tests: fast ones, some slow ones, the page in a browser (under ten minutes on two cores)
	$(BIN)/pytest $(TWO) -m "$(HERE) and $(GATE)" $(ARGS)

.PHONY: test-fast
test-fast: $(VENV)/.stamp ## the tests that take no time (under 90 seconds)
	$(BIN)/pytest $(TWO) -m "$(HERE) and not slow and not thorough" --ignore=tests/ui/browser $(ARGS)

.PHONY: test-smoke
test-smoke: envs ## one test each with torch models, vLLM, llama.cpp and Ray; environments are made first
	@for part in visual vllm local ray; do $(MAKE) --no-print-directory test-$$part CASES="gate"; done

.PHONY: test-all
test-all: tools envs ## every test but the thorough ones: all slow tests, browser, models, Ray (some forty minutes on two cores)
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-browser test-vllm test-visual test-ray test-local
	$(BIN)/pytest $(TWO) -m "$(HERE) and $(CASES)" --ignore=tests/ui/browser $(ARGS)

.PHONY: test-thorough
test-thorough: CASES = thorough
test-thorough: azurite ## more cases of what other tests show: more kills, shapes, styles (long)
	@$(MAKE) --no-print-directory test-all CASES=thorough

.PHONY: test-browser
test-browser: $(VENV)/.stamp browser ## the page as people use it, in Chromium (minutes)
	$(BIN)/pytest -m "$(CASES)" tests/ui/browser $(ARGS)

.PHONY: visual-env
visual-env: $(VISUAL_ENV)/.stamp ## torch and colpali-engine in an environment on top of .venv (1.2 GB), for test-visual

# What .venv has is not there twice: a line in a .pth file adds it. Files are compiled when they are first imported.
# The versions are taken without hashes: with them pip would want one of torch, which each machine has its own of.
$(VISUAL_ENV)/.stamp: $(VENV)/.stamp tests/visual/constraints.txt
	rm -rf $(VISUAL_ENV)
	$(BIN)/python -m venv --without-pip $(VISUAL_ENV)
	echo "import site; site.addsitedir('$$($(BIN)/python -c $(SITE))')" > "$$($(VISUAL_ENV)/bin/python -c $(SITE))/base.pth"
	mkdir -p build && sed -E '/^ +--hash/d; s/ *\\$$//' constraints.txt > build/versions.txt
	PYTHONWARNINGS=ignore $(BIN)/pip --python $(VISUAL_ENV)/bin/python install $(QUIETLY) --no-compile -c build/versions.txt -c tests/visual/constraints.txt $(TORCH) -e '.[visual,mauve]' onnx
	touch $@

.PHONY: test-visual
test-visual: visual-env ## embedders with a model, on tiny random checkpoints of every family (minutes)
	$(VISUAL_ENV)/bin/python -m pytest -m "$(CASES)" tests/visual $(ARGS)

.PHONY: local-env
local-env: $(LOCAL_ENV)/.stamp ## llama.cpp and a small real model in an environment on top of .venv (200 MB), for test-local

$(LOCAL_ENV)/.stamp: $(VENV)/.stamp tests/local/requirements.txt
	rm -rf $(LOCAL_ENV)
	$(BIN)/python -m venv --without-pip $(LOCAL_ENV)
	echo "import site; site.addsitedir('$$($(BIN)/python -c $(SITE))')" > "$$($(LOCAL_ENV)/bin/python -c $(SITE))/base.pth"
	$(BIN)/pip --python $(LOCAL_ENV)/bin/python install $(QUIETLY) --no-compile --no-deps -r tests/local/requirements.txt
	touch $@

.PHONY: test-local
test-local: local-env ## SmolLM2-135M in this process writes, plans and judges (minutes)
	$(LOCAL_ENV)/bin/python -m pytest -m "$(CASES)" tests/local $(ARGS)

.PHONY: ray-env
ray-env: $(RAY_ENV)/.stamp ## Ray in an environment on top of .venv (200 MB), for test-ray

# Where there is torch too (make visual-env), its test of GPUs on nodes runs; else that is skipped.
$(RAY_ENV)/.stamp: $(VENV)/.stamp tests/ray/requirements.txt
	rm -rf $(RAY_ENV)
	$(BIN)/python -m venv --without-pip $(RAY_ENV)
	echo "import site; site.addsitedir('$$($(BIN)/python -c $(SITE))'); site.addsitedir('$$($(BIN)/python -c $(VISUAL_SITE))')" \
	  > "$$($(RAY_ENV)/bin/python -c $(SITE))/base.pth"
	$(BIN)/pip --python $(RAY_ENV)/bin/python install $(QUIETLY) --no-compile --no-deps --require-hashes -r tests/ray/requirements.txt
	touch $@

.PHONY: test-ray
test-ray: ray-env ## a Ray cluster of two nodes on loopback indexes, and its nodes and its driver are killed (minutes)
	$(RAY_ENV)/bin/python -m pytest -m "$(CASES)" tests/ray $(ARGS)

.PHONY: vllm-env
vllm-env: $(VLLM_ENV)/.stamp ## vLLM for the CPU in an environment of its own (2 GB), for test-vllm

# The list is the whole tree: there is nothing to resolve.
$(VLLM_ENV)/.stamp: $(VENV)/.stamp tests/vllm/requirements.txt tests/vllm/mend.py
	rm -rf $(VLLM_ENV)
	"$(PYTHON)" -m venv --without-pip $(VLLM_ENV)
	$(BIN)/pip --python $(VLLM_ENV)/bin/python install $(QUIETLY) --no-compile --no-deps -r tests/vllm/requirements.txt
	$(VLLM_ENV)/bin/python tests/vllm/mend.py
	touch $@

.PHONY: test-vllm
test-vllm: $(VENV)/.stamp $(if $(VOUCH_VLLM_PYTHON),,vllm-env) ## real vLLM servers of tiny random models answer (minutes)
	$(BIN)/pytest -m "$(CASES)" tests/vllm $(ARGS)

.PHONY: envs
envs: visual-env $(if $(VOUCH_VLLM_PYTHON),,vllm-env) local-env ray-env ## the environments of torch models, vLLM, llama.cpp and Ray

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

.PHONY: mutants
mutants: $(VENV)/.stamp ## small changes to core code, and those that no test notices (long; ARGS="--count 50 --seed 2")
	$(BIN)/python -m tests.mutants $(ARGS)

.PHONY: architecture
architecture: $(VENV)/.stamp ## write the tree and the layers of the code into docs/architecture.md
	$(BIN)/python -m tests.architecture

.PHONY: hooks
hooks: $(VENV)/.stamp ## check every commit and its message before it is made
	$(BIN)/pre-commit install --hook-type pre-commit --hook-type commit-msg

.PHONY: constraints
constraints: ## pin anew, with hashes: what fits today (constraints.txt, tests/audit/, docs/deploy/)
	rm -rf build/pins
	"$(PYTHON)" -m venv build/pins
	build/pins/bin/pip install $(QUIETLY) uv
	build/pins/bin/uv pip compile $(PINNED) --extra dev pyproject.toml -o build/pins/dev.txt > /dev/null
	echo pip-audit | build/pins/bin/uv pip compile $(PINNED) - -o build/pins/audit.txt > /dev/null
	echo cyclonedx-bom | build/pins/bin/uv pip compile $(PINNED) - -o build/pins/sbom.txt > /dev/null
	build/pins/bin/uv pip compile $(PINNED) $(IMAGE_EXTRAS) -c build/pins/dev.txt pyproject.toml -o build/pins/image.txt > /dev/null
	{ grep '^#' constraints.txt; cat build/pins/dev.txt; } > build/pins/whole.txt && mv build/pins/whole.txt constraints.txt
	{ grep '^#' $(AUDIT); cat build/pins/audit.txt; } > build/pins/whole.txt && mv build/pins/whole.txt $(AUDIT)
	{ grep '^#' $(SBOM); cat build/pins/sbom.txt; } > build/pins/whole.txt && mv build/pins/whole.txt $(SBOM)
	{ grep '^#' $(IMAGE); cat build/pins/image.txt; } > build/pins/whole.txt && mv build/pins/whole.txt $(IMAGE)
	rm -rf build/pins

.PHONY: audit
audit: $(VENV)/.stamp build/audit/.stamp ## known advisories of what constraints.txt pins (AUDIT_ARGS=--go-on: unreachable ones fail nothing)
	$(BIN)/python -m tests.audit build/audit/bin/pip-audit $(ARGS) $(AUDIT_ARGS)

build/audit/.stamp: $(VENV)/.stamp $(AUDIT)
	rm -rf $(@D)
	$(BIN)/python -m venv --without-pip $(@D)
	$(BIN)/pip --python $(@D)/bin/python install $(QUIETLY) --require-hashes -r $(AUDIT)
	touch $@

.PHONY: clean
clean: ## remove everything that was made (not the collections)
	rm -rf $(VENV) $(VISUAL_ENV) $(LOCAL_ENV) $(RAY_ENV) build dist *.egg-info demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

##@ Measure it (EVAL=folder of the benchmark, ARGS=options)

BENCHES := indexing memory ask search scale verify

.PHONY: bench
bench: $(BENCHES:%=bench-%) ## all of the following, one after the other

.PHONY: bench-indexing
bench-indexing: ## indexing against its bare parts; pages a second
.PHONY: bench-memory
bench-memory: ## peak memory on a 1,600-page PDF
.PHONY: bench-ask
bench-ask: ## latency of a question, warm and cold
.PHONY: bench-search
bench-search: ## search against LanceDB's exact search and numpy
.PHONY: bench-scale
bench-scale: ## search over 10,000 and 100,000 made pages (6 GB of disk)
.PHONY: bench-verify
bench-verify: ## precision and recall of checking sentences, by kind of change

$(BENCHES:%=bench-%): bench-%: $(VENV)/.stamp
	@test -e "$(EVAL)" || { echo 'no benchmark at $(EVAL): make $@ EVAL=/path/to/mmdocir'; exit 2; }
	$(BIN)/python -m evaluation.benches.$* --eval "$(EVAL)" $(ARGS)

.PHONY: eval-samples
eval-samples: $(VENV)/.stamp ## the samples in all modes; fails when quality has dropped (two minutes)
	$(BIN)/python -m evaluation.samples_gate $(ARGS)

.PHONY: pictures
pictures: $(VENV)/.stamp browser ## the README's pictures: an answer on its page, and the page in a browser
	$(BIN)/pytest -q tests/ui/browser/test_pictures.py
	cp build/screenshots/answer.png build/screenshots/ask.png build/screenshots/compare.png docs/

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
