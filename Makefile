# Everything a contributor runs. Needs Python 3.11 or newer and pip; the rest is set up in .venv.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
ROBOT ?=
PYTEST_ARGS ?= -n auto --dist worksteal
BENCH_ARGS ?=
SECONDS ?= 60
SEED ?= 0
KILLS ?= 1000
# A comma in the text of a call would part its arguments.
DEMO_EXTRAS := [plot,video]

.PHONY: help demo test nightly check pyright fuzz kill soak docs read pictures bench wheel platforms clean
.DEFAULT_GOAL := help

help:
	@echo "make demo [ROBOT=file.xml|file.urdf|file.usda]   convert, simulate and record a robot"
	@echo "make test                                        run the tests"
	@echo "make nightly                                     run the long tests too"
	@echo "make check                                       format, lint, types, architecture"
	@echo "make pyright                                     types of the examples, as an editor sees them"
	@echo "make fuzz [SECONDS=60 SEED=0]                    give damaged inputs to every door"
	@echo "make kill [KILLS=1000 SEED=0]                    kill writers at random moments"
	@echo "make soak                                        a long life of one process"
	@echo "make docs                                        build the documentation"
	@echo "make read                                        read the built pages in a browser"
	@echo "make pictures                                    take the pictures of assets and README"
	@echo "make bench [BENCH_ARGS=--quick]                  measure"
	@echo "make wheel                                       build, inspect and try what PyPI gets"
	@echo "make platforms                                   which platforms have wheels of all parts"
	@echo "make clean                                       remove $(VENV) and build outputs"

demo: $(VENV)/.demo
	@$(BIN)/usdsim demo $(ROBOT)

test: $(VENV)/.test
	$(BIN)/python -m pytest $(PYTEST_ARGS)

nightly: $(VENV)/.test
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m "nightly or not nightly"

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_architecture.py tests/test_public_api.py

pyright: $(VENV)/.dev
	$(BIN)/pyright --pythonpath $(BIN)/python

fuzz: $(VENV)/.test
	$(BIN)/python tests/fuzz --seconds $(SECONDS) --seed $(SEED)

kill: $(VENV)/.test
	$(BIN)/python tests/fuzz/kill.py --kills $(KILLS) --seed $(SEED)

soak: $(VENV)/.test
	$(BIN)/python tests/hostile/soak.py

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

read: docs $(VENV)/.test
	$(BIN)/python docs/read_pages.py docs/_build/html

pictures: $(VENV)/.test
	$(BIN)/python docs/generate_pictures.py

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

wheel: $(VENV)/.release
	rm -rf dist build
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*.whl dist/*.tar.gz
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/python .ci/try_wheel.py dist

platforms: $(VENV)/.release
	$(BIN)/python .ci/platforms.py

clean:
	rm -rf $(VENV) docs/_build build dist

# One stamp per set of extras: a repeated call installs nothing.
define install
	@echo "-- installing usdsim$(1) into $(VENV) (takes a minute the first time)"
	@$(BIN)/python -m pip install --disable-pip-version-check -e ".$(1)"
endef

$(VENV)/.demo: pyproject.toml | $(VENV)/.created
	$(call install,$(DEMO_EXTRAS))
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/.created
	$(call install,[test])
	@touch $@ $(VENV)/.demo

$(VENV)/.docs: pyproject.toml | $(VENV)/.created
	$(call install,[docs])
	@touch $@

$(VENV)/.release: pyproject.toml | $(VENV)/.created
	$(call install,[release])
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.created
	$(call install,[dev])
	@touch $@ $(VENV)/.test $(VENV)/.demo $(VENV)/.docs

# Some Linux distributions ship Python without ensurepip; their pip can fill the environment.
$(VENV)/.created:
	@test -n "$(PYTHON)" || { echo "usdsim needs Python 3.11 or newer: make PYTHON=/path/to/python3"; exit 1; }
	@echo "-- creating $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || { \
		rm -rf $(VENV); \
		$(PYTHON) -m venv --without-pip $(VENV) && $(PYTHON) -m pip --python $(BIN)/python install pip; }
	@touch $@
