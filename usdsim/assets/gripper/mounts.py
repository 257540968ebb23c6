"""Surface grippers of a stage: their points, axes and properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.assets.common.matching import first_environment
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.parser.description import SceneDescription
from usdsim.usd.attributes import authored
from usdsim.usd.queries import find_prims, traverse

__all__ = ["PROPERTIES", "Mount", "find_mounts"]

_TYPE, _POINTS = "IsaacSurfaceGripper", "isaac:attachmentPoints"

PROPERTIES: Mapping[str, str] = {
    "max_grip_distance": "isaac:maxGripDistance",
    "coaxial_force_limit": "isaac:coaxialForceLimit",
    "shear_force_limit": "isaac:shearForceLimit",
    "retry_interval": "isaac:retryInterval",
}
"""Attributes of the prim by property of a gripper."""


@dataclass(frozen=True, eq=False)
class Mount:
    """A gripper of one world."""

    path: str
    """Path of its prim."""
    body: str
    """Path of the body that it is on."""
    points: tuple[str, ...]
    """Paths of its attachment points, which are sites."""
    axes: NDArray[np.float64]
    """Direction in which each looks, in its frame, shape (points, 3)."""
    clearances: NDArray[np.float64]
    """Place on the axis where each begins to look [m], shape (points,)."""
    properties: Mapping[str, float]
    """Values of the stage, by property; what is not authored is absent."""


def find_mounts(
    stage: Any, scene: SceneDescription, expression: str, env_paths: Sequence[str]
) -> tuple[Mount, ...]:
    """Find the grippers that an expression matches, in stage order.

    Args:
        stage: the stage.
        scene: the first environment and what is outside environments.
        expression: of the gripper's prims, or of prims that have one below them.
        env_paths: prim paths of the environments.

    Raises:
        StageError: a match has no gripper or several, or a gripper has no points on a body.
        InvalidValueError: the axis of a point is none.
    """
    local = first_environment(expression, env_paths)
    matches = find_prims(stage, local)
    if not matches:
        raise StageError(f"{expression!r} matches no prim. Correct prim_path.")
    return tuple(_mount(stage, scene, prim) for prim in matches)


def _mount(stage: Any, scene: SceneDescription, match: Any) -> Mount:
    found = [prim for prim in traverse(stage, match) if prim.GetTypeName() == _TYPE]
    if len(found) != 1:
        raise StageError(
            f"At and below {match.GetPath()} there are {len(found)} prims of type {_TYPE}; "
            "allowed: one. Correct prim_path, or define one."
        )
    prim, sites = found[0], {site.path: site for site in scene.sites}
    joints = [str(path) for path in prim.GetRelationship(_POINTS).GetTargets()]
    points = tuple(path for path in joints if path in sites)
    bodies = {sites[path].body for path in points}
    if len(bodies) != 1:
        raise StageError(
            f"{prim.GetPath()}: {_POINTS} names {len(joints)} joints, whose ends are on "
            f"{len(bodies)} bodies; allowed: joints on one body that have IsaacAttachmentPointAPI."
        )
    length = scene.meters_per_unit
    ends = [stage.GetPrimAtPath(path) for path in points]
    return Mount(
        path=str(prim.GetPath()),
        body=scene.bodies[bodies.pop()].path,
        points=points,
        axes=np.array([_axis(end) for end in ends]),
        clearances=length * np.array([authored(e, "isaac:clearanceOffset", 0.0) for e in ends]),
        properties=_properties(prim, length),
    )


def _axis(point: Any) -> NDArray[np.float64]:
    name = str(authored(point, "isaac:forwardAxis", "X")).upper()
    if name not in ("X", "Y", "Z"):
        raise InvalidValueError(f"{point.GetPath()}.isaac:forwardAxis", name, "X, Y or Z")
    return np.eye(3)["XYZ".index(name)]


def _properties(prim: Any, length: float) -> dict[str, float]:
    values = {name: authored(prim, attribute) for name, attribute in PROPERTIES.items()}
    found = {name: float(value) for name, value in values.items() if value is not None}
    # Forces of a stage are in mass times its length per second squared, distances in its length.
    return {
        name: value * (1.0 if name == "retry_interval" else length) for name, value in found.items()
    }
