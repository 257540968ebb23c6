"""Contacts of deformable bodies that the device does not find."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from usdsim.engine.compile.pipeline import CompiledModel

__all__ = ["unsupported_flexes"]

_BLIND = {
    int(mujoco.mjtGeom.mjGEOM_HFIELD): "height fields",
    int(mujoco.mjtGeom.mjGEOM_SDF): "signed distance fields",
}


def unsupported_flexes(compiled: CompiledModel) -> Iterator[tuple[str, str]]:
    """Prim path and reason of every shape that a flexible body would fall through."""
    model, paths = compiled.mj, compiled.names.paths("geom")
    for geom in np.flatnonzero(np.isin(model.geom_type, list(_BLIND))):
        types, affinities = model.flex_contype, model.flex_conaffinity
        meets = (types & model.geom_conaffinity[geom]) | (affinities & model.geom_contype[geom])
        if meets.any():
            what = _BLIND[int(model.geom_type[geom])]
            yield paths[geom], f"no contact of flexible bodies with {what}"
