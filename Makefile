# Two commands matter: `make demo` and `make test`. Each does its own set-up on a fresh machine.
PYTHON ?= python3
DATA   := $(if $(XDG_DATA_HOME),$(XDG_DATA_HOME),$(HOME)/.local/share)
HOUSE  := $(DATA)/helix/venv
DEV    := .venv
IN_DEV := HELIX_VENV=$(CURDIR)/$(DEV) $(DEV)/bin/python
JOBS   ?= 2

.PHONY: demo test lint format setup dev bench soak screenshots dist clean

demo: setup
	bin/helix demo --tui

# helix's own environment, in the user's data folder: what a plugin user gets too.
setup:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || { \
	  echo "helix: $(PYTHON) is not Python 3.10 or newer; install one, then: make setup PYTHON=python3.12" >&2; \
	  exit 1; }
	@HELIX_VENV=$(HOUSE) $(PYTHON) -m helix_core.provision

# The development tools, in a folder of their own that looks into the environment above.
dev: setup $(DEV)/ready

$(DEV)/ready: pyproject.toml tools.txt Makefile
	@$(PYTHON) -m venv $(DEV)
	@$(DEV)/bin/python -c "import sysconfig, pathlib, subprocess; \
	  site = pathlib.Path(sysconfig.get_path('purelib')); \
	  house = subprocess.check_output(['$(HOUSE)/bin/python', '-c', 'import sysconfig; print(sysconfig.get_path(\"purelib\"))'], text=True).strip(); \
	  site.joinpath('helix-dev.pth').write_text('$(CURDIR)\n' + house + '\n')"
	@$(DEV)/bin/python -m pip install --quiet --disable-pip-version-check -r tools.txt
	@touch $@

test: dev
	$(IN_DEV) -m pytest -n $(JOBS) --dist loadgroup

lint: dev
	$(DEV)/bin/ruff check .
	$(DEV)/bin/ruff format --check .
	$(IN_DEV) -m mypy

format: dev
	$(DEV)/bin/ruff check --fix .
	$(DEV)/bin/ruff format .

# Each prints its table and keeps its figures; one that misses a target does not stop the others.
BENCHES := hooks scale retrieval learning dag tui resources
bench: dev
	@failed=; for name in $(BENCHES); do \
	  echo "== $$name"; \
	  $(IN_DEV) -m benchmarks.$$name --json benchmarks/results/$$name.json || failed="$$failed $$name"; \
	done; test -z "$$failed" || { echo "missed a target:$$failed"; exit 1; }

# Ten minutes of a dashboard beside a busy session.
soak: dev
	$(IN_DEV) -m benchmarks.soak

# The pictures of the README, from the demonstration's data.
screenshots: dev
	$(IN_DEV) -m screenshots.make

# A wheel for pip, and the plugin as an archive of what is committed. Any Python with pip will do.
dist:
	@rm -rf dist && mkdir dist
	@$(PYTHON) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@git archive --format=tar.gz --prefix=helix/ -o dist/helix-plugin.tar.gz HEAD \
	  .claude-plugin agents bin hooks skills helix_core helix_tui screenshots Makefile README.md LICENSE pyproject.toml constraints.txt
	@ls -l dist

clean:
	rm -rf $(DEV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
