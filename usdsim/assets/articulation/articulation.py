"""Articulations: bodies connected by joints that actuators drive."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from usdsim.actuators import ActuatorBaseCfg, ActuatorCollection, format_resolution_tables
from usdsim.actuators.drive_replacement import prepare_drives
from usdsim.assets.common.body_asset import BodyAsset
from usdsim.assets.common.cfg import root_states
from usdsim.assets.common.varied_surfaces import vary_bodies
from usdsim.assets.members import ArticulationMembers
from usdsim.assets.participation import Simulation
from usdsim.parser.description import SceneDescription
from usdsim.views import AssetLayout
from usdsim.views.layout import FREE
from usdsim.views.selection import Indices, Mask

from .ball_joints import BallJoints
from .configured_dofs import authored_values, configure_dofs, matching_joints
from .data import ArticulationData
from .defaults import default_joint_values, require_within_limits
from .drives import JointDrives, make_actuators, write_parameters
from .layout import articulation_layout, articulations, axis_names, joint_axes
from .ordering import Ordering

if TYPE_CHECKING:
    from .cfg import ArticulationCfg

__all__ = ["Articulation"]

logger = logging.getLogger("usdsim")


class Articulation(BodyAsset, ArticulationMembers):
    """A tree of bodies connected by joints, on a fixed or a floating base.

    Its joints are the hinges and slides: a joint with several axes counts once for each, with the
    axis in its name. Ball joints have no single coordinate: their names are in `ball_joint_names`,
    their state in ``data.ball_joint_quat``, and they have no actuators. Targets go through the
    actuators configured for their joints when data is written, then to the engine's drives:
    ``set_*`` remembers, ``write_*`` acts.

    Args:
        cfg: the configuration, which is copied.
    """

    cfg: ArticulationCfg
    data: ArticulationData
    data_class: ClassVar[type[ArticulationData]] = ArticulationData
    kind: ClassVar[str] = "articulation"

    def __init__(self, cfg: ArticulationCfg):
        self._authored: dict[str, dict[str, float]] = {}
        super().__init__(cfg)

    # -- what it is ----------------------------------------------------------------------------

    @property
    def actuators(self) -> ActuatorCollection:
        """Actuator models by name of their group, as a read-only mapping.

        Raises:
            StageError: the simulation was not started.
        """
        self._require()
        return self._actuators

    @property
    def is_fixed_base(self) -> bool:
        """Whether the root does not float: it is fixed, or held by a joint, to the world."""
        return bool((self._view.layout.root_kinds != FREE).all())

    @property
    def num_base_dofs(self) -> int:
        """Degrees of freedom of the root: 6 if it floats, else 0."""
        return 0 if self.is_fixed_base else 6

    @property
    def joint_ordering(self) -> Ordering:
        """The order of joints that was configured."""
        return self.cfg.joint_ordering

    @property
    def body_ordering(self) -> Ordering:
        """The order of bodies that was configured."""
        return self.cfg.body_ordering

    # -- time ----------------------------------------------------------------------------------

    def reset(self, env_ids: Indices = None, env_mask: Mask = None) -> None:
        """Forget what actuators remember, and external forces and torques.

        The state stays: write the default state, or another, to start over.

        Args:
            env_ids: instances, as indices or a slice; None: all.
            env_mask: which instances, instead of `env_ids`.
        """
        rows = self._selection(env_ids, env_mask)
        if self.num_joints:
            self._actuators.reset(rows)
        self._acting.forget(rows)

    def write_data_to_sim(self) -> None:
        """Apply external forces and torques, and pass the targets through the actuators."""
        super().write_data_to_sim()
        self._drives.apply()

    @property
    def holds_inputs(self) -> bool:
        """Whether targets alone decide what `write_data_to_sim` gives to the engine.

        That is so where all actuators are the engine's own drives, without delay, and no external
        wrench acts.
        """
        return super().holds_inputs and self._actuators.hands_on

    def show_step(self, starts: Mapping[str, NDArray[np.float64]]) -> None:
        """Show the efforts of actuators in a step of held inputs; see `BodyAsset`."""
        self._drives.show(starts)

    def prepare_step(self, dt: float) -> Hashable | None:
        """Get ready for a step; see `StepPart`. Without recording where torch drives joints."""
        if not self._actuators.recordable:
            return None
        return super().prepare_step(dt), self._drives.prepare()

    def launch_step(self) -> None:
        """Launch what brings wrenches and commands to the engine; see `StepPart`."""
        super().launch_step()
        self._drives.launch()

    def note_step(self, dt: float) -> None:
        """Record that a step was made; see `StepPart`."""
        super().note_step(dt)
        self._drives.note()

    # -- taking part ---------------------------------------------------------------------------

    def prepare(self, scene: SceneDescription) -> SceneDescription:
        """Give every joint one drive, and say whether materials may change; see `Participant`."""
        groups = self._joint_groups()
        paths: list[str] = []
        configured: list[str] = []
        joints: list[dict[str, str]] = []
        for _, found in articulations(scene, self.cfg, self._simulation.env_paths):
            if self.cfg.randomize_materials:
                scene = vary_bodies(scene, found.bodies)
            axes = joint_axes(scene, found)
            driven = [path for path, (_, dof) in axes.items() if dof.kind in ("hinge", "slide")]
            names = axis_names([axes[path] for path in driven])
            paths += driven
            joints.append(dict(zip(names, driven, strict=True)))
            for cfg in groups.values():
                configured += [driven[i] for i in matching_joints(cfg, names)]
        # Servos first become drives, whose gains are those on the stage for what is configured.
        scene, notes = prepare_drives(scene, paths)
        scene, more = prepare_drives(scene, paths, frozenset(configured))
        for path, message in (*notes, *more):
            logger.info("%s: %s", path, message)
        for named in joints:
            self._authored.update(authored_values(scene, named))
            scene = configure_dofs(scene, named, groups)
        return scene

    def invalidate(self) -> None:
        """Forget the engine; see `Participant.invalidate`."""
        super().invalidate()
        for name in ("_actuators", "_drives", "_elements"):
            self.__dict__.pop(name, None)

    def _joint_groups(self) -> Mapping[str, ActuatorBaseCfg]:
        """Configurations of what drives joints."""
        return self.cfg.actuators

    def _match(self, simulation: Simulation) -> tuple[str, ...]:
        scene = simulation.engine.compiled.scene
        return tuple(prim for prim, _ in articulations(scene, self.cfg, simulation.env_paths))

    def _layout(self, simulation: Simulation, prims: tuple[str, ...]) -> AssetLayout:
        compiled = simulation.engine.compiled
        self._elements = articulation_layout(
            compiled, self.cfg, simulation.env_paths, simulation.num_envs
        )
        return self._elements.layout

    def _initial(self) -> NDArray[np.float64]:
        return root_states([self.cfg.init_state])

    def _start(self) -> None:
        super()._start()
        found = self._elements
        names, qpos, dofs = found.ball_joint_names, found.balls, found.ball_dofs
        self.data.ball_joints = BallJoints(self._view, names, qpos, dofs)
        self._fill_defaults()
        self._open_actuators()
        self._require_valid_defaults()

    def _fill_defaults(self) -> None:
        data, names, start = self.data, self.joint_names, self.cfg.init_state
        data.has_joint_ordering = self.cfg.joint_ordering is not None
        data.has_body_ordering = self.cfg.body_ordering is not None
        where = f"init_state of {self._title}"
        data.default_joint_pos = default_joint_values(f"{where}.joint_pos", start.joint_pos, names)
        data.default_joint_vel = default_joint_values(f"{where}.joint_vel", start.joint_vel, names)
        factor = self.cfg.soft_joint_pos_limit_factor
        self._view.constants["soft_joint_pos_limit_factor"] = float(factor)

    def _open_actuators(self) -> None:
        view = self._view
        self._actuators = make_actuators(view, self._joint_groups(), self._authored)
        write_parameters(view, self._actuators)
        self.data.record_actuators(self._actuators)
        self._drives = JointDrives(view, self.data, self._actuators)
        if self.cfg.actuator_value_resolution_debug_print:
            logger.warning(
                "Joint parameters of the %s:\n%s",
                self._title,
                format_resolution_tables(self._actuators),
            )
        left = self._actuators.rest.joint_names
        if self._joint_groups() and left:
            logger.warning(
                "Not all actuators of the %s are configured; joints %s stay as on the stage.",
                self._title,
                ", ".join(left),
            )

    def _require_valid_defaults(self) -> None:
        data = self.data
        require_within_limits(
            f"the {self._title}",
            self.joint_names,
            data.default_joint_pos.numpy(),
            data.default_joint_vel.numpy(),
            data.joint_pos_limits.numpy(),
            data.joint_vel_limits.numpy(),
        )
