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
PROCESSES := 2
SHARED = -n $(PROCESSES) --dist loadfile --no-loadscope-reorder --max-worker-restart 0 --ignore=tests/visual
QUIETLY := --quiet --disable-pip-version-check
PINNED := --universal --python-version 3.11 --generate-hashes --no-annotate --no-header
AUDIT := tests/audit/requirements.txt
SBOM := tests/audit/sbom.txt
IMAGE := docs/deploy/requirements.txt
IMAGE_EXTRAS := --extra sso --extra postgres --extra traces
# The pip that comes with Python 3.11 takes three times as long to find the same files.
PIP := pip==26.3 --hash=sha256:f3b60b20ffaadd4415ed7957212a38ac63fa4c5fa375bd0f4a797777940fad13
SITE := 'import sysconfig; print(sysconfig.get_path("purelib"))'
VISUAL_SITE := 'import sysconfig; print(sysconfig.get_path("purelib", vars={"base": "$(abspath $(VISUAL_ENV))"}))'
EVAL ?= ../shared/eval/mmdocir
QUESTION ?= How many departures were cancelled, and why?
ARGS ?=
export VOUCH_EVAL := $(EVAL)
# Tests and commands start many processes, and each would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

##@ Try it

.PHONY: demo
demo: $(VENV)/.stamp ## install, index the samples, ask a question, draw the cited pages
	$(BIN)/vouch demo "$(QUESTION)"
	@printf '  %-58s %s\n' 'make test' 'the tests'
	@printf '\n'; $(BIN)/vouch models suggest

.PHONY: serve
serve: $(VENV)/.stamp ## open the page in a browser (loopback only)
	$(BIN)/vouch serve $(ARGS)

##@ Work on it

.PHONY: .venv
.venv: $(VENV)/.stamp ## the virtual environment, from constraints.txt with hashes

$(VENV)/.stamp: pyproject.toml constraints.txt
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Vouch needs Python 3.11 or newer: make PYTHON=/path/to/python3.11'; exit 1; }
	"$(PYTHON)" -m venv $(VENV)
	echo '$(PIP)' | $(BIN)/pip install $(QUIETLY) --require-hashes -r /dev/stdin
	$(BIN)/pip install $(QUIETLY) --no-compile --no-deps --require-hashes -r constraints.txt
	PYTHONWARNINGS=ignore $(BIN)/pip install $(QUIETLY) --no-deps --no-build-isolation -e .
	touch $@

.PHONY: dist
dist: $(VENV)/.stamp ## build the wheel and the source distribution into dist/
	@mkdir -p dist
	$(BIN)/python -c 'from setuptools.build_meta import build_sdist; build_sdist("dist")' > /dev/null
	$(BIN)/pip wheel $(QUIETLY) --no-deps --no-build-isolation --wheel-dir dist dist/vouch-*.tar.gz
	@ls dist

.PHONY: space
space: dist ## the repository of a Hugging Face Space (docker, CPU) with the samples inside: dist/space/
	rm -rf dist/space
	mkdir -p dist/space/dist dist/space/docs/deploy
	cat docs/deploy/Containerfile docs/deploy/space/Containerfile > dist/space/Dockerfile
	cp docs/deploy/space/README.md dist/space
	cp docs/deploy/requirements.txt dist/space/docs/deploy
	cp dist/vouch-*.whl dist/space/dist

.PHONY: sbom
sbom: build/sbom/.stamp ## a CycloneDX bill of materials of the container image: dist/vouch.cdx.json
	@mkdir -p dist
	build/sbom/bin/cyclonedx-py requirements $(IMAGE) --pyproject pyproject.toml --mc-type application \
	  --spec-version 1.6 --output-format JSON --output-reproducible --validate --output-file dist/vouch.cdx.json

