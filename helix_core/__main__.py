"""`python -m helix_core`: the command line."""

from helix_core.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
