"""Engine fields and the state they depend on."""

from __future__ import annotations

from enum import IntEnum

import mujoco

__all__ = ["FORCES", "OUTDATES", "STATE", "Stale", "makes_stale", "needs", "senses_forces"]


class Stale(IntEnum):
    """Staleness: how much of a world does not describe its state, in ascending order."""

    NOTHING = 0
    FORCES = 1
    """Accelerations, forces, and sensors of them."""
    MOTION = 2
    """Positions and velocities of bodies too."""
    NEVER = 3
    """More than can be: what state itself would need to be wrong."""


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
    """The lowest level of staleness at which a field is wrong.

    `force_sensors` tells whether any sensor of the model measures accelerations or forces.
    """
    if field in STATE:
        return Stale.NEVER
    if field == "sensordata":
        return Stale.FORCES if force_sensors else Stale.MOTION
    return Stale.FORCES if field in FORCES else Stale.MOTION
