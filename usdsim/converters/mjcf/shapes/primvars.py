"""Primvars of mesh assets: normals and texture coordinates by the names that all tools read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.converters.emit.meshes import VARYING, emit_varying
from usdsim.core.dialects.mjc_assets import PRIMVARS
from usdsim.math.meshes.operations import upside_down
from usdsim.usd.drafts import PrimDraft

__all__ = ["write_primvars"]


def write_primvars(
    mesh: PrimDraft,
    points: int,
    buffers: Mapping[str, NDArray[Any]],
    drawn: NDArray[np.bool_],
    moved: NDArray[np.float64] | None,
) -> set[str]:
    """Write the normals and texture coordinates of a mesh asset.

    Args:
        mesh: prim of the asset.
        points: number of its points.
        buffers: values by field of a spec's mesh.
        drawn: which of the source's faces are on the prim, shape (m,).
        moved: matrix that the source's points were multiplied by, shape (3, 3); None: they were
            left as they are.

    Returns:
        Fields whose values follow from what was written, to the last digit.
    """
    followed: set[str] = set()
    for name, (field, of_corners) in PRIMVARS.items():
        width = VARYING[name][1]
        rows, corners = buffers[field].reshape(-1, width), buffers[of_corners].reshape(-1, 3)
        fits = corners.max() < len(rows) if len(corners) else len(rows) == points
        if not len(rows) or not fits or len(corners) not in (0, len(drawn)):
            continue
        values, exact = rows, True
        if name == "st":
            values = upside_down(rows)
            exact = np.array_equal(upside_down(values), rows)
        elif moved is not None:
            # Normals are turned by the transposed inverse.
            values, exact = _unit(rows @ np.linalg.inv(moved)), False
        emit_varying(mesh, name, values, corners[drawn].ravel() if len(corners) else None)
        if exact and (drawn.all() or not len(corners)):
            followed |= {field, of_corners}
    return followed


def _unit(rows: NDArray[Any]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0.0, lengths, 1.0), np.float32)
