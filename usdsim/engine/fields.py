"""Engine fields and the state they depend on."""

from __future__ import annotations

from enum import IntEnum

import mujoco

__all__ = [
    "FORCES",
    "LAYOUT",
    "OUTDATES",
    "STATE",
    "Stale",
    "makes_stale",
    "needs",
    "senses_forces",
]

LAYOUT = ("body_simple", "dof_Madr", "dof_simplenum", "B_", "D_", "M_", "efm", "map")
"""Prefixes of fields of a model and of its data that say how they are laid out in memory."""


class Stale(IntEnum):
    """Staleness: what of a world does not describe its state, or what a field depends on; bits."""

    NOTHING = 0
    FORCES = 1
    """Accelerations, forces, and sensors of them."""
    KINEMATICS = 2
    """Positions and velocities of bodies, but not the forces of the last step."""
    MOTION = 3
    """Both, as after a write to positions."""


# What no position, velocity or force depends on, and what only forces depend on.
_INERT = frozenset({"qacc_warmstart", "userdata"})
_INPUTS = frozenset({"act", "ctrl", "qfrc_applied", "xfrc_applied"})
STATE = frozenset(
    {"eq_active", "history", "mocap_pos", "mocap_quat", "plastic", "plugin_state", "qpos", "qvel"}
    | {"time"}
    | _INERT
    | _INPUTS
)
"""State fields of a world: all else follows from them."""
FORCES = frozenset(
    {
        "act_dot",
        "actuator_force",
        "cacc",
        "cfrc_ext",
        "cfrc_int",
        "plugin_data",
        "qacc",
        "qacc_smooth",
        "qfrc_actuator",
        "qfrc_adhesion",
        "qfrc_constraint",
        "qfrc_inverse",
        "qfrc_smooth",
        "solver_fwdinv",
        "solver_niter",
        "solver_nnz",
    }
)
"""Fields that depend on accelerations and forces."""


OUTDATES = {
    field: Stale.NOTHING if field in _INERT else Stale.FORCES if field in _INPUTS else Stale.MOTION
    for field in STATE
}
"""Fields outdated by writing a state field."""


def makes_stale(field: str) -> Stale | None:
    """Kind of results that writing a state field outdates; None if the field is not state."""
    return OUTDATES.get(field)


def senses_forces(model: mujoco.MjModel) -> bool:
    """Whether any sensor of a model measures accelerations or forces."""
    return bool((model.sensor_needstage == mujoco.mjtStage.mjSTAGE_ACC).any())


def needs(field: str, force_sensors: bool) -> Stale:
    """Dependence of a field: what makes it wrong where that is stale.

    `force_sensors` tells whether any sensor of the model measures accelerations or forces.
    """
    if field in STATE:
        return Stale.NOTHING
    if field == "sensordata":
        return Stale.MOTION if force_sensors else Stale.KINEMATICS
    return Stale.FORCES if field in FORCES else Stale.KINEMATICS
