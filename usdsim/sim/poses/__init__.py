"""Simulated poses back on the stage: write-back and recordings."""
