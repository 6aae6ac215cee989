# Two commands for a fresh machine with Python (3.11 or newer) and make:
#   make example   sets up, crawls the embedded news site, prints what came out
#   make test      sets up, runs every test, linter and type check, builds the documentation
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: example example-kinds example-redis test test-all lint types docs pytest pytest-python fuzz fuzz-native soak bench compare tables learned screenshots coverage mutants dist clean

example: $(VENV)/.example
	@echo "Crawling the embedded news site, one page at a time ..."
	cd example_project && $(abspath $(BIN))/scrapy crawl links -s LOG_LEVEL=WARNING
	cd example_project && $(abspath $(BIN))/python -m newsroom.summary articles.jsonl

# an article over three pages, a live blog and a wall; then a paper that gets a new design
example-kinds: $(VENV)/.example
	cd example_project && $(abspath $(BIN))/scrapy crawl dispatch -s LOG_LEVEL=WARNING
	cd example_project && $(abspath $(BIN))/python -m newsroom.kinds dispatch.jsonl
	@echo "A paper changes its design: the alarm, and what the store knows of the site"
	rm -f example_project/log.sqlite
	cd example_project && $(abspath $(BIN))/scrapy crawl log -s LOG_LEVEL=WARNING
	cd example_project && $(abspath $(BIN))/scrapy-boilerplate site status log.sqlite

# two workers share a queue, site knowledge and duplicates; needs Debian's redis-server
example-redis: $(VENV)/.example-redis
	cd example_project && $(abspath $(BIN))/python -m newsroom.shared -s LOG_LEVEL=WARNING

test: lint types docs pytest

# every Python that is here, the oldest and the newest packages, wheel and sdist, pip-audit
test-all: $(VENV)/.matrix
	$(BIN)/python -m nox

# over a million inputs, in rounds of at most FUZZ_SECONDS each (one ends after 300,000 inputs, for the
# memory that atheris keeps); a short run is part of `make test`
FUZZ_SECONDS ?= 3600
fuzz: $(VENV)/.fuzz
	for round in 1 2 3 4; do $(BIN)/python -m tests.fuzz -- -max_total_time=$(FUZZ_SECONDS) || exit 1; done

# native code against Python, in a copy that AddressSanitizer watches; needs gcc. An input takes some
# milliseconds
FUZZ_INPUTS ?= 1000000
fuzz-native: $(VENV)/.test
	rm -rf .fuzz/native && mkdir -p .fuzz/native
	cp -r scrapy_boilerplate tests benchmarks setup.py setup.cfg pyproject.toml README.md LICENSE .fuzz/native
	rm -f .fuzz/native/scrapy_boilerplate/native/*.so
	cd .fuzz/native && CFLAGS="-fsanitize=address -O1" LDFLAGS=-fsanitize=address \
		$(abspath $(BIN))/python setup.py -q build_ext --inplace
	cd .fuzz/native && LD_PRELOAD=$$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 \
		PYTHONMALLOC=malloc $(abspath $(BIN))/python -m tests.native.fuzz --runs $(FUZZ_INPUTS)

soak: $(VENV)/.bench
	$(BIN)/python -m benchmarks.soak_crawl

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --config setup.cfg --no-cache

types: $(VENV)/.test
	$(BIN)/mypy

# build/docs/index.html; warnings are errors, and so are links to pages and headings that do not exist
docs: $(VENV)/.test
	$(BIN)/python -m sphinx -E -W --keep-going -n -q -b html docs build/docs

pytest: $(VENV)/.test
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

# what compiled code computes, by Python alone; `pytest` runs everything compiled
WITHOUT_NATIVE := tests/page tests/article tests/news tests/steps tests/systems tests/test_extraction_properties.py
pytest-python: $(VENV)/.test
	SCRAPY_BOILERPLATE_NATIVE=0 $(BIN)/python -m pytest -q --numprocesses auto --dist loadfile $(WITHOUT_NATIVE)

# lines and branches that no test runs, with native code and without; `systems/` aside
coverage: $(VENV)/.coverage
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --cov --cov-report=
	SCRAPY_BOILERPLATE_NATIVE=0 $(BIN)/python -m pytest -q --numprocesses auto --dist loadfile \
		--cov --cov-append --cov-report= $(WITHOUT_NATIVE)
	$(BIN)/python -m coverage report --fail-under 95

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.job
	$(BIN)/python -m benchmarks.growth

# MODELS: output of `python -m benchmarks.folds --out MODELS`
compare: $(VENV)/.bench
	$(BIN)/python -m benchmarks.compare $(if $(MODELS),--models $(MODELS))

tables: $(VENV)/.bench
	$(BIN)/python -m benchmarks.tables

learned: $(VENV)/.bench
	$(BIN)/python -m benchmarks.learning

# docs/*.png, by Debian's chromium and chromium-driver; CORPUS: what the curves are drawn from
CORPUS ?= ../shared/corpora/fundus.jsonl.xz
screenshots: $(VENV)/.test
	$(BIN)/python -m benchmarks.screenshots --corpus $(CORPUS)

# wrong lines of Python that no test sees, of the modules in setup.cfg ([mutmut]); `mutmut show NAME` prints one.
# 620 of them took 28 minutes on a busy machine (2026-11-22)
mutants: $(VENV)/.coverage
	SCRAPY_BOILERPLATE_NATIVE=0 $(BIN)/mutmut run --max-children 2
	$(BIN)/mutmut results

# the sdist and the wheel for every platform, checked; .github/workflows/wheels.yml builds the others
dist: $(VENV)/.release
	rm -rf dist
	$(BIN)/python -m build --sdist
	SCRAPY_BOILERPLATE_NATIVE=0 $(BIN)/python -m build --wheel
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

# What is installed is noted by a file, so that the second run starts at once.
$(VENV)/.%: setup.cfg pyproject.toml setup.py $(wildcard scrapy_boilerplate/native/*.p* scrapy_boilerplate/native/*.h) | $(BIN)/python
	@echo "Installing and compiling the package (minutes on a slow machine) ..."
	PYTHONWARNINGS="ignore:Editable installation" $(BIN)/python -m pip install --quiet --editable '.$(if $(filter-out example,$*),[$*])'
	touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

clean:
	rm -f scrapy_boilerplate/native/*.so scrapy_boilerplate/native/*.c
	rm -rf $(VENV) *.egg-info build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
