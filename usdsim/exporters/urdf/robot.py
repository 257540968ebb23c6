"""Kinematic tree of an export: the engine's bodies and joints as links and joints of a URDF.

A URDF joint turns about the origin of the link it carries. A body with several joints, or with one
that turns about another point, hangs on a chain of links without mass, so that its own frame stays
where it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.converters.report import ConversionReport
from usdsim.core.errors import ConversionError
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.math.rotations import quat_from_axis_angle, quat_from_wxyz
from usdsim.math.transforms import Pose

from .elements import Names

__all__ = [
    "ExportedJoint",
    "ExportedLink",
    "Robot",
    "body_pose",
    "build_robot",
    "is_weightless",
    "link_names",
    "written_joints",
    "written_links",
]

Array = NDArray[np.float64]

_WORLD = "world"
"""Name of the link that stands for the world."""
_FREE, _BALL, _SLIDE = (
    int(kind)
    for kind in (
        mujoco.mjtJoint.mjJNT_FREE,
        mujoco.mjtJoint.mjJNT_BALL,
        mujoco.mjtJoint.mjJNT_SLIDE,
    )
)


@dataclass(eq=False)
class ExportedLink:
    """A link."""

    name: str
    body: int | None = None
    """Engine body whose mass and shapes it has; None: a frame."""


@dataclass(eq=False)
class ExportedJoint:
    """A joint."""

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose = field(default_factory=Pose)
    axis: Array | None = None
    joint: int | None = None
    """Engine joint it moves as; None: it has no values of its own."""
    dof: int | None = None
    """Engine degree of freedom of its dynamics."""


@dataclass(eq=False)
class Robot:
    """Robot that becomes the file."""

    compiled: CompiledModel
    report: ConversionReport
    links: list[ExportedLink] = field(default_factory=list)
    joints: list[ExportedJoint] = field(default_factory=list)
    link_of: dict[int, str] = field(default_factory=dict)
    """Link by engine body."""
    joint_of: dict[int, str] = field(default_factory=dict)
    """Joint with one axis by engine joint."""
    site_link: dict[int, str] = field(default_factory=dict)
    """Link by engine site."""

    @property
    def model(self) -> mujoco.MjModel:
        """The engine's model."""
        return self.compiled.mj

    @property
    def weightless(self) -> bool:
        """Whether no gravity acts on anything."""
        return is_weightless(self.model)

    def path(self, kind: str, index: int) -> str:
        """Prim path of an engine element."""
        return self.compiled.names.paths(kind)[index]

    def warn(self, code: str, where: str, message: str) -> None:
        """Report what the file cannot say."""
        self.report.warn(code, where, message)


def build_robot(compiled: CompiledModel, report: ConversionReport) -> Robot:
    """Arrange bodies, joints and sites of a model as one tree of links.

    Raises:
        ConversionError: there is no body.
    """
    robot = Robot(compiled, report)
    bodies = compiled.body_ids.tolist()
    if not bodies:
        raise ConversionError(f"{report.source} has no rigid body, so it is no robot.")
    links, joints = link_names(compiled), Names()
    robot.link_of |= written_links(compiled, links)
    moving = written_joints(compiled, joints)
    if not _stands_alone(compiled):
        robot.links.append(ExportedLink(_WORLD))
        robot.link_of[0] = _WORLD
    fixed = _fixed_names(robot)
    for body in bodies:
        _hang(robot, body, links, joints, fixed, moving)
    _add_sites(robot, links, joints)
    return robot


def is_weightless(model: mujoco.MjModel) -> bool:
    """Whether no gravity acts on anything."""
    off = int(model.opt.disableflags) & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    return bool(off) or not model.opt.gravity.any()


def link_names(compiled: CompiledModel) -> Names:
    """Names of links that are not taken; the world's is where a link stands for the world."""
    return Names() if _stands_alone(compiled) else Names([_WORLD])


def written_links(compiled: CompiledModel, names: Names) -> dict[int, str]:
    """Names of links by engine body; those of several bodies are numbered."""
    named, paths = compiled.names.names("body"), compiled.names.paths("body")
    return {body: names.take(named[body] or paths[body]) for body in compiled.body_ids.tolist()}


def written_joints(compiled: CompiledModel, names: Names) -> dict[int, str]:
    """Names of joints by engine joint, numbered likewise; those that are fixed come after."""
    pairs = zip(compiled.names.names("joint"), compiled.names.paths("joint"), strict=True)
    return {joint: names.take(name or path or "joint") for joint, (name, path) in enumerate(pairs)}


def body_pose(model: mujoco.MjModel, body: int) -> Pose:
    """Pose of a body in that above it [m]."""
    return Pose(model.body_pos[body].copy(), quat_from_wxyz(model.body_quat[body]))


