"""Rigid bodies of a stage: trees, mass properties and sites."""
