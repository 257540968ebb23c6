"""Descriptions act: whatever field of a description is replaced, the compiled model shows it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from converted_robots import everything
from test_parser_law_of_edits import robot

from usdsim.engine import compile_scene
from usdsim.math.transforms import Pose
from usdsim.parser import parse_stage
from usdsim.parser.description import (
    BodyDescription,
    JointDescription,
    MaterialDescription,
    SceneDescription,
)

WORDS = {
    "path",
    "name",
    "overrides",
    "mass_source",
    "purpose",
    "visual_material",
    "targets",
    "kind",
}
"""What identifies and sorts descriptions."""
OF_THE_ENGINE = {
    "velocity_limit", "break_force", "break_torque", "restitution", "static_friction",
    "gyroscopic", "max_linear_velocity", "max_angular_velocity", "sleep_threshold",
    "starts_asleep", "carries", "density",
    "friction_combine", "restitution_combine", "surface_velocity", "native_mixing",
}  # fmt: skip
"""What engines read of the scene a model was compiled from, as the model has no room for it, and
densities, which masses follow from before."""
TREE = {
    "parent", "child", "joints", "dofs", "in_tree", "body", "mesh", "material", "samples",
    "parent_frame", "child_frame", "drive", "ball_drives", "mimic", "kinematic", "fixed",
    "min_distance", "max_distance", "acceleration",
}  # fmt: skip
"""How descriptions refer to each other, and what only some kinds of them have."""
KINDS = ("bodies", "joints", "geoms", "materials", "sites", "actuators")


@cache
def scene(source: str) -> SceneDescription:
    stage = everything() if source == "mjcf" else robot("arm")
    return parse_stage(stage, exact=source == "mjcf").scene


def shown(description: SceneDescription, source: str) -> dict[str, bytes]:
    compiled = compile_scene(description, exact=source == "mjcf")
    found = {"notes": repr(compiled.notes).encode()}
    for owner in (compiled.mj, compiled.mj.opt, compiled.initial):
        for name in dir(owner):
            value = None if name.startswith("_") else getattr(owner, name, None)
            if isinstance(value, np.ndarray):
                found[name] = value.tobytes()
            elif isinstance(value, (int, float)):
                found[name] = bytes(str(value), "ascii")
    return found


def other(value: Any) -> Any:
    """A value that differs, of -0.2 too; None: there is none of that type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        return 1.25 * value + 0.053 if np.isfinite(value) else np.sign(value) * 0.75
    if isinstance(value, Pose):
        return Pose(value.pos + 0.05, np.array([0.0, 0.0, 0.6, 0.8]))
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        changed = value * 1.25 + 0.05 * np.arange(1, value.size + 1).reshape(value.shape)
        return changed / np.linalg.norm(changed) if value.shape == (4,) else changed
    return None


def changes(item: Any) -> Any:
    """Field and item for each field that can be changed, those of degrees of freedom too."""
    for field in fields(item):
        value = getattr(item, field.name)
        if field.name in ("dofs", "drive") and value:
            single = is_dataclass(value)
            for inner, changed in changes(value if single else value[0]):
                whole = changed if single else (changed, *value[1:])
                yield f"{field.name}.{inner}", replace(item, **{field.name: whole})
        elif field.name == "size" and getattr(item, "mesh", None) is not None:
            continue  # Meshes have their own.
        elif field.name not in WORDS | OF_THE_ENGINE | TREE and other(value) is not None:
            yield field.name, replace(item, **{field.name: other(value)})


