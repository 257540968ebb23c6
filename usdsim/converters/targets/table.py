"""Simulation targets: the table of which attributes each simulator reads for which quantity.

The dialect tables say what an attribute means; two rows with one meaning say the same to two
simulators, in the same unit. What a simulator takes for granted unlike the others is stated here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from usdsim.core.dialects.base import DialectRow
from usdsim.core.dialects.newton import NEWTON
from usdsim.core.dialects.physx import PHYSX

__all__ = ["DIALECTS", "EVERY", "FIXED", "TARGETS", "reads"]

DIALECTS: Mapping[str, Sequence[str]] = {
    "mujoco": ("mujoco",),
    "newton": ("newton",),
    "physx": ("physx",),
    "all": ("mujoco", "newton", "physx"),
}
"""Simulators by the name of the target."""
TARGETS = tuple(DIALECTS)
"""Names of targets."""

_MUJOCO = (
    DialectRow("mjc:armature", "double", "joint.armature", "MjcJointAPI", unit="kg | kg m^2",
        doc="Inertia of the actuation."),
    DialectRow("mjc:damping", "double", "joint.damping", "MjcJointAPI", unit="N s/m | N m s/rad",
        doc="Viscous friction."),
    DialectRow("mjc:frictionloss", "double", "joint.friction", "MjcJointAPI", unit="N | N m",
        doc="Dry friction."),
)  # fmt: skip
"""Quantities that MuJoCo's own attributes state and others' state as well."""

_SOLVER = (
    DialectRow("physxArticulation:solverPositionIterationCount", "int", "articulation.iterations",
        "PhysxArticulationAPI", doc="Solver iterations on positions.", default=32),
    DialectRow("physxArticulation:solverVelocityIterationCount", "int",
        "articulation.velocity_iterations", "PhysxArticulationAPI",
        doc="Solver iterations on velocities.", default=1),
    DialectRow("physxArticulation:sleepThreshold", "float", "articulation.sleep_threshold",
        "PhysxArticulationAPI", unit="m^2/s^2",
        doc="Kinetic energy per mass below which it may sleep; 0: never.", default=5e-5),
    DialectRow("physxArticulation:stabilizationThreshold", "float", "articulation.stabilization",
        "PhysxArticulationAPI", unit="m^2/s^2",
        doc="Kinetic energy per mass below which slow motion is damped; 0: never.",
        default=1e-5),
)  # fmt: skip
"""Attributes of articulations that PhysX reads for its own solver."""

_OTHERWISE = "physxJoint:jointFriction"
"""A force to importers of robots, a coefficient to PhysX: never written."""

FIXED: Mapping[str, Mapping[str, object]] = {
    "physx": {
        "articulation.iterations": 128,
        "articulation.velocity_iterations": 1,
        "articulation.sleep_threshold": 0.0,
        "articulation.stabilization": 0.0,
        "body.linear_damping": 0.0,
        "body.angular_damping": 0.0,
        "body.sleep_threshold": 0.0,
    },
}
"""Values where nothing is authored: what holds here, which is not what the simulator assumes."""

EVERY: Mapping[str, tuple[DialectRow, ...]] = {
    "mujoco": _MUJOCO,
    "newton": NEWTON,
    "physx": (*(row for row in PHYSX if row.usd != _OTHERWISE), *_SOLVER),
}
"""Rows by simulator."""


def reads(target: str) -> Mapping[str, tuple[DialectRow, ...]]:
    """Attributes that a simulator reads, by ``element.quantity``.

    Args:
        target: ``mujoco``, ``newton`` or ``physx``.
    """
    found: dict[str, tuple[DialectRow, ...]] = {}
    for row in EVERY[target]:
        found[row.spec] = (*found.get(row.spec, ()), row)
    return found