build/sbom/.stamp: $(VENV)/.stamp $(SBOM)
	rm -rf $(@D)
	$(BIN)/python -m venv --without-pip $(@D)
	$(BIN)/pip --python $(@D)/bin/python install $(QUIETLY) --require-hashes -r $(SBOM)
	touch $@

.PHONY: test-container
test-container: dist ## run the Containerfile's steps in a chroot (as root, with debootstrap; minutes); after make space: ARGS=--space
	$(BIN)/python -m tests.packaging.containerfile $(ARGS)

.PHONY: browser
browser: build/browser/.stamp ## install Chromium (apt, as root) and axe-core (npm) for the browser tests
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

OFFICE := libreoffice-writer-nogui libreoffice-impress-nogui libreoffice-calc-nogui

.PHONY: office
office: ## install LibreOffice (apt, as root; 104 MB), which reads Office files
	@command -v soffice libreoffice > /dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && apt-get update -qq \
	       && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $(OFFICE) > /dev/null; } \
	  || echo 'No LibreOffice, and none could be installed: the tests that need it will be skipped.'

.PHONY: postgres
postgres: ## install PostgreSQL (apt, as root), which the tests of accounts start
	@ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && apt-get update -qq \
	       && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends postgresql > /dev/null; } \
	  || echo 'No PostgreSQL, and none could be installed: the tests that need it will be skipped.'

.PHONY: tools
tools: ## browser, office and postgres
	@for tool in browser office postgres; do $(MAKE) --no-print-directory $$tool; done

HERE := not vllm and not local and not ray
# What the gate runs: fast tests, and the slow ones that are marked `gate`. docs/testing.md has the table.
GATE := (not slow or gate) and not thorough
CASES ?= not thorough
TESTS = $(BIN)/pytest $(SHARED) -m "$(HERE) and $(MARKED)"
# In parts: a process keeps the models, collections and servers that its tests share, and Playwright an event loop.
# The last part is what is in no other.
RUN = $(if $(ARGS),$(TESTS) $(ARGS),$(TESTS) tests/ui --ignore=tests/ui/browser \
	  && $(TESTS) tests/indexing && $(TESTS) tests --ignore=tests/ui --ignore=tests/indexing)

.PHONY: test
test: MARKED = $(GATE)
test: PROCESSES = 3# on two cores: some of these tests wait for servers, workers and time-outs
test: $(VENV)/.stamp ## the fast tests, and the slow ones of the gate (ten minutes on two cores)
	$(RUN)

.PHONY: test-fast
test-fast: $(VENV)/.stamp ## every test that is not slow (some five minutes)
	$(BIN)/pytest $(SHARED) -m "$(HERE) and not slow and not thorough" --ignore=tests/ui/browser $(ARGS)

SMOKE := smoke-browser smoke-vllm smoke-visual smoke-local smoke-ray

.PHONY: test-smoke $(SMOKE)
test-smoke: $(SMOKE) ## five browser files, and one test each with torch models, vLLM, llama.cpp and Ray
$(SMOKE): smoke-%: envs browser
	@$(MAKE) --no-print-directory test-$* CASES='gate and not thorough'

.PHONY: test-all
test-all: MARKED = $(CASES)
test-all: tools envs ## every test except the thorough ones (half an hour on two cores)
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-vllm test-visual test-ray test-local
	@$(MAKE) --no-print-directory test-browser
	$(RUN)

.PHONY: test-thorough
test-thorough: MARKED = thorough
test-thorough: tools envs ## the thorough tests: more cases of what others show (hours)
	$(TESTS) tests --ignore=tests/ui/browser $(ARGS)
	@for part in browser local ray visual vllm; do $(MAKE) --no-print-directory test-$$part CASES=thorough; done

.PHONY: test-browser
test-browser: $(VENV)/.stamp browser ## the web page in Chromium (minutes)
	$(BIN)/pytest $(SHARED) -m "$(CASES)" tests/ui/browser $(ARGS)

.PHONY: visual-env
visual-env: $(VISUAL_ENV)/.stamp ## the environment of test-visual: torch and colpali-engine (1.2 GB)

