"""The dashboard of helix. Importing the package imports nothing else."""
