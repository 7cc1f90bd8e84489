# The README's two commands are `make demo` and `make test`; each target first makes the environment it needs.
PYTHON ?= python3
# Says what is done and how long it took; .ci/environment makes an environment, with uv or with pip.
STEP := .ci/step

# The wheel is tested in environments of their own, which cannot see the sources: one for each version of Python.
VERSION := $(shell $(PYTHON) -c "import sys; print('%d.%d' % sys.version_info[:2])")
WHEEL := .venv-wheel-$(VERSION)
LIGHT := .venv-light-$(VERSION)
# Tests write thousands of small files and wait until each is on the disk: where there is room, the disk is in memory.
IN_MEMORY := $(shell test -w /dev/shm && ! grep -q ' /dev/shm .*noexec' /proc/mounts && df -Pk /dev/shm | awk 'NR == 2 && $$4 > 4000000 { print "TMPDIR=/dev/shm" }')
# Three workers for two cores, one thread each: who waits leaves room. The files come in the order of tests/conftest.py.
TEST_SETTINGS := SELFKNOW_TEST_INSTALLED=1 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(IN_MEMORY)
WORKERS := -n 3 --dist loadfile --no-loadscope-reorder --durations=15
# What the core, [validate] and [report] do.
LIGHT_TESTS := tests/builders tests/portraits tests/sql tests/validation

.PHONY: help demo test test-light lint docs bench audit clean

help:
	@echo "make demo   set up, then ask a real model what it knows of itself, and train two small ones"
	@echo "make test   set up, then lint, build the wheel and test it (what CI runs)"
	@echo "make test PYTHON=python3.13   the same on another Python; make test-light: what needs no torch, without it"
	@echo "make lint   ruff, mypy, import-linter and sqlfluff"
	@echo "make docs   the documentation as a site, in site/"
	@echo "make bench  the measurements of docs/benchmarks.md"
	@echo "make audit  every package that is installed with its licence, and what is known to be vulnerable (pip-audit)"
	@echo "make clean  remove what the other targets made"

demo: .venv/ready
	.venv/bin/selfknow demo

lint: .venv/ready
	$(call lint-with,.venv)

docs: .venv/ready
	$(call build-docs,.venv)

bench: .venv/ready
	.venv/bin/python -m benchmarks

# A package that names no licence is a failure. Vulnerabilities are reported where pip-audit and PyPI can be reached;
# elsewhere pip-audit would skip each package and say that it knows of none, so it is told to be strict.
audit: $(WHEEL)/ready
	$(WHEEL)/bin/python -m benchmarks.dependencies --installed
	@if command -v pip-audit >/dev/null; then pip-audit --strict --requirement constraints.txt --no-deps --disable-pip || true; \
	else echo "known vulnerabilities were not looked up: pip install pip-audit, with a network"; fi

# An editable environment to work in.
.venv/ready: pyproject.toml constraints.txt .ci/environment
	@.ci/environment $(PYTHON) .venv --editable ".[all]" --group dev
	@touch $@

test: $(WHEEL)/ready
	$(call install-wheel,$(WHEEL))
	$(call lint-with,$(WHEEL))
	$(call build-docs,$(WHEEL))
	$(TEST_SETTINGS) $(WHEEL)/bin/pytest $(WORKERS)

test-light: $(LIGHT)/ready
	$(call install-wheel,$(LIGHT))
	$(TEST_SETTINGS) $(LIGHT)/bin/pytest $(WORKERS) -m "not models" $(LIGHT_TESTS)

# mypy and sqlfluff take a core each, so they go side by side.
define lint-with
	$(1)/bin/ruff check .
	$(1)/bin/ruff format --check .
	$(1)/bin/lint-imports
	$(1)/bin/mypy & types=$$!; $(1)/bin/sqlfluff lint --disable-progress-bar evaluate validation; sql=$$?; \
		wait $$types && exit $$sql
endef

define install-wheel
	@rm -rf build dist
	@$(STEP) "Building the wheel" $(1)/bin/pip wheel --no-deps --wheel-dir dist .
	@$(STEP) "Installing the wheel" $(1)/bin/pip install --force-reinstall --no-deps dist/selfknow-*.whl
endef

# The reference is made from a copy: griffe reads no folder without an __init__.py, and evaluate/ can have none here;
# and it looks for examples under `Examples:`.
define build-docs
	rm -rf build/api && mkdir -p build && cp -rL src build/api && touch build/api/selfknow/evaluate/__init__.py
	grep -rl 'Example:$$' --include=*.py build/api | xargs sed -i 's/^\( *\)Example:$$/\1Examples:/'
	NO_MKDOCS_2_WARNING=1 $(1)/bin/mkdocs build --quiet
endef

$(WHEEL)/ready: pyproject.toml constraints.txt .ci/environment
	@.ci/environment $(PYTHON) $(WHEEL) ".[all]" --group dev
	@touch $@

$(LIGHT)/ready: pyproject.toml constraints.txt .ci/environment
	@.ci/environment $(PYTHON) $(LIGHT) ".[validate,report]" --group light
	@touch $@

clean:
	rm -rf .venv .venv-* build dist out site src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
