"""Deformable objects: bodies of vertices that elastic elements join."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from usdsim.assets.common.base import AssetBase
from usdsim.assets.common.matching import matching_prims
from usdsim.assets.members import NodeMembers
from usdsim.assets.participation import Simulation
from usdsim.parser.description import SceneDescription
from usdsim.views import AssetLayout
from usdsim.views.nodes.layout import NodeLayout
from usdsim.views.nodes.view import NodeView
from usdsim.views.selection import Indices, Mask

from .data import DeformableObjectData
from .guides import TargetGuides
from .rows import deformable_layout
from .transform import transform_nodal_pos

if TYPE_CHECKING:
    from .cfg import DeformableObjectCfg

__all__ = ["DeformableObject"]


class DeformableObject(AssetBase, NodeMembers):
    """One deformable body: a volume of tetrahedra, a surface of triangles, or curves of segments.

    Its state is that of its vertices, which move on their own and are held together by the
    elasticity of the elements between them. Any of them may be held at targets while the others go
    on; see `write_nodal_kinematic_target_to_sim`.

    Exactly one deformable body has to be at or below the prim that the configuration names.

    Args:
        cfg: the configuration, which is copied.
    """

    cfg: DeformableObjectCfg
    data: DeformableObjectData
    data_class: ClassVar[type[DeformableObjectData]] = DeformableObjectData
    kind: ClassVar[str] = "deformable object"

    def __init__(self, cfg: DeformableObjectCfg):
        self._guides: TargetGuides | None = None
        super().__init__(cfg)

    @property
    def root_view(self) -> NodeView:
        """View of the asset in the engine, which reads and writes quantities by name."""
        return self._view

    @property
    def root_physx_view(self) -> NodeView:
        """The same as `root_view`, under its older name."""
        return self._view

    @property
    def material_physx_view(self) -> None:
        """None: materials are parameters of the engine and have no view of their own."""
        self._require()

    @property
    def num_bodies(self) -> int:
        """Number of bodies of each instance: one."""
        return 1

    @property
    def max_sim_vertices_per_body(self) -> int:
        """Number of vertices of the simulation mesh, the same for all instances."""
        return self._view.layout.num_vertices

    @property
    def max_sim_elements_per_body(self) -> int:
        """Number of elements of the simulation mesh, the same for all instances."""
        return self._view.layout.num_elements

    @property
    def max_collision_vertices_per_body(self) -> int:
        """The same as `max_sim_vertices_per_body`: the simulation mesh is what collides."""
        return self.max_sim_vertices_per_body

    @property
    def max_collision_elements_per_body(self) -> int:
        """The same as `max_sim_elements_per_body`: the simulation mesh is what collides."""
        return self.max_sim_elements_per_body

    transform_nodal_pos = staticmethod(transform_nodal_pos)

    def reset(self, env_ids: Indices = None, env_mask: Mask = None) -> None:
        """Release vertices held at targets; the state stays as it is.

        To put it back, write ``data.default_nodal_state_w``. Bodies that are kinematic stay so.

        Args:
            env_ids: instances, as indices or a slice; None: all.
            env_mask: which instances, instead of `env_ids`.
        """
        self._view.release(self._selection(env_ids, env_mask))

    def write_data_to_sim(self) -> None:
        """Draw what `set_debug_vis` asked for; all that was written is in force already."""
        view = self._view
        if self._guides is not None:
            self._guides.draw(view)

    def prepare_step(self, dt: float) -> Hashable | None:
        """Get ready for a step, see `StepPart.prepare_step`: there is nothing to launch."""
        return None if self._guides is not None else ()

    def launch_step(self) -> None:
        """Launch nothing; see `StepPart.launch_step`."""

    def note_step(self, dt: float) -> None:
        """Nothing to record: vertices are held by the engine; see `StepPart.note_step`."""

    def prepare(self, scene: SceneDescription) -> SceneDescription:
        """Ask for what holds vertices at targets; see `Participant.prepare`."""
        prims = matching_prims(scene, self.cfg.prim_path, self._simulation.env_paths)
        return replace(
            scene,
            deformables=tuple(
                replace(body, follows_targets=True)
                if any(body.is_below(prim) for prim in prims)
                else body
                for body in scene.deformables
            ),
        )

    def set_debug_vis(self, debug_vis: bool) -> bool:
        """Mark on the stage where vertices are held, or stop doing so.

        The marks are guides: points that any viewer of the stage shows when told to show guides.
        They are brought up to date by `write_data_to_sim`.

        Args:
            debug_vis: whether they are drawn.

        Returns:
            True: there always is something that could be held.
        """
        if debug_vis and self._guides is None:
            self._guides = TargetGuides(self._simulation.stage)
            if self.is_initialized:
                self._guides.draw(self._view)
        elif not debug_vis and self._guides is not None:
            self._guides.clear()
            self._guides = None
        return True

    def _layout(self, simulation: Simulation, prims: tuple[str, ...]) -> NodeLayout:
        return deformable_layout(
            simulation.engine.compiled, simulation.stage, simulation.num_envs, prims, self._title
        )

    def _window(self, simulation: Simulation, layout: AssetLayout) -> NodeView:
        return NodeView(simulation.engine, cast(NodeLayout, layout), self.data_class)

    @property
    def _view(self) -> NodeView:
        return cast(NodeView, self._require())

    def _initial(self) -> NDArray[np.float64]:
        start = self.cfg.init_state
        return np.array([[*start.pos, *start.unit_rot, *np.zeros(6)]], np.float64)

    def _start(self) -> None:
        self._data.open_default_state()
        if self._guides is not None:
            self._guides.draw(self._view)
