"""Environments of a stage: which prims they are, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom

from usdsim.core.errors import StageError
from usdsim.math.rotations import quat_apply, quat_from_matrix, quat_multiply
from usdsim.math.transforms import Pose
from usdsim.parser.report import Report
from usdsim.parser.units import stage_units
from usdsim.usd.names import ENVIRONMENT_API
from usdsim.usd.schemas import has_api

__all__ = ["Environments", "find_environments"]

_INDEX = "usdsim:environmentIndex"
_NAMESPACE = "/World/envs"
_NAME = re.compile(r"env_(\d+)")
_SQUARE = 1e-6
"""Cosine between two transformed axes from which a frame counts as sheared."""

Array = NDArray[np.float64]


def _none(*shape: int) -> Array:
    return np.zeros(shape)


@dataclass(frozen=True, eq=False)
class Environments:
    """Environments in the order of their indices, with their frames in world."""

    paths: tuple[str, ...] = ()
    """Prim paths."""
    origins: Array = field(default_factory=lambda: _none(0, 3))
    """Positions [m], shape (n, 3)."""
    quats: Array = field(default_factory=lambda: _none(0, 4))
    """Orientations, xyzw, shape (n, 4)."""
    scales: Array = field(default_factory=lambda: _none(0, 3))
    """Scale of each axis, shape (n, 3)."""

    def __len__(self) -> int:
        return len(self.paths)

    def pose(self, index: int) -> Pose:
        """Frame of one environment in world [m]."""
        return Pose(self.origins[index], self.quats[index])

    def from_first(self) -> tuple[Array, Array]:
        """Frames of the environments when the first one's is taken to be the world's.

        Returns:
            Translations [m], shape (n, 3), and rotations, xyzw, shape (n, 4), which take points of
            the first environment to those of each, in world.
        """
        same = (self.quats == self.quats[:1]).all(axis=1)
        inverse = self.pose(0).inverse()
        # What is only shifted keeps every digit of its orientation.
        turn = np.where(
            same[:, None], [0.0, 0.0, 0.0, 1.0], quat_multiply(self.quats, inverse.quat)
        )
        shift = self.origins - np.where(
            same[:, None], self.origins[0], quat_apply(turn, self.origins[0])
        )
        return shift, turn


def find_environments(stage: Usd.Stage) -> Environments:
    """Environments of a stage.

    They are the prims with `UsdsimEnvironmentAPI`, else the children of ``/World/envs`` called
    ``env_0``, ``env_1`` and so on.

    Raises:
        StageError: two environments have the same index, one has none, only some are marked, or
            one is mirrored, sheared or moved by numbers that are not finite.
    """
    marked: list[Usd.Prim] = []
    named: list[Usd.Prim] = []
    for prim, has_mark in _candidates(stage):
        (marked if has_mark else named).append(prim)
    if marked and named:
        raise StageError(
            f"{named[0].GetPath()} is named like an environment, but {ENVIRONMENT_API} is "
            f"not applied to it as it is to {marked[0].GetPath()}. Apply it and author {_INDEX}, "
            "or rename the prim."
        )
    if not marked and not named:
        return Environments()
    prims = _in_order(marked, named)
    return Environments(tuple(str(prim.GetPath()) for prim in prims), *_frames(stage, prims))


def _candidates(stage: Usd.Stage) -> Iterator[tuple[Usd.Prim, bool]]:
    """Prims that are or look like environments, and whether they are marked."""
    walk = iter(Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()))
    for prim in walk:
        if prim.IsPseudoRoot():
            continue
        if has_api(prim, ENVIRONMENT_API):
            yield prim, True
        elif _NAME.fullmatch(prim.GetName()) and str(prim.GetParent().GetPath()) == _NAMESPACE:
            yield prim, False
        else:
            continue
        walk.PruneChildren()


def _in_order(marked: list[Usd.Prim], named: list[Usd.Prim]) -> list[Usd.Prim]:
    found: dict[int, Usd.Prim] = {}
    for prim in marked or named:
        index = prim.GetAttribute(_INDEX).Get() if marked else int(prim.GetName()[4:])
        if index is None:
            raise StageError(f"{prim.GetPath()} is an environment without {_INDEX}. Author it.")
        if int(index) in found:
            raise StageError(
                f"{found[int(index)].GetPath()} and {prim.GetPath()} are both environment {index}. "
                f"Give each its own {_INDEX}."
            )
        found[int(index)] = prim
    return [found[index] for index in sorted(found)]


def _frames(stage: Usd.Stage, prims: list[Usd.Prim]) -> tuple[Array, Array, Array]:
    """Positions [m], orientations and scales in the Z-up world."""
    units = stage_units(stage, Report())
    cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    matrices = np.array([cache.GetLocalToWorldTransform(prim) for prim in prims])
    # Rows are the images of the axes, as USD multiplies from the left.
    axes = matrices[:, :3, :3]
    scales = np.linalg.norm(axes, axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = axes / scales[:, :, None]
    gram = unit @ np.swapaxes(unit, 1, 2)
    bad = ~(np.abs(gram - np.eye(3)) < _SQUARE).all(axis=(1, 2))
    bad |= ~np.isfinite(matrices).all(axis=(1, 2)) | (np.linalg.det(unit) < 0.0)
    if bad.any():
        prim = prims[int(np.argmax(bad))]
        raise StageError(
            f"The environment {prim.GetPath()} is mirrored, sheared, flat or placed by numbers "
            "that are not finite. Place environments by translation and rotation."
        )
    to_world = units.to_z_up_matrix
    origins = units.length * matrices[:, 3, :3] @ to_world.T
    rotations = to_world @ np.swapaxes(unit, 1, 2)
    return origins + 0.0, quat_from_matrix(rotations), scales
