"""Losses of a target: what a stage has that a simulator has no attributes for, as findings."""

from __future__ import annotations

from collections.abc import Mapping

from pxr import Usd, UsdPhysics

from usdsim.converters.report import ConversionReport
from usdsim.core.dialects.mjc_tables import TYPES
from usdsim.usd.attributes import authored
from usdsim.usd.schemas import has_api
from usdsim.usd.servos import Servo, read_servo

__all__ = ["report_losses"]

_FOREIGN: Mapping[str, Mapping[str, str]] = {
    "physx": {
        TYPES["tendon"]: "tendons with MuJoCo's paths",
        TYPES["flex"]: "flexible bodies",
        TYPES["pair"]: "contact pairs with parameters of their own",
        TYPES["plugin"]: "plugins",
        "actuator": "actuators that are no servos; apply their forces to the joints",
        "spring": "springs of joints",
        "coupling": "couplings of joints that are no mimic relations",
    },
    "newton": {TYPES["plugin"]: "plugins"},
    "mujoco": {},
}
"""Prims and attributes each simulator cannot read, by type of prim or by name."""
_SHOWN = 3


def report_losses(stage: Usd.Stage, dialect: str, report: ConversionReport) -> None:
    """Warn of what a simulator will not simulate, one finding per kind with its prims."""
    lost: dict[str, list[str]] = {}
    for prim in stage.Traverse():
        kind = _kind(prim)
        if kind in _FOREIGN[dialect]:
            lost.setdefault(kind, []).append(str(prim.GetPath()))
    for kind, paths in lost.items():
        more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
        report.warn(
            "target-omits", ", ".join(paths[:_SHOWN]) + more,
            f"{dialect} does not read {_FOREIGN[dialect][kind]}; it moves without them",
        )  # fmt: skip


def _kind(prim: Usd.Prim) -> str:
    name = str(prim.GetTypeName())
    if name == TYPES["actuator"]:
        return "" if isinstance(read_servo(prim), Servo) else "actuator"
    if name == TYPES["equality"]:
        return "" if _mimics(prim) else "coupling"
    if prim.IsA(UsdPhysics.Joint) and authored(prim, "mjc:stiffness", 0.0):
        return "spring"
    return name


def _mimics(equality: Usd.Prim) -> bool:
    """Whether a coupling stands as a mimic relation on the joint that follows."""
    stage = equality.GetStage()
    targets = equality.GetRelationship("mjc:object1").GetTargets()
    return any(has_api(stage.GetPrimAtPath(path), "NewtonMimicAPI") for path in targets if path)
