"""Crate files, OpenUSD's binary layers: their structure is checked before OpenUSD reads them.

OpenUSD follows the numbers of a damaged file: a tree of paths that leads back into itself keeps it
busy without end, and a table of millions of millions takes all memory. Nothing can interrupt it.

A layer begins with a signature, its version and the place of a table of contents, which names
sections: texts, fields with the places of their values, paths, and specs that say which path has
which fields. Their numbers are packed.
"""

from __future__ import annotations

from .check import check_crates

__all__ = ["check_crates"]
