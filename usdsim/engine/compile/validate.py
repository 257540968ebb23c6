"""Validation of values that no engine can make sense of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import CompileError
from usdsim.math.deformable.elements import measures
from usdsim.parser.description import GeomDescription, SceneDescription, SiteDescription

__all__ = ["validate"]

Check = Callable[[NDArray[np.float64]], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class AllowedValues:
    """Allowed values of one quantity of an element."""

    get: Callable[[Any], Any]
    what: str
    check: Check
    allowed: str
    remedy: str


def _finite(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.isfinite(values)


def _not_negative(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.isfinite(values) & (values >= 0.0)


def _not_nan(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    return ~np.isnan(values)


def _at_least_zero(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    return values >= 0.0


def _above_zero(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    return values > 0.0


def _direction(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    length = np.linalg.norm(values, axis=-1, keepdims=True)
    return np.isfinite(length) & (length > 1e-9)


def _rule(name: str, what: str, check: Check, allowed: str, remedy: str = "") -> AllowedValues:
    return AllowedValues(attrgetter(name), what, check, allowed, remedy)


_POSITION = (_finite, "finite numbers [m]", "Correct the prim's transform.")
_ROTATION = (_direction, "a quaternion of non-zero length", "Correct the prim's orientation.")

BODY_RULES = (
    _rule("rest_pose.pos", "position", *_POSITION),
    _rule("rest_pose.quat", "orientation", *_ROTATION),
    _rule("initial_pose_w.pos", "position", *_POSITION),
    _rule("initial_pose_w.quat", "orientation", *_ROTATION),
    _rule("mass", "mass", _not_negative, "a number >= 0 [kg]", "Correct physics:mass."),
    _rule("com", "centre of mass", _finite, "finite numbers [m]", "Correct physics:centerOfMass."),
    _rule(
        "inertia",
        "principal moments of inertia",
        _not_negative,
        "numbers >= 0 [kg m^2]",
        "Correct physics:diagonalInertia.",
    ),
    _rule("inertia_quat", "principal axes", _direction, "a quaternion of non-zero length"),
    _rule("linear_velocity", "velocity", _finite, "finite numbers [m/s]"),
    _rule("angular_velocity", "angular velocity", _finite, "finite numbers [rad/s]"),
    _rule("gravity_compensation", "gravity compensation", _finite, "a finite number"),
    _rule("linear_damping", "linear damping", _not_negative, "a number >= 0 [1/s]"),
    _rule("angular_damping", "angular damping", _not_negative, "a number >= 0 [1/s]"),
)
DOF_RULES = (
    _rule("axis", "axis", _direction, "a vector of non-zero length"),
    _rule("anchor", "anchor", _finite, "finite numbers [m]"),
    _rule("reference", "reference", _finite, "a finite number [m or rad]"),
    _rule("lower", "lower limit", _not_nan, "a number"),
    _rule("upper", "upper limit", _not_nan, "a number"),
    _rule("position", "initial position", _finite, "a finite number [m or rad]"),
    _rule("velocity", "initial velocity", _finite, "a finite number [m/s or rad/s]"),
    _rule("armature", "armature", _not_negative, "a number >= 0 [kg or kg m^2]"),
    _rule("friction", "joint friction", _not_negative, "a number >= 0 [N or N m]"),
    _rule("damping", "joint damping", _not_negative, "a number >= 0"),
    _rule("limit_stiffness", "limit stiffness", _not_negative, "a number >= 0"),
    _rule("limit_damping", "limit damping", _not_negative, "a number >= 0"),
    _rule("velocity_limit", "velocity limit", _above_zero, "a number > 0", "Use inf for none."),
)
DRIVE_RULES = (
    _rule("drive.stiffness", "drive stiffness", _not_negative, "a number >= 0"),
    _rule("drive.damping", "drive damping", _not_negative, "a number >= 0"),
    _rule("drive.target_position", "drive target", _finite, "a finite number [m or rad]"),
    _rule("drive.target_velocity", "drive target velocity", _finite, "a finite number"),
    _rule(
        "drive.max_force",
        "drive force limit",
        _at_least_zero,
        "a number >= 0 [N or N m]",
        "Use inf for none.",
    ),
)
GEOM_RULES = (
    _rule("pose.pos", "position", *_POSITION),
    _rule("pose.quat", "orientation", *_ROTATION),
    _rule("size", "size", _not_negative, "numbers >= 0 [m]", "Correct its dimensions or scale."),
    _rule("torsional_radius", "torsional radius", _not_negative, "a number >= 0 [m]"),
    _rule("rest_offset", "rest offset", _finite, "a finite number [m]"),
    _rule("contact_gap", "contact gap", _finite, "a finite number [m]"),
)
SITE_RULES = GEOM_RULES[:3]
MATERIAL_RULES = (
    _rule("static_friction", "static friction", _not_negative, "a number >= 0"),
    _rule("dynamic_friction", "dynamic friction", _not_negative, "a number >= 0"),
    _rule("restitution", "restitution", _not_negative, "a number from 0 to 1"),
    _rule("restitution", "restitution", lambda v: v <= 1.0, "a number from 0 to 1"),
    _rule("torsional_friction", "torsional friction", _not_negative, "a number >= 0 [m]"),
    _rule("rolling_friction", "rolling friction", _not_negative, "a number >= 0 [m]"),
    _rule("contact_stiffness", "contact stiffness", _not_negative, "a number >= 0 [N/m]"),
    _rule("contact_damping", "contact damping", _not_negative, "a number >= 0 [N s/m]"),
)
_CORNERS = {"volume": 4, "surface": 3, "curves": 2}
"""Corners of elements of deformable bodies."""
DEFORMABLE_RULES = (
    _rule("rest_points", "rest points", *_POSITION),
    _rule("points", "points", *_POSITION),
    _rule("velocities", "velocities", _finite, "finite numbers [m/s]"),
    _rule("mass", "mass", _above_zero, "a number > 0 [kg]", "Author a mass or a density."),
    _rule("mass", "mass", _finite, "a finite number [kg]"),
    _rule("youngs_modulus", "Young's modulus", _not_negative, "a number >= 0 [Pa]"),
    _rule("poissons_ratio", "Poisson's ratio", _not_negative, "a number from 0 to 0.5"),
    _rule("poissons_ratio", "Poisson's ratio", lambda v: v < 0.5, "a number below 0.5"),
    _rule("elasticity_damping", "elasticity damping", _not_negative, "a number >= 0 [s]"),
    _rule("thickness", "thickness", _not_negative, "a number >= 0 [m]"),
    _rule("bend_modulus", "bending modulus", _not_negative, "a number >= 0 [Pa]"),
    _rule("twist_modulus", "twisting modulus", _not_negative, "a number >= 0 [Pa]"),
    _rule("friction", "friction", _not_negative, "a number >= 0"),
    _rule("gravity_scale", "gravity scale", _finite, "a finite number"),
    _rule("linear_damping", "linear damping", _not_negative, "a number >= 0 [1/s]"),
    _rule("rest_offset", "rest offset", _finite, "a finite number [m]"),
    _rule("contact_offset", "contact offset", _finite, "a finite number [m]"),
)
JOINT_RULES = (
    _rule("parent_frame.pos", "frame in body 0", *_POSITION),
    _rule("parent_frame.quat", "frame in body 0", *_ROTATION),
    _rule("child_frame.pos", "frame in body 1", *_POSITION),
    _rule("child_frame.quat", "frame in body 1", *_ROTATION),
    _rule("min_distance", "smallest distance", _not_nan, "a number [m]"),
    _rule("max_distance", "largest distance", _not_nan, "a number [m]"),
    _rule("spring_stiffness", "spring stiffness", _not_negative, "a number >= 0 [N/m]"),
    _rule("spring_damping", "spring damping", _not_negative, "a number >= 0 [N s/m]"),
)


def validate(scene: SceneDescription) -> None:
    """Check every number of a scene and every reference between its parts.

    Raises:
        CompileError: with one line per problem.
    """
    dofs = [dof for joint in scene.joints for dof in joint.dofs]
    problems = [
        *_check(scene.bodies, BODY_RULES),
        *_check(scene.joints, JOINT_RULES),
        *_check(dofs, DOF_RULES),
        *_check([dof for dof in dofs if dof.drive is not None], DRIVE_RULES),
        *_check(scene.geoms, GEOM_RULES),
        *_check(scene.sites, SITE_RULES),
        *_check(scene.materials, MATERIAL_RULES),
        *(p for soft in scene.deformables for p in _check([soft], DEFORMABLE_RULES)),
        *_deformables(scene),
        *_limits(dofs),
        *_references(scene),
        *_scene(scene),
    ]
    if problems:
        raise CompileError("\n".join(problems))


def _check(elements: Sequence[Any], rules: Sequence[AllowedValues]) -> Iterator[str]:
    for rule in rules:
        given = [(e.path, value) for e in elements if (value := rule.get(e)) is not None]
        if not given:
            continue
        values = np.array([value for _, value in given], dtype=np.float64)
        good = rule.check(values)
        if good.all():
            continue
        for index in np.flatnonzero(~good.reshape(len(given), -1).all(axis=1)):
            value = values[index].tolist()
            yield (
                f"{given[index][0]!r}: {rule.what} is {value!r}; allowed: {rule.allowed}. "
                f"{rule.remedy}"
            ).rstrip()


def _deformables(scene: SceneDescription) -> Iterator[str]:
    bodies = len(scene.bodies)
    for soft in scene.deformables:
        count, corners = len(soft.points), _CORNERS[soft.kind]
        if len(soft.rest_points) != count or len(soft.velocities) != count:
            yield f"{soft.path!r}: points, rest points and velocities differ in number."
            continue
        elements = soft.elements
        if elements.ndim != 2 or elements.shape[1] != corners or not len(elements):
            yield f"{soft.path!r}: elements have the shape {elements.shape}, not (n, {corners})."
        elif elements.min() < 0 or elements.max() >= count:
            yield f"{soft.path!r}: an element uses a vertex outside 0 to {count - 1}."
        elif not np.abs(measures(soft.rest_points, elements)).min() > 0.0:
            yield f"{soft.path!r}: an element has no size at rest. Correct the rest points."
        if soft.kind != "volume" and not soft.thickness > 0.0:
            yield f"{soft.path!r}: thickness is {soft.thickness!r}; allowed: a number > 0 [m]."
        for pin in soft.pins:
            outside = [int(v) for v in pin.vertices if not 0 <= v < count]
            if outside:
                yield f"{soft.path!r}: vertex {outside[0]} does not exist ({count} vertices)."
            if not -1 <= pin.body < bodies:
                yield f"{soft.path!r}: body {pin.body} does not exist ({bodies} bodies)."


def _limits(dofs: Sequence[Any]) -> Iterator[str]:
    for dof in dofs:
        if dof.lower > dof.upper:
            yield (
                f"{dof.path!r}: lower limit {dof.lower:g} is above the upper limit {dof.upper:g}; "
                "allowed: lower <= upper. Correct physics:lowerLimit or physics:upperLimit, or "
                "lock the axis by a fixed joint."
            )


def _references(scene: SceneDescription) -> Iterator[str]:
    count = len(scene.bodies)
    for i, body in enumerate(scene.bodies):
        if not -1 <= body.parent < i:
            yield f"{body.path!r}: parent body {body.parent} does not come before it."
        for j in body.joints:
            if not 0 <= j < len(scene.joints):
                yield f"{body.path!r}: joint {j} does not exist ({len(scene.joints)} joints)."
    placed: tuple[GeomDescription | SiteDescription, ...] = (*scene.geoms, *scene.sites)
    for element in placed:
        if not -1 <= element.body < count:
            yield f"{element.path!r}: body {element.body} does not exist ({count} bodies)."
        if element.kind in ("mesh", "sdf") and element.mesh not in scene.meshes:
            yield _missing(element.path, "mesh", element.mesh, scene.meshes)
    for geom in scene.geoms:
        if geom.kind == "hfield" and geom.mesh not in scene.height_fields:
            yield _missing(geom.path, "height field", geom.mesh, scene.height_fields)
        if geom.material is not None and not 0 <= geom.material < len(scene.materials):
            yield f"{geom.path!r}: material {geom.material} does not exist."
    paths = {dof.path for joint in scene.joints for dof in joint.dofs}
    for joint in scene.joints:
        if not (-1 <= joint.parent < count and -1 <= joint.child < count):
            yield f"{joint.path!r}: body {joint.parent} or {joint.child} does not exist."
        if joint.mimic is not None and joint.mimic.joint not in paths:
            yield _missing(joint.path, "leading joint", joint.mimic.joint, paths)


def _missing(path: str, what: str, key: Any, known: Any) -> str:
    names = ", ".join(sorted(known)[:5]) or "none"
    return f"{path!r}: {what} {key!r} does not exist; there are: {names}."


def _scene(scene: SceneDescription) -> Iterator[str]:
    if not np.isfinite(scene.gravity).all():
        yield f"Gravity is {scene.gravity.tolist()}; allowed: finite numbers [m/s^2]."
    step = scene.timestep
    if step is not None and not (np.isfinite(step) and step > 0.0):
        yield f"The time step is {step!r}; allowed: a number > 0 [s]."
