"""Frames of a recording: states at the times of whole frames, interpolated between steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_slerp

__all__ = ["Moment", "WholeFrames"]

Array = NDArray[np.float64]

_SLACK = 1e-6
"""Part of a frame by which a time may miss it: steps are summed up in floating point."""


@dataclass(frozen=True, eq=False)
class Moment:
    """State of a world at one time, as it is recorded."""

    time: float
    """Simulated time [s]."""
    poses: Array
    """Poses of all bodies in world [m, xyzw], shape (bodies, 7)."""
    points: tuple[Array, ...] = ()
    """Vertices of each deformable body in world [m], shape (vertices, 3)."""
    markers: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Attributes of what draws markers, by prim path; they jump from one moment to the next."""

    def towards(self, other: Moment, time: float) -> Moment:
        """The moment at a time between this one and another."""
        share = (time - self.time) / (other.time - self.time)
        places = self.poses[:, :3] + share * (other.poses[:, :3] - self.poses[:, :3])
        turns = quat_slerp(self.poses[:, 3:], other.poses[:, 3:], share)
        points = tuple(a + share * (b - a) for a, b in zip(self.points, other.points, strict=True))
        return Moment(time, np.concatenate([places, turns], axis=1), points, self.markers)


class WholeFrames:
    """Takes moments at any times and keeps those of whole frames.

    The first moment is the frame at its time or the one before. A time that runs back, after a
    reset, goes on with the next frame.

    Args:
        rate: frames per second.

    Attributes:
        frames: numbers of the frames that are kept, counted from time 0.
        moments: what is kept of each.
    """

    def __init__(self, rate: float):
        self._rate = rate
        self.frames: list[int] = []
        self.moments: list[Moment] = []
        self._before: Moment | None = None
        self._last = -np.inf
        self._late = 0.0

    def is_needed(self, time: float) -> bool:
        """Whether the moment at a time may be used: it is at a frame, or the last before one."""
        if not self.frames or time < self._last:
            return True
        # The next step may be somewhat longer than this one.
        ahead = time + self._late + 2.0 * (time - self._last)
        needed = ahead * self._rate >= self.frames[-1] + 1 - _SLACK
        if not needed:
            self._last = time
        return bool(needed)

    def add(self, moment: Moment) -> bool:
        """Take a moment, if it is later than the last; whether a frame was kept."""
        time = moment.time
        if time < self._last and self.frames:
            self._late = (self.frames[-1] + 1) / self._rate - time
            self._before = None
        self._last = time
        now = replace(moment, time=time + self._late)
        kept = [*self._due(now)]
        for number, state in kept:
            self.frames.append(number)
            self.moments.append(state)
        self._before = now
        return bool(kept)

    def _due(self, now: Moment) -> Iterator[tuple[int, Moment]]:
        """Frames up to a moment, with their states."""
        last = int(np.floor(now.time * self._rate + _SLACK))
        before = self._before
        if before is None:
            if not self.frames or last > self.frames[-1]:
                yield last, now
            return
        for number in range(self.frames[-1] + 1, last + 1):
            time = number / self._rate
            at_end = now.time - time < _SLACK / self._rate
            yield number, now if at_end else before.towards(now, time)
