"""MuJoCo actuators for drives: MuJoCo moves joints by actuators alone."""

from __future__ import annotations

import math
from typing import Any

from pxr import Usd, UsdGeom, UsdPhysics

from usdsim.converters.report import ConversionReport
from usdsim.core.dialects.mjc_tables import TYPES
from usdsim.core.units import StageUnits
from usdsim.usd.attributes import author, authored
from usdsim.usd.converted import keep_converted
from usdsim.usd.names import NameScope
from usdsim.usd.schemas import has_api
from usdsim.usd.servos import actuators_on

__all__ = ["write_actuators"]

_AXES = {"angular": UsdPhysics.RevoluteJoint, "linear": UsdPhysics.PrismaticJoint}
_UNITS = {"angular": ("N m/deg", "N m s/deg", "N m"), "linear": ("N/m", "N s/m", "N")}
"""Units of stiffness, damping and largest force."""


def write_actuators(stage: Usd.Stage, report: ConversionReport) -> None:
    """Define an actuator for every drive with gains whose joint has none.

    Here the actuator then moves the joint, with the drive's gains and targets; an edit of the
    drive edits the actuator.
    """
    root = stage.GetDefaultPrim()
    moved = actuators_on(stage)
    units = StageUnits(
        UsdGeom.GetStageMetersPerUnit(stage), UsdPhysics.GetStageKilogramsPerUnit(stage)
    )
    names = NameScope()
    for prim in list(stage.Traverse()):
        for axis, schema in _AXES.items():
            if not has_api(prim, "PhysicsDriveAPI", axis) or not prim.IsA(schema):
                continue
            law = _law(prim, axis, units)
            if law is None or str(prim.GetPath()) in moved:
                continue
            if authored(prim, f"drive:{axis}:physics:type", "force") == "acceleration":
                report.warn(
                    "target-omits", str(prim.GetPath()),
                    "has a drive that gives accelerations; MuJoCo's actuators give forces, and "
                    "none was written",
                )  # fmt: skip
                continue
            scope = f"{root.GetPath() if root else ''}/Physics/Actuators"
            UsdGeom.Scope.Define(stage, scope)
            _define(stage, f"{scope}/{names.unique(scope, prim.GetName())}", prim, law)


def _law(prim: Usd.Prim, axis: str, units: StageUnits) -> tuple[float, float, float] | None:
    """Stiffness, damping and largest force in SI; None: a drive without gains."""
    prefix = f"drive:{axis}:physics:"
    fallbacks = {"stiffness": 0.0, "damping": 0.0, "maxForce": math.inf}
    values = [
        float(authored(prim, prefix + name, fallback)) * units.factor(unit)
        for (name, fallback), unit in zip(fallbacks.items(), _UNITS[axis], strict=True)
    ]
    return (values[0], values[1], values[2]) if values[0] or values[1] else None


def _define(stage: Usd.Stage, path: str, joint: Usd.Prim, law: tuple[float, float, float]) -> None:
    stiffness, damping, limit = law
    prim = stage.DefinePrim(path, TYPES["actuator"])
    limited = math.isfinite(limit)
    values: tuple[tuple[str, str, Any], ...] = (
        ("gainType", "token", "fixed"),
        ("biasType", "token", "affine"),
        ("gainPrm", "double[]", [stiffness or damping, *[0.0] * 9]),
        ("biasPrm", "double[]", [0.0, -stiffness, -damping, *[0.0] * 7]),
        ("ctrlLimited", "token", "false"),
        ("forceLimited", "token", "true" if limited else "false"),
        ("forceRange:min", "double", -limit if limited else 0.0),
        ("forceRange:max", "double", limit if limited else 0.0),
    )
    for name, kind, value in values:
        author(prim, f"mjc:{name}", kind, value, uniform=True)
    prim.CreateRelationship("mjc:target", custom=False).SetTargets([joint.GetPath()])
    kept = {"drive_stiffness": stiffness, "drive_damping": damping, "drive_max_force": limit}
    keep_converted(joint, kept)
