"""Gears, racks and pinions: joints of PhysX that couple the axes of two other joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from usdsim.core.dialects.mjc_tokens import EQUALITY
from usdsim.core.dialects.physx import GEAR, RACK
from usdsim.parser.context import ParseContext
from usdsim.parser.description import DofDescription, GenericDescription, JointDescription
from usdsim.parser.prims import PrimView
from usdsim.parser.units import DEGREE

__all__ = ["parse_gears"]

_COUPLINGS: Mapping[str, tuple[tuple[str, str], tuple[str, str], str]] = {
    GEAR: (
        ("physics:hinge0", "hinge"), ("physics:hinge1", "hinge"), "physics:gearRatio",
    ),
    RACK: (
        ("physics:prismatic", "slide"), ("physics:hinge", "hinge"), "physics:ratio",
    ),
}  # fmt: skip
"""By prim type: the leading joint and the one that follows, with the kind of axis each must have,
and the ratio."""


def parse_gears(
    context: ParseContext, joints: Sequence[JointDescription]
) -> list[GenericDescription]:
    """Couplings in stage order, as equality constraints that hold in the initial state.

    Of a gear, hinge 1 turns by minus the ratio times hinge 0. Of a rack and pinion, the ratio is
    degrees of the hinge per distance of the slide.
    """
    by_path = {joint.path: joint for joint in joints}
    return [found for view in context.views for found in _coupling(context, view, by_path)]


def _coupling(
    context: ParseContext, view: PrimView, joints: Mapping[str, JointDescription]
) -> Iterator[GenericDescription]:
    if view.type_name not in _COUPLINGS:
        return
    *ends, ratio_name = _COUPLINGS[view.type_name]
    view.read.update(name for name in view.names if name.startswith("physics:"))
    ratio = view.number(ratio_name, 1.0)
    if not view.flag("physics:jointEnabled", True):
        context.report.info("disabled-joint", view.path, "is disabled and left out")
        return
    if not np.isfinite(ratio):
        view.invalid(ratio_name, ratio, "a finite number")
        return
    axes = [_axis(context, view, name, kind, joints) for name, kind in ends]
    leader, follower = axes
    if leader is None or follower is None:
        return
    gearing = -ratio if view.type_name == GEAR else ratio * DEGREE / context.units.length
    data = np.zeros(5)
    # The engine counts from the rest pose, and the axes mesh as they are authored.
    data[:2] = follower.position - gearing * leader.position, gearing
    yield GenericDescription(
        path=view.path,
        kind="equality",
        overrides={
            "type": EQUALITY.index("joint"),
            "name1": follower.path,
            "name2": leader.path,
            "data": data,
        },
        targets={"name1": (follower.path,), "name2": (leader.path,)},
    )


def _axis(
    context: ParseContext,
    view: PrimView,
    name: str,
    kind: str,
    joints: Mapping[str, JointDescription],
) -> DofDescription | None:
    """The axis that a relationship means; None where the engine has none, which is a finding."""
    targets = [target.pathString for target in view.targets(name)]
    joint = joints.get(targets[0]) if len(targets) == 1 else None
    if joint is None:
        context.report.repaired(
            "dangling-joint", view.path,
            f"couples {targets[0] if targets else 'nothing'}, which is no joint that is simulated: "
            "left out",
            attribute=name, value=targets,
        )  # fmt: skip
        return None
    if joint.in_tree and len(joint.dofs) == 1 and joint.dofs[0].kind == kind:
        return joint.dofs[0]
    word = "revolute" if kind == "hinge" else "prismatic"
    context.report.unsupported(
        view.path, name, joint.path,
        f"couples {joint.path}, and acts on {word} joints that carry a body only: left out",
    )  # fmt: skip
    return None
