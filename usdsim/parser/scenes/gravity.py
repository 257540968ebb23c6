"""Gravity of bodies on stages with several physics scenes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from usdsim.math.transforms import Pose
from usdsim.parser.bodies.forces import Forces
from usdsim.parser.context import ParseContext
from usdsim.parser.description import BodyDescription, DeformableDescription

from .ownership import Ownership
from .settings import SceneSettings

__all__ = ["SceneGravity"]

_ALIKE = 1e-6
"""Relative difference of two directions of gravity that counts as none."""


class SceneGravity:
    """Gravity of each scene, in an engine that has one.

    Bodies of another scene feel a multiple of the engine's gravity, which compensation makes up
    for; or where their own has another direction, a constant force and none of it.

    Args:
        context: of the stage.
        settings: of its scenes.
        ownership: which of them simulates what.
    """

    def __init__(self, context: ParseContext, settings: SceneSettings, ownership: Ownership):
        self._context, self._ownership = context, ownership
        self._gravities = tuple(settings.gravities.values())
        size = float(settings.gravity @ settings.gravity)
        self._shares: list[float | None] = []
        for gravity in self._gravities:
            share = float(gravity @ settings.gravity) / size if size else 0.0
            across = np.linalg.norm(gravity - share * settings.gravity)
            alike = across <= _ALIKE * np.linalg.norm(gravity)
            self._shares.append((1.0 if gravity is settings.gravity else share) if alike else None)

    def of_bodies(
        self, bodies: Sequence[BodyDescription], forces: Forces
    ) -> tuple[BodyDescription, ...]:
        """Bodies with the gravity of their scenes; `forces` get what is a constant force."""
        if not self._ownership.several:
            return tuple(bodies)
        result = []
        for index, body in enumerate(bodies):
            owner = 0 if body.kinematic else self._ownership.of_body(body.path)
            share, felt = self._shares[owner], 1.0 - body.gravity_compensation
            if share is None:
                weight = np.append(felt * body.mass * self._gravities[owner], np.zeros(3))
                forces.push(f"{body.path}:gravity", index, Pose(body.com), weight, world=True)
                share = 0.0
            if share != 1.0 and not body.kinematic:
                body = replace(body, gravity_compensation=1.0 - felt * share)
            result.append(body)
        return tuple(result)

    def of_deformables(
        self, bodies: Iterable[DeformableDescription]
    ) -> tuple[DeformableDescription, ...]:
        """Deformable bodies with the gravity of their scenes."""
        if not self._ownership.several:
            return tuple(bodies)
        result = []
        for body in bodies:
            owner = self._ownership.of_body(body.path)
            share = self._shares[owner]
            if share is None:
                paths = self._ownership.paths
                self._context.report.warning(
                    "unsupported", body.path,
                    f"feels no gravity: that of {paths[owner]} points another way than that of "
                    f"{paths[0]}, and deformable bodies feel multiples of one; load the scene as "
                    "a stage of its own",
                )  # fmt: skip
                share = 0.0
            result.append(replace(body, gravity_scale=body.gravity_scale * share))
        return tuple(result)
