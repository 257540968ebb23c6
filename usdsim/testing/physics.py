"""Physical comparison of two robots or scenes, from whatever files they come.

Bodies and joints are matched by name. What is compared are quantities that have a meaning in
every format: masses, joints, drives and shapes one by one, and the poses, mass matrices and gravity
forces that follow from them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from pxr import Usd

from usdsim.converters.conversion import convert_file
from usdsim.engine import compile_scene
from usdsim.engine.colliding import colliding
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.exporters.urdf.actuation import ON_JOINTS, largest_force
from usdsim.exporters.urdf.robot import is_weightless
from usdsim.math.rotations import quat_from_wxyz, quat_to_matrix
from usdsim.parser import parse_stage

__all__ = ["Contrast", "Side", "compare_physics", "compare_sides"]

Array = NDArray[np.float64]

_RELATIVE = 1e-5
"""Relative difference that rounding to single precision explains."""
_ABSOLUTE = 1e-9
_WEIGHTLESS = 1e-5
"""Mass of bodies that only join others [kg], such as those between the joints of a URDF."""
_KINDS = {
    int(mujoco.mjtJoint.mjJNT_FREE): "free",
    int(mujoco.mjtJoint.mjJNT_BALL): "ball",
    int(mujoco.mjtJoint.mjJNT_SLIDE): "slide",
    int(mujoco.mjtJoint.mjJNT_HINGE): "hinge",
}


@dataclass(frozen=True)
class Contrast:
    """One physical difference."""

    kind: str
    """``scene``, ``body``, ``joint``, ``motion`` or ``dynamics``."""
    name: str
    """Name of the element in both; empty for the whole."""
    quantity: str
    """Quantity that differs, with its unit."""
    first: Any
    second: Any
    """Both values; the first is None where the second says how far both are apart."""

    def __str__(self) -> str:
        what = f"{self.kind} {self.name!r}" if self.name else self.kind
        values = [self.second] if self.first is None else [self.first, self.second]
        return f"{what}: {self.quantity} {' | '.join(map(_shown, values))}"


def compare_physics(
    first: str | os.PathLike[str] | Usd.Stage,
    second: str | os.PathLike[str] | Usd.Stage,
    *,
    samples: int = 5,
    steps: int = 100,
) -> list[Contrast]:
    """Compare the physics of two files of any formats.

    Args:
        first: a file that converts, or a stage.
        second: another.
        samples: random joint positions at which poses, mass matrix and gravity forces are compared.
        steps: time steps of both that are compared, from where the first starts; 0: none.

    Returns:
        The differences, the scene's first; empty if both are the same robot.

    Raises:
        FileError: a file is missing or unreadable.
        ConversionError: one cannot be converted.
        ParseError: one has no physics, or is physically invalid.
    """
    return compare_sides(Side(first), Side(second), samples=samples, steps=steps)


def compare_sides(one: Side, other: Side, *, samples: int, steps: int) -> list[Contrast]:
    """Compare two models whose elements have names; see `compare_physics`."""
    return [
        *_scene(one, other),
        *_elements("body", one, other, _BODY),
        *_elements("joint", one, other, _JOINT),
        *_at_random(one, other, samples),
        *_motion(one, other, steps),
    ]


class Side:
    """One of the two models, with its elements by name."""

    def __init__(self, source: str | os.PathLike[str] | Usd.Stage):
        stage = source if isinstance(source, Usd.Stage) else convert_file(source).stage
        self.compiled: CompiledModel = compile_scene(parse_stage(stage).scene)
        self.mj: mujoco.MjModel = self.compiled.mj

    @cached_property
    def body(self) -> dict[str, int]:
        """Bodies that weigh or move something."""
        names, model = self.named("body"), self.mj
        return {
            name: i
            for name, i in names.items()
            if model.body_mass[i] > _WEIGHTLESS or model.body_jntnum[i]
        }

    @cached_property
    def joint(self) -> dict[str, int]:
        """Joints."""
        return self.named("joint")

    def named(self, kind: str) -> dict[str, int]:
        """Indices of bodies or joints by the last part of their names, the first of each."""
        names, paths = self.compiled.names.names(kind), self.compiled.names.paths(kind)
        found: dict[str, int] = {}
        for i, (name, path) in enumerate(zip(names, paths, strict=True)):
            key = name.rpartition("/")[2] or path.rpartition("/")[2]
            if key and path != "/":
                found.setdefault(key, i)
        return found

    def gains(self, joint: int) -> Array:
        """Stiffness, damping and largest force of all drives of a joint, shape (3,)."""
        model, total = self.mj, np.zeros(3)
        for actuator in range(int(model.nactuator)):
            on = int(model.actuator_trntype[actuator]) in ON_JOINTS
            if not on or int(model.actuator_trnid[actuator, 0]) != joint:
                continue
            gear = float(model.actuator_gear[actuator, 0])
            total[:2] -= gear * gear * model.actuator_biasprm[actuator, 1:3]
            total[2] += abs(gear) * largest_force(model, actuator)
        if model.jnt_actfrclimited[joint]:
            total[2] = min(total[2], float(np.abs(model.jnt_actfrcrange[joint]).max()))
        return total

    def held(self, body: int) -> float:
        """Share of a body's weight that something holds; all of it where there is no gravity."""
        return 1.0 if is_weightless(self.mj) else float(self.mj.body_gravcomp[body])


