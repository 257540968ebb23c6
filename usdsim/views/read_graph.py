"""Recordings of reads: what an asset is asked for after every step, filled by one launch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import warp as wp

if TYPE_CHECKING:
    from usdsim.engine.versions import Versions

    from .quantity import Slot

__all__ = ["LaunchedFill", "ReadGraph"]

_LEARNING = 4
"""Rounds of reads after which what was read in two of them is recorded."""
_LASTING = 512
"""Rounds after which that is forgotten, so that what is read no longer is filled no longer."""


class LaunchedFill:
    """Fill of an array by a launch.

    Args:
        launch: launches it; may be recorded.
        ready: functions that bring what it reads up to date.
    """

    __slots__ = ("launch", "ready")

    def __init__(self, launch: Callable[[], object], ready: Sequence[Callable[[], object]]):
        self.launch, self.ready = launch, ready

    def __call__(self) -> None:
        """Fill the array."""
        for ready in self.ready:
            ready()
        self.launch()


class ReadGraph:
    """Fills all quantities of a view that are read after steps when the first one is read.

    A round is what is read between two changes of the motion. What was read in two rounds is
    recorded, and filled by one launch in the rounds to come: a launch of its own for each takes as
    long as a good part of a step where worlds are many, and the host longer than all of it.

    Args:
        device: name of the Warp device.
        versions: the engine's.
    """

    def __init__(self, device: str, versions: Versions):
        self._device, self._versions = wp.get_device(device), versions
        self._round = self._arrays = -1
        self._forget()

    def fill(self, slot: Slot) -> None:
        """Fill a slot that is not current, and with it what is usually read with it."""
        if self._device.is_capturing:
            slot.fill()
            return
        if self._versions.motion != self._round:
            self._begin_round()
            if slot.is_current:
                return
        slot.fill()
        if slot.version == "motion" and isinstance(slot.filling, LaunchedFill):
            self._read[slot] += 1

    def _forget(self) -> None:
        self._rounds = 0
        self._read: Counter[Slot] = Counter()
        self._group: list[Slot] = []
        self._graph: wp.Graph | None = None

    def _begin_round(self) -> None:
        self._round = self._versions.motion
        if self._arrays != self._versions.arrays or self._rounds >= _LASTING:
            self._arrays = self._versions.arrays
            self._forget()
        self._rounds += 1
        if self._rounds % _LEARNING == 0 and self._read:
            # They are in the order in which they were filled: what others need comes first.
            more = [slot for slot, times in self._read.items() if times > 1]
            if more and len(self._group) + len(more) > 1:
                self._group += more
                self._graph = None
            self._read.clear()
        if self._group:
            self._fill_group()

    def _fill_group(self) -> None:
        for slot in self._group:
            # So that none fills another on its own.
            slot.note_filled()
        try:
            for slot in self._group:
                for ready in slot.filling.ready:
                    ready()
            if self._graph is None:
                with wp.ScopedCapture(device=self._device) as capture:
                    for slot in self._group:
                        slot.filling.launch()
                self._graph = capture.graph
            wp.capture_launch(self._graph)
        except BaseException:
            for slot in self._group:
                slot.outdate()
            raise
