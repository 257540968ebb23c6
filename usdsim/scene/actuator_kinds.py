"""Actuators by kind, with the parameters each has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
from numpy.typing import ArrayLike

from usdsim.core.errors import UnsupportedError

from .actuator import Actuator, DampingType, Parameter
from .arrays import FloatArray, frozen
from .overrides import FINITE, NON_NEGATIVE

if TYPE_CHECKING:
    from .data import SceneData

__all__ = [
    "AdhesionActuator",
    "GeneralActuator",
    "MotorActuator",
    "PidActuator",
    "PositionActuator",
    "VelocityActuator",
    "actuator_class",
]

_GAIN: Parameter = (("actuator_gainprm", 0, 1.0),)
_BIAS: Parameter = (("actuator_biasprm", 0, 1.0),)
_STIFFNESS: Parameter = (("actuator_biasprm", 1, -1.0),)
_DAMPING: Parameter = (("actuator_biasprm", 2, -1.0),)
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

    def get_gain_override(self, data: SceneData) -> FloatArray:
        """Gain in each world, shape (*B,)."""
        return self._get(data, _GAIN)

    def set_gain_override(self, data: SceneData, gain: ArrayLike) -> None:
        """Set the gain, shape () or (*B,)."""
        self._set(data, _GAIN, gain, FINITE, "gain")

    def get_bias_override(self, data: SceneData) -> FloatArray:
        """Constant force in each world [N or N m], shape (*B,)."""
        return self._get(data, _BIAS)

    def set_bias_override(self, data: SceneData, bias: ArrayLike) -> None:
        """Set the constant force [N or N m], shape () or (*B,)."""
        self._set(data, _BIAS, bias, FINITE, "bias")

    def get_stiffness_override(self, data: SceneData) -> FloatArray:
        """Stiffness in each world [N/m or N m/rad], shape (*B,)."""
        return self._get(data, _STIFFNESS)

    def set_stiffness_override(self, data: SceneData, stiffness: ArrayLike) -> None:
        """Set the stiffness, 0 or more [N/m or N m/rad], shape () or (*B,)."""
        self._set(data, _STIFFNESS, stiffness, NON_NEGATIVE, "stiffness")

    def get_damping_override(self, data: SceneData) -> FloatArray:
        """Damping in each world [N s/m or N m s/rad], shape (*B,)."""
        return self._get(data, _DAMPING)

    def set_damping_override(self, data: SceneData, damping: ArrayLike) -> None:
        """Set the damping, 0 or more [N s/m or N m s/rad], shape () or (*B,)."""
        self._set(data, _DAMPING, damping, NON_NEGATIVE, "damping")


class _Servo(Actuator):
    """A servo with stiffness kp and damping kd."""

    __slots__ = ()

    _kp: Parameter = _STIFFNESS

    def get_kp_override(self, data: SceneData) -> FloatArray:
        """Stiffness of the servo in each world [N/m or N m/rad], shape (*B,)."""
        return self._get(data, self._kp)

    def set_kp_override(self, data: SceneData, kp: ArrayLike) -> None:
        """Set the stiffness of the servo, 0 or more [N/m or N m/rad], shape () or (*B,)."""
        self._set(data, self._kp, kp, NON_NEGATIVE, "kp")

    def get_kd_override(self, data: SceneData) -> FloatArray | None:
        """Damping in each world [N s/m or N m s/rad], shape (*B,)."""
        return self._get(data, _DAMPING)

    def get_dampratio_override(self, data: SceneData) -> FloatArray | None:
        """Damping ratio in each world; None: the damping is stored as a coefficient."""
        return None if self.damping_type is DampingType.Kv else self._get(data, _DAMPING)

    def set_damping_override(self, data: SceneData, damping: ArrayLike) -> None:
        """Set the damping, 0 or more [N s/m or N m s/rad], shape () or (*B,)."""
        self._set(data, _DAMPING, damping, NON_NEGATIVE, "damping")


class PositionActuator(_Servo):
    """A position servo: the control is the target position [m or rad]."""

    __slots__ = ()

    typ = "position"
    _kp = (_GAIN[0], _STIFFNESS[0])


class PidActuator(_Servo):
    """A drive: force = clip(ff + kp (q* - q) + kd (v* - v)).

    The drives of joints on a stage are of this kind. The control of one with all three inputs is
    the target position (the target velocity without stiffness); `set_targets` reaches them all.
    """

    __slots__ = ()

    typ = "pid"

    def get_targets(self, data: SceneData) -> FloatArray:
        """Its inputs in the engine's order: of a drive q*, v* and ff, shape (*B, inputs)."""
        data.check_model(self._model)
        first = int(self._model.low.actuator_ctrladr[self._id])
        number = int(self._model.low.actuator_ctrlnum[self._id])
        return frozen(data.read_inputs(slice(first, first + number)))

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
        data.check_model(self._model)
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

    _kv: Parameter = (_GAIN[0], _DAMPING[0])

    def get_kv_override(self, data: SceneData) -> FloatArray:
        """Damping of the servo in each world [N s/m or N m s/rad], shape (*B,)."""
        return self._get(data, self._kv)

    def set_kv_override(self, data: SceneData, kv: ArrayLike) -> None:
        """Set the damping of the servo, 0 or more [N s/m or N m s/rad], shape () or (*B,)."""
        self._set(data, self._kv, kv, NON_NEGATIVE, "kv")


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
