# The commands of Manyhop; `make` alone lists them. They only need python3 (3.11 or newer) with pip.

PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
TEMPLATES := templates tests/gallery/templates
EXTRAS ?=
COMMA := ,

# The constraints also pin the build tools: an install runs no unpinned code.
# No compilation here: compiling everything takes longer than the install, and Python compiles modules on first use.
PIP := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --constraint constraints.txt

# The checks must not depend on a developer's own settings.
CHECK_ENV := env -u DATABASE_URL -u REDIS_URL -u CELERY_BROKER_URL MANYHOP_DATA_DIR=build/check
DEVELOPMENT := $(CHECK_ENV) DEBUG=1
GALLERY := $(DEVELOPMENT) MANYHOP_DATA_DIR=build/gallery DJANGO_SETTINGS_MODULE=tests.gallery.settings
PRODUCTION := $(CHECK_ENV) DEBUG=0 ALLOWED_HOSTS=manyhop.example \
	SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(50))')

.DEFAULT_GOAL := help
.PHONY: help core install demo test test-slow test-all lint format docs gallery picture bench constraints clean

help: ## list the commands
	@echo "Manyhop: the commands of this Makefile"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/core-installed ## run a site with example data at http://127.0.0.1:8000 (PORT=8080 for another port)
	@PORT='$(PORT)' $(BIN)/python manage.py demo

core: $(VENV)/core-installed ## install only what the site needs into .venv, as for the demo and the image

install: $(VENV)/dev-installed ## install what the site, its tests and its benchmarks need into .venv

test: $(VENV)/dev-installed ## run the quick tests, with PostgreSQL, Redis and Chromium (ARGS="-k board" or ARGS=path for selected tests, quick or slow)
	@$(BIN)/python -m tests.runner --fast -- $(ARGS)

test-slow: $(VENV)/dev-installed ## run the slow tests, which kill processes, visit many pages in a browser or install from nothing
	@$(BIN)/python -m tests.runner --slow -- $(ARGS)

test-all: $(VENV)/dev-installed ## run the tests of both, in one go, as CI does
	@$(BIN)/python -m tests.runner --all -- $(ARGS)

lint: $(VENV)/dev-installed ## run ruff, mypy, djlint, import-linter, django-migration-linter and Django's own checks
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(DEVELOPMENT) $(BIN)/mypy .
	$(BIN)/djlint $(TEMPLATES) --check --lint
	$(DEVELOPMENT) $(BIN)/python manage.py makemigrations --check --dry-run
	$(CHECK_ENV) $(BIN)/python -m tests.migrations
	$(PRODUCTION) $(BIN)/python manage.py check --deploy --fail-level WARNING

format: $(VENV)/dev-installed ## format code and templates as `make lint` requires
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/djlint $(TEMPLATES) --reformat --quiet

docs: $(VENV)/dev-installed ## build the documentation, which the site then shows at /docs/
	rm -rf leaderboard/documentation
	$(DEVELOPMENT) $(BIN)/python -m sphinx -b html -q --fail-on-warning -d build/doctrees docs leaderboard/documentation

gallery: $(VENV)/dev-installed ## serve every component and page in every state at http://127.0.0.1:8000/gallery/ (PORT=8080 for another port)
	@$(GALLERY) $(BIN)/python manage.py migrate --verbosity 0
	@$(GALLERY) $(BIN)/python manage.py runserver 127.0.0.1:$(PORT)

picture: $(VENV)/dev-installed ## take the README's picture of the board again
	@$(CHECK_ENV) $(BIN)/python -m tests.readme_picture

bench: $(VENV)/dev-installed ## measure speed and memory of metrics and pages, and simulate intervals (ARGS=calibration)
	$(BIN)/python -m tests.bench $(ARGS)

constraints: $(VENV)/dev-installed ## write constraints.txt from the packages installed in .venv
	mkdir -p build
	{ head -n 2 constraints.txt; \
	  $(BIN)/python -m pip freeze --all --exclude-editable | grep -v '^pip==' | sed 's/+cpu$$//' | LC_ALL=C sort -f; } > build/constraints.txt
	mv build/constraints.txt constraints.txt

clean: ## remove .venv, caches and the demo's data
	rm -rf $(VENV) build leaderboard/documentation var *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Manyhop needs Python 3.11 or newer, but '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)."; \
		echo "Install one, or name another: make $(MAKECMDGOALS) PYTHON=/path/to/python3.12"; exit 1; } >&2
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "This Python cannot create virtual environments: its modules venv and ensurepip are missing."; \
		echo "On Debian and Ubuntu: apt-get install python3-venv"; exit 1; } >&2
	@echo "Creating $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/core-installed: pyproject.toml setup.py leaderboard/__init__.py manyhop/openapi.json constraints.txt | $(BIN)/python
	@echo "Installing what the site needs into $(VENV) (once, about a minute) ..."
	@$(PIP) setuptools
	@$(PIP) --no-build-isolation --editable '.[site$(subst [,$(COMMA),$(EXTRAS:]=))]'
	@$(PIP) --no-deps fanoutqa # only its data is read: its code requires 340 MB of packages
	@touch $@

$(VENV)/dev-installed: pyproject.toml setup.py leaderboard/__init__.py manyhop/openapi.json constraints.txt | $(BIN)/python
	@echo "Installing what the site, its tests and its benchmarks need into $(VENV) (once, about a minute) ..."
	@$(PIP) setuptools
	@$(PIP) --no-build-isolation --editable '.[dev]'
	@touch $@ $(VENV)/core-installed
