# Each target is a liga call; `make` alone lists them.
SEASON ?= data/beispielliga/2026
THROUGH ?=

# make PYTHON=python … uses the active environment; otherwise make builds .venv once.
ifeq ($(origin PYTHON),command line)
BIN :=
READY :=
READY_TEST :=
else
BIN := .venv/bin/
READY := .venv/.ready
READY_TEST := .venv/.ready-test
endif
AT := $(if $(THROUGH),--through $(THROUGH))

.DELETE_ON_ERROR:
.PHONY: help lab check report estimate explore test lint soak study bench clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  SEASON=$(SEASON)  THROUGH=N for the table after evening N"

lab: $(READY) ## JupyterLab at copies of the notebooks in lab/, to be edited (jupyter lab lab)
	@mkdir -p lab
	@for nb in notebooks/*.ipynb; do copy=lab/$$(basename $$nb); \
	  if [ -e $$copy ]; then echo "$$copy bleibt, wie es ist; neu: löschen und noch einmal make lab."; \
	  else cp $$nb $$copy; echo "$$copy angelegt, eine Kopie von $$nb."; fi; done
	$(BIN)jupyter lab lab --LabApp.news_url=None

check: $(READY) ## every problem of the data (liga check SEASON)
	$(BIN)liga check $(SEASON)

report: $(READY) ## the season report in reports/ (liga report SEASON)
	$(BIN)liga report $(SEASON) $(AT)

estimate: $(READY) ## keep, move or wait? (liga run estimate_parameters SEASON)
	$(BIN)liga run estimate_parameters $(SEASON) $(if $(THROUGH),-p through $(THROUGH))

explore: $(READY) ## how far the ranking depends on λ, a page (liga run explore_lambda SEASON)
	$(BIN)liga run explore_lambda $(SEASON) $(if $(THROUGH),-p through $(THROUGH))

test: $(READY_TEST) ## all tests but the long ones (pytest)
	OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

lint: $(READY_TEST) ## style of code and notebooks (ruff), order of the rooms (lint-imports)
	$(BIN)python -m ruff check .
	$(BIN)python -m ruff format --check .
	$(BIN)lint-imports

soak: $(READY_TEST) ## the long tests: generated inputs, faults, themes (minutes)
	OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m "soak or hypothesis"

study: $(READY_TEST) ## how good ratings are, by simulation (benchmarks/; an hour)
	$(BIN)python benchmarks/study.py
	$(BIN)python benchmarks/leagues.py
	$(BIN)python benchmarks/intervals.py

bench: $(READY_TEST) ## how fast and how small, beside other programs (benchmarks/bench.py; minutes)
	$(BIN)python benchmarks/bench.py

clean: ## what was made: reports and .venv
	rm -rf reports .venv

.venv/.ready: pyproject.toml constraints.txt
	@python3 -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' || \
	  { echo "Python 3.11 bis 3.14 wird gebraucht (python3 --version)."; exit 1; }
	@echo "Richte die Umgebung ein (einmalig, etwa zwei Minuten) …"
	@test -x .venv/bin/python || python3 -m venv .venv
	@.venv/bin/python -c 'import pip' 2>/dev/null || .venv/bin/python -m ensurepip >/dev/null  # made by uv
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@.venv/bin/jupyter labextension disable --level=sys_prefix @jupyterlab/apputils-extension:announcements
	@touch $@

.venv/.ready-test: .venv/.ready
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $@
