"""Simulation targets: states on a stage what a simulator reads, from what others read there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pxr import Usd, UsdPhysics

from usdsim.converters.report import ConversionReport
from usdsim.core.dialects.base import DialectRow
from usdsim.core.softness import FRICTION_SOLIMP, LIMIT_SOLIMP, LIMIT_SOLREF
from usdsim.usd.attributes import author, authored, is_authored
from usdsim.usd.schemas import apply_api, has_api

from .actuators import write_actuators
from .bases import write_bases
from .losses import report_losses
from .mimics import write_mimics
from .table import DIALECTS, EVERY, FIXED, reads

__all__ = ["joint_axes", "write_target"]

_ALL = Usd.PrimAllPrimsPredicate
"""Prototypes of instances too."""
_DEGREE = math.pi / 180.0


def write_target(stage: Usd.Stage, target: str, report: ConversionReport) -> None:
    """Author what a simulator reads beside the standard attributes.

    What is authored stays. What is not is taken from the attributes that state the same quantity to
    another simulator, or is what usdsim assumes and the simulator does not.

    Args:
        stage: in metres and kilograms or not; its edit target receives the attributes.
        target: one of `TARGETS`.
        report: receives what the simulator has no attributes for.
    """
    dialects = DIALECTS[target]
    tables = {dialect: reads(dialect) for dialect in EVERY}
    mixes = _is_mujoco(stage)
    if {"physx", "newton"} & {*dialects}:
        write_bases(stage, report, lone="physx" not in dialects)
    for prim in list(Usd.PrimRange.Stage(stage, _ALL)):
        for kind in _kinds(prim):
            for dialect in dialects:
                _state(prim, kind, dialect, tables)
            if kind == "material" and "physx" in dialects and mixes:
                _mix_as_mujoco(prim)
            if kind == "joint" and not mixes and {"mujoco", "newton"} & {*dialects}:
                _soften(prim, tables)
            if kind in _DERIVED:
                _DERIVED[kind](prim, dialects)
    if "physx" in dialects:
        write_mimics(stage)
    if [*dialects] == ["newton"]:
        _choose_solver(stage, report)
    if "mujoco" in dialects:
        write_actuators(stage, report)
    for dialect in dialects:
        report_losses(stage, dialect, report)


def _choose_solver(stage: Usd.Stage, report: ConversionReport) -> None:
    """Name a solver that Newton has: it opens no stage that asks for the one it lacks."""
    for prim in stage.Traverse():
        if authored(prim, "mjc:option:solver") == "pgs":
            author(prim, "mjc:option:solver", "token", "newton", uniform=True)
            report.warn(
                "solver-replaced", str(prim.GetPath()),
                "mjc:option:solver: pgs became newton; Newton opens no stage that asks for pgs",
            )  # fmt: skip


def joint_axes(prim: Usd.Prim) -> list[str]:
    """Axes of a joint as the instances of multiple-apply schemas name them."""
    if prim.IsA(UsdPhysics.RevoluteJoint):
        return ["angular"]
    if prim.IsA(UsdPhysics.PrismaticJoint):
        return ["linear"]
    if prim.IsA(UsdPhysics.SphericalJoint):
        return ["rotX", "rotY", "rotZ"]
    if prim.GetTypeName() != "PhysicsJoint" or not authored(prim, "physics:jointEnabled", True):
        return []
    axes = [f"{kind}{axis}" for kind in ("trans", "rot") for axis in "XYZ"]
    return [axis for axis in axes if not _locked(prim, axis)]


def _locked(prim: Usd.Prim, axis: str) -> bool:
    low, high = (
        float(authored(prim, f"limit:{axis}:physics:{end}", fallback))
        for end, fallback in (("low", -math.inf), ("high", math.inf))
    )
    return has_api(prim, "PhysicsLimitAPI", axis) and low > high


def _is_mujoco(stage: Usd.Stage) -> bool:
    """Whether a scene of the stage has MuJoCo's options, be they all its defaults."""
    return any(has_api(prim, "MjcSceneAPI") for prim in stage.Traverse())


def _kinds(prim: Usd.Prim) -> Iterator[str]:
    """Kinds of a prim in the tables."""
    if prim.IsA(UsdPhysics.Scene):
        yield "scene"
    if prim.IsA(UsdPhysics.Joint) and joint_axes(prim):
        yield "joint"
    for api, kind in _KINDS.items():
        if has_api(prim, api):
            yield kind


_KINDS = {
    "PhysicsRigidBodyAPI": "body",
    "PhysicsArticulationRootAPI": "articulation",
    "PhysicsCollisionAPI": "geom",
    "PhysicsMeshCollisionAPI": "mesh",
    "PhysicsMaterialAPI": "material",
}


def _state(
    prim: Usd.Prim,
    kind: str,
    dialect: str,
    tables: Mapping[str, Mapping[str, tuple[DialectRow, ...]]],
) -> None:
    """Author every quantity of a prim in one dialect."""
    for spec, rows in tables[dialect].items():
        if not spec.startswith(f"{kind}."):
            continue
        axes = joint_axes(prim) if any("{axis}" in row.usd for row in rows) else [""]
        for axis in axes:
            if any(is_authored(prim, row.usd.replace("{axis}", axis)) for row in rows):
                continue
            value = _value_elsewhere(prim, spec, axis, dialect, tables)
            if value is None:
                continue
            for row in rows:
                if "{axis}" in row.usd or axis == axes[0]:
                    _author(prim, row, axis, value)


