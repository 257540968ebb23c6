"""URDF law: tree, poses, masses, limits and mimic relations equal the file's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from usdsim.converters.cfg import AssetConverterBaseCfg, UrdfConverterCfg
from usdsim.converters.urdf.reading.resolve import FileResolver
from usdsim.converters.urdf.reading.xacro import expand_xacro, is_xacro
from usdsim.converters.urdf.reading.xmltree import parse_xml
from usdsim.math.rotations import quat_from_axis_angle, quat_to_matrix
from usdsim.math.transforms import Pose
from usdsim.parser.description import BodyDescription, JointDescription, SceneDescription

from .urdf_reading import ENVIRONMENT, MOVING, JointReading, LinkReading, RobotReading, read_urdf

__all__ = ["body_poses", "compare_urdf"]

Array = NDArray[np.float64]

_POSITION = 1e-6
_ANGLE = 1e-6
_RELATIVE = 1e-5
_LEAST_MASS = 1.001e-6
"""Largest mass of a body without one [kg]."""


def compare_urdf(
    source: Path,
    scene: SceneDescription,
    *,
    samples: int = 5,
    cfg: AssetConverterBaseCfg | None = None,
) -> list[str]:
    """Differences between a URDF file and the scene it was converted to.

    Args:
        source: the URDF file.
        scene: the converted stage, parsed.
        samples: random joint positions at which all poses are compared.
        cfg: options of the conversion, of which those about xacro count.

    Returns:
        One sentence per difference; empty if the law holds.
    """
    robot = read_urdf(_text(source, cfg))
    bodies = {body.name: body for body in scene.bodies if body.name is not None}
    joints = {joint.name: joint for joint in scene.joints if joint.name}
    differences = [
        *_links(robot, bodies),
        *_joints(robot, joints, scene),
        *_masses(robot, bodies),
    ]
    if not differences:
        differences += _poses(robot, bodies, scene, samples)
    return differences


def _text(source: Path, cfg: AssetConverterBaseCfg | None) -> str:
    """Text of a file, expanded if it is one of xacro."""
    data = source.read_bytes()
    cfg = cfg if isinstance(cfg, UrdfConverterCfg) else UrdfConverterCfg()
    if is_xacro(source, parse_xml(data, str(source))):
        data = expand_xacro(
            source, cfg.xacro_args, FileResolver(source, cfg.packages),
            seconds=cfg.xacro_time_limit, megabytes=cfg.xacro_memory_limit,
        )  # fmt: skip
    return data.decode("utf-8", "replace")


def body_poses(scene: SceneDescription, positions: dict[str, float]) -> list[Pose]:
    """Forward kinematics of a description: the pose of each body in its root body's frame.

    Args:
        scene: the description.
        positions: joint positions [rad or m] by joint name; others are at zero.
    """
    poses: list[Pose] = []
    for body in scene.bodies:
        if body.parent < 0:
            poses.append(Pose())
            continue
        pose = poses[body.parent] @ body.rest_pose
        for index in body.joints:
            joint = scene.joints[index]
            for dof in joint.dofs:
                value = positions.get(joint.name or "", 0.0)
                if dof.kind == "slide":
                    pose = pose @ Pose(value * dof.axis)
                elif dof.kind == "hinge":
                    turn = Pose(quat=quat_from_axis_angle(dof.axis, value))
                    pose = pose @ Pose(dof.anchor) @ turn @ Pose(-dof.anchor)
        poses.append(pose)
    return poses


def _links(robot: RobotReading, bodies: dict[str, BodyDescription]) -> Iterator[str]:
    parents = {joint.parent for joint in robot.joints.values()}
    children = {joint.child for joint in robot.joints.values()}
    for name, link in robot.links.items():
        carries = name in parents - children or name in ENVIRONMENT
        if name not in bodies and not (carries and link.mass is None and not link.collisions):
            yield f"link {name!r} is not a body"


def _joints(
    robot: RobotReading, joints: dict[str, JointDescription], scene: SceneDescription
) -> Iterator[str]:
    for name, expected in robot.joints.items():
        found = joints.get(name)
        if found is None:
            if expected.kind != "fixed":
                yield f"joint {name!r} is missing"
            continue
        if found.child < 0 or scene.bodies[found.child].name != expected.child:
            yield f"joint {name!r} does not move link {expected.child!r}"
        elif found.parent >= 0 and scene.bodies[found.parent].name != expected.parent:
            parent = scene.bodies[found.parent].name
            yield f"joint {name!r} hangs on {parent!r}, not on {expected.parent!r}"
        if expected.kind in MOVING:
            yield from _values(name, expected, found, scene)


def _values(
    name: str, expected: JointReading, found: JointDescription, scene: SceneDescription
) -> Iterator[str]:
    if len(found.dofs) != 1:
        yield f"joint {name!r} has {len(found.dofs)} axes, not 1"
        return
    dof = found.dofs[0]
    drive = dof.drive
    pairs = {
        "lower limit": (expected.lower, dof.lower),
        "upper limit": (expected.upper, dof.upper),
        "velocity limit": (expected.velocity, dof.velocity_limit),
        "damping": (expected.damping, dof.damping),
        "friction": (expected.friction, dof.friction),
    }
    if expected.mimic is None:
        pairs["effort limit"] = (expected.effort, np.inf if drive is None else drive.max_force)
    for what, (wanted, got) in pairs.items():
        if not _close(wanted, got):
            yield f"joint {name!r}: {what} is {got!r}, not {wanted!r}"
    leaders = {joint.path: joint.name for joint in scene.joints}
    got_mimic = None
    if found.mimic is not None:
        leader = leaders.get(found.mimic.joint, found.mimic.joint)
        got_mimic = (leader, found.mimic.gearing, found.mimic.offset)
    wanted_mimic = expected.mimic
    if (wanted_mimic is None) != (got_mimic is None):
        yield f"joint {name!r}: mimic is {got_mimic}, not {wanted_mimic}"
    elif wanted_mimic is not None and got_mimic is not None:
        same = wanted_mimic[0] == got_mimic[0]
        if not same or not all(map(_close, wanted_mimic[1:], got_mimic[1:])):
            yield f"joint {name!r}: mimic is {got_mimic}, not {wanted_mimic}"


def _close(wanted: float, got: float) -> bool:
    return wanted == got or abs(wanted - got) <= 1e-6 * max(abs(wanted), 1e-3)


def _masses(robot: RobotReading, bodies: dict[str, BodyDescription]) -> Iterator[str]:
    for name, link in robot.links.items():
        body = bodies.get(name)
        if body is not None:
            yield from _mass(name, link, body)


def _mass(name: str, link: LinkReading, body: BodyDescription) -> Iterator[str]:
    if not link.mass:
        allowed = np.inf if link.mass is None and link.collisions else _LEAST_MASS
        if body.mass > allowed:
            yield f"link {name!r} weighs {body.mass!r} kg, but has no mass"
        return
    if not _close(abs(link.mass), body.mass):
        yield f"link {name!r} weighs {body.mass!r} kg, not {link.mass!r} kg"
    if np.abs(link.com - body.com).max() > _POSITION:
        yield f"link {name!r}: centre of mass is {body.com.tolist()}, not {link.com.tolist()}"
    if link.physical:
        axes = quat_to_matrix(body.inertia_quat)
        tensor = axes @ np.diag(body.inertia) @ axes.T
        if np.abs(tensor - link.inertia).max() > _RELATIVE * np.abs(link.inertia).max():
            yield f"link {name!r}: inertia is {tensor.tolist()}, not {link.inertia.tolist()}"


def _poses(
    robot: RobotReading,
    bodies: dict[str, BodyDescription],
    scene: SceneDescription,
    samples: int,
) -> list[str]:
    rng = np.random.default_rng(0)
    index = {body.name: i for i, body in enumerate(scene.bodies)}
    roots = _roots(scene)
    for sample in range(samples + 1):
        positions = {
            name: 0.0
            if sample == 0
            else float(rng.uniform(max(joint.lower, -2.0), min(joint.upper, 2.0)))
            for name, joint in robot.joints.items()
            if joint.kind in MOVING
        }
        expected = robot.link_transforms(positions)
        found = body_poses(scene, positions)
        worst = []
        for name in bodies:
            if name not in expected:
                continue
            root = scene.bodies[roots[index[name]]].name
            if root not in expected:
                continue
            relative = np.linalg.inv(expected[root]) @ expected[name]
            pose = found[index[name]]
            gap = float(np.abs(pose.pos - relative[:3, 3]).max())
            turn = float(np.abs(quat_to_matrix(pose.quat) - relative[:3, :3]).max())
            if gap > _POSITION * max(1.0, np.abs(relative[:3, 3]).max()) or turn > _ANGLE:
                worst.append(f"link {name!r} is {gap:.3g} m and {turn:.3g} rad off its pose")
        if worst:
            return worst
    return []


def _roots(scene: SceneDescription) -> list[int]:
    roots: list[int] = []
    for i, body in enumerate(scene.bodies):
        roots.append(i if body.parent < 0 else roots[body.parent])
    return roots