def _centre(side: Side, body: int) -> Array:
    """Centre of mass; the origin of a body that has none."""
    model = side.mj
    return model.body_ipos[body] if model.body_mass[body] > _WEIGHTLESS else np.zeros(3)


def _inertia(side: Side, body: int) -> Array:
    turn = quat_to_matrix(quat_from_wxyz(side.mj.body_iquat[body]))
    return turn @ np.diag(side.mj.body_inertia[body]) @ turn.T


def _colliding(side: Side, body: int) -> NDArray[np.intp]:
    return np.flatnonzero(colliding(side.mj) & (side.mj.geom_bodyid == body))


def _colliders(side: Side, body: int) -> int:
    return len(_colliding(side, body))


def _reach(side: Side, body: int) -> Array:
    """Bounds of a body's colliders in its frame [m], shape (2, 3)."""
    model = side.mj
    corners = []
    for geom in _colliding(side, body).tolist():
        turn = quat_to_matrix(quat_from_wxyz(model.geom_quat[geom]))
        centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
        middle = model.geom_pos[geom] + turn @ centre
        reach = np.abs(turn) @ half
        corners += [middle - reach, middle + reach]
    return np.array([np.min(corners, axis=0), np.max(corners, axis=0)]) if corners else np.zeros(0)


def _friction(side: Side, body: int) -> Array:
    own = side.mj.geom_friction[_colliding(side, body), 0]
    return np.unique(own.astype(np.float32)).astype(np.float64)


def _of_dof(name: str) -> Callable[[Side, int], float]:
    return lambda side, joint: float(getattr(side.mj, name)[side.mj.jnt_dofadr[joint]])


def _limit(end: int) -> Callable[[Side, int], float]:
    def read(side: Side, joint: int) -> float:
        limited = bool(side.mj.jnt_limited[joint])
        return float(side.mj.jnt_range[joint, end]) if limited else (-np.inf, np.inf)[end]

    return read


_BODY: dict[str, Callable[[Side, int], Any]] = {
    "mass [kg]": lambda side, i: float(side.mj.body_mass[i]),
    "centre of mass [m]": _centre,
    "inertia [kg m^2]": _inertia,
    "share of its weight held": Side.held,
    "colliders": _colliders,
    "bounds of its colliders [m]": _reach,
    "friction": _friction,
}
_JOINT: dict[str, Callable[[Side, int], Any]] = {
    "kind": lambda side, i: _KINDS[int(side.mj.jnt_type[i])],
    "lower limit [rad or m]": _limit(0),
    "upper limit [rad or m]": _limit(1),
    "damping": _of_dof("dof_damping"),
    "dry friction": _of_dof("dof_frictionloss"),
    "armature": _of_dof("dof_armature"),
    "spring stiffness": lambda side, i: float(side.mj.jnt_stiffness[i]),
    "drive stiffness": lambda side, i: float(side.gains(i)[0]),
    "drive damping": lambda side, i: float(side.gains(i)[1]),
    "largest force of its drive [N m or N]": lambda side, i: float(side.gains(i)[2]),
}
_SCENE: dict[str, Callable[[Side], Any]] = {
    "total mass [kg]": lambda side: float(side.mj.body_mass.sum()),
    "gravity [m/s^2]": lambda side: side.mj.opt.gravity.copy(),
    "time step [s]": lambda side: float(side.mj.opt.timestep),
    "degrees of freedom": lambda side: int(side.mj.nv),
    "constraints between bodies or joints": lambda side: int(side.mj.neq),
    "tendons": lambda side: int(side.mj.ntendon),
    "actuators": lambda side: int(side.mj.nactuator),
}


