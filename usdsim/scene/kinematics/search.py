"""Inverse kinematics searches on a chain, in all worlds at once, by kernels on the host."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import warp as wp
from numpy.typing import NDArray

from . import search_kernels as kernels
from .chain import KinematicChain

__all__ = ["Found", "Given", "Search", "Settings", "twists"]

Floats = NDArray[np.float64]


class Settings(NamedTuple):
    """Options that all searches of a solver share."""

    weights: Floats
    """Weights of linear and angular errors, shape (6,)."""
    damping: float
    """Distance from singularity at which the first step of a search is kept."""
    step_limit: float
    """Largest change of a joint in one step [m or rad]."""
    restarts: int
    """Number of times that a world is tried again from a random position."""
    seed: int
    """Seed of those positions, 32 bits."""


class Given(NamedTuple):
    """State of the worlds in which is searched."""

    links: Floats
    """Poses of joints and end in the frame before them, shape (1 or worlds, joints + 1, 7)."""
    axes: Floats
    """Axes of the joints, shape (1 or worlds, joints, 3)."""
    ids: NDArray[np.intp]
    """Ids of the worlds, which their random positions belong to, shape (worlds,)."""
    qpos: Floats
    """Positions of all joints, where searches start, shape (worlds, nq)."""
    base: Floats
    """Poses of what the chain hangs on, shape (worlds, 7)."""
    target: Floats
    """Poses to reach, shape (worlds, 7)."""
    low: Floats
    """Lower limits, shape (worlds, k)."""
    high: Floats
    """Upper limits, shape (worlds, k)."""


class Found(NamedTuple):
    """The best that was found in each world."""

    joints: Floats
    """[m or rad], shape (worlds, k)."""
    errors: Floats
    """Distance [m] and angle [rad] to the target, shape (worlds, 2)."""
    converged: NDArray[np.bool_]
    """Whether both are within the tolerance, shape (worlds,)."""
    steps: NDArray[np.int32]
    """Steps tried, shape (worlds,)."""


_FRAME, _REAL = wp.transformd, wp.float64
# Types of what is given and found, in kernels.
_GIVEN = _FRAME, wp.vec3d, wp.int32, _REAL, _FRAME, _FRAME, _REAL, _REAL
_FOUND = _REAL, wp.vec2d, wp.bool, wp.int32


class Search:
    """Arrays of a number of worlds, and the kernel that searches in them.

    Args:
        chain: the chain.
        settings: the same for each run.
        given: of the shapes that each run has.
    """

    def __init__(self, chain: KinematicChain, settings: Settings, given: Given):
        worlds, moving = given.low.shape
        types = [np.int32 if kind is wp.int32 else np.float64 for kind in _GIVEN]
        self._given = Given(*map(np.empty, (part.shape for part in given), types))
        self._found = Found(
            np.empty((worlds, moving)),
            np.empty((worlds, 2)),
            np.empty(worlds, np.bool_),
            np.empty(worlds, np.int32),
        )
        scratch = np.empty((worlds, 2, moving)), np.empty((worlds, 2, moving, 6))
        inputs = [
            *_constants(chain),
            *(_array(part, kind) for part, kind in zip(self._given, _GIVEN, strict=True)),
            wp.spatial_vectord(*settings.weights),
            *settings[1:],
            wp.vec2d(),  # The tolerance, and the number of iterations: those of each run.
            0,
            *map(_array, scratch, (_REAL, wp.spatial_vectord)),
            *map(_array, self._found, _FOUND),
        ]
        self._launch = wp.launch(
            kernels.search, dim=worlds, inputs=inputs, device="cpu", record_cmd=True
        )

    def fits(self, given: Given) -> bool:
        """Whether the given arrays have the shapes of these."""
        return all(new.shape == old.shape for new, old in zip(given, self._given, strict=True))

    def run(self, given: Given, tolerance: Floats, iterations: int) -> Found:
        """Search in each world, from where it is.

        Args:
            given: the worlds.
            tolerance: largest error of position [m] and orientation [rad], shape (2,).
            iterations: most steps to try from one start.
        """
        for own, new in zip(self._given, given, strict=True):
            own[...] = new
        if self._launch is not None:  # There are worlds.
            self._launch.set_param_by_name("tolerance", wp.vec2d(*tolerance))
            self._launch.set_param_by_name("iterations", iterations)
            self._launch.launch()
        joints, errors, converged, steps = self._found
        return Found(joints.copy(), errors.copy(), converged.copy(), steps.copy())


def twists(
    chain: KinematicChain, geometry: tuple[Floats, Floats], qpos: Floats, base: Floats
) -> Floats:
    """Twists that the end has where one joint moves at unit speed, shape (worlds, k, 6).

    Args:
        chain: the chain.
        geometry: its links and axes.
        qpos: positions of all joints, shape (worlds, nq).
        base: poses of what it hangs on, shape (worlds, 7).
    """
    found = np.empty((len(qpos), len(chain.joints), 6))
    values = np.empty(found.shape[:2])
    inputs = [*_constants(chain), *geometry, qpos.astype(np.float64), base, values, found]
    wp.launch(kernels.reach, dim=len(qpos), inputs=inputs, device="cpu")
    return found


def _constants(chain: KinematicChain) -> list[wp.array]:
    """Constants of a chain, which kernels need first."""
    table, places = chain.table, chain.places.astype(np.int32)
    return [_array(table, wp.int32), _array(places, wp.int32), _array(chain.zeros, _REAL)]


def _array(values: NDArray[Any], kind: Any) -> wp.array:
    """A Warp array of the same memory."""
    return wp.array(values, dtype=kind, device="cpu", copy=False)
