"""Show what a stage or robot file contains: physics tree, masses, joints, and what is ignored."""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING, Any

from .console import Console, counted
from .conversion.options import add_reading_options
from .findings import FindingRow, by_severity, print_rows, rows_of
from .sources import open_source
from .summary import body_record, joint_record, summarize

if TYPE_CHECKING:
    from usdsim.parser.description import DofDescription, JointDescription, SceneDescription

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="USD stage, MJCF or URDF file")
    parser.add_argument("--all", action="store_true", help="list every finding and prim")
    add_reading_options(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the physics of a file."""
    from usdsim.parser import parse_stage

    converted: list[FindingRow] = []
    result = parse_stage(open_source(arguments, converted))
    scene = result.scene
    summary = summarize(scene)
    console.pairs(_lines(arguments.file, summary))
    console.line()
    for line in _tree(scene):
        console.line(line)
    loops = [joint for joint in scene.joints if not joint.in_tree]
    for joint in loops:
        console.line(f"loop: {_joint_text(joint)}  {joint.path}")
    rows = [*converted, *rows_of(result.report.findings)]
    console.line()
    notes = print_rows(console, rows, everything=arguments.all, limit=3)
    if not rows:
        console.line("everything authored is used")
    elif notes:
        console.line(f"and {counted(notes, 'note')} (--all shows them)")
    console.result(
        {
            "file": arguments.file,
            **summary,
            "bodies": [body_record(scene, body) for body in scene.bodies],
            "joints": [joint_record(joint) for joint in scene.joints],
            "findings": [row._asdict() for row in rows],
            "counts": by_severity(rows),
        }
    )
    return 0


def _lines(file: str, summary: dict[str, Any]) -> Iterator[tuple[str, object]]:
    gravity = " ".join(f"{value:g}" for value in summary["gravity"])
    step = summary["timestep"]
    yield "file", file
    yield "gravity", f"{gravity} m/s^2"
    yield "time step", "the engine's default" if step is None else f"{1000 * step:g} ms"
    yield "mass", f"{summary['mass']:.4g} kg"
    for name in ("bodies", "joints", "dofs", "drives", "actuators", "colliders", "sites"):
        yield name, summary[f"num_{name}"]
    yield "articulations", summary["num_articulations"]
    if summary["num_deformables"]:
        yield "deformables", summary["num_deformables"]


def _tree(scene: SceneDescription) -> Iterator[str]:
    """The bodies as an indented tree, each with its mass and the joints it hangs on."""
    children: dict[int, list[int]] = {}
    for index, body in enumerate(scene.bodies):
        children.setdefault(body.parent, []).append(index)
    shapes = Counter(geom.body for geom in scene.geoms if geom.collides)
    actuated = {path for act in scene.actuators for paths in act.targets.values() for path in paths}
    stack = [(index, "") for index in reversed(children.get(-1, []))]
    while stack:
        index, indent = stack.pop()
        body = scene.bodies[index]
        joints = ", ".join(_joint_text(scene.joints[j], actuated) for j in body.joints)
        name = body.name or body.path.rpartition("/")[2]
        state = joints or ("kinematic" if body.kinematic else "fixed" if body.fixed else "free")
        colliders = f", {counted(shapes[index], 'collider')}" if shapes[index] else ""
        yield f"{indent}{name}  {body.mass:.4g} kg{colliders}  [{state}]"
        stack += [(child, indent + "  ") for child in reversed(children.get(index, []))]
    if shapes[-1]:
        yield f"(world)  {counted(shapes[-1], 'collider')}"


def _joint_text(joint: JointDescription, actuated: Set[str] = frozenset()) -> str:
    name = joint.name or joint.path.rpartition("/")[2]
    mark = ["actuated"] if joint.path in actuated else []
    return " ".join([name, joint.kind, *filter(None, map(_dof_text, joint.dofs)), *mark])


def _dof_text(dof: DofDescription) -> str:
    """Limits and drive of one axis."""
    parts = []
    if dof.kind in ("hinge", "slide") and (math.isfinite(dof.lower) or math.isfinite(dof.upper)):
        parts.append(f"{dof.lower:.4g}..{dof.upper:.4g}")
    for drive in filter(None, (dof.drive, *(ball.drive for ball in dof.ball_drives))):
        parts.append(f"drive kp {drive.stiffness:.4g} kd {drive.damping:.4g}")
        if math.isfinite(drive.max_force):
            parts.append(f"max {drive.max_force:.4g}")
    return " ".join(parts)
