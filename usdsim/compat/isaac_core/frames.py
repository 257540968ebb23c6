"""Frame views of Isaac Sim: poses, scales and visibility of prims that match expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pxr import Usd

from usdsim.compat.prims.finding import find_matching_prims
from usdsim.compat.prims.frames import FrameView
from usdsim.compat.prims.placing import standardize_xform_ops, validate_standard_xform_ops
from usdsim.core.errors import UnknownNameError
from usdsim.spawners import bind_physics_material, bind_visual_material
from usdsim.usd.stage import current_stage
from usdsim.views.selection import Indices

from .backends import given, poses_given, xyzw

__all__ = ["XFormPrim", "XFormPrimView"]


class XFormPrim(FrameView):
    """Frames of the prims that expressions match, with quaternions wxyz; see `FrameView`.

    Args:
        prim_paths_expr: expression of paths, or several.
        name: what it is called.
        positions: in world [stage units], shape (n, 3); None: as they are.
        translations: in the parents' frames, instead of `positions`.
        orientations: wxyz, in world if `positions` are given, else in the parents' frames.
        scales: factors along the axes, shape (n, 3); None: as they are.
        visibilities: which are shown, shape (n,); None: as they are.
        reset_xform_properties: whether prims get translation, orientation and scale as their only
            transforms.

    Attributes:
        name: what it is called.

    Raises:
        UnknownNameError: nothing matches.
    """

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        name: str = "xform_prim_view",
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        visibilities: Any = None,
        reset_xform_properties: bool = True,
        *,
        usd: bool = True,
    ):
        one = isinstance(prim_paths_expr, str)
        self.expressions: list[str] = [str(prim_paths_expr)] if one else [*prim_paths_expr]
        self.name, self.device = name, "cpu"
        self.prims = self._found(current_stage())
        self._defaults: dict[str, Any] = {}
        for prim in self.prims:
            if reset_xform_properties and not validate_standard_xform_ops(prim):
                standardize_xform_ops(prim)
        if positions is not None:
            FrameView.set_world_poses(self, positions, xyzw(orientations))
        elif not (translations is None and orientations is None):
            FrameView.set_local_poses(self, translations, xyzw(orientations))
        if scales is not None:
            self.set_local_scales(scales)
        if visibilities is not None:
            self.set_visibilities(visibilities)

    def _found(self, stage: Usd.Stage) -> list[Usd.Prim]:
        found = [p for each in self.expressions for p in find_matching_prims(each, stage=stage)]
        if not found:
            raise UnknownNameError("prim", ", ".join(self.expressions), [], "the stage")
        return found

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Nothing: what is simulated is found when it is asked for."""

    def is_valid(self, indices: Indices = None) -> bool:
        """Whether all prims are on the stage."""
        return all(bool(prim) for prim in self._chosen(indices))

    def get_world_poses(self, indices: Indices = None, clone: bool = True, usd: bool = True) -> Any:
        """Poses in world: positions [stage units], shape (n, 3), and quaternions wxyz, (n, 4)."""
        return poses_given(_joined(super().get_world_poses(indices)))

    def get_local_poses(self, indices: Indices = None) -> Any:
        """Poses in the frames of the parents; see `get_world_poses`."""
        return poses_given(_joined(super().get_local_poses(indices)))

    def set_world_poses(
        self,
        positions: Any = None,
        orientations: Any = None,
        indices: Indices = None,
        usd: bool = True,
    ) -> None:
        """Place prims in world.

        Args:
            positions: shape (n, 3) [stage units]; None: as they are.
            orientations: unit quaternions wxyz, shape (n, 4); None: as they are.
            indices: some prims; None: all.
            usd: accepted.
        """
        super().set_world_poses(positions, xyzw(orientations), indices)

    def set_local_poses(
        self, translations: Any = None, orientations: Any = None, indices: Indices = None
    ) -> None:
        """Place prims in the frames of their parents; see `set_world_poses`."""
        super().set_local_poses(translations, xyzw(orientations), indices)

    def get_local_scales(self, indices: Indices = None) -> Any:
        """Factors along the axes, without those of the parents, shape (n, 3)."""
        return given(self.get_scales(indices))

    def set_local_scales(self, scales: Any, indices: Indices = None) -> None:
        """Scale prims; `scales` of shape (n, 3)."""
        self.set_scales(scales, indices)

    def get_visibilities(self, indices: Indices = None) -> Any:
        """Whether prims and all above them are visible, shape (n,)."""
        return given(self.get_visibility(indices))

    def set_visibilities(self, visibilities: Any, indices: Indices = None) -> None:
        """Show or hide prims; `visibilities` of shape (n,)."""
        self.set_visibility(visibilities, indices)

    def apply_visual_materials(
        self, visual_materials: Any, weaker_than_descendants: Any = None, indices: Indices = None
    ) -> None:
        """Bind a visual material, or one for each prim."""
        for prim, material in self._each(visual_materials, indices):
            bind_visual_material(prim.GetPath(), material.prim_path)

    def apply_physics_materials(
        self, physics_materials: Any, weaker_than_descendants: Any = None, indices: Indices = None
    ) -> None:
        """Bind a physics material, or one for each prim."""
        for prim, material in self._each(physics_materials, indices):
            bind_physics_material(prim.GetPath(), material.prim_path)

    def _each(self, materials: Any, indices: Indices) -> list[tuple[Usd.Prim, Any]]:
        chosen = self._chosen(indices)
        several = materials if isinstance(materials, list | tuple) else [materials] * len(chosen)
        return list(zip(chosen, several, strict=True))

    def set_default_state(
        self,
        positions: Any = None,
        orientations: Any = None,
        indices: Indices = None,
        **others: Any,
    ) -> None:
        """Say where `post_reset` puts prims; see `set_world_poses`. What is None stays as it was.

        Args:
            positions: shape (n, 3) [stage units].
            orientations: unit quaternions wxyz, shape (n, 4).
            indices: has no effect but None: all prims.
            **others: velocities of bodies, shape (n, 3), by ``linear_velocities`` and so on.
        """
        told = {"positions": positions, "orientations": orientations, **others}
        self._defaults.update({k: v for k, v in told.items() if v is not None})

    def post_reset(self) -> None:
        """Put prims where `set_default_state` says; without it, they start as on the stage."""
        places, turns = (self._defaults.get(key) for key in ("positions", "orientations"))
        if not (places is None and turns is None):
            self.set_world_poses(places, turns)


XFormPrimView = XFormPrim
"""Its name before Isaac Sim 4.5."""


def _joined(pose: tuple[Any, Any]) -> Any:
    return np.concatenate([part.numpy() for part in pose], axis=-1)
