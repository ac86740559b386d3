"""`helix doctor`: what helix needs, looked at where it lies, each thing with its remedy."""
