"""Frame transformers."""