# A .pth file adds the packages of .venv, so that they are not installed twice. Files are compiled when they are first imported.
# Versions are pinned without hashes: pip would want one of torch too, whose build differs between machines.
$(VISUAL_ENV)/.stamp: $(VENV)/.stamp tests/visual/constraints.txt
	rm -rf $(VISUAL_ENV)
	$(BIN)/python -m venv --without-pip $(VISUAL_ENV)
	echo "import site; site.addsitedir('$$($(BIN)/python -c $(SITE))')" > "$$($(VISUAL_ENV)/bin/python -c $(SITE))/base.pth"
	mkdir -p build && sed -E '/^ +--hash/d; s/ *\\$$//' constraints.txt > build/versions.txt
	PYTHONWARNINGS=ignore $(BIN)/pip --python $(VISUAL_ENV)/bin/python install $(QUIETLY) --no-compile -c build/versions.txt -c tests/visual/constraints.txt $(TORCH) -e '.[visual]'
	touch $@

.PHONY: test-visual
test-visual: visual-env ## visual embedders on tiny random checkpoints (minutes)
	$(VISUAL_ENV)/bin/python -m pytest -m "$(CASES)" tests/visual $(ARGS)

.PHONY: local-env
local-env: $(LOCAL_ENV)/.stamp ## the environment of test-local: llama.cpp and SmolLM2-135M (200 MB)

$(LOCAL_ENV)/.stamp: $(VENV)/.stamp tests/local/requirements.txt
	rm -rf $(LOCAL_ENV)
	$(BIN)/python -m venv --without-pip $(LOCAL_ENV)
	echo "import site; site.addsitedir('$$($(BIN)/python -c $(SITE))')" > "$$($(LOCAL_ENV)/bin/python -c $(SITE))/base.pth"
	$(BIN)/pip --python $(LOCAL_ENV)/bin/python install $(QUIETLY) --no-compile --no-deps -r tests/local/requirements.txt
	touch $@

.PHONY: test-local
test-local: local-env ## SmolLM2-135M in-process writes, plans and judges (minutes)
	$(LOCAL_ENV)/bin/python -m pytest -m "$(CASES)" tests/local $(ARGS)

.PHONY: ray-env
ray-env: $(RAY_ENV)/.stamp ## the environment of test-ray: Ray (200 MB)

# The test of GPUs on nodes needs torch too (make visual-env), and is skipped without it.
$(RAY_ENV)/.stamp: $(VENV)/.stamp tests/plugins/cluster/requirements.txt
	rm -rf $(RAY_ENV)
	$(BIN)/python -m venv --without-pip $(RAY_ENV)
	echo "import site; site.addsitedir('$$($(BIN)/python -c $(SITE))'); site.addsitedir('$$($(BIN)/python -c $(VISUAL_SITE))')" \
	  > "$$($(RAY_ENV)/bin/python -c $(SITE))/base.pth"
	$(BIN)/pip --python $(RAY_ENV)/bin/python install $(QUIETLY) --no-compile --no-deps --require-hashes -r tests/plugins/cluster/requirements.txt
	touch $@

.PHONY: test-ray
test-ray: ray-env ## indexing and search on a Ray cluster of two nodes, which are killed (minutes)
	$(RAY_ENV)/bin/python -m pytest -m "$(CASES)" tests/plugins/cluster/nodes $(ARGS)

.PHONY: vllm-env
vllm-env: $(VLLM_ENV)/.stamp ## the environment of test-vllm: vLLM for the CPU (2 GB)

# The list holds the whole dependency tree, so there is nothing to resolve.
$(VLLM_ENV)/.stamp: $(VENV)/.stamp tests/vllm/requirements.txt tests/vllm/mend.py
	rm -rf $(VLLM_ENV)
	"$(PYTHON)" -m venv --without-pip $(VLLM_ENV)
	$(BIN)/pip --python $(VLLM_ENV)/bin/python install $(QUIETLY) --no-compile --no-deps -r tests/vllm/requirements.txt
	$(VLLM_ENV)/bin/python tests/vllm/mend.py
	touch $@

