"""Newton's dialect: the ``newton:`` attributes that mean something here.

`DialectRow.spec` is ``element.quantity``. Units are the stage's, written as if its lengths were
metres and its masses kilograms; of two alternatives the first is for sliding, the
second for turning axes.
"""

from __future__ import annotations

from .base import DialectRow

__all__ = ["MIMIC", "NEWTON"]

NEWTON: tuple[DialectRow, ...] = (
    DialectRow(
        "newton:timeStepsPerSecond", "int", "scene.steps_per_second", "NewtonSceneAPI",
        unit="Hz", doc="Simulation steps per second.", default=1000,
    ),
    DialectRow(
        "newton:gravityEnabled", "bool", "scene.gravity_enabled", "NewtonSceneAPI",
        doc="Whether there is gravity.", default=True,
    ),
    DialectRow(
        "newton:selfCollisionEnabled", "bool", "articulation.self_collision",
        "NewtonArticulationRootAPI", doc="Whether links of the articulation collide.", default=True,
    ),
    DialectRow(
        "newton:jointsAddMobility", "bool", "articulation.joints_add_mobility",
        "NewtonArticulationRootAPI",
        doc="Whether parallel joints between two bodies add up instead of closing a loop.",
        default=False,
    ),
    DialectRow(
        "newton:armature", "float", "joint.armature", "NewtonJointAPI",
        unit="kg | kg m^2", doc="Inertia of the actuation.", default=0.0,
    ),
    DialectRow(
        "newton:damping", "float", "joint.damping", "NewtonJointAPI",
        unit="N s/m | N m s/deg", doc="Viscous friction.", default=0.0,
    ),
    DialectRow(
        "newton:friction", "float", "joint.friction", "NewtonJointAPI",
        unit="N | N m", doc="Dry friction.", default=0.0,
    ),
    DialectRow(
        "newton:velocityLimit", "float", "joint.velocity_limit", "NewtonJointAPI",
        unit="m/s | deg/s", doc="Largest speed.", default=float("inf"),
    ),
    DialectRow(
        "newton:limitStiffness", "float", "joint.limit_stiffness", "NewtonJointAPI",
        unit="N/m | N m/deg", doc="Stiffness of the limits.", default=float("-inf"),
    ),
    DialectRow(
        "newton:limitDamping", "float", "joint.limit_damping", "NewtonJointAPI",
        unit="N s/m | N m s/deg", doc="Damping of the limits.",
        default=float("-inf"),
    ),
    DialectRow(
        "newton:contactMargin", "float", "geom.rest_offset", "NewtonCollisionAPI",
        unit="m", doc="Distance at which surfaces rest.", default=0.0,
    ),
    DialectRow(
        "newton:contactGap", "float", "geom.contact_gap", "NewtonCollisionAPI",
        unit="m", doc="How much farther contacts are generated.", default=float("-inf"),
    ),
    DialectRow(
        "newton:maxHullVertices", "int", "mesh.max_hull_vertices", "NewtonMeshCollisionAPI",
        doc="Corners a convex hull may have.", default=-1,
    ),
    DialectRow(
        "newton:torsionalFriction", "float", "material.torsional_friction", "NewtonMaterialAPI",
        unit="m", doc="Friction against spinning.", default=0.005,
    ),
    DialectRow(
        "newton:rollingFriction", "float", "material.rolling_friction", "NewtonMaterialAPI",
        unit="m", doc="Friction against rolling.", default=0.0001,
    ),
    DialectRow(
        "newton:contactStiffness", "float", "material.contact_stiffness", "NewtonMaterialAPI",
        unit="N/m", doc="Stiffness of compliant contact.", default=float("-inf"),
    ),
    DialectRow(
        "newton:contactDamping", "float", "material.contact_damping", "NewtonMaterialAPI",
        unit="N s/m", doc="Damping of compliant contact.", default=float("-inf"),
    ),
)  # fmt: skip
"""One row per attribute."""

MIMIC = ("newton:mimicEnabled", "newton:mimicJoint", "newton:mimicCoef0", "newton:mimicCoef1")
"""Attributes of a joint whose position is coef0 plus coef1 times that of another."""