def _value_elsewhere(
    prim: Usd.Prim,
    spec: str,
    axis: str,
    dialect: str,
    tables: Mapping[str, Mapping[str, tuple[DialectRow, ...]]],
) -> Any:
    """Value that other dialects give a quantity, in the unit of this one; None: none does."""
    for other, table in tables.items():
        for row in table.get(spec, ()) if other != dialect else ():
            for name in joint_axes(prim) if "{axis}" in row.usd and not axis else [axis]:
                value = authored(prim, row.usd.replace("{axis}", name))
                if value is not None and _says_something(value):
                    turning = (axis or _first_axis(prim)).startswith(("angular", "rot"))
                    factor = _per_degree(other) / _per_degree(dialect)
                    scaled = turning and spec == _PER_ANGLE
                    return value * factor if scaled else value
    return FIXED.get(dialect, {}).get(spec)


_PER_ANGLE = "joint.damping"
"""The quantity for which MuJoCo counts radians and the others degrees."""


def _per_degree(dialect: str) -> float:
    return 1.0 / _DEGREE if dialect != "mujoco" else 1.0


def _first_axis(prim: Usd.Prim) -> str:
    return next(iter(joint_axes(prim)), "") if prim.IsA(UsdPhysics.Joint) else ""


def _says_something(value: Any) -> bool:
    """Whether a value is one: negative infinity stands for the simulator's own choice."""
    return not (isinstance(value, float) and value == -math.inf)


def _author(prim: Usd.Prim, row: DialectRow, axis: str, value: Any) -> None:
    instance = axis if "{axis}" in row.usd else None
    apply_api(prim, row.api, instance)
    author(prim, row.usd.replace("{axis}", axis), row.type, value)


def _mix_as_mujoco(prim: Usd.Prim) -> None:
    """Author the combine modes of materials as MuJoCo's: the greater coefficient holds."""
    for quantity in ("friction", "restitution"):
        name = f"physxMaterial:{quantity}CombineMode"
        if not is_authored(prim, name):
            apply_api(prim, "PhysxMaterialAPI")
            author(prim, name, "token", "max", uniform=True)


def _soften(prim: Usd.Prim, tables: Mapping[str, Mapping[str, tuple[DialectRow, ...]]]) -> None:
    """Author compliance of limits and dry friction of a joint, whose defaults differ elsewhere."""
    lower, upper = (
        float(authored(prim, f"physics:{end}Limit", fallback))
        for end, fallback in (("lower", -math.inf), ("upper", math.inf))
    )
    axes = joint_axes(prim)
    limited = lower <= upper and (math.isfinite(lower) or math.isfinite(upper))
    values: dict[str, Sequence[float]] = {}
    if limited and not _value_elsewhere(prim, "joint.limit_stiffness", axes[0], "mujoco", tables):
        values |= {"mjc:solreflimit": LIMIT_SOLREF, "mjc:solimplimit": LIMIT_SOLIMP}
    if _value_elsewhere(prim, "joint.friction", axes[0], "", tables):
        values["mjc:solimpfriction"] = FRICTION_SOLIMP
    if any(is_authored(prim, name) for name in values):
        return
    for name, value in values.items():
        apply_api(prim, "MjcJointAPI")
        author(prim, name, "double[]", value)


def _float(prim: Usd.Prim, dialects: Sequence[str]) -> None:
    """Author that gravity does not act on a body, as PhysX's attribute and MuJoCo's."""
    compensation = authored(prim, "mjc:gravcomp")
    if "physx" in dialects and compensation == 1.0:
        apply_api(prim, "PhysxRigidBodyAPI")
        author(prim, "physxRigidBody:disableGravity", "bool", True)
    floats = compensation is None and authored(prim, "physxRigidBody:disableGravity", False)
    if floats and {"mujoco", "newton"} & {*dialects}:
        apply_api(prim, "MjcBodyAPI")
        author(prim, "mjc:gravcomp", "double", 1.0)


def _offset(prim: Usd.Prim, dialects: Sequence[str]) -> None:
    """Author the distance from which contacts are generated; PhysX counts it from the surface."""
    name = "physxCollision:contactOffset"
    rest = float(authored(prim, "newton:contactMargin", 0.0))
    gap = float(authored(prim, "newton:contactGap", 0.0))
    # PhysX refuses an offset that does not exceed the distance of rest.
    wanted = "physx" in dialects and math.isfinite(rest + gap) and gap > 0.0
    if wanted and not is_authored(prim, name):
        apply_api(prim, "PhysxCollisionAPI")
        author(prim, name, "float", rest + gap)


_DERIVED: Mapping[str, Callable[[Usd.Prim, Sequence[str]], None]] = {
    "body": _float,
    "geom": _offset,
}
"""Attributes a simulator reads that are no other's in other words."""