def silent(description: SceneDescription, source: str, most: int = 1000) -> dict[str, list[str]]:
    """Paths of elements by field that may be replaced there without a trace in the model.

    Args:
        description: of a scene.
        source: what it was converted from.
        most: elements of a kind that are tried, spread over all.
    """
    before, found = shown(description, source), {}
    for kind in KINDS:
        items = list(getattr(description, kind))
        for index in range(0, len(items), max(1, len(items) // most)):
            for field, changed in changes(items[index]):
                where = f"{kind}.{field}"
                if not has_a_say(description, where, items[index]):
                    continue
                new = (*items[:index], changed, *items[index + 1 :])
                try:
                    after = shown(replace(description, **{kind: new}), source)
                except (ValueError, RuntimeError):
                    continue  # Refused, with a message.
                if after == before:
                    found.setdefault(where, []).append(items[index].path)
    return found


def has_a_say(scene: SceneDescription, where: str, item: Any) -> bool:
    """Whether a field of an element means anything, by what the description says of the field."""
    reason = WITHOUT_SAY.get(where)
    return reason is None or not reason(scene, item)


def _rides(scene: SceneDescription, body: BodyDescription) -> bool:
    """Where it is and how it moves follows from its joints."""
    joints = [scene.joints[index] for index in body.joints]
    kinds = [dof.kind for joint in joints for dof in joint.dofs]
    return body.fixed or (bool(joints) and kinds not in (["free"], ["ball"]))


def _rides_or_is_moved(scene: SceneDescription, body: BodyDescription) -> bool:
    """Its joints or the user decide how it moves."""
    joints = [scene.joints[index] for index in body.joints]
    free = not joints or any(joint.kind == "free" for joint in joints)
    return body.kinematic or body.fixed or not free


def _has_no_shape(scene: SceneDescription, body: BodyDescription) -> bool:
    """It has no shape that the engine keeps for contacts."""
    index = scene.bodies.index(body)
    return not any(geom.body == index for geom in scene.geoms)


def _stands(scene: SceneDescription, body: BodyDescription) -> bool:
    """Nothing lets it move."""
    while not body.kinematic:
        joints = [scene.joints[index] for index in body.joints]
        if not body.fixed and (not joints or any(joint.dofs for joint in joints)):
            return False
        if body.parent < 0:
            break
        body = scene.bodies[body.parent]
    return True


def _keeps_its_centre(scene: SceneDescription, body: BodyDescription) -> bool:
    """Nothing lets its centre of mass move: all it may do is to turn about that."""
    axes = [dof for index in body.joints for dof in scene.joints[index].dofs]
    turns = len(axes) == 1 and axes[0].kind == "hinge"
    fixed = body.parent < 0 or _stands(scene, scene.bodies[body.parent])
    lever = turns and np.linalg.norm(np.cross(axes[0].axis, body.com - axes[0].anchor)) < 1e-9
    return _stands(scene, body) or bool(fixed and lever)


def _only_slides(scene: SceneDescription, body: BodyDescription) -> bool:
    """Nothing lets it turn."""
    while not body.kinematic:
        joints = [scene.joints[index] for index in body.joints]
        kinds = {dof.kind for joint in joints for dof in joint.dofs}
        if not body.fixed and (not joints or kinds - {"slide"}):
            return False
        if body.parent < 0:
            break
        body = scene.bodies[body.parent]
    return True


def _kind(*kinds: str) -> Any:
    """Axes of these kinds have no such thing."""
    return lambda scene, joint: joint.dofs[0].kind in kinds


def _decides_no_contact(scene: SceneDescription, joint: JointDescription) -> bool:
    """Two bodies that never touch or are one, or whose touching others decide: an articulation
    without self-collision, other joints of the two, and the rules of MuJoCo about what is rigid
    with the world."""
    if joint.kind in ("fixed", "free") or -1 in (joint.parent, joint.child):
        return True
    pair = {joint.parent, joint.child}
    shaped = {geom.body for geom in scene.geoms if geom.collides}
    alone = any(not a.self_collision and pair <= set(a.bodies) for a in scene.articulations)
    alone = alone or (min(pair), max(pair)) in scene.body_filters
    still = any(_stands(scene, scene.bodies[index]) for index in pair)
    several = any(len(scene.bodies[index].joints) > 1 for index in pair if index >= 0)
    return alone or several or not pair <= shaped or (bool(scene.options) and still)


def _covers_nothing(scene: SceneDescription, material: MaterialDescription) -> bool:
    """No collider of it leaves its friction to it."""
    index = scene.materials.index(material)
    return not any(g.collides and g.material == index and g.friction is None for g in scene.geoms)


def _is_native(scene: SceneDescription, material: MaterialDescription) -> bool:
    """Colliders of it meet others as MuJoCo's do, or it is compliant in no contact."""
    index = scene.materials.index(material)
    alone = [set(a.bodies) for a in scene.articulations if not a.self_collision]
    shaped = {g.body for g in scene.geoms if g.collides}
    if any(shaped <= bodies for bodies in alone):
        return True
    if set(combinations(sorted(shaped), 2)) <= scene.body_filters:
        return True
    return all(g.native_mixing for g in scene.geoms if g.collides and g.material == index)


WITHOUT_SAY: dict[str, Any] = {
    "bodies.initial_pose_w": _rides,
    "bodies.linear_velocity": _rides_or_is_moved,
    "bodies.angular_velocity": lambda scene, body: body.kinematic or _rides(scene, body),
    "bodies.solves_contacts": _has_no_shape,
    "bodies.linear_damping": _keeps_its_centre,
    "bodies.angular_damping": _only_slides,
    "joints.spring_damping": lambda scene, joint: joint.spring_stiffness is None,
    "joints.collision_enabled": _decides_no_contact,
    "joints.dofs.axis": _kind("ball", "free"),
    "joints.dofs.anchor": _kind("free"),
    "joints.dofs.reference": _kind("ball", "free"),
    "joints.dofs.lower": _kind("ball"),
    "joints.dofs.position": _kind("ball", "free"),
    "joints.dofs.velocity": _kind("ball", "free"),
    "geoms.torsional_radius": lambda _, geom: geom.kind != "sphere" or geom.native_mixing,
    "materials.dynamic_friction": _covers_nothing,
    "materials.torsional_friction": _covers_nothing,
    "materials.rolling_friction": _covers_nothing,
    "materials.contact_stiffness": _is_native,
    "materials.contact_damping": _is_native,
}
"""Elements of which a field says nothing, as its text in the description has it."""


@pytest.mark.nightly
@pytest.mark.parametrize("source", ["mjcf", "urdf"])
def test_every_field_of_every_description_shows_in_the_model(source):
    assert silent(scene(source), source) == {}


def test_fields_of_some_elements_show_in_the_model():
    assert silent(scene("mjcf"), "mjcf", most=1) == {}