.PHONY: test-vllm
test-vllm: $(VENV)/.stamp $(if $(VOUCH_VLLM_PYTHON),,vllm-env) ## real vLLM servers with tiny random models (minutes)
	$(BIN)/pytest -m "$(CASES)" tests/vllm $(ARGS)

.PHONY: envs
envs: visual-env $(if $(VOUCH_VLLM_PYTHON),,vllm-env) local-env ray-env ## all four environments of models and Ray

.PHONY: lint
lint: $(VENV)/.stamp ## ruff, mypy --strict, the import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

.PHONY: format
format: $(VENV)/.stamp ## format the code and apply ruff's fixes
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

.PHONY: architecture
architecture: $(VENV)/.stamp ## write the tree and the layers of the code into docs/architecture.md
	$(BIN)/python -m tests.architecture

.PHONY: size
size: $(VENV)/.stamp ## count the lines of the core, the plugins and the tests
	@$(BIN)/python -m tests.architecture.size

.PHONY: hooks
hooks: $(VENV)/.stamp ## install the git hooks that check each commit and its message
	$(BIN)/pre-commit install --hook-type pre-commit --hook-type commit-msg

.PHONY: constraints
constraints: ## resolve and pin all dependencies again, with hashes
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
audit: $(VENV)/.stamp build/audit/.stamp ## look up known advisories of the pinned packages
	$(BIN)/python -m tests.audit build/audit/bin/pip-audit $(ARGS) $(AUDIT_ARGS)

build/audit/.stamp: $(VENV)/.stamp $(AUDIT)
	rm -rf $(@D)
	$(BIN)/python -m venv --without-pip $(@D)
	$(BIN)/pip --python $(@D)/bin/python install $(QUIETLY) --require-hashes -r $(AUDIT)
	touch $@

.PHONY: clean
clean: ## remove all build products (not your collections)
	rm -rf $(VENV) $(VISUAL_ENV) $(LOCAL_ENV) $(RAY_ENV) build dist *.egg-info demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

##@ Measure it (EVAL=folder of the benchmark, ARGS=options)

.PHONY: bench
bench: $(VENV)/.stamp ## time and memory of indexing, time of searching and asking, what the stages of search find
	@test -e "$(EVAL)" || { echo 'no benchmark at $(EVAL): make $@ EVAL=/path/to/mmdocir'; exit 2; }
	$(BIN)/python -m plugins.research.bench --eval "$(EVAL)" $(ARGS)

.PHONY: eval-samples
eval-samples: $(VENV)/.stamp ## quality on the samples in all modes; fails when it has dropped (two minutes)
	$(BIN)/python -m evaluation.samples_gate $(ARGS)

.PHONY: pictures
pictures: $(VENV)/.stamp browser ## take the README's pictures again
	$(BIN)/pytest -q tests/ui/browser/test_pictures.py
	cp build/screenshots/answer.png build/screenshots/ask.png build/screenshots/compare.png docs/

.PHONY: eval-dev
eval-dev: $(VENV)/.stamp ## retrieval, citations and answers in all modes, both scopes (ARGS=--by modality)
	@test -e "$(EVAL)" || { echo 'no benchmark at $(EVAL): make $@ EVAL=/path/to/mmdocir'; exit 2; }
	out="build/eval/$$(date +%Y%m%d-%H%M%S)"; for scope in document collection; do \
	  $(BIN)/vouch eval mmdocir --data "$(EVAL)/dev.jsonl" --documents "$(EVAL)/pdfs" --collection eval \
	    --mode text image multi --scope $$scope --out "$$out/$$scope" $(ARGS); done

.PHONY: help
help: ## this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z.][a-z.-]*:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
