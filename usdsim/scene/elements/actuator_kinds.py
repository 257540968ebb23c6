"""Actuators by kind, with the parameters each has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
from numpy.typing import ArrayLike

from usdsim.core.errors import UnsupportedError
from usdsim.scene.arrays import FloatArray
from usdsim.scene.data.given import check_data
from usdsim.scene.parameters.actuators import (
    BIAS,
    DAMPING,
    GAIN,
    KP,
    KV,
    PID_KP,
    STIFFNESS,
    TIME_CONSTANT,
)
from usdsim.scene.parameters.overrides import accessors, read_override

from .actuator import Actuator, DampingType

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

__all__ = [
    "AdhesionActuator",
    "GeneralActuator",
    "MotorActuator",
    "PidActuator",
    "PositionActuator",
    "VelocityActuator",
    "actuator_class",
]

_PID_INPUTS = tuple(
    int(bit)
    for bit in (
        mujoco.mjtCtrlInput.mjINPUT_POS,
        mujoco.mjtCtrlInput.mjINPUT_VEL,
        mujoco.mjtCtrlInput.mjINPUT_FF,
    )
)


class MotorActuator(Actuator):
    """A motor: the control is the force [N or N m]."""

    __slots__ = ()

    typ = "motor"


class AdhesionActuator(Actuator):
    """Adhesion: the control scales a force that pulls a link's contacts together."""

    __slots__ = ()

    typ = "adhesion"


class GeneralActuator(Actuator):
    """An actuator with any gain, bias, stiffness and damping."""

    __slots__ = ()

    typ = "general"

    get_gain_override, set_gain_override = accessors(GAIN)
    get_bias_override, set_bias_override = accessors(BIAS)
    get_stiffness_override, set_stiffness_override = accessors(STIFFNESS)
    get_damping_override, set_damping_override = accessors(DAMPING)
    get_time_constant_override, set_time_constant_override = accessors(TIME_CONSTANT)


class _Servo(Actuator):
    """A servo with stiffness kp and damping kd."""

    __slots__ = ()

    @property
    def kp(self) -> float:
        """Stiffness in the model [N/m or N m/rad]."""
        return -float(self._model.low.actuator_biasprm[self._id, 1])

    @property
    def kd(self) -> float:
        """Damping in the model [N s/m or N m s/rad]."""
        return -float(self._model.low.actuator_biasprm[self._id, 2]) + 0.0

    get_kp_override, set_kp_override = accessors(PID_KP)
    get_damping_override, set_damping_override = accessors(DAMPING)

    def get_kd_override(self, data: SceneData) -> FloatArray | None:
        """Damping in each world [N s/m or N m s/rad], shape (*B,)."""
        return read_override(DAMPING, self, data)

    def get_dampratio_override(self, data: SceneData) -> FloatArray | None:
        """Damping ratio in each world; None: the damping is stored as a coefficient."""
        check_data(data, self._model)
        kv = self.damping_type is DampingType.Kv
        return None if kv else read_override(DAMPING, self, data)


class PositionActuator(_Servo):
    """A position servo: the control is the target position [m or rad]."""

    __slots__ = ()

    typ = "position"

    get_kp_override, set_kp_override = accessors(KP)
    get_time_constant_override, set_time_constant_override = accessors(TIME_CONSTANT)


class PidActuator(_Servo):
    """A drive: force = clip(ff + kp (q* - q) + kd (v* - v)).

    The drives of joints on a stage are of this kind. The control of one with all three inputs is
    the target position (the target velocity without stiffness); `set_targets` reaches them all.
    """

    __slots__ = ()

    typ = "pid"

    def get_targets(self, data: SceneData) -> FloatArray:
        """Inputs in the engine's order: of a drive q*, v* and ff, shape (*B, inputs)."""
        check_data(data, self._model)
        first = int(self._model.low.actuator_ctrladr[self._id])
        number = int(self._model.low.actuator_ctrlnum[self._id])
        return data.read_inputs(slice(first, first + number))

    def set_targets(
        self,
        data: SceneData,
        position: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        feedforward: ArrayLike | None = None,
    ) -> None:
        """Set inputs for the next steps; None leaves one as it is.

        Args:
            data: the worlds.
            position: q* [m or rad], shape () or (*B,).
            velocity: v* [m/s or rad/s], shape () or (*B,).
            feedforward: added force [N or N m], shape () or (*B,).

        Raises:
            UnsupportedError: the actuator has no such input.
        """
        check_data(data, self._model)
        column = int(self._model.low.actuator_ctrladr[self._id])
        inputs = int(self._model.low.actuator_ctrlspec[self._id])
        named = {"position": position, "velocity": velocity, "feedforward": feedforward}
        chosen: list[tuple[int, ArrayLike, str]] = []
        for (name, value), bit in zip(named.items(), _PID_INPUTS, strict=True):
            if value is not None:
                if not inputs & bit:
                    raise UnsupportedError(f"{self.title} has no {name} input.")
                chosen.append((column, value, f"{name} target of {self.title}"))
            column += bool(inputs & bit)
        data.set_inputs(chosen)


class VelocityActuator(Actuator):
    """A velocity servo: the control is the target velocity [m/s or rad/s]."""

    __slots__ = ()

    typ = "velocity"

    get_kv_override, set_kv_override = accessors(KV)


def actuator_class(model: mujoco.MjModel, actuator: int) -> type[Actuator]:
    """The class that fits a compiled actuator: its law decides, not how it was written."""
    gain_type, bias_type = (
        int(model.actuator_gaintype[actuator]),
        int(model.actuator_biastype[actuator]),
    )
    gain, (bias, stiffness, damping) = (
        model.actuator_gainprm[actuator, 0],
        model.actuator_biasprm[actuator, :3],
    )
    if int(model.actuator_trntype[actuator]) == mujoco.mjtTrn.mjTRN_BODY:
        return AdhesionActuator
    if gain_type == mujoco.mjtGain.mjGAIN_PID:
        return PidActuator
    if gain_type != mujoco.mjtGain.mjGAIN_FIXED:
        return Actuator
    if bias_type == mujoco.mjtBias.mjBIAS_NONE:
        plain = gain == 1.0 and int(model.actuator_dyntype[actuator]) == mujoco.mjtDyn.mjDYN_NONE
        return MotorActuator if plain else GeneralActuator
    if bias_type != mujoco.mjtBias.mjBIAS_AFFINE:
        return Actuator
    if bias == 0.0 and stiffness == -gain:
        return PositionActuator
    if bias == 0.0 and stiffness == 0.0 and damping == -gain:
        return VelocityActuator
    return GeneralActuator
