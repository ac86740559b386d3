"""The rules of the memory: what is stored, recalled, moved, forgotten."""
