"""Losses of every export: what acts here beside the engine's model, and which no format says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from usdsim.parser.description import (
    BodyDescription,
    DofDescription,
    DriveDescription,
    SceneDescription,
)

__all__ = ["unsaid"]


def unsaid(scene: SceneDescription) -> Iterator[tuple[str, str, str]]:
    """Losses that MJCF and URDF have in common: code, prim path, and what is lost."""
    for body in scene.bodies:
        for code, what in _of_body(body):
            yield code, body.path, what
    for joint in scene.joints:
        for dof in joint.dofs:
            for drive in _drives(dof):
                if drive.envelope is not None:
                    yield "envelope", dof.path, "has less force the faster it is"
                if drive.samples is not None:
                    yield "samples", dof.path, "has targets that vary over time"
    for actuator in scene.actuators:
        if actuator.samples is not None:
            yield "samples", actuator.path, "varies over time"


def _of_body(body: BodyDescription) -> Iterator[tuple[str, str]]:
    if body.locked.any():
        yield "locks", "is locked to axes of the world"
    if not body.gyroscopic:
        yield "gyroscopy", "feels no gyroscopic torque"
    if np.isfinite([body.max_linear_velocity, body.max_angular_velocity]).any():
        yield "speed-limit", "has a largest speed"
    if body.samples is not None:
        yield "samples", "moves as its transforms vary over time"


def _drives(dof: DofDescription) -> Iterator[DriveDescription]:
    if dof.drive is not None:
        yield dof.drive
    for about in dof.ball_drives:
        yield about.drive
