"""Tables from which `schemas/generate.py` writes the codeless schema definitions."""
