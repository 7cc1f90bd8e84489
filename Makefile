# The README's two commands are `make demo` and `make test`; each target first makes the environment it needs.
PYTHON ?= python3
# Says what is done and how long it took; .ci/environment makes an environment, with uv or with pip.
STEP := .ci/step

# The wheel is tested in environments of their own, which cannot see the sources: one for each version of Python.
VERSION := $(shell $(PYTHON) -c "import sys; print('%d.%d' % sys.version_info[:2])")
WHEEL := .venv-wheel-$(VERSION)
LIGHT := .venv-light-$(VERSION)
# Where lint and docs run.
ENV := .venv
# Tests write thousands of small files and wait until each is on the disk: where there is room, the disk is in memory.
IN_MEMORY := $(shell test -w /dev/shm && ! grep -q ' /dev/shm .*noexec' /proc/mounts && df -Pk /dev/shm | awk 'NR == 2 && $$4 > 4000000 { print "TMPDIR=/dev/shm" }')
# Two workers for two cores, one thread each: every worker collects all tests. The slowest files come first.
PYTEST_SETTINGS := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(IN_MEMORY)
WORKERS := -n 2 --dist loadfile --no-loadscope-reorder --durations=15
# What the core, [validate] and [report] do.
LIGHT_TESTS := tests/builders tests/portraits tests/sql tests/validation

.PHONY: help demo test test-full test-light quick lint docs bench audit dist clean

help:
	@echo "make demo   set up, then ask a real model what it knows of itself, and train two small ones"
	@echo "make test   set up, then lint, build the wheel and test it"
	@echo "make test PYTHON=python3.13   the same on another Python"
	@echo "make test-full    every test, those that take long too, without lint; make test-light: what needs no torch"
	@echo "make quick  the tests of the files that take little, in under a minute"
	@echo "make lint   ruff, mypy, import-linter and sqruff"
	@echo "make docs   the documentation as a site, in site/"
	@echo "make bench  the measurements of docs/benchmarks.md"
	@echo "make audit  every package that is installed with its licence, and what is known to be vulnerable (pip-audit)"
	@echo "make dist   the wheel and the sdist of a release, in dist/, checked by twine"
	@echo "make clean  remove what the other targets made"

# The demo needs neither the tests' tools nor every extra; where the developers' environment is there, it has them all.
demo: $(if $(wildcard .venv/ready),.venv/ready,.venv/demo)
	.venv/bin/selfknow demo

lint: $(ENV)/ready
	@$(STEP) "Linting" $(ENV)/bin/ruff check .
	@$(STEP) "Checking the format" $(ENV)/bin/ruff format --check .
	@$(STEP) "Checking which room imports which" $(ENV)/bin/lint-imports
	@$(STEP) "Linting SQL" $(ENV)/bin/sqruff lint evaluate validation src/selfknow/sql
	@$(STEP) "Checking types" $(ENV)/bin/mypy

# The reference is made from a copy: griffe reads no folder without an __init__.py, and evaluate/ can have none here;
# and it looks for examples under `Examples:`.
docs: $(ENV)/ready
	@rm -rf build/api && mkdir -p build && cp -rL src build/api && touch build/api/selfknow/evaluate/__init__.py
	@grep -rl 'Example:$$' --include=*.py build/api | xargs sed -i 's/^\( *\)Example:$$/\1Examples:/'
	@NO_MKDOCS_2_WARNING=1 $(STEP) "Building the docs" $(ENV)/bin/mkdocs build --quiet

bench: .venv/ready
	.venv/bin/python -m benchmarks

# A package that names no licence is a failure. Vulnerabilities are reported where pip-audit and PyPI can be reached;
# elsewhere pip-audit would skip each package and say that it knows of none, so it is told to be strict.
audit: $(WHEEL)/ready
	$(WHEEL)/bin/python -m benchmarks.dependencies --installed
	@if command -v pip-audit >/dev/null; then pip-audit --strict --requirement constraints.txt --no-deps --disable-pip || true; \
	else echo "known vulnerabilities were not looked up: pip install pip-audit, with a network"; fi

# Lint and docs run beside the tests, on whichever core waits, and say afterwards what they found.
test: $(WHEEL)/ready
	$(call install-wheel,$(WHEEL))
	@mkdir -p build; $(MAKE) --no-print-directory lint docs ENV=$(WHEEL) >build/lint.txt 2>&1 & lint=$$!; \
		trap "kill $$lint" INT TERM; \
		$(call run-tests,$(WHEEL),-m "not full"); tests=$$?; \
		echo "Waiting for lint and docs"; wait $$lint; linted=$$?; \
		cat build/lint.txt; test $$tests = 0 && exit $$linted

test-full: $(WHEEL)/ready
	$(call install-wheel,$(WHEEL))
	@$(call run-tests,$(WHEEL),)

test-light: $(LIGHT)/ready
	$(call install-wheel,$(LIGHT))
	@$(call run-tests,$(LIGHT),-m "not models and not full" $(LIGHT_TESTS))

quick: .venv/ready
	@$(PYTEST_SETTINGS) .venv/bin/pytest $(WORKERS) -q --quick

define run-tests
SELFKNOW_TEST_INSTALLED=1 $(PYTEST_SETTINGS) $(STEP) --show "Testing" $(1)/bin/pytest $(WORKERS) $(2)
endef

define install-wheel
	@rm -rf build dist
	@$(STEP) "Building the wheel" $(1)/bin/pip wheel --no-deps --wheel-dir dist .
	@$(STEP) "Installing the wheel" $(1)/bin/pip install --force-reinstall --no-deps dist/selfknow-*.whl
endef

# An editable environment to work in, and one of what the demo needs alone.
.venv/ready: pyproject.toml constraints.txt .ci/environment
	@.ci/environment $(PYTHON) .venv --editable ".[all]" --group dev
	@touch $@

.venv/demo: pyproject.toml constraints.txt .ci/environment
	@.ci/environment $(PYTHON) .venv --editable ".[validate,models,report]"
	@touch $@

$(WHEEL)/ready: pyproject.toml constraints.txt .ci/environment
	@.ci/environment $(PYTHON) $(WHEEL) ".[all]" --group dev
	@touch $@

$(LIGHT)/ready: pyproject.toml constraints.txt .ci/environment
	@.ci/environment $(PYTHON) $(LIGHT) ".[validate,report]" --group light
	@touch $@

dist:
	@rm -rf build dist
	@.ci/environment $(PYTHON) .venv-dist build twine
	@$(STEP) "Building the wheel and the sdist" .venv-dist/bin/python -m build
	@$(STEP) "Checking them" .venv-dist/bin/twine check --strict dist/*

clean:
	rm -rf .venv .venv-* build dist out site src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
