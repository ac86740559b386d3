"""One module per view or modal. May import widgets, messages, actions and state; never sqlite3."""