def _stands_alone(compiled: CompiledModel) -> bool:
    """Whether the only root stands where the world does, which needs no link of its own."""
    model = compiled.mj
    roots = [body for body in compiled.body_ids.tolist() if model.body_parentid[body] == 0]
    if len(roots) != 1 or model.body_jntnum[roots[0]] or model.body_mocapid[roots[0]] >= 0:
        return False
    pose = body_pose(model, roots[0])
    return not pose.pos.any() and not pose.quat[:3].any()


def _fixed_names(robot: Robot) -> dict[str, str]:
    """Names of fixed joints by path of the body they hold."""
    scene = robot.compiled.scene
    return {
        scene.bodies[joint.child].path: joint.name or joint.path
        for joint in scene.joints
        if joint.kind == "fixed" and joint.in_tree and joint.child >= 0
    }


def _hang(
    robot: Robot,
    body: int,
    links: Names,
    joints: Names,
    fixed: dict[str, str],
    moving: dict[int, str],
) -> None:
    """Add a body's link and the joints that carry it."""
    model, name = robot.model, robot.link_of[body]
    parent = int(model.body_parentid[body])
    if model.body_mocapid[body] >= 0:
        robot.warn("kinematic", robot.path("body", body), "moved by its user; fixed in the file")
    if parent == 0 and 0 not in robot.link_of:
        robot.links.append(ExportedLink(name, body))
        return
    steps = list(_steps(robot, body, joints, moving))
    if not steps:
        wanted = fixed.get(robot.path("body", body), f"{name}_joint")
        steps = [ExportedJoint(joints.take(wanted), "fixed", "", "", body_pose(model, body))]
    above = robot.link_of[parent]
    for i, step in enumerate(steps):
        last = i == len(steps) - 1
        step.parent, step.child = above, name if last else links.take(f"{step.name}_link")
        robot.links.append(ExportedLink(step.child, body if last else None))
        robot.joints.append(step)
        above = step.child


def _steps(
    robot: Robot, body: int, names: Names, moving: dict[int, str]
) -> Iterator[ExportedJoint]:
    """The joints of a body, each with its origin after the one before, and what leads back."""
    model = robot.model
    start, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    pose, last = body_pose(model, body), Pose()
    for joint in range(start, start + count):
        name = moving[joint]
        kind, dof = int(model.jnt_type[joint]), int(model.jnt_dofadr[joint])
        anchor, axis = model.jnt_pos[joint].copy(), model.jnt_axis[joint].copy()
        if kind == _FREE:
            yield ExportedJoint(name, "floating", "", "", pose, joint=joint)
            return
        if kind == _BALL:
            where = robot.path("joint", joint)
            robot.warn("ball-joint", where, "a ball; written as three hinges about its axes")
            for k, word in enumerate("xyz"):
                origin = pose @ last @ Pose(anchor) if k == 0 else Pose()
                pose = Pose() if k == 0 else pose
                step = names.take(f"{name}_{word}")
                yield ExportedJoint(step, "continuous", "", "", origin, np.eye(3)[k], dof=dof + k)
            pose, last = Pose(), Pose(-anchor)
            continue
        robot.joint_of[joint] = name
        reference = float(model.qpos0[model.jnt_qposadr[joint]])
        if kind == _SLIDE:
            origin, word, ahead = pose @ last @ Pose(-reference * axis), "prismatic", Pose()
        else:
            back = Pose(anchor, quat_from_axis_angle(axis, -reference))
            origin, ahead = pose @ last @ back, Pose(-anchor)
            word = "revolute" if model.jnt_limited[joint] else "continuous"
        yield ExportedJoint(name, word, "", "", origin, axis, joint, dof)
        pose, last = Pose(), ahead
    if last.pos.any():
        yield ExportedJoint(names.take(f"{name}_frame"), "fixed", "", "", last)


def _add_sites(robot: Robot, links: Names, joints: Names) -> None:
    """Named sites become links without mass."""
    model, names = robot.model, robot.compiled.names.names("site")
    outside = [name for i, name in enumerate(names) if model.site_bodyid[i] not in robot.link_of]
    for i, name in enumerate(names):
        parent = robot.link_of.get(int(model.site_bodyid[i]))
        if not name or parent is None:
            continue
        pose = Pose(model.site_pos[i].copy(), quat_from_wxyz(model.site_quat[i]))
        robot.site_link[i] = link = links.take(name)
        robot.links.append(ExportedLink(link))
        robot.joints.append(
            ExportedJoint(joints.take(f"{link}_joint"), "fixed", parent, link, pose)
        )
    if any(outside):
        robot.report.info("site", robot.compiled.scene.source, "frames of the world are left out")
