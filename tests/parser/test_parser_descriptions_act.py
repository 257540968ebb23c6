"""Descriptions act: whatever field of a description is replaced, the compiled model shows it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from converted_robots import everything
from test_parser_law_of_edits import robot

from usdsim.engine import compile_scene
from usdsim.math.transforms import Pose
from usdsim.parser import parse_stage
from usdsim.parser.description import SceneDescription

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
    "max_linear_velocity", "max_angular_velocity", "sleep_threshold", "starts_asleep", "carries",
    "density",
    "friction_combine", "restitution_combine", "surface_velocity",
}  # fmt: skip
"""What engines read of the scene a model was compiled from, as the model has no room for it, and
densities, which masses follow from before."""
TREE = {
    "parent", "child", "joints", "dofs", "in_tree", "body", "mesh", "material", "samples",
    "parent_frame", "child_frame", "drive", "ball_drives", "mimic", "kinematic", "fixed",
    "min_distance", "max_distance", "acceleration",
}  # fmt: skip
"""How descriptions refer to each other, and what only some kinds of them have."""
STATED_BY_OTHERS = {
    "mjcf": {
        # MuJoCo's geoms have a friction of their own.
        "materials.dynamic_friction", "materials.torsional_friction",
        "materials.rolling_friction", "bodies.linear_damping", "joints.spring_damping",
    },
    "urdf": {
        # Where links are follows from their joints, which are damped themselves.
        "bodies.initial_pose_w", "bodies.linear_velocity", "bodies.angular_velocity",
        "bodies.linear_damping", "bodies.angular_damping", "joints.spring_damping",
        "joints.collision_enabled",
    },
}  # fmt: skip
"""Fields without a say in these robots, as others state the same."""
KINDS = ("bodies", "joints", "geoms", "materials", "sites", "actuators")


@cache
def scene(source: str) -> SceneDescription:
    stage = everything() if source == "mjcf" else robot("arm")
    return parse_stage(stage, exact=source == "mjcf").scene


def shown(description: SceneDescription, source: str) -> dict[str, bytes]:
    compiled = compile_scene(description, exact=source == "mjcf")
    found = {}
    for owner in (compiled.mj, compiled.mj.opt, compiled.initial):
        for name in dir(owner):
            value = None if name.startswith("_") else getattr(owner, name, None)
            if isinstance(value, np.ndarray):
                found[name] = value.tobytes()
            elif isinstance(value, (int, float)):
                found[name] = bytes(str(value), "ascii")
    return found


def other(value: Any) -> Any:
    """A value that differs; None: there is none of that type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        return 1.25 * value + 0.05 if np.isfinite(value) else np.sign(value) * 0.75
    if isinstance(value, Pose):
        return Pose(value.pos + 0.05, np.array([0.0, 0.0, 0.6, 0.8]))
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        changed = value * 1.25 + 0.05 * np.arange(1, value.size + 1).reshape(value.shape)
        return changed / np.linalg.norm(changed) if value.shape == (4,) else changed
    return None


def variants(description: SceneDescription) -> dict[str, list[SceneDescription]]:
    """Scenes that differ in one field of one description, by kind and field."""
    found: dict[str, list[SceneDescription]] = {}
    for kind in KINDS:
        items = list(getattr(description, kind))
        for index, item in enumerate(items):
            for where, changed in changes(item):
                new = (*items[:index], changed, *items[index + 1 :])
                found.setdefault(f"{kind}.{where}", []).append(replace(description, **{kind: new}))
    return found


def changes(item: Any) -> Any:
    """Field and item for each field that can be changed, those of degrees of freedom too."""
    for field in fields(item):
        value = getattr(item, field.name)
        if field.name in ("dofs", "drive") and value:
            single = is_dataclass(value)
            for inner, changed in changes(value if single else value[0]):
                whole = changed if single else (changed, *value[1:])
                yield f"{field.name}.{inner}", replace(item, **{field.name: whole})
        elif field.name not in WORDS | OF_THE_ENGINE | TREE and other(value) is not None:
            yield field.name, replace(item, **{field.name: other(value)})


@pytest.mark.nightly
@pytest.mark.parametrize("source", ["mjcf", "urdf"])
def test_every_field_of_every_description_shows_in_the_model(source):
    before = shown(scene(source), source)
    silent = []
    for field, scenes in variants(scene(source)).items():
        for changed in scenes[:12]:
            try:
                if shown(changed, source) != before:
                    break
            except Exception as error:
                assert isinstance(error, (ValueError, RuntimeError)), error
                break
        else:
            silent.append(field)
    silent = sorted(set(silent) - STATED_BY_OTHERS[source])
    assert silent == []
