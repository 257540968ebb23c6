"""Rigid objects: single bodies that are no part of an articulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from usdsim.assets.common.body_asset import BodyAsset
from usdsim.assets.common.cfg import root_states
from usdsim.assets.common.matching import matching_prims
from usdsim.assets.common.varied_surfaces import vary_prims
from usdsim.assets.members import RootMembers
from usdsim.assets.participation import Simulation
from usdsim.parser.description import SceneDescription
from usdsim.views import AssetLayout

from .data import RigidObjectData
from .rows import rigid_layout

if TYPE_CHECKING:
    from .cfg import RigidObjectCfg

__all__ = ["RigidObject"]


class RigidObject(BodyAsset, RootMembers):
    """One rigid body: falling, thrown, or kinematic, moved by writing its pose.

    Exactly one rigid body has to be at or below the prim that the configuration names.

    Args:
        cfg: the configuration, which is copied.
    """

    cfg: RigidObjectCfg
    data: RigidObjectData
    data_class: ClassVar[type[RigidObjectData]] = RigidObjectData
    kind: ClassVar[str] = "rigid object"

    def prepare(self, scene: SceneDescription) -> SceneDescription:
        """Request changeable materials if the configuration asks; see `Participant.prepare`."""
        if not self.cfg.randomize_materials:
            return scene
        return vary_prims(
            scene, matching_prims(scene, self.cfg.prim_path, self._simulation.env_paths)
        )

    def _layout(self, simulation: Simulation, prims: tuple[str, ...]) -> AssetLayout:
        return rigid_layout(simulation, self._title, [(prim,) for prim in prims])

    def _initial(self) -> NDArray[np.float64]:
        return root_states([self.cfg.init_state])
