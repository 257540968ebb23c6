"""Gravity, time step and solver options of the physics scene that counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.parser.context import ParseContext
from usdsim.parser.description import SceneDescription
from usdsim.parser.mjc import MujocoReader
from usdsim.parser.prims import PrimView
from usdsim.parser.quantities import Statement

__all__ = ["SceneSettings", "loose_timestep", "parse_scene", "unshared_settings"]


_EARTH = 9.81
"""[m/s^2]"""
_RATE = 1000.0
"""Time steps per second [Hz] where Newton's schema is applied and nothing states any."""
_FLAG = "flag.gravity"
_SHARED = ("steps_per_second", "bounce_threshold", "inverts_groups")
"""Quantities of the first scene that serve all."""
_ROUNDING = 5e-7
"""Error of a vector from a direction and a magnitude in single precision."""


_MANY = 64
"""Loose bodies that make a scene one of loose bodies."""
_LOOSE_RATE = 120.0
"""Time steps per second [Hz] where nothing states any and nothing but loose bodies moves. A box on
a slope of 26 degrees creeps by 0.02 mm in 2 s; joints and their gains may need more."""


@dataclass(frozen=True, slots=True, eq=False)
class SceneSettings:
    """Settings of the physics scene prim."""

    view: PrimView | None
    gravity: NDArray[np.float64]
    """[m/s^2] in the Z-up world, shape (3,)."""
    timestep: float | None
    """[s]"""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the MuJoCo dialect, by dotted field of its spec."""
    bounce_threshold: float | None = None
    """[m/s]"""
    gravities: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Gravity of every scene prim [m/s^2] by its path, in stage order."""


def parse_scene(context: ParseContext, reader: MujocoReader) -> SceneSettings:
    """The stage's physics scene: the first one in stage order, and the gravity of the others.

    Where the first one has no gravity, that of the first scene that has some stands for it, as
    what bodies feel is stated as a part of it; see `Ownership`.
    """
    options = reader.options()
    scenes = [view for view, _ in context.descs("Scene")]
    if not scenes:
        gravity = np.array([0.0, 0.0, -_EARTH])
        context.report.default("/", "physics:gravityMagnitude", _EARTH)
        return SceneSettings(None, gravity, None, options)
    scene = scenes[0]
    spoken = scene if reader.scene is None else reader.scene
    timestep = _timestep(context, scene, spoken)
    gravity, acts = _gravity(context, scene, spoken, options.pop(_FLAG, None))
    if acts is not None:
        options[_FLAG] = acts
    threshold = context.quantities.read(scene, "scene", "bounce_threshold")
    if threshold is not None and threshold < 0.0:
        threshold = None  # The schema's own word for the default is minus infinity.
    gravities = {scene.path: gravity}
    gravities |= {other.path: _gravity(context, other, other, None)[0] for other in scenes[1:]}
    shown = next((found for found in gravities.values() if found.any()), gravity)
    return SceneSettings(scene, shown, timestep, options, threshold, gravities)


def _timestep(context: ParseContext, scene: PrimView, spoken: PrimView) -> float | None:
    """[s]; None where nothing says so. `spoken` is the scene of the MuJoCo dialect."""
    stated = []
    for statement in context.quantities.stated(scene, "scene", "steps_per_second"):
        if statement.value > 0.0:
            stated.append(replace(statement, value=1.0 / statement.value))
        else:
            context.report.error(
                "invalid-value", scene.path,
                f"is {statement.value:g} time steps per second; allowed: at least 1",
                attribute=statement.name, value=statement.value,
            )  # fmt: skip
    step = spoken.number("mjc:option:timestep")
    if step is not None:
        stated.append(Statement("mjc", "mjc:option:timestep", step, precise=True))
    found = context.quantities.settle(scene, "timestep", stated)
    if found is not None:
        return float(found)
    if "newton" in context.quantities.precedence and scene.has_api("NewtonSceneAPI"):
        context.report.default(scene.path, "newton:timeStepsPerSecond", _RATE)
        return 1.0 / _RATE
    return None


