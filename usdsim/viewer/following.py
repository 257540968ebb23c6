"""Following: cameras of pages that go along with a place while the mouse still turns them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Following", "place_of"]

Array = NDArray[np.float64]

_NOTICED = 1e-4
"""Motion below which nothing is sent [m]."""

_SETTLED = 3.0
"""Time after which a page has the camera that it opens with, or one of its own [s]."""

_TRIES = 4
"""Times that a camera is sent before a page that reports all the time is left alone."""


class Following:
    """Cameras of pages that go along with a place, each looking as far beside it as it began."""

    def __init__(self) -> None:
        self._beside: dict[int, Array] = {}
        self._since: dict[int, float] = {}
        self._left_alone: set[int] = set()
        self._opening: tuple[Array, Array, Array] | None = None

    def open(self, eye: Array, target: Array, place: Array) -> None:
        """Know the camera that new pages open with.

        Args:
            eye: where it is, in world [m], shape (3,).
            target: what it looks at, in world [m], shape (3,).
            place: what is followed, where the camera was made for it, in world [m], shape (3,).
        """
        self._opening = np.array(eye), np.array(target), np.array(place)

    def move(self, clients: Mapping[int, Any], place: Array | None) -> None:
        """Bring the cameras of pages to a place.

        Pages report their cameras late, so where one looks at is kept here; from where it looks
        is the page's, whose mouse turns it and brings it nearer. A page that opens reports other
        cameras before the one that it was told, and is left alone until then.

        Args:
            clients: the pages, by their numbers.
            place: in world [m], shape (3,); None: cameras stay.
        """
        if place is None:
            self._beside.clear()
            self._left_alone = set(clients)
            return
        now = time.perf_counter()
        for number, client in clients.items():
            eye, seen = _reported(client.camera)
            if number not in self._beside:
                age = now - self._since.setdefault(number, now)
                followed = (
                    place if number in self._left_alone else self._followed(eye, seen, place, age)
                )
                if followed is None:
                    continue
                self._beside[number] = seen - followed
            target = place + self._beside[number]
            if np.abs(target - seen).max() <= _NOTICED:
                continue
            _put(client, target + eye - seen, target)

    def _followed(self, eye: Array, seen: Array, place: Array, age: float) -> Array | None:
        """Place that a camera is for; None: its page is about to have another one."""
        if self._opening is None:
            return place
        opening_eye, opening_target, opening_place = self._opening
        if np.allclose((eye, seen), (opening_eye, opening_target), atol=_NOTICED):
            return opening_place
        return place if age >= _SETTLED else None


def _reported(camera: Any) -> tuple[Array, Array]:
    """Position of a page's camera and what it looks at, both of one report [m], shape (3,) each.

    Reports come from another thread, and one may come between two readings.
    """
    while True:
        when = camera.update_timestamp
        found = np.array(camera.position), np.array(camera.look_at)
        if camera.update_timestamp == when:
            return found


def _put(client: Any, eye: Array, target: Array) -> None:
    """Send both, and again if a report has come between the two."""
    camera = client.camera
    with client.atomic():  # the page would report one without the other
        for _ in range(_TRIES):
            camera.position, camera.look_at = eye, target
            if np.allclose(_reported(camera), (eye, target)):
                return


def place_of(body: int | None, poses: Array) -> Array:
    """Place of a body in world, else the middle of all [m], shape (3,).

    Args:
        body: its row; None: none is chosen.
        poses: position in world [m] and wxyz, shape (rows, 7); the first is of what stands still.
    """
    if body is not None:
        return poses[body, :3]
    return poses[1:, :3].mean(axis=0) if len(poses) > 1 else np.zeros(3)
