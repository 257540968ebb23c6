"""Compilation in parts: models of large scenes, joined from those of some bodies each."""
