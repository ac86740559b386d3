"""The task graph: reading and checking a plan, the states of its tasks, its shape. Pure."""
