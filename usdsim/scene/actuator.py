"""Actuators: what turns controls into forces."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, ClassVar

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from .arrays import FloatArray, frozen
from .element import Element
from .errors import ActuatorOverrideInvalidValueError
from .overrides import Domain, check_override, get_override, write_override

if TYPE_CHECKING:
    from .data import SceneData

__all__ = ["Actuator", "DampingType", "Parameter"]

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

Parameter = tuple[tuple[str, int, float], ...]
"""Where a parameter lives: engine array, column and sign of each place."""


class DampingType(Enum):
    """How an actuator's damping is stored."""

    Kv = "Kv"
    """As a coefficient."""
    Dampratio = "Dampratio"
    """As a ratio to critical damping."""


class Actuator(Element):
    """Something that applies force, driven by a control.

    All kinds share one law: force = gain * activation + bias - stiffness * position - damping *
    velocity. Activation is the control, possibly filtered; position and velocity are those of the
    target.
    """

    __slots__ = ()

    kind = "actuator"
    typ: ClassVar[str] = "general"
    """What kind it is: ``"motor"``, ``"position"``, ``"velocity"``, ``"general"``, ..."""

    @property
    def target_type(self) -> str:
        """What it acts on: ``joint``, ``floating_base``, ``tendon``, ``site`` or ``link``."""
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
        return int(low.body_rootid[body])

    @property
    def num_ctrls(self) -> int:
        """Number of controls: 1 but for kinds with a vector input."""
        place = self.ctrl_slice
        return place.stop - place.start

    @property
    def ctrl_slice(self) -> slice:
        """Its place in `SceneData.actuator_ctrls`."""
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
        """How damping is stored: compiled models have coefficients only."""
        return DampingType.Kv

    def get_ctrl(self, data: SceneData) -> FloatArray:
        """Its control as set, not clamped, shape (*B,), or (*B, num_ctrls) if it has several."""
        data.check_model(self._model)
        values = data.read_ctrls(self.ctrl_slice)
        return frozen(values[..., 0] if self.num_ctrls == 1 else values)

    def set_ctrl(self, data: SceneData, ctrl: ArrayLike) -> None:
        """Set its control.

        Args:
            data: the worlds.
            ctrl: shape () or (*B,); for several controls (num_ctrls,) or (*B, num_ctrls).
        """
        data.check_model(self._model)
        columns = self.ctrl_slice
        data.set_ctrls(columns.start if self.num_ctrls == 1 else columns, ctrl, self.title)

    def _target_element(self, kind: str) -> Element:
        if kind == "joint":
            index = int(np.searchsorted(self._model.joint_ids, self._target))
            return self._model.catalog("joint").items[index]
        if kind == "site":
            return self._model.catalog("site").items[self._target]
        body = self._target
        if kind == "floating_base":
            body = int(self._model.low.jnt_bodyid[body])
        return self._model.catalog("link").items[body - 1]

    @property
    def _target(self) -> int:
        return int(self._model.low.actuator_trnid[self._id, 0])

    def _get(self, data: SceneData, parameter: Parameter) -> FloatArray:
        """A parameter of each world, shape (*B,)."""
        field, column, sign = parameter[0]
        values = get_override(self, data, field, self._id, column)
        return values if sign > 0 else frozen(np.asarray(0.0 - values))

    def _set(
        self,
        data: SceneData,
        parameter: Parameter,
        values: ArrayLike,
        domain: Domain,
        what: str,
    ) -> None:
        """Set a parameter of each world, shape () or (*B,)."""
        data.check_model(self._model)
        error = ActuatorOverrideInvalidValueError
        array = check_override(self, data, values, (), domain, what, error)
        for field, column, sign in parameter:
            write_override(data, field, self._id, sign * array, column)
