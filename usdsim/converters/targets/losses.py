"""Losses of a target: what a stage has that a simulator has no attributes for, as findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
    "newton": {
        TYPES["plugin"]: "plugins",
        "crank": "cranks of actuators, but a force at the site",
        "adhesion": "adhesion",
        "stacked": "what tendons take from a joint beside others between the same two bodies",
    },
    "mujoco": {},
}
"""Prims and attributes each simulator cannot read, by type of prim or by name."""
_SHOWN = 3


def report_losses(stage: Usd.Stage, dialect: str, report: ConversionReport) -> None:
    """Warn of what a simulator will not simulate, one finding per kind with its prims."""
    lost: dict[str, list[str]] = {}
    for prim in stage.Traverse():
        for kind in _kinds(prim):
            if kind in _FOREIGN[dialect]:
                lost.setdefault(kind, []).append(str(prim.GetPath()))
    for kind, paths in lost.items():
        more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
        report.warn(
            "target-omits", ", ".join(paths[:_SHOWN]) + more,
            f"{dialect} does not read {_FOREIGN[dialect][kind]}; it moves without them",
        )  # fmt: skip


def _kinds(prim: Usd.Prim) -> Iterator[str]:
    """Names in the table that a prim has."""
    name = str(prim.GetTypeName())
    if name == TYPES["actuator"]:
        if not isinstance(read_servo(prim), Servo):
            yield "actuator"
        if _targets(prim, "mjc:sliderSite"):
            yield "crank"
        if any(has_api(target, "PhysicsRigidBodyAPI") for target in _targets(prim, "mjc:target")):
            yield "adhesion"
    elif name == TYPES["equality"]:
        if not _mimics(prim):
            yield "coupling"
    elif prim.IsA(UsdPhysics.Joint) and authored(prim, "mjc:stiffness", 0.0):
        yield "spring"
    else:
        yield name
    if name == TYPES["tendon"] and any(map(_is_stacked, _targets(prim, "mjc:path"))):
        yield "stacked"


def _targets(prim: Usd.Prim, name: str) -> list[Usd.Prim]:
    """Prims that a relationship leads to."""
    stage = prim.GetStage()
    found = [stage.GetPrimAtPath(path) for path in prim.GetRelationship(name).GetTargets()]
    return [each for each in found if each]


def _is_stacked(prim: Usd.Prim) -> bool:
    """Whether another joint beside this one moves the same body."""
    if not prim.IsA(UsdPhysics.Joint):
        return False
    moved = UsdPhysics.Joint(prim).GetBody1Rel().GetTargets()
    beside = [UsdPhysics.Joint(each) for each in prim.GetParent().GetChildren() if each != prim]
    return any(joint.GetBody1Rel().GetTargets() == moved for joint in beside if joint)


def _mimics(equality: Usd.Prim) -> bool:
    """Whether a coupling stands as a mimic relation on the joint that follows."""
    return any(has_api(joint, "NewtonMimicAPI") for joint in _targets(equality, "mjc:object1"))
