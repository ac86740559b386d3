# Two commands matter: `make demo` and `make test`. Each does its own set-up on a fresh machine.
PYTHON ?= python3
DATA   := $(if $(XDG_DATA_HOME),$(XDG_DATA_HOME),$(HOME)/.local/share)
HOUSE  := $(DATA)/helix/venv
DEV    := .venv
IN_DEV := HELIX_VENV=$(CURDIR)/$(DEV) $(DEV)/bin/python
JOBS   ?= 2

.PHONY: demo test lint format setup dev e2e bench soak screenshots clean

demo: setup
	bin/helix demo --tui

# helix's own environment, in the user's data folder: what a plugin user gets too.
setup:
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

bench: dev
	$(IN_DEV) -m benchmarks.hooks
	$(IN_DEV) -m benchmarks.dag
	$(IN_DEV) -m benchmarks.tui

# Ten minutes of a dashboard beside a busy session.
soak: dev
	$(IN_DEV) -m benchmarks.soak

# The pictures of the README, from the demonstration's data.
screenshots: dev
	$(IN_DEV) -m screenshots.make

clean:
	rm -rf $(DEV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
