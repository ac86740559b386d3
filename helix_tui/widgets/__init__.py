"""What the views are made of. May import textual, rich, state, formats, glyphs; never data."""
