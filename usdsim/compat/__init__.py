"""Compatibility with programs for Isaac Lab and MotrixSim: their import names, resolved to usdsim.

``python -m usdsim.compat script.py`` runs a program as it is; `install` does the same from within.
"""

from __future__ import annotations

from .importing import install, uninstall

__all__ = ["install", "uninstall"]
