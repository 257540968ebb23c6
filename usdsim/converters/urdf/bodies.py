"""Links to rigid bodies: which links form one body, where, and how heavy it is."""

from __future__ import annotations

import numpy as np

from usdsim.converters.emit import emit_mass
from usdsim.core.units import DEFAULT_DENSITY
from usdsim.math.inertia import MassProperties, combine, principal
from usdsim.math.repair import LEAST_INERTIA, LEAST_MASS
from usdsim.math.transforms import Pose
from usdsim.usd.drafts import PrimDraft, apply, fill, place, write

from .context import UrdfContext, keep_extras
from .geometry import GeometryWriter
from .masses import Solid, density_mass, link_mass, point_mass
from .point_masses import point_masses
from .reading.model import UrdfJoint, UrdfLink
from .tree import WORLD_NAMES

__all__ = ["group_links", "write_links"]

DEEPEST = 64
"""Prims below each other from which on a link is put below the robot again. OpenUSD walks up all
ancestors of a prim for its place, which makes deep chains slow everywhere."""
_NEXT_TO_NOTHING = 1e-9
"""Mass of a link that has none, relative to what it carries."""
_LIGHTEST = 1e-12
"""Least mass the engine can take, with some room [kg]."""
_LEAST_SHARE = 1e-5
"""Least part of `LEAST_INERTIA` that it can take."""


def group_links(context: UrdfContext) -> None:
    """Fill in `environment`, `frames`, `body_of` and `pose_in_body`."""
    robot = context.robot
    for name in robot.order:
        joint = robot.parent_joint.get(name)
        link = robot.links[name]
        context.body_of[name], context.pose_in_body[name] = name, Pose()
        if joint is None:
            if name in WORLD_NAMES and link.is_frame:
                context.environment.add(name)
        elif _merges(context, joint):
            context.body_of[name] = context.body_of[joint.parent]
            context.pose_in_body[name] = context.pose_in_body[joint.parent] @ joint.origin
        elif _is_frame(context, joint):
            context.frames.add(name)


def _merges(context: UrdfContext, joint: UrdfJoint) -> bool:
    return (
        context.cfg.merge_fixed_joints
        and joint.kind == "fixed"
        and not joint.preserved
        and joint.parent not in context.environment
        and joint.child != context.cfg.root_link_name
    )


def _is_frame(context: UrdfContext, joint: UrdfJoint) -> bool:
    """Whether a joint carries a link that only marks a place on the link before it."""
    link = context.robot.links[joint.child]
    weightless = not link.collisions if link.inertial is None else link.inertial.mass == 0.0
    return (
        weightless
        and joint.kind == "fixed"
        and joint.parent not in context.environment
        and joint.child != context.cfg.root_link_name
    )


def write_links(context: UrdfContext) -> dict[str, MassProperties]:
    """Write link prims with their shapes and masses.

    Returns:
        Mass properties by body (the name of its first link).
    """
    robot = context.robot
    geometry = GeometryWriter(context)
    parts: dict[str, list[MassProperties]] = {}
    density = _density(context)

    def solid(link: UrdfLink) -> MassProperties:
        return density_mass(link, density, geometry.meshes, context.cfg.collider_type)

    points = point_masses(robot, solid)
    for name in robot.order:
        link, joint = robot.links[name], robot.parent_joint.get(name)
        body = context.body_of[name]
        path = _define(context, name, joint)
        prim = context.spec(path)
        if joint is not None and (body != name or name in context.frames):
            write(prim, "urdf:joint", "string", joint.name, custom=True)
            keep_extras(prim, joint.extras)
        keep_extras(prim, link.extras)
        geometry.write(link, path, Pose())
        mass = point_mass(link) if name in points else _mass(context, link, solid)
        if mass is not None:
            parts.setdefault(body, []).append(mass.moved(context.pose_in_body[name]))
        context.report.count("link")
    masses: dict[str, MassProperties] = {}
    for name in robot.order:
        if context.body_of[name] != name or name in context.environment:
            continue
        own = parts.get(name, [])
        masses[name] = own[0] if len(own) == 1 else combine(own)
    _give_weight(context, masses)
    for name, mass in masses.items():
        _write_body(context, name, mass)
    return masses


