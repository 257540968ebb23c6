"""Environments of a stage: finding, placing and compiling them as worlds."""
