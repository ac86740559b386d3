"""Does the memory learn? `world` says what is simulated, `table` what is asked of it."""