def _scene(one: Side, other: Side) -> Iterator[Contrast]:
    for quantity, read in _SCENE.items():
        first, second = read(one), read(other)
        if not _alike(first, second):
            yield Contrast("scene", "", quantity, _plain(first), _plain(second))


def _elements(
    kind: str, one: Side, other: Side, rows: dict[str, Callable[[Side, int], Any]]
) -> Iterator[Contrast]:
    mine, theirs = getattr(one, kind), getattr(other, kind)
    for name in [*mine, *(name for name in theirs if name not in mine)]:
        if name not in mine or name not in theirs:
            side, own = (one, mine) if name in mine else (other, theirs)
            if kind != "body" or side.mj.body_mass[own[name]] > _WEIGHTLESS:
                yield Contrast(kind, name, "exists", name in mine, name in theirs)
            continue
        for quantity, read in rows.items():
            first, second = read(one, mine[name]), read(other, theirs[name])
            if not _alike(first, second):
                yield Contrast(kind, name, quantity, _plain(first), _plain(second))


def _shared(one: Side, other: Side) -> list[tuple[int, int]]:
    """Joints of both sides with one name and kind."""
    return [
        (index, other.joint[name])
        for name, index in one.joint.items()
        if name in other.joint and one.mj.jnt_type[index] == other.mj.jnt_type[other.joint[name]]
    ]


def _spans(one: Side, other: Side, address: str, widths: tuple[int, ...]) -> tuple[Any, Any]:
    """Positions or velocities of the shared joints on both sides."""
    found: tuple[list[int], list[int]] = ([], [])
    for pair in _shared(one, other):
        for side, joint, places in zip((one, other), pair, found, strict=True):
            start = int(getattr(side.mj, address)[joint])
            places += range(start, start + widths[int(side.mj.jnt_type[joint])])
    return found


_POSITIONS, _VELOCITIES = (7, 4, 1, 1), (6, 3, 1, 1)
_APART = 1e-3
"""Difference of positions that counts [rad or m]."""


def _at_random(one: Side, other: Side, samples: int) -> Iterator[Contrast]:
    """Largest differences of poses, mass matrix and gravity forces over random positions."""
    q, v = (
        _spans(one, other, "jnt_qposadr", _POSITIONS),
        _spans(one, other, "jnt_dofadr", _VELOCITIES),
    )
    bodies = [(i, other.body[name], name) for name, i in one.body.items() if name in other.body]
    rng = np.random.default_rng(0)
    apart, farthest, mass, force = 0.0, "", 0.0, 0.0
    for _ in range(samples):
        values = rng.uniform(-1.0, 1.0, len(q[0]))
        states = [_state(s, places, values) for s, places in zip((one, other), q, strict=True)]
        for a, b, name in bodies:
            gap = float(np.abs(states[0].xpos[a] - states[1].xpos[b]).max())
            apart, farthest = max((apart, farthest), (gap, name))
        if not v[0]:
            continue
        sides = list(zip((one, other), states, v, strict=True))
        mass = max(mass, _gap_of_masses(*(_joint_inertia(*each) for each in sides)))
        forces = [(data.qfrc_bias - data.qfrc_gravcomp)[places] for _, data, places in sides]
        size = max(1e-3, float(np.abs(forces[0]).max()))
        force = max(force, float(np.abs(forces[0] - forces[1]).max()) / size)
    if apart > _RELATIVE:
        yield Contrast(
            "motion", farthest, "farthest apart at equal joint positions [m]", None, apart
        )
    for text, gap in (("mass matrices", mass), ("gravity forces", force)):
        if gap > _RELATIVE:
            yield Contrast("dynamics", "", f"relative difference of {text}", None, gap)