def _gravity(
    context: ParseContext,
    scene: PrimView,
    spoken: PrimView,
    flag: bool | None,
) -> tuple[NDArray[np.float64], bool | None]:
    """Gravity, and MuJoCo's switch of it where that is authored.

    Whoever edits the gravity of a stage that was converted without any wants it to act.
    """
    stated = [Statement("physics", "physics:gravityMagnitude", _standard_gravity(context, scene))]
    exact = spoken.vector("mjc:option:gravity")
    if exact is not None:
        stated.append(Statement("mjc", "mjc:option:gravity", exact, precise=True))
    off = scene.converted.get("gravity_enabled") is False

    def same(statement: Statement, value: Any) -> bool:
        # Other readers know no switch: to them, gravity that is off is zero.
        expected = 0.0 * value if off and statement.dialect == "physics" else value
        return bool(np.abs(statement.value - expected).max() <= _ROUNDING * np.abs(value).max())

    chosen = context.quantities.choose(scene, "gravity", stated, same) or stated[0]
    switches = context.quantities.stated(scene, "scene", "gravity_enabled")
    if flag is not None:
        switches.append(Statement("mjc", "mjc:flag:gravity", bool(flag), precise=True))
    switch = context.quantities.choose(scene, "gravity_enabled", switches)
    enabled = switch is None or bool(switch.value)
    if switch is not None and switch.converted and off and not chosen.converted:
        enabled = True
    if enabled or flag is not None:
        return np.asarray(chosen.value), None if flag is None else enabled
    return np.zeros(3), None


def _standard_gravity(context: ParseContext, scene: PrimView) -> NDArray[np.float64]:
    """USD's sentinels: direction (0, 0, 0) is down, a negative magnitude is the earth's."""
    units = context.units
    direction = scene.vector("physics:gravityDirection", np.zeros(3))
    if not np.isfinite(direction).all():
        scene.invalid("physics:gravityDirection", direction.tolist(), "finite numbers")
        direction = np.zeros(3)
    magnitude = scene.number("physics:gravityMagnitude", -np.inf)
    length = float(np.linalg.norm(direction))
    down = np.array([0.0, 0.0, -1.0])
    if length > 0.0:
        down = units.to_z_up_matrix @ direction / length
    if magnitude < 0.0:
        size = _EARTH
        context.report.default(scene.path, "physics:gravityMagnitude", _EARTH / units.length)
    else:
        size = magnitude * units.length
    if not np.isfinite(size):
        scene.invalid("physics:gravityMagnitude", magnitude, "a finite number")
        size = _EARTH
    return size * down + 0.0


def unshared_settings(context: ParseContext) -> dict[str, list[str]]:
    """Attributes by which other scenes than the first one differ in what all share, by path."""
    scenes = [view for view, _ in context.descs("Scene")]
    found: dict[str, list[str]] = {}
    for view in scenes[1:]:
        own = [name for name in view.names if name.startswith("mjc:") and "gravity" not in name]
        for quantity in _SHARED:
            before = context.quantities.read(scenes[0], "scene", quantity)
            for statement in context.quantities.stated(view, "scene", quantity):
                if statement.value != before:
                    own.append(statement.name)
        view.read.update(own)
        found[view.path] = sorted(own)
    return found


def loose_timestep(context: ParseContext, scene: SceneDescription) -> float | None:
    """Time step of a scene that states none [s]; None: the engine's default.

    Args:
        context: of the stage.
        scene: all of it.
    """
    others = scene.joints or scene.deformables or scene.actuators or scene.options
    if scene.timestep is not None or others or context.exact:
        return scene.timestep
    loose = sum(not (body.kinematic or body.fixed) for body in scene.bodies)
    if loose < _MANY:
        return None
    where = next((view.path for view, _ in context.descs("Scene")), "/")
    context.report.default(where, "physxScene:timeStepsPerSecond", _LOOSE_RATE)
    return 1.0 / _LOOSE_RATE
