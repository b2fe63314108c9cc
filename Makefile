# Everything a contributor runs. Needs Python >= 3.11 and make; the first task that needs packages installs them.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
PIP    := -m pip --disable-pip-version-check --quiet

# Two lanes that prove that installed Unicode packages decide nothing.
WHEEL_VENV  := .venv-wheel
NEWEST_VENV := .venv-newest
# The golden tests alone: no doctests, no collection of anything else.
GOLDEN := -q -o addopts="--import-mode=importlib --strict-markers"

PYTEST_ARGS ?= -n auto --dist loadfile
FOLDER      ?=
# Where UCD files are kept: 16.0.0/ and 17.0.0/
UCD         ?=

# Compiled kernels are cached by the text of all kernels: Numba itself does not see an edited callee.
# (Tests do the same in conftest.py.)
KERNELS := $(shell cat txtfp_np/kernels/*.py 2>/dev/null | cksum | cut -d' ' -f1)

.DEFAULT_GOAL := help
.PHONY: help venv test lint format types pytest soak notebooks demo bench unicode wheel wheel-test newest clean

help:  ## list the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(STAMP)  ## set up .venv (again only when pyproject.toml changes)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) ..."
	@$(BIN)/python $(PIP) install -e ".[dev]"
	@touch $@

test: lint types pytest notebooks  ## lint, types, all tests and notebooks, set-up included

lint: $(STAMP)  ## ruff
	$(BIN)/ruff check .

format: $(STAMP)  ## ruff's formatter, in place
	$(BIN)/ruff format .

types: $(STAMP)  ## mypy, strict
	$(BIN)/mypy

pytest: $(STAMP)  ## the tests alone; PYTEST_ARGS="-k words" and the like
	$(BIN)/pytest $(PYTEST_ARGS)

soak: $(STAMP)  ## faults at random moments, for some minutes
	$(BIN)/pytest -m soak tests/soak

notebooks: $(STAMP)  ## run every notebook; they are kept without outputs
	@! grep -n -e '"output_type"' -e '"execution_count": [0-9]' notebooks/*.ipynb
	$(BIN)/pytest -q --nbmake notebooks

demo bench: export NUMBA_CACHE_DIR ?= $(CURDIR)/.cache/numba-$(KERNELS)

demo: $(STAMP)  ## near-duplicates among the licences in .venv, or the texts in FOLDER=...
	@$(BIN)/python docs/demo.py $(if $(FOLDER),"$(FOLDER)") --report build/demo/near-duplicates.html

bench: DATA ?= ../shared/data
bench: $(STAMP)  ## speed beside peers (7 min), on the texts in DATA=... (made-up ones without)
	@$(BIN)/python $(PIP) install -e ".[bench]"
	@$(BIN)/python -m benchmarks core --data "$(DATA)"
	@$(BIN)/python -m benchmarks stages --data "$(DATA)"
	@$(BIN)/python -m benchmarks text --data "$(DATA)"

unicode: $(STAMP)  ## rebuild the frozen Unicode tables from UCD=folder
	@test -n "$(UCD)" || { echo "say where the UCD files are: make unicode UCD=folder (holds 16.0.0/ and 17.0.0/)"; exit 2; }
	$(BIN)/python -m txtfp_np.unicode.build --ucd "$(UCD)"

wheel: $(STAMP)  ## build the wheel into build/wheel and look inside
	@rm -rf build/wheel
	@$(BIN)/python $(PIP) wheel --no-deps --wheel-dir build/wheel .
	@$(BIN)/python -m zipfile -l build/wheel/*.whl | awk 'NR > 1 { print $$1 }' > build/wheel/contents.txt
	@! grep -v -e '^txtfp_np/' -e '^txtfp_np-[^/]*\.dist-info/' build/wheel/contents.txt
	@grep -q '^txtfp_np/py\.typed$$' build/wheel/contents.txt
	@grep -q '^txtfp_np/unicode/.*\.npz$$' build/wheel/contents.txt
	@test $$(grep -c '^txtfp_np/dedup/page/report\.\(html\|css\|js\)$$' build/wheel/contents.txt) = 3
	@ls build/wheel/*.whl

# The tests are copied away, so that the source tree cannot be imported in place of the wheel.
wheel-test: wheel  ## golden tests on the installed wheel, without the Unicode packages
	@rm -rf $(WHEEL_VENV) build/wheel-test && mkdir -p build/wheel-test
	@cp -r tests conftest.py pyproject.toml build/wheel-test/
	@$(PYTHON) -m venv $(WHEEL_VENV)
	@$(WHEEL_VENV)/bin/python $(PIP) install pytest build/wheel/*.whl
	@$(WHEEL_VENV)/bin/python -c 'from importlib.util import find_spec as f; assert not f("unicodedata2") and not f("regex")'
	cd build/wheel-test && $(CURDIR)/$(WHEEL_VENV)/bin/python -m pytest $(GOLDEN) tests/golden

newest: $(STAMP)  ## golden tests beside the newest unicodedata2 and regex
	@test -x $(NEWEST_VENV)/bin/python || $(PYTHON) -m venv $(NEWEST_VENV)
	@$(NEWEST_VENV)/bin/python $(PIP) install -e . pytest
	@$(NEWEST_VENV)/bin/python $(PIP) install --upgrade unicodedata2 regex
	@$(NEWEST_VENV)/bin/python -c 'import unicodedata2 as u, regex as r; print("unicodedata2", u.unidata_version, "regex", r.__version__)'
	$(NEWEST_VENV)/bin/pytest $(GOLDEN) tests/golden

clean:  ## remove environments, builds and caches
	rm -rf .venv .venv-wheel .venv-newest build dist .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find txtfp_np tests docs -name __pycache__ -type d -prune -exec rm -rf {} +
