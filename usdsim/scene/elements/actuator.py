"""Actuators: what turns controls into forces."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, ClassVar

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import check_data
from usdsim.scene.errors import (
    ActuatorOverrideInvalidValueError,
    ActuatorOverrideUnsupportedTypeError,
)
from usdsim.scene.parameters.actuators import (
    ACT_RANGE,
    ARMATURE,
    CTRL_RANGE,
    FORCE_RANGE,
    GEAR,
    JOINT_DAMPING,
)
from usdsim.scene.parameters.overrides import accessors

from .element import Element

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

__all__ = ["Actuator", "DampingType"]

_TRN = mujoco.mjtTrn
_TARGETS = {
    int(_TRN.mjTRN_JOINT): "joint",
    int(_TRN.mjTRN_JOINTINPARENT): "joint",
    int(_TRN.mjTRN_SLIDERCRANK): "site",
    int(_TRN.mjTRN_TENDON): "tendon",
    int(_TRN.mjTRN_SITE): "site",
    int(_TRN.mjTRN_BODY): "link",
    int(_TRN.mjTRN_SO3): "joint",
}


class DampingType(Enum):
    """Storage of an actuator's damping."""

    Kv = "Kv"
    """As a coefficient."""
    Dampratio = "Dampratio"
    """As a ratio to critical damping."""


class Actuator(Element):
    """Actuator: applies force, driven by a control.

    All kinds share one law: force = gain * activation + bias - stiffness * position - damping *
    velocity. Activation is the control, possibly filtered; position and velocity are those of the
    target.
    """

    __slots__ = ()

    kind = "actuator"
    override_error = ActuatorOverrideInvalidValueError
    typ: ClassVar[str] = "general"
    """Kind: ``"motor"``, ``"position"``, ``"velocity"``, ``"general"``, ..."""

    @property
    def target_type(self) -> str:
        """Kind of the target: ``joint``, ``floating_base``, ``tendon``, ``site`` or ``link``."""
        low = self._model.low
        kind = _TARGETS.get(int(low.actuator_trntype[self._id]), "none")
        if kind == "joint" and not int(low.jnt_type[self._target]):
            return "floating_base"
        return kind

    @property
    def target_name(self) -> str:
        """Name, or path, of what it acts on."""
        kind = self.target_type
        if kind == "none":
            return ""
        if kind == "tendon":
            names = self._model.compiled.names
            return names.names("tendon")[self._target] or names.paths("tendon")[self._target]
        element = self._target_element(kind)
        return element.name or element.path

    @property
    def target_body(self) -> int | None:
        """Engine id of the base link of the tree it acts on; None where that is no single tree."""
        low, kind = self._model.low, self.target_type
        if kind in ("joint", "floating_base"):
            body = int(low.jnt_bodyid[self._target])
        elif kind == "site":
            body = int(low.site_bodyid[self._target])
        elif kind == "link":
            body = self._target
        else:
            return None
        link = self._model.link_of_body(body)
        return None if link is None else int(low.body_rootid[link.engine_id])

    @property
    def num_ctrls(self) -> int:
        """Number of controls: 1 but for kinds with a vector input."""
        place = self.ctrl_slice
        return place.stop - place.start

    @property
    def ctrl_slice(self) -> slice:
        """Slice of the actuator's controls in `SceneData.actuator_ctrls`."""
        first = int(self._model.low.actuator_ctrladr[self._id])
        ends = first, first + int(self._model.low.actuator_ctrlnum[self._id])
        start, stop = np.searchsorted(self._model.control_columns, ends)
        return slice(int(start), int(stop))

    @property
    def ctrl_range(self) -> tuple[float, float] | None:
        """Lowest and highest control that acts (of the first control); None: any."""
        columns = self._model.control_columns[self.ctrl_slice]
        if not len(columns) or not self._model.low.actuator_ctrllimited[columns[0]]:
            return None
        low, high = self._model.low.actuator_ctrlrange[columns[0]]
        return float(low), float(high)

    @property
    def force_range(self) -> tuple[float, float] | None:
        """Lowest and highest force [N or N m]; None: any."""
        if not self._model.low.actuator_forcelimited[self._id]:
            return None
        low, high = self._model.low.actuator_forcerange[self._id]
        return float(low), float(high)

    @property
    def damping_type(self) -> DampingType:
        """Type in which damping is stored: compiled models have coefficients only."""
        return DampingType.Kv

    def get_ctrl(self, data: SceneData) -> FloatArray:
        """Control as set, not clamped, shape (*B,), or (*B, num_ctrls) if it has several."""
        check_data(data, self._model)
        values = data.read_ctrls(self.ctrl_slice)
        return values[..., 0] if self.num_ctrls == 1 else values

    def set_ctrl(self, data: SceneData, ctrl: ArrayLike) -> None:
        """Set its control.

        Args:
            data: the worlds.
            ctrl: shape () or (*B,); for several controls (num_ctrls,) or (*B, num_ctrls).
        """
        check_data(data, self._model)
        columns = self.ctrl_slice
        data.set_ctrls(columns.start if self.num_ctrls == 1 else columns, ctrl, self.title)

    def _target_element(self, kind: str) -> Element:
        if kind == "joint":
            index = int(np.searchsorted(self._model.joint_ids, self._target))
            return self._model.catalog("joint").items[index]
        if kind == "site":
            index = int(np.searchsorted(self._model.site_ids, self._target))
            return self._model.catalog("site").items[index]
        body = self._target
        if kind == "floating_base":
            body = int(self._model.low.jnt_bodyid[body])
        return self._model.catalog("link").items[self._model.link_index_of_body(body)]

    @property
    def _target(self) -> int:
        return int(self._model.low.actuator_trnid[self._id, 0])

    def rows(self, field: str) -> range:
        """Rows of the actuator in an array of the engine's model."""
        low = self._model.low
        if field in ("actuator_ctrlrange", "actuator_ctrllimited"):
            columns = self._model.control_columns[self.ctrl_slice]
            return range(int(columns[0]), int(columns[-1]) + 1) if len(columns) else range(0)
        if field == "actuator_gear":
            first = int(low.actuator_outadr[self._id])
            return range(first, first + int(low.actuator_outnum[self._id]))
        return super().rows(field)

    def _override_method(self, verb: str, name: str) -> str:
        if name not in self.override_names:
            names = ", ".join(self.override_names)
            raise ActuatorOverrideUnsupportedTypeError(
                f"{self.title} of type {self.typ!r} has no parameter {name!r}. It has: {names}."
            )
        return super()._override_method(verb, name)

    get_ctrl_range_override, set_ctrl_range_override = accessors(CTRL_RANGE)
    get_force_range_override, set_force_range_override = accessors(FORCE_RANGE)
    get_act_range_override, set_act_range_override = accessors(ACT_RANGE)
    get_gear_override, set_gear_override = accessors(GEAR)
    get_armature_override, set_armature_override = accessors(ARMATURE)
    get_joint_damping_override, set_joint_damping_override = accessors(JOINT_DAMPING)