def _state(side: Side, places: list[int], values: Array) -> mujoco.MjData:
    """State at rest at some positions, whose contacts do not matter: bodies may lie in others."""
    model, data = side.mj, mujoco.MjData(side.mj)
    data.qpos[places] = values
    mujoco.mj_normalizeQuat(model, data.qpos)
    for stage in ("mj_kinematics", "mj_comPos", "mj_tendon", "mj_makeM", "mj_fwdVelocity"):
        getattr(mujoco, stage)(model, data)
    return data


def _joint_inertia(
    side: Side, data: mujoco.MjData, places: list[int]
) -> dict[tuple[int, int], float]:
    """Joint-space inertia, its lower half, by the places of degrees of freedom among `places`."""
    model, order = side.mj, {place: index for index, place in enumerate(places)}
    rows = np.repeat(np.arange(model.nv), model.M_rownnz).tolist()
    entries = zip(rows, model.M_colind.tolist(), data.M.tolist(), strict=True)
    return {
        (max(order[i], order[j]), min(order[i], order[j])): value
        for i, j, value in entries
        if i in order and j in order
    }


def _gap_of_masses(
    first: dict[tuple[int, int], float], second: dict[tuple[int, int], float]
) -> float:
    """Largest difference of two inertias, relative to the diagonal of the first."""
    scale = {i: np.sqrt(value) for (i, j), value in first.items() if i == j}
    return max(
        float(abs(first.get(key, 0.0) - second.get(key, 0.0)))
        / (scale[key[0]] * scale[key[1]] + 1e-12)
        for key in first.keys() | second.keys()
    )


def _motion(one: Side, other: Side, steps: int) -> Iterator[Contrast]:
    """Starts of the shared joints, and their drift when both simulate from that of the first.

    A file may have its initial state in a keyframe, in which it does not start by itself.
    """
    q = _spans(one, other, "jnt_qposadr", _POSITIONS)
    if not steps or not q[0]:
        return
    names = {index: name for name, index in one.joint.items()}
    for joint, its in _shared(one, other):
        starts = _start(one, joint), _start(other, its)
        if np.abs(starts[0] - starts[1]).max() > _APART:
            shown = [start.tolist() if start.size > 1 else start.item() for start in starts]
            yield Contrast("joint", names[joint], "initial position [rad or m]", *shown)
    states = []
    for side in (one, other):
        data, start = mujoco.MjData(side.mj), side.compiled.initial
        data.qpos[:], data.qvel[:], data.ctrl[:] = start.qpos, start.qvel, start.ctrl
        states.append(data)
    states[1].qpos[q[1]] = states[0].qpos[q[0]]
    gap = 0.0
    for _ in range(steps):
        for side, data in zip((one, other), states, strict=True):
            mujoco.mj_step(side.mj, data)
        gap = max(gap, float(np.abs(states[0].qpos[q[0]] - states[1].qpos[q[1]]).max()))
    if gap > _APART:
        what = f"farthest apart within {steps} steps [rad or m]"
        yield Contrast("motion", "", what, None, gap)


def _start(side: Side, joint: int) -> Array:
    """Initial position of a joint."""
    at, width = int(side.mj.jnt_qposadr[joint]), _POSITIONS[int(side.mj.jnt_type[joint])]
    return np.asarray(side.compiled.initial.qpos[at : at + width], np.float64)


def _alike(first: Any, second: Any) -> bool:
    if isinstance(first, str | bool):
        return bool(first == second)
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if a.shape != b.shape:
        return False
    size = max(float(np.abs(np.where(np.isfinite(a), a, 0.0)).max(initial=0.0)), 1e-3)
    return bool(np.allclose(a, b, rtol=_RELATIVE, atol=_ABSOLUTE + _RELATIVE * size))


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_shown, value)) + "]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
