"""The logic of the hooks: payload in, answer out; standard library only."""
