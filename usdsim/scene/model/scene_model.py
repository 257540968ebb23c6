"""Scene model: structure, parameters and operations on data, all that does not change in time."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.converters import ConversionReport
from usdsim.core.arguments import whole
from usdsim.core.errors import UnknownNameError
from usdsim.engine import CompiledModel
from usdsim.parser.description import SceneDescription
from usdsim.parser.report import Report
from usdsim.scene.arrays import FloatArray, bounded
from usdsim.scene.data.controls import control_columns
from usdsim.scene.data.given import check_data
from usdsim.scene.data.layout import StateLayout
from usdsim.scene.data.scene_data import SceneData
from usdsim.scene.options import Options
from usdsim.scene.parameters.engine_fields import FieldShapes
from usdsim.usd.stored import StoredStage

from .catalog import Catalog
from .elements import ModelElements
from .parts import ModelParts
from .structure import Structure
from .visuals import NO_VISUALS, Visuals

__all__ = ["SceneModel"]


class SceneModel(ModelElements, ModelParts):
    """A scene ready to simulate. It holds no state: any number of `SceneData` share it.

    Elements by name come from `ElementAccessors` and `ModelElements`. Its parts are all links at
    once (`ModelLinks`), contacts, rays, constraints and cameras (`ModelQueries`), equations of
    motion (`ModelDynamics`), parameters per world (`ModelOverrides`), sensors and compiled queries
    (`ModelReadings`).

    Get one from `usdsim.load_model`.

    Args:
        compiled: the compiled scene.
        stage: the stage it was read from, or a `StoredStage` of it, if any.
        report: what the parser read, defaulted and could not use, if it was parsed.
        conversion: what the converter changed or left out, if the source was no stage.
        visuals: what is only looked at, and so was not compiled.
    """

    def __init__(
        self,
        compiled: CompiledModel,
        stage: Any = None,
        report: Report | None = None,
        conversion: ConversionReport | None = None,
        visuals: Visuals = NO_VISUALS,
    ):
        self._conversion = conversion
        self._compiled = compiled
        self._stage = stage
        self._report = Report() if report is None else report
        self._low = compiled.mj
        self._options = Options(compiled.mj)
        self._visuals = visuals
        self._exact: SceneModel | None = None
        source = compiled.scene.source
        self._structure = Structure(self, compiled, source, visuals.shapes)
        self._layout = StateLayout(compiled.mj, self._joint_title)
        self._control_columns = control_columns(compiled.mj)
        self._controls = np.arange(len(self._control_columns))
        joints = self._structure.joint_ids
        limits = bounded(compiled.mj.jnt_range[joints], compiled.mj.jnt_limited[joints])
        self._limits = np.ascontiguousarray(limits.T, dtype=np.float32)
        self._parameter_shapes = FieldShapes(compiled.mj)

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and not hasattr(type(self), name):
            known = [known for known in dir(type(self)) if not known.startswith("_")]
            raise UnknownNameError("attribute", name, known, type(self).__name__)
        super().__setattr__(name, value)

    def __reduce__(self) -> Any:
        # Stages cannot be pickled; nothing that runs needs one.
        made = (self._compiled, None, self._report, self._conversion, self._visuals)
        return type(self), made, (self.cameras.settings, self.reports_constraints)

    def __setstate__(self, state: tuple[Any, bool]) -> None:
        self.cameras.settings, reports_constraints = state
        self.enable_constraints_report(reports_constraints)

    # What it was made from -----------------------------------------------------------------------

    @property
    def low(self) -> mujoco.MjModel:
        """The compiled MuJoCo model.

        Data are made from it: what is written into it later reaches new data only. `options` and
        the overrides of elements reach living data.
        """
        return self._low

    @property
    def stage(self) -> Any:
        """The `Usd.Stage` the model was read from, or None.

        That of a model from the cache of loaded files is opened when it is first asked for.
        """
        if isinstance(self._stage, StoredStage):
            self._stage = self._stage.stage
        return self._stage

    @property
    def parameter_shapes(self) -> FieldShapes:
        """Shapes of the engine's parameters, by its names for them."""
        return self._parameter_shapes

    @property
    def report(self) -> Report:
        """Report of what was read, defaulted and could not be used; empty if nothing was parsed."""
        return self._report

    @property
    def conversion(self) -> ConversionReport | None:
        """Report of what the converter changed or left out; None if the source was a stage."""
        return self._conversion

    @property
    def description(self) -> SceneDescription:
        """Description of what the stage means physically, before any engine."""
        return self._compiled.scene

    @property
    def compiled(self) -> CompiledModel:
        """The compiled scene with its tables of names."""
        return self._compiled

    @property
    def visuals(self) -> Visuals:
        """Shapes that are only looked at, which are not compiled."""
        return self._visuals

    @property
    def exact(self) -> SceneModel:
        """The same scene with all that is only looked at compiled too, made when first asked for.

        Raises:
            UnsupportedError: the model has no stage, as one that was pickled.
        """
        if self._exact is None:
            shapes = self._visuals.shapes
            self._exact = SceneModel(self._visuals.compile(self.stage)) if shapes else self
        return self._exact

    @property
    def options(self) -> Options:
        """Timestep, gravity and solver options; they may change at run time."""
        return self._options

    @property
    def layout(self) -> StateLayout:
        """Order of the degrees of freedom."""
        return self._layout

    # Degrees of freedom --------------------------------------------------------------------------

    @property
    def num_dof_pos(self) -> int:
        """Number of positions: 7 per floating base, 4 per ball, 1 per hinge or slide."""
        return int(self._low.nq)

    @property
    def num_dof_vel(self) -> int:
        """Number of velocities: 6 per floating base, 3 per ball, 1 per hinge or slide."""
        return int(self._low.nv)

    @property
    def joint_dof_pos_indices(self) -> list[int]:
        """Start of each joint's positions in `SceneData.dof_pos`."""
        return [joint.dof_pos_index for joint in self.joints]

    @property
    def joint_dof_pos_nums(self) -> list[int]:
        """Number of positions of each joint."""
        return [joint.num_dof_pos for joint in self.joints]

    @property
    def joint_dof_vel_indices(self) -> list[int]:
        """Start of each joint's velocities in `SceneData.dof_vel`."""
        return [joint.dof_vel_index for joint in self.joints]

    @property
    def joint_dof_vel_nums(self) -> list[int]:
        """Number of velocities of each joint."""
        return [joint.num_dof_vel for joint in self.joints]

    @property
    def joint_limits(self) -> FloatArray:
        """Lower and upper limits [m or rad], infinite where there are none, shape (2, joints)."""
        return self._limits.copy()

    def compute_init_dof_pos(self) -> FloatArray:
        """Positions that new data starts with, shape (num_dof_pos,)."""
        return self._layout.dof_pos_from_engine(self._compiled.initial.qpos)

    # Controls ------------------------------------------------------------------------------------

    @property
    def num_ctrls(self) -> int:
        """Number of controls: one per actuator, but for kinds with a vector input."""
        return len(self._controls)

    @property
    def actuator_ctrl_limits(self) -> FloatArray:
        """Lowest and highest controls, infinite where there are none, shape (2, num_ctrls)."""
        limits = bounded(self._low.actuator_ctrlrange, self._low.actuator_ctrllimited)
        return np.ascontiguousarray(limits[self._control_columns].T, dtype=np.float32)

    def get_actuator_ctrls(self, data: SceneData) -> FloatArray:
        """The same as `SceneData.actuator_ctrls`."""
        check_data(data, self)
        return data.actuator_ctrls

    @property
    def control_indices(self) -> NDArray[np.intp]:
        """0 to num_ctrls - 1, shape (num_ctrls,)."""
        return self._controls

    @property
    def control_columns(self) -> NDArray[np.intp]:
        """Place of each control among the engine's inputs, shape (num_ctrls,)."""
        return self._control_columns

    def control_title(self, index: int) -> str:
        """Name of an entry of `SceneData.actuator_ctrls` in messages."""
        column = self._control_columns[index]
        actuator = int(np.searchsorted(self._low.actuator_ctrladr, column, "right")) - 1
        return f"control of {self.catalog('actuator').title(actuator)}"

    # Running -------------------------------------------------------------------------------------

    def step(self, data: SceneData) -> None:
        """Advance all worlds of `data` by one timestep.

        Raises:
            InvalidValueError: a control is NaN or infinite.
            SimulationError: worlds failed; the others were stepped.
        """
        check_data(data, self)
        data.step(self, 1)

    def step_n(self, data: SceneData, n: int) -> None:
        """Advance all worlds of `data` by `n` timesteps, at the cost of one call.

        Controls stay as they are; external forces act in the first step only.
        """
        count = whole("n", n)
        check_data(data, self)
        data.step(self, count)

    def forward_kinematic(self, data: SceneData) -> None:
        """Compute poses, velocities and contacts now, if they are not up to date.

        Calling it is never necessary: reads are always for the current state.
        """
        check_data(data, self)
        data.forward()

    # For elements --------------------------------------------------------------------------------

    def catalog(self, kind: str) -> Catalog[Any]:
        """The elements of a kind with their names.

        Raises:
            UnknownNameError: there is no such kind.
        """
        catalog = self._structure.by_kind.get(kind)
        if catalog is None:
            raise UnknownNameError("kind of element", kind, self._structure.by_kind)
        return catalog

    def dof_title(self, index: int) -> str:
        """Name of an entry of `SceneData.dof_vel` in messages."""
        return self._layout.vel_title(index)

    def _joint_title(self, joint: int) -> str:
        """Name of a joint in messages, by engine id."""
        body = int(self._low.jnt_bodyid[joint])
        if joint in self._structure.base_ids:
            link = self.catalog("link").title(self._structure.link_of[body])
            return link.replace("link", "floating base of link", 1)
        if body >= self._compiled.num_bodies:
            return f"vertex {self._compiled.names.names('body')[body]!r}"
        index = int(np.searchsorted(self._structure.joint_ids, joint))
        return self.catalog("joint").title(index)

    def __repr__(self) -> str:
        source = self._compiled.scene.name or self._compiled.scene.source or "scene"
        return f"<SceneModel {source!r}: {self.num_links} links, {self.num_joints} joints>"
