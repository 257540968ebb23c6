"""Keyframes: named states of the model, or of parts of it that stand at their start besides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_apply, quat_from_wxyz, quat_multiply, quat_to_wxyz
from usdsim.math.transforms import Pose
from usdsim.parser.description import GenericDescription, SceneDescription
from usdsim.parser.element import is_below

from .context import Build
from .deformables import CompiledDeformable
from .initial import InitialState
from .mjc import apply_overrides

__all__ = ["add_keyframes", "set_keyframes"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]
Keyframe = list[GenericDescription]
"""Descriptions of one keyframe: of the whole scene, or of parts of it by the same name."""

_FIELDS = "qpos", "qvel", "ctrl", "mpos", "mquat", "act"
"""Numbers of a keyframe; all but the last are those of the initial state, in its order."""
_WIDTHS = {mujoco.mjtJoint.mjJNT_FREE: (7, 6), mujoco.mjtJoint.mjJNT_BALL: (4, 3)}
"""Positions and velocities of joints that have more than one."""


def add_keyframes(build: Build) -> None:
    """Add the scene's keyframes to the spec; `set_keyframes` gives those of parts their numbers."""
    for keyframe in _keyframes(build.scene):
        first = keyframe[0]
        partial = "part" in first.targets
        values = {k: v for k, v in first.overrides.items() if k == "time" or not partial}
        added = build.spec.add_key(name=build.names[first.path])
        apply_overrides(added, "key", values, build.names)


def set_keyframes(
    build: Build,
    model: mujoco.MjModel,
    start: InitialState,
    deformables: Sequence[CompiledDeformable],
) -> None:
    """Set the numbers of keyframes of parts, in the model and in the spec.

    What they have no number of is as at the start. Poses in world move with the part.
    """
    for index, keyframe in enumerate(_keyframes(build.scene)):
        if "part" not in keyframe[0].targets:
            continue
        rows = {name: getattr(model, f"key_{name}")[index].reshape(-1) for name in _FIELDS}
        started = (start.qpos, start.qvel, start.ctrl, start.mocap_pos, start.mocap_quat)
        for field, values in zip(_FIELDS, started, strict=False):
            rows[field][:] = values.reshape(-1)
        for part in keyframe:
            below = _Scope(build, model, part.targets["part"][0], deformables)
            _set_part(build, part, below, rows)
        for field, values in rows.items():
            setattr(build.spec.keys[index], field, values)


def _keyframes(scene: SceneDescription) -> list[Keyframe]:
    """Keyframes in order; those of one name from different parts are merged."""
    found: list[Keyframe] = []
    by_name: dict[str, Keyframe] = {}
    for key in scene.elements:
        if key.kind != "key":
            continue
        name = key.name or key.path.rpartition("/")[2]
        others = by_name.get(name)
        if others is not None and not any(_overlap(key, other) for other in others):
            others.append(key)
            continue
        found.append([key])
        if "part" in key.targets:
            by_name.setdefault(name, found[-1])
    return found


def _overlap(a: GenericDescription, b: GenericDescription) -> bool:
    """Whether two keyframes are of one part of the stage, or of nested parts."""
    parts = a.targets.get("part", ("/",))[0], b.targets.get("part", ("/",))[0]
    return is_below(*parts) or is_below(*parts[::-1])


