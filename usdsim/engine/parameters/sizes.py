"""Sizes of shapes that may differ from world to world."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.engine.compile.pipeline import CompiledModel

__all__ = ["check_sizes"]

_T = mujoco.mjtGeom
_USED = {
    int(_T.mjGEOM_PLANE): 0,
    int(_T.mjGEOM_SPHERE): 1,
    int(_T.mjGEOM_CAPSULE): 2,
    int(_T.mjGEOM_CYLINDER): 2,
    int(_T.mjGEOM_ELLIPSOID): 3,
    int(_T.mjGEOM_BOX): 3,
}
"""Number of a shape's three sizes that must be above 0; a plane of size 0 has no edge."""


def check_sizes(
    compiled: CompiledModel,
    values: NDArray[np.float64],
    before: NDArray[np.float64],
    worlds: NDArray[np.intp],
) -> None:
    """Refuse sizes that shapes cannot have.

    Args:
        compiled: the model.
        values: sizes of all shapes to be [m], shape (worlds, geoms, 3).
        before: sizes they have [m].
        worlds: world of each row.

    Raises:
        InvalidValueError: naming the shape and the world.
    """
    changed = (values != before).any(axis=2)
    for geom in np.flatnonzero(changed.any(axis=0)):
        kind = int(compiled.mj.geom_type[geom])
        rows = np.flatnonzero(changed[:, geom])
        title = f"geom_size of {compiled.names.paths('geom')[geom]!r} in world"
        if kind not in _USED:
            shape = _T(kind).name.removeprefix("mjGEOM_").lower()
            raise InvalidValueError(
                f"{title} {worlds[rows[0]]}",
                values[rows[0], geom].tolist(),
                f"{before[rows[0], geom].tolist()}, as its vertices or samples ({shape}) have it",
                "Scale the prim on the stage and load it again.",
            )
        sizes = values[rows, geom]
        bad = ~np.isfinite(sizes) | (sizes < 0.0)
        bad[:, : _USED[kind]] |= sizes[:, : _USED[kind]] == 0.0
        if bad.any():
            row = int(np.flatnonzero(bad.any(axis=1))[0])
            allowed = f"finite numbers, the first {_USED[kind]} above 0 and none below"
            raise InvalidValueError(f"{title} {worlds[rows[row]]}", sizes[row].tolist(), allowed)
