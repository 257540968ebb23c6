"""Tendons: lengths that actuators, springs and limits act along."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from usdsim.scene.arrays import FloatArray, bounded
from usdsim.scene.data.given import engine_array
from usdsim.scene.parameters.joints import TENDON
from usdsim.scene.parameters.overrides import accessors

from .element import Element

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData

__all__ = ["Tendon"]


class Tendon(Element):
    """A path over sites and surfaces, or a weighted sum of joint positions."""

    __slots__ = ()

    kind = "tendon"

    @property
    def range(self) -> FloatArray:
        """Lower and upper limit in the model [m or rad], infinite where there is none, (2,)."""
        low = self._model.low
        limits = bounded(low.tendon_range[self._id], low.tendon_limited[self._id])
        return limits.astype(np.float32)

    def get_length(self, data: SceneData) -> FloatArray:
        """Length [m], or weighted joint positions [m or rad], shape (*B,)."""
        return np.array(engine_array(data, self._model, "ten_length")[..., self._id], np.float32)

    def get_velocity(self, data: SceneData) -> FloatArray:
        """Rate of change of the length [m/s or rad/s], shape (*B,)."""
        return np.array(engine_array(data, self._model, "ten_velocity")[..., self._id], np.float32)

    get_armature_override, set_armature_override = accessors(TENDON["armature"])
    get_damping_override, set_damping_override = accessors(TENDON["damping"])
    get_damping_poly_override, set_damping_poly_override = accessors(TENDON["damping_poly"])
    get_frictionloss_override, set_frictionloss_override = accessors(TENDON["frictionloss"])
    get_friction_solref_override, set_friction_solref_override = accessors(
        TENDON["friction_solref"]
    )
    get_friction_solimp_override, set_friction_solimp_override = accessors(
        TENDON["friction_solimp"]
    )
    get_stiffness_override, set_stiffness_override = accessors(TENDON["stiffness"])
    get_stiffness_poly_override, set_stiffness_poly_override = accessors(TENDON["stiffness_poly"])
    get_spring_length_override, set_spring_length_override = accessors(TENDON["spring_length"])
    get_range_override, set_range_override = accessors(TENDON["range"])
    get_limit_margin_override, set_limit_margin_override = accessors(TENDON["limit_margin"])
    get_limit_solref_override, set_limit_solref_override = accessors(TENDON["limit_solref"])
    get_limit_solimp_override, set_limit_solimp_override = accessors(TENDON["limit_solimp"])
    get_actuator_force_range_override, set_actuator_force_range_override = accessors(
        TENDON["actuator_force_range"]
    )
