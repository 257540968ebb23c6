"""Physics that is authored and that nothing took up."""

from __future__ import annotations

from math import inf, isclose

from usdsim.core.dialects.base import NAMESPACES
from usdsim.core.dialects.deformable import FOREIGN_DEFORMABLE
from usdsim.core.dialects.physx import FOREIGN_PREFIXES, IDLE, UNSIMULATED
from usdsim.core.units import UNLIMITED

from .context import ParseContext
from .prims import PrimView

__all__ = ["report_unread"]

_BAKED = ("mjc:compiler:", "mjc:library", "mjc:texture:", "mjc:type")
"""MuJoCo attributes read with other prims, or already part of the stage's numbers."""

_LOCKS = ("physxRigidBody:lockedPosAxis", "physxRigidBody:lockedRotAxis")


def report_unread(context: ParseContext) -> None:
    """Record every property of a physics namespace that no pass has read.

    Of what nothing simulates, such as particles, the prim is recorded too: it may have no property
    of such a namespace, or none at all.
    """
    report = context.report
    for view in context.views:
        _report_unsimulated(context, view)
        left = [
            name
            for name in view.names
            if name.startswith(NAMESPACES)
            and name not in view.read
            and not name.startswith(_BAKED)
            and not (view.kept and name.startswith("mjc:"))
        ]
        noted = report.read.get(view.path, ())
        for name in sorted(left):
            if name in noted:
                continue
            attribute = view.prim.GetAttribute(name)
            if attribute and not attribute.HasAuthoredValue():
                continue
            value = attribute.Get() if attribute else None
            if _is_idle(name, value):
                report.mark_read(view.path, (name,))
            elif name.startswith((*FOREIGN_PREFIXES, *FOREIGN_DEFORMABLE)):
                report.info(
                    "foreign-setting", view.path, "is a setting of another engine's solver",
                    attribute=name, value=value,
                )  # fmt: skip
            else:
                report.unsupported(view.path, name, value, _reason(view, name))
        if view.read:
            report.mark_read(view.path, view.read)


def _is_idle(name: str, value: object) -> bool:
    """Whether a value asks for what happens without it."""
    schema, _, rest = name.partition(":")
    idle = IDLE.get(name, IDLE.get(f"{schema}:{{axis}}:{rest.partition(':')[2]}"))
    if idle is None or not isinstance(value, (bool, int, float)):
        return False
    return isclose(value, idle, rel_tol=1e-6) or (idle == inf and value >= UNLIMITED)


def _report_unsimulated(context: ParseContext, view: PrimView) -> None:
    for name in (view.type_name, *view.apis):
        for start, what in UNSIMULATED.items():
            if name.startswith(start):
                message = f"{name} is for {what}, not simulated here; the prim stays as it is"
                context.report.warning("not-simulated", view.path, message)


def _reason(view: PrimView, name: str) -> str:
    """Reason why a property has no effect, where that is known."""
    if name.startswith(("drive:", "limit:")):
        prefix, instance = name.split(":")[:2]
        api = f"Physics{prefix.capitalize()}API:{instance}"
        if api not in view.apis:
            return f"is authored, but {api} is not applied"
        if instance == "distance":
            return (
                "is authored, but a joint with other axes keeps no distance; author a "
                "PhysicsDistanceJoint beside it"
            )
        return f"is authored, but a {view.type_name} has no such axis"
    if name in _LOCKS:
        return (
            "is authored, but only bodies that forces move, no joint holds and no articulation has "
            "are locked to axes of the world; hold it by a joint whose axes are locked"
        )
    if name.startswith("physxLimit:") and name.endswith((":restitution", ":bounceThreshold")):
        return (
            "is authored, but joints do not bounce off their limits, nor do articulations in PhysX"
        )
    if name == "physxCollision:torsionalPatchRadius":
        return (
            "is authored, but acts by how deep PhysX lets shapes overlap; author "
            "physxCollision:minTorsionalPatchRadius, which does not depend on that"
        )
    if name == "physics:approximation":
        return f"is authored, but applies to meshes; this is a {view.type_name}"
    return ""
