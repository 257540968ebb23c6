"""Passive joint and tendon parameters per world: friction, damping, springs and limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from usdsim.core.domains import FINITE, NON_NEGATIVE
from usdsim.math.rotations import quat_from_wxyz, quat_to_wxyz

from .domains import INTERVAL, SOLIMP, SOLREF, UNIT_QUATERNION
from .engine_fields import FieldShapes, FieldWrite, Interval, PhysicalParameter, owned_rows

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.elements.element import Element

__all__ = ["JOINT", "TENDON"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Orientation(PhysicalParameter):
    """A quaternion (x, y, z, w) in four rows."""

    def tail(self, shapes: FieldShapes) -> tuple[int, ...]:
        """Four numbers."""
        return (4,)

    def read(self, elements: Sequence[Element], data: SceneData) -> Floats:
        """Quaternions, shape (*B, n, 4)."""
        rows, _ = owned_rows(elements, self.places[0].field)
        values = np.take(data.param(self.places[0].field), rows, axis=len(data.shape))
        return quat_from_wxyz(values.reshape(*data.shape, -1, 4))

    def writes(
        self, elements: Sequence[Element], data: SceneData, values: Floats
    ) -> list[FieldWrite]:
        """Quaternions of unit length in the engine's order."""
        rows, _ = owned_rows(elements, self.places[0].field)
        unit = values / np.linalg.norm(values, axis=-1, keepdims=True)
        flat = quat_to_wxyz(unit).reshape(*values.shape[:-2], -1)
        return [FieldWrite(self.places[0].field, rows, flat)]


_of, _bounds = PhysicalParameter.of, Interval.flagged
_SOLVER = "How hard it is kept: solver parameters of MuJoCo."
_HIGHER = "Coefficients of the terms that grow with the square and the cube."
_FORCE, _DAMPING = "N or N m", "N s/m or N m s/rad"
_STIFFNESS = "N/m or N m/rad"

JOINT = {
    p.name: p
    for p in (
        _of("armature", "inertia of the drive train", "kg or kg m^2", NON_NEGATIVE, "dof_armature"),
        _of("damping", "viscous damping", _DAMPING, NON_NEGATIVE, "dof_damping"),
        _of("damping_poly", "nonlinear damping", "", FINITE, "dof_dampingpoly", _HIGHER),
        _of("frictionloss", "dry friction", _FORCE, NON_NEGATIVE, "dof_frictionloss"),
        _of("friction_solref", "dynamics of dry friction", "", SOLREF, "dof_solref", _SOLVER),
        _of("friction_solimp", "impedance of dry friction", "", SOLIMP, "dof_solimp", _SOLVER),
        _of("stiffness", "stiffness of the spring", _STIFFNESS, NON_NEGATIVE, "jnt_stiffness"),
        _of("stiffness_poly", "nonlinear stiffness", "", FINITE, "jnt_stiffnesspoly", _HIGHER),
        _of("springref", "position of the relaxed spring", "m or rad", FINITE, "qpos_spring"),
        _bounds("range", "limits", "m or rad", "jnt_range", "jnt_limited"),
        _of("limit_margin", "margin of the limits", "m or rad", NON_NEGATIVE, "jnt_margin"),
        _of("limit_solref", "dynamics of the limits", "", SOLREF, "jnt_solref", _SOLVER),
        _of("limit_solimp", "impedance of the limits", "", SOLIMP, "jnt_solimp", _SOLVER),
        _bounds(
            "actuator_force_range",
            "bounds of the sum of actuator forces",
            _FORCE,
            "jnt_actfrcrange",
            "jnt_actfrclimited",
        ),
        _Orientation.of(
            "ball_springref",
            "orientation of the relaxed spring",
            "",
            UNIT_QUATERNION,
            "qpos_spring",
        ),
    )
}
TENDON = {
    p.name: p
    for p in (
        _of(
            "armature", "inertia along the tendon", "kg or kg m^2", NON_NEGATIVE, "tendon_armature"
        ),
        _of("damping", "viscous damping", _DAMPING, NON_NEGATIVE, "tendon_damping"),
        _of("damping_poly", "nonlinear damping", "", FINITE, "tendon_dampingpoly", _HIGHER),
        _of("frictionloss", "dry friction", _FORCE, NON_NEGATIVE, "tendon_frictionloss"),
        _of(
            "friction_solref", "dynamics of dry friction", "", SOLREF, "tendon_solref_fri", _SOLVER
        ),
        _of(
            "friction_solimp", "impedance of dry friction", "", SOLIMP, "tendon_solimp_fri", _SOLVER
        ),
        _of("stiffness", "stiffness of the spring", _STIFFNESS, NON_NEGATIVE, "tendon_stiffness"),
        _of("stiffness_poly", "nonlinear stiffness", "", FINITE, "tendon_stiffnesspoly", _HIGHER),
        _of(
            "spring_length",
            "lengths between which the spring is relaxed",
            "m or rad",
            INTERVAL,
            "tendon_lengthspring",
        ),
        _bounds("range", "limits", "m or rad", "tendon_range", "tendon_limited"),
        _of("limit_margin", "margin of the limits", "m or rad", NON_NEGATIVE, "tendon_margin"),
        _of("limit_solref", "dynamics of the limits", "", SOLREF, "tendon_solref_lim", _SOLVER),
        _of("limit_solimp", "impedance of the limits", "", SOLIMP, "tendon_solimp_lim", _SOLVER),
        _bounds(
            "actuator_force_range",
            "bounds of the sum of actuator forces",
            _FORCE,
            "tendon_actfrcrange",
            "tendon_actfrclimited",
        ),
    )
}
