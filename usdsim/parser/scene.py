"""Gravity, time step, and which physics scene counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .context import Context
from .prims import PrimView
from .quantities import Quantities

__all__ = ["SceneSettings", "parse_scene"]


_EARTH = 9.81
"""[m/s^2]"""
_RATE = 1000.0
"""Time steps per second [Hz] where Newton's schema is applied and nothing states any."""


@dataclass(frozen=True, slots=True, eq=False)
class SceneSettings:
    """What the physics scene prim says."""

    view: PrimView | None
    gravity: NDArray[np.float64]
    """[m/s^2] in the Z-up world, shape (3,)."""
    timestep: float | None
    """[s]"""
    bounce_threshold: float | None = None
    """[m/s]"""


def parse_scene(context: Context, quantities: Quantities) -> SceneSettings:
    """The stage's physics scene: the first one in stage order."""
    scenes = [view for view, _ in context.descs("Scene")]
    if not scenes:
        gravity = np.array([0.0, 0.0, -_EARTH])
        context.report.default("/", "physics:gravityMagnitude", _EARTH)
        return SceneSettings(None, gravity, None)
    for other in scenes[1:]:
        context.report.warning(
            "second-scene", other.path,
            f"is a second physics scene; everything is simulated in {scenes[0].path}",
        )  # fmt: skip
        other.read.update(other.names)
    scene = scenes[0]
    rate = quantities.read(scene, "scene", "steps_per_second")
    if rate is not None and not rate > 0.0:
        context.report.error(
            "invalid-value", scene.path, f"asks for {rate} time steps per second; at least 1"
        )
        rate = None
    step = quantities.read(scene, "scene", "timestep")
    newton = "newton" in quantities.precedence and scene.has_api("NewtonSceneAPI")
    if step is None and rate is None and newton:
        rate = _RATE
        context.report.default(scene.path, "newton:timeStepsPerSecond", _RATE)
    timestep = step if step is not None else (None if rate is None else 1.0 / rate)
    threshold = quantities.read(scene, "scene", "bounce_threshold")
    if threshold is not None and threshold < 0.0:
        threshold = None  # The schema's own word for the default is minus infinity.
    return SceneSettings(scene, _gravity(context, scene, quantities), timestep, threshold)


def _gravity(context: Context, scene: PrimView, quantities: Quantities) -> NDArray[np.float64]:
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
    if quantities.read(scene, "scene", "gravity_enabled") is False:
        size = 0.0
    return size * down + 0.0
