# make reproduce   every table, figure and page, from nothing
# make test        the tests
# make help        all targets
#
# Needs Python 3.11 or newer, GNU make and git. Variables: PYTHON (the interpreter that .venv is
# made with), JOBS (notebooks executed at once), BUILD (where the outputs go), VENV.

PYTHON ?= python3
BUILD  ?= build
VENV   ?= .venv
MODEL_VENV ?= .venv-model
JOBS   ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)

PY  := $(VENV)/bin/python
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(PY) -m pip install --quiet
UV  := uv==0.13.9

NAMES    := $(sort $(patsubst notebooks/%.ipynb,%,$(wildcard notebooks/*.ipynb)))
SOURCES  := $(shell find ctho data -type f -not -name '*.pyc' -not -name '.*' 2>/dev/null | sort)
PAGES    := $(shell find book -type f 2>/dev/null | sort)
EXECUTED := $(NAMES:%=$(BUILD)/executed/%.ipynb)

# `make clean` removes BUILD, so it must be a folder of its own: not one that holds the repository,
# nor one of the repository's.
OWN_FOLDERS := .git ctho notebooks book data tests benchmarks locks $(VENV) $(MODEL_VENV)
ifneq ($(words x$(BUILD)x),1)
$(error BUILD is '$(BUILD)', but must be the name of a folder, without spaces)
endif
ifeq ($(strip $(BUILD)),)
$(error BUILD is empty, but must be the name of a folder)
endif
ifneq ($(filter /,$(abspath $(BUILD)))$(strip $(foreach folder,$(abspath $(BUILD)) $(realpath $(BUILD)),\
        $(filter $(folder)/%,$(CURDIR)/) $(filter $(addsuffix /%,$(abspath $(OWN_FOLDERS))),$(folder)/))),)
$(error BUILD is '$(BUILD)', but must be a folder that holds nothing else, since make clean removes it)
endif
ifneq ($(origin JOBS),file)
ifneq ($(shell printf '%s' '$(subst ','\'',$(JOBS))' | grep -Exc '[1-9][0-9]{0,3}'),1)
$(error JOBS is '$(JOBS)', but must be a whole number from 1 to 9999)
endif
endif

export CTHO_BUILD_DIR := $(abspath $(BUILD))

.PHONY: help reproduce notebooks book summary test test-model profile lint bench check-site lock clean \
        $(NAMES) executed
.DELETE_ON_ERROR:
.SUFFIXES:

help:
	@echo 'make reproduce   every table, figure and page; then open $(BUILD)/html/index.html'
	@echo 'make test        the tests'
	@echo 'make NAME        one notebook, with its table and figure: $(NAMES)'
	@echo 'make notebooks   all notebooks'
	@echo 'make book        the notebooks, then the book'
	@echo 'make summary     the printed numbers of the paper beside ours'
	@echo 'make bench       the solver against a linear program and a compiled loop'
	@echo 'make test-model  cache sizes and profiler against real model code (installs torch)'
	@echo 'make profile     measure them on this machine and write data/profiles (minutes)'
	@echo 'make lint        style, types and import directions'
	@echo 'make check-site  links, outside requests, mathematics and layout of the built book'
	@echo 'make lock        resolve the pinned environments again'
	@echo 'make clean       remove $(BUILD)'

# --- The pipeline ------------------------------------------------------------------------------

# One recipe, so that the order holds under -j as well.
reproduce: book
	@$(MAKE) --no-print-directory summary
	@echo 'Open $(BUILD)/html/index.html'

summary: | notebooks
	@$(PY) -m ctho claims --summary --from-build

book: notebooks
	@$(MAKE) --no-print-directory $(BUILD)/book.stamp

notebooks: $(VENV)/run.stamp
	+@$(call execute,$(EXECUTED))

$(NAMES): $(VENV)/run.stamp
	+@$(call execute,$(@:%=$(BUILD)/executed/%.ipynb))

# What each page depends on follows from book/pages.yml: its rooms, its data, the pages that it
# reads, and what all pages share. Count what is stale by these rules, then execute it. Without -j
# on the command line, JOBS notebooks at once.
ifdef RULES
include $(RULES)
endif
SUBMAKE  = $(MAKE) --no-print-directory RULES=$(BUILD)/pages.mk
PARALLEL = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))
execute  = mkdir -p $(BUILD)/executed 2>/dev/null && [ -w $(BUILD)/executed ] || { \
             echo "BUILD is '$(BUILD)', but must be a folder that can be written to" >&2; exit 1; }; \
           $(PY) -m ctho.publishing.pages $(BUILD) > $(BUILD)/pages.mk || exit 1; \
           plan=$$($(SUBMAKE) --dry-run $(1)) || exit 1; \
           stale=$$(echo "$$plan" | grep -c 'ctho.publishing.execute'); \
           if [ "$$stale" -gt 0 ]; then \
             $(PY) -m ctho.publishing.progress $(BUILD)/progress $$stale && \
             $(SUBMAKE) --silent $(PARALLEL) $(1); fi

$(BUILD)/executed/%.ipynb: notebooks/%.ipynb | $(VENV)/run.stamp
	@$(PY) -m ctho.publishing.execute $< $@

$(BUILD)/book.stamp: $(EXECUTED) $(PAGES) $(SOURCES) | $(VENV)/run.stamp
	@echo 'building the book'
	@$(PY) -m ctho.publishing.book $(BUILD)
	@touch $@

check-site: book $(VENV)/dev.stamp
	@$(PY) -m ctho.publishing.site_check $(BUILD)/html
	@$(PY) -m ctho.publishing.browser_check $(BUILD)/html

# --- Tests and checks --------------------------------------------------------------------------

# A file's tests stay in one process, since they share what they render.
test: $(VENV)/dev.stamp
	$(PY) -m pytest -n $(JOBS) --dist loadfile

test-model: $(MODEL_VENV)/model.stamp
	$(MODEL_VENV)/bin/python -m pytest --confcutdir=tests/model tests/model

# Go on after an interruption: what is measured is kept in $(BUILD)/profiling.
profile: $(MODEL_VENV)/model.stamp
	$(MODEL_VENV)/bin/python -m ctho.profiling --partial $(BUILD)/profiling

lint: $(VENV)/dev.stamp
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

bench: $(VENV)/bench.stamp
	$(PY) -m benchmarks

clean:
	rm -rf -- $(BUILD)

# --- The environment ---------------------------------------------------------------------------

RECENT = import sys; print("recent" if sys.version_info >= (3, 11) else "old")
check_python = [ "$$($(PYTHON) -c '$(RECENT)' 2>/dev/null)" = recent ] || { \
  found=$$($(PYTHON) --version 2>&1 | sed -n '1s/^Python [0-9].*/&/p'); \
  command -v $(firstword $(PYTHON)) >/dev/null 2>&1 || found='not there'; \
  echo "ctho needs Python 3.11 or newer, but '$(PYTHON)' is $${found:-no Python};" \
    "name another one, as in: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }

$(VENV)/bin/python:
	@$(check_python)
	@echo 'making $(VENV)'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/run.stamp: requirements.lock pyproject.toml | $(VENV)/bin/python
	@echo 'installing what requirements.lock pins'
	@$(PIP) --require-hashes -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/%.stamp: locks/%.lock $(VENV)/run.stamp
	@echo 'installing what $< pins'
	@$(PIP) --require-hashes -r $<
	@touch $@

# The pins of the lock without its hashes: which build of torch it is, for a processor or for CUDA,
# is for the machine's package index to say. The pages' packages are left out; measuring needs NumPy.
MODEL_PIP = PIP_DISABLE_PIP_VERSION_CHECK=1 $(MODEL_VENV)/bin/python -m pip install --quiet
EXTRA = import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
        print("numpy", *project["optional-dependencies"]["model"], sep="\n")
$(MODEL_VENV)/model.stamp: locks/model.lock pyproject.toml
	@$(check_python)
	@echo 'making $(MODEL_VENV) with torch and transformers'
	@$(PYTHON) -m venv $(MODEL_VENV)
	@sed -n 's/^\([A-Za-z0-9._-]*==[^ ;]*\).*/\1/p' $< > $(MODEL_VENV)/constraints.txt
	@$(MODEL_VENV)/bin/python -c '$(EXTRA)' > $(MODEL_VENV)/extra.txt
	@$(MODEL_PIP) --constraint $(MODEL_VENV)/constraints.txt --requirement $(MODEL_VENV)/extra.txt
	@$(MODEL_PIP) --no-deps --editable .
	@touch $@

# One resolution for every supported Python and platform. The extra `build` is in each lock, so
# that the package itself is installed with pinned tools.
RESOLVE = $(BUILD)/lock-venv/bin/uv pip compile pyproject.toml --universal --python-version 3.11 \
          --fork-strategy fewest --generate-hashes --no-emit-index-url --no-emit-find-links \
          --no-header --quiet --upgrade --extra build --extra book
lock:
	@$(check_python)
	@$(PYTHON) -m venv $(BUILD)/lock-venv
	@$(BUILD)/lock-venv/bin/python -m pip install --quiet $(UV)
	$(RESOLVE) --output-file requirements.lock
	for extra in dev bench model; do \
	  $(RESOLVE) --extra $$extra --constraint requirements.lock \
	    --output-file locks/$$extra.lock || exit 1; done
