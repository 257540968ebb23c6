"""Contacts and constraints that found no room on a Warp device."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco_warp as mjw
import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.errors import SimulationError
from usdsim.engine.compile.pipeline import CompiledModel

from .worlds import WarpWorlds

__all__ = ["Overflow", "overflow_error"]

_T = mjw.OverflowType
_NOT_LOST = int(_T.BROADPHASE | _T.NARROWPHASE | _T.ITERATIONS | _T.LS_ITERATIONS)
"""Flags of what all worlds share, and of what is less exact rather than left out."""
_NOT_CROWDED = _NOT_LOST | int(_T.CONTACT_MATCH)
"""Flags of what leaves the motion as it is, or is known otherwise."""
_OTHERS = (
    (_T.NJMAX_NNZ, "entries of the constraints' Jacobian"),
    (_T.CCD, "contacts of convex shapes"),
    (_T.HFIELD, "triangles of a height field under one shape"),
    (_T.NVMAX, "moving degrees of freedom"),
    (_T.EPA_HORIZON, "edges of penetrating shapes"),
    (_T.TACTILE, "shapes at a tactile sensor"),
)
"""Other capacities, whose sizes follow from the model or from those given."""


@dataclass(frozen=True)
class Overflow:
    """Overflow of capacities since the last look."""

    constraints: int
    """Rows of constraints in one world, at most."""
    contacts: int
    """Contacts, or pairs of shapes that might touch, per world."""
    worlds: tuple[int, ...]
    """Worlds that lost some."""
    others: tuple[str, ...]
    """Other capacities that overflowed, in words."""
    sensed: int
    """Contacts that one contact sensor counts at most, if it lost any; otherwise 0."""
    crowded: bool
    """Whether contacts, constraints or anything but what sensors count found no room."""

    @classmethod
    def read(cls, worlds: WarpWorlds, peak: wp.array) -> Overflow:
        """Read the overflow that the device counted."""
        rows, contacts, pairs = map(int, peak.numpy())
        flags: NDArray[np.int32] = worlds.d.overflow.numpy()
        shared = max(contacts, pairs) > worlds.d.naconmax
        hit = (worlds.d.nefc.numpy() > worlds.d.njmax) | ((flags & ~_NOT_LOST) != 0)
        lost = range(worlds.num_envs) if shared else np.flatnonzero(hit)
        union = int(np.bitwise_or.reduce(flags))
        return cls(
            rows,
            -(-max(contacts, pairs) // worlds.num_envs),
            tuple(map(int, lost)),
            tuple(words for bit, words in _OTHERS if union & int(bit)),
            worlds.m.opt.contact_sensor_maxmatch if union & int(_T.CONTACT_MATCH) else 0,
            bool(shared or rows > worlds.d.njmax or union & ~_NOT_CROWDED),
        )


def overflow_error(
    overflow: Overflow, compiled: CompiledModel, time: NDArray[np.float64]
) -> SimulationError:
    """The error to raise, naming the worlds and the remedy."""
    shown = ", ".join(map(str, overflow.worlds[:8]))
    more = f" and {len(overflow.worlds) - 8} more" if len(overflow.worlds) > 8 else ""
    where = f"of {compiled.scene.name or 'the model'}", f"in world {shown}{more}"
    parts = [
        *([_crowded(overflow, *where)] if overflow.crowded else []),
        *([_uncounted(overflow, *where)] if overflow.sensed else []),
    ]
    return SimulationError(
        " ".join(parts),
        overflow.worlds,
        [float(time[world]) for world in overflow.worlds],
        [()] * len(overflow.worlds),
    )


def _crowded(overflow: Overflow, model: str, worlds: str) -> str:
    others = (
        f" There were also too many {' and '.join(overflow.others)}." if overflow.others else ""
    )
    return (
        f"Contacts or constraints {model} found no room on the device and were left out {worlds}: "
        f"{overflow.contacts} contacts or near pairs per world and {overflow.constraints} "
        f"constraint rows in one were needed.{others} Create the engine with "
        f"nconmax={2 * overflow.contacts} and njmax={2 * overflow.constraints} or more, or with "
        "on_overflow='grow'."
    )


def _uncounted(overflow: Overflow, model: str, worlds: str) -> str:
    return (
        f"A contact sensor {model} had more than {overflow.sensed} contacts {worlds}, which is as "
        "many as it counts on the device, so its forces lack the others. The motion is right. Give "
        "its bodies fewer colliders, or simulate on the CPU."
    )