class _Scope:
    """Coordinates and actuators of the model that a keyframe has numbers of.

    Attributes:
        places: indices of its numbers in the model's rows, by field.
        free: first positions and velocities of bodies that move freely, shape (bodies, 2).
        vertices: the same of vertices of deformable bodies, shape (vertices, 2).
    """

    def __init__(
        self, build: Build, model: mujoco.MjModel, path: str, soft: Sequence[CompiledDeformable]
    ):
        soft = [body for body in soft if body.description.is_below(path)]
        rigid = [
            element.id
            for body, element in zip(build.scene.bodies, build.bodies, strict=True)
            if body.is_below(path)
        ]
        below = np.zeros(model.nbody, bool)
        for ids in (np.array(rigid, np.intp), *(body.body_ids for body in soft)):
            below[ids] = True
        joints = np.flatnonzero(below[model.jnt_bodyid])
        addresses = np.stack([model.jnt_qposadr[joints], model.jnt_dofadr[joints]], axis=1)
        kinds = model.jnt_type[joints]
        widths = [_WIDTHS.get(kind, (1, 1)) for kind in kinds.tolist()]
        counts = np.array(widths, np.intp).reshape(-1, 2)
        self.free = addresses[kinds == mujoco.mjtJoint.mjJNT_FREE]
        vertices = [np.stack([body.qpos_adr, body.dof_adr], axis=1) for body in soft]
        self.vertices = np.concatenate([np.zeros((0, 2), np.intp), *vertices])
        self.vertices = self.vertices[self.vertices[:, 0] >= 0]
        mocap = np.sort(model.body_mocapid[below & (model.body_mocapid >= 0)])
        acts = _actuators(build, path)
        self.places: dict[str, Ids] = {
            "qpos": _ranges(addresses[:, 0], counts[:, 0]),
            "qvel": _ranges(addresses[:, 1], counts[:, 1]),
            "act": _ranges(model.actuator_actadr[acts], model.actuator_actnum[acts]),
            "ctrl": _ranges(model.actuator_ctrladr[acts], model.actuator_ctrlnum[acts]),
            "mpos": _ranges(3 * mocap, np.full(len(mocap), 3)),
            "mquat": _ranges(4 * mocap, np.full(len(mocap), 4)),
        }


def _actuators(build: Build, path: str) -> Ids:
    """Engine's actuators of the drives and actuators at or below a prim, ascending."""
    drives: dict[str, Any] = build.elements["actuator"]
    found = [element.id for drive, element in drives.items() if is_below(drive, path)]
    # Actuators follow the drives, and may be nameless.
    numbered = enumerate(build.scene.actuators, len(drives))
    return np.sort([*found, *(i for i, a in numbered if a.is_below(path))]).astype(np.intp)


def _ranges(starts: NDArray[Any], counts: NDArray[Any]) -> Ids:
    """Indices of ranges, one after the other."""
    ranges = map(np.arange, starts.tolist(), (starts + counts).tolist())
    return np.concatenate([np.zeros(0, np.intp), *ranges]).astype(np.intp)


def _set_part(build: Build, key: GenericDescription, part: _Scope, rows: dict[str, Floats]) -> None:
    """Set the numbers that a keyframe states, in world."""
    stated = {}
    for field, places in part.places.items():
        values = np.ravel(np.asarray(key.overrides.get(field, ()), np.float64))
        if len(values) == len(places):
            rows[field][places] = values
            stated[field] = rows[field]
        elif len(values):
            build.note(
                key.path,
                f"has {len(values)} numbers of mjc:{field} for {len(places)} of what moves below "
                f"{key.targets['part'][0]}, which stay as at the start. State as many.",
            )
    if key.pose.almost_equal(Pose()):
        return
    for position, velocity in part.free.tolist():
        if "qpos" in stated:
            _place(rows["qpos"][position : position + 3], key.pose)
            _turn(rows["qpos"][position + 3 : position + 7], key.pose)
        if "qvel" in stated:
            _rotate(rows["qvel"][velocity : velocity + 3], key.pose)
    for field, first in zip(("qpos", "qvel"), part.vertices.T.tolist(), strict=True):
        for place in first if field in stated else ():
            _rotate(rows[field][place : place + 3], key.pose)
    for place in part.places["mpos"][::3].tolist() if "mpos" in stated else ():
        _place(rows["mpos"][place : place + 3], key.pose)
    for place in part.places["mquat"][::4].tolist() if "mquat" in stated else ():
        _turn(rows["mquat"][place : place + 4], key.pose)


def _place(point: Floats, pose: Pose) -> None:
    point[:] = pose.apply(point)


def _rotate(vector: Floats, pose: Pose) -> None:
    vector[:] = quat_apply(pose.quat, vector)


def _turn(quat: Floats, pose: Pose) -> None:
    quat[:] = quat_to_wxyz(quat_multiply(pose.quat, quat_from_wxyz(quat)))
