"""Views of frames on a stage: poses, scales and visibility of prims that match an expression."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from pxr import Sdf, Usd

from usdsim.core.errors import UnknownNameError
from usdsim.math.transforms import Pose
from usdsim.usd.queries import is_visible
from usdsim.usd.stage import stage_or_current
from usdsim.usd.xforms import local_pose, set_local_pose
from usdsim.views.selection import Indices, selected
from usdsim.views.usable import usable
from usdsim.views.values import Values, broadcast, to_numpy

from .finding import find_matching_prims
from .making import set_prim_visibility
from .placing import (
    convert_world_pose_to_local,
    resolve_prim_pose,
    standardize_xform_ops,
)

__all__ = [
    "BaseFrameView",
    "FabricFrameView",
    "FrameView",
    "NewtonSiteFrameView",
    "UsdFrameView",
    "XformPrimView",
]


class FrameView:
    """Frames of the prims on a stage that match an expression, read and written as arrays.

    Poses are those on the stage: those of bodies that are simulated are in the assets' data.

    Args:
        prim_path: expression of paths.
        device: where arrays live.
        validate_xform_ops: whether prims get translation, orientation and scale as their only
            transforms, which poses are written to.
        stage: the stage; None: the current one.

    Attributes:
        prims: the prims, in the order of the stage.
        device: where arrays live.

    Raises:
        UnknownNameError: nothing matches.
    """

    def __init__(
        self,
        prim_path: str,
        device: str = "cpu",
        validate_xform_ops: bool = True,
        stage: Usd.Stage | None = None,
        **_: Any,
    ):
        stage = stage_or_current(stage)
        self.prims = find_matching_prims(prim_path, stage=stage)
        self.device = device
        if not self.prims:
            raise UnknownNameError("prim", prim_path, [], "the stage")
        if validate_xform_ops:
            for prim in self.prims:
                standardize_xform_ops(prim)

    @property
    def count(self) -> int:
        """Number of prims."""
        return len(self.prims)

    @property
    def prim_paths(self) -> list[str]:
        """Paths of the prims."""
        return [str(prim.GetPath()) for prim in self.prims]

    def get_world_poses(self, indices: Indices = None) -> tuple[Any, Any]:
        """Poses in world.

        Args:
            indices: some prims; None: all.

        Returns:
            Positions [stage units], shape (n,) of vec3f, and quaternions xyzw, (n,) of vec4f.
        """
        return self._poses([resolve_prim_pose(prim) for prim in self._chosen(indices)])

    def get_local_poses(self, indices: Indices = None) -> tuple[Any, Any]:
        """Poses in the frames of the parents; see `get_world_poses`."""
        return self._poses([_local(prim) for prim in self._chosen(indices)])

    def set_world_poses(
        self,
        positions: Values | None = None,
        orientations: Values | None = None,
        indices: Indices = None,
    ) -> None:
        """Place prims in world; their parents stay where they are.

        Args:
            positions: shape (n, 3) [stage units]; None: as they are.
            orientations: unit quaternions xyzw, shape (n, 4); None: as they are.
            indices: some prims; None: all.
        """
        prims = self._chosen(indices)
        before = [resolve_prim_pose(prim) for prim in prims]
        places = _rows("positions", positions, [pose[0] for pose in before])
        turns = _rows("orientations", orientations, [pose[1] for pose in before])
        poses = [
            convert_world_pose_to_local(place, turn, prim.GetParent())
            for prim, place, turn in zip(prims, places, turns, strict=True)
        ]
        _place(prims, poses)

    def set_local_poses(
        self,
        translations: Values | None = None,
        orientations: Values | None = None,
        indices: Indices = None,
    ) -> None:
        """Place prims in the frames of their parents; see `set_world_poses`."""
        prims = self._chosen(indices)
        before = [_local(prim) for prim in prims]
        places = _rows("translations", translations, [pose[0] for pose in before])
        turns = _rows("orientations", orientations, [pose[1] for pose in before])
        _place(prims, list(zip(places, turns, strict=True)))

    def get_scales(self, indices: Indices = None) -> Any:
        """Factors along the axes, without those of the parents, shape (n,) of vec3f."""
        return self._array([_scale(prim) for prim in self._chosen(indices)], wp.vec3f)

    def set_scales(self, scales: Values, indices: Indices = None) -> None:
        """Scale prims; `scales` of shape (n, 3)."""
        prims = self._chosen(indices)
        rows = broadcast("scales", scales, (len(prims), 3))
        for prim, scale in zip(prims, rows, strict=True):
            place, turn = _local(prim)
            set_local_pose(prim, Pose(np.asarray(place), np.asarray(turn)), scale=scale)

    def get_visibility(self, indices: Indices = None) -> Any:
        """Whether prims and all above them are visible, bool, shape (n,)."""
        shown = [is_visible(prim) for prim in self._chosen(indices)]
        return usable(wp.array(np.array(shown, bool), dtype=wp.bool, device=self.device))

    def set_visibility(self, visibility: Values, indices: Indices = None) -> None:
        """Show or hide prims; `visibility` of shape (n,)."""
        prims = self._chosen(indices)
        shown = np.broadcast_to(to_numpy(visibility) != 0, len(prims))
        for prim, visible in zip(prims, shown, strict=True):
            set_prim_visibility(prim, bool(visible))

    def _chosen(self, indices: Indices) -> list[Usd.Prim]:
        rows = selected("indices", indices, self.count)
        return self.prims if rows is None else [self.prims[int(row)] for row in rows]

    def _poses(self, poses: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        places, turns = [pose[0] for pose in poses], [pose[1] for pose in poses]
        return self._array(places, wp.vec3f), self._array(turns, wp.vec4f)

    def _array(self, rows: list[Any], kind: Any) -> Any:
        numbers = np.array(rows, np.float32).reshape(len(rows), -1)
        return usable(wp.array(numbers, dtype=kind, device=self.device))


BaseFrameView = FabricFrameView = NewtonSiteFrameView = UsdFrameView = XformPrimView = FrameView
"""Other names of the view."""


def _local(prim: Usd.Prim) -> tuple[Any, Any]:
    pose = local_pose(prim)[0]
    return tuple(pose.pos), tuple(pose.quat)


def _scale(prim: Usd.Prim) -> Any:
    return local_pose(prim)[1]


def _rows(name: str, values: Values | None, default: list[Any]) -> Any:
    given = default if values is None else values
    return broadcast(name, given, (len(default), len(default[0])))


def _place(prims: list[Usd.Prim], poses: list[tuple[Any, Any]]) -> None:
    scales = [_scale(prim) for prim in prims]
    with Sdf.ChangeBlock():
        for prim, (place, turn), scale in zip(prims, poses, scales, strict=True):
            set_local_pose(
                prim, Pose(np.asarray(place, float), np.asarray(turn, float)), scale=scale
            )
