"""SQL and nothing else: the tables, and how they are opened, changed and upgraded."""
