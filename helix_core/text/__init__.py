"""Text that agents read and write: fields, markers, transcripts, screening, search terms."""
