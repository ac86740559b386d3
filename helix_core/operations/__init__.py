"""Operations by subject; `helix_core.service` gathers them into the one table of requests."""
