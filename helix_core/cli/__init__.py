"""The command line: one table of commands, errors as one line, exit codes that mean something."""