def _define(context: UrdfContext, name: str, joint: UrdfJoint | None) -> str:
    """Define a link's prim at its pose when all joints are at zero."""
    is_body = context.body_of[name] == name and name not in context.frames
    parent, pose = context.root, Pose()
    if joint is not None:
        parent, pose = context.link_paths[joint.parent], joint.origin
        context.root_poses[name] = context.root_poses[joint.parent] @ pose
        if is_body and (context.cfg.layout == "flat" or parent.count("/") > DEEPEST):
            parent, pose = context.root, context.root_poses[name]
    else:
        context.root_poses[name] = pose
    path = context.define(parent, name, "Xform")
    place(context.spec(path), pose)
    context.link_paths[name] = path
    return path


def _density(context: UrdfContext) -> float:
    """Density of links without a mass [kg/m^3]."""
    return context.cfg.link_density or DEFAULT_DENSITY


def _mass(context: UrdfContext, link: UrdfLink, solid: Solid) -> MassProperties | None:
    refuse = context.cfg.nonphysical_inertia == "error"
    mass = link_mass(link, solid, context.report, refuse=refuse)
    if mass is not None or not link.collisions:
        return mass
    mass = solid(link)
    if link.density is not None:
        return mass
    context.report.warn(
        "mass-from-density",
        link.where,
        f"no <inertial>; {mass.mass:.6g} kg from its collision shapes at "
        f"{_density(context):g} kg/m^3",
    )
    return mass


def _give_weight(context: UrdfContext, masses: dict[str, MassProperties]) -> None:
    """Give rigid bodies that weigh nothing a little: zero means "not specified" in USD.

    A link that carries others, as in a chain of joints, weighs next to nothing beside them. Only a
    body that moves on its own, with nothing heavy fixed to it, is worth a warning.
    """
    held = {name: mass.mass for name, mass in masses.items()}
    carried = dict(held)
    for name in reversed(context.robot.order):
        joint = context.robot.parent_joint.get(name)
        if name not in masses:
            continue
        weight = min(LEAST_MASS, max(carried[name] * _NEXT_TO_NOTHING, _LIGHTEST))
        weight = weight if carried[name] else LEAST_MASS
        if joint is not None:
            owner = context.body_of[joint.parent]
            if owner in carried:
                carried[owner] += carried[name]
            if joint.kind == "fixed" and owner in held:
                held[owner] += held[name]
            elif joint.kind != "fixed" and held[name] == 0.0:
                context.report.warn(
                    "massless-moving",
                    context.robot.links[name].where,
                    f"moves without any mass; given {weight:.3g} kg so that it can be simulated",
                )
        if masses[name].mass == 0.0 and name not in context.frames:
            inertia = LEAST_INERTIA * max(weight / LEAST_MASS, _LEAST_SHARE) * np.eye(3)
            masses[name] = MassProperties(weight, masses[name].com, inertia)


def _write_body(context: UrdfContext, name: str, mass: MassProperties) -> None:
    prim = context.spec(context.link_paths[name])
    if name in context.frames:
        # A rigid body without mass would weigh 1 kg in other tools; a frame weighs nothing.
        apply(prim, "MjcBodyAPI")
        return
    kinds = {"physics:rigidBodyEnabled": True, "physics:kinematicEnabled": False}
    fill(prim, "PhysicsRigidBodyAPI", kinds)
    moments, axes = principal(mass.inertia)
    emit_mass(prim, mass.mass, mass.com, moments, axes)
    _write_dynamics(context, prim, name)
    context.report.count("body")


def _write_dynamics(context: UrdfContext, prim: PrimDraft, name: str) -> None:
    """Gravity and damping, which links that are merged bring with them."""
    members = [context.robot.links[n] for n, body in context.body_of.items() if body == name]
    decay = max(link.velocity_decay for link in members)
    floats = not all(link.gravity for link in members)
    if decay or floats:
        apply(prim, "PhysxRigidBodyAPI")
    if floats:
        write(prim, "physxRigidBody:disableGravity", "bool", True)
    for kind in ("linear", "angular") if decay else ():
        write(prim, f"physxRigidBody:{kind}Damping", "float", decay)
