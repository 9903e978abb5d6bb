# `make demo` runs the main job, `make test` the whole gate, `make docs` builds the site. Each sets up what it needs, in
# .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test coverage bench docs images format clean

demo: .venv/installed
	$(BIN)/meshsim best --robot docs/examples/ur5.urdf --machine t800 --rate 1kHz --out out/ur5

# Tests of a file share what takes long to compute, so they run in one process, in the order of tests/conftest.py.
PYTEST := $(BIN)/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder
# The commands that tests start need not compile the modules again.
unexport PYTHONDONTWRITEBYTECODE

test: .venv/installed-dev
	.ci/browser
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/oxlint --deny-warnings experiments/pages/web
	$(BIN)/mypy
	$(PYTEST)

coverage: .venv/installed-dev
	$(PYTEST) --cov --cov-report=term:skip-covered

# The pictures of the documents that are stale; ONLY=beyond.png makes one, ONLY=all makes every one.
images: .venv/installed-dev
	$(BIN)/python docs/make_images.py $(ONLY)

# The site, into out/site; a warning is an error. The variable silences a notice on what is to follow MkDocs 1.
docs: .venv/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "the site: out/site/index.html"

# Some 15 minutes; `meshsim bench NAME` measures one thing.
bench: .venv/installed-fast
	$(BIN)/meshsim compile
	$(BIN)/meshsim bench --page docs/performance.md

format: .venv/installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv out build *.egg-info

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv/installed-fast: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fast]'
	touch $@ .venv/installed

.venv/installed-dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ .venv/installed

.venv/installed-docs: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	touch $@ .venv/installed
