"""Cameras that follow keep their distance, whenever a page reports where they are."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

from usdsim.viewer.following import Following

EYE = np.array([3.0, -2.0, 1.0])


class LateCamera:
    """A page's camera whose report of where it was comes at some access to it.

    As viser's: a new position takes along what is looked at, and a report replaces both.
    """

    def __init__(self, at: int):
        self._at, self._count, self._stamp = at, 0, 1.0
        self._position, self._look_at = EYE.copy(), np.zeros(3)
        self._past = self._position, self._look_at
        self.page = self._past  # What the page shows after all that was sent.

    def _reached(self) -> None:
        self._count += 1
        if self._count == self._at:
            self._position, self._look_at = self._past
            self._stamp += 1.0
        if self._count % 17 == 0:
            self._past = self.page

    @property
    def update_timestamp(self) -> float:
        self._reached()
        return self._stamp

    @property
    def position(self):
        self._reached()
        return self._position

    @position.setter
    def position(self, value):
        self._reached()
        self._look_at = self._look_at + value - self._position
        self._position = np.array(value)
        self.page = self._position, self._look_at
        self._stamp += 1.0

    @property
    def look_at(self):
        self._reached()
        return self._look_at

    @look_at.setter
    def look_at(self, value):
        self._reached()
        self._look_at = np.array(value)
        self.page = self.page[0], self._look_at
        self._stamp += 1.0


class Page:
    def __init__(self, camera: LateCamera):
        self.camera = camera
        self.atomic = nullcontext


@pytest.mark.parametrize("at", range(1, 120))
def test_cameras_keep_their_distance_whenever_pages_report(at: int):
    camera, following = LateCamera(at), Following()
    for step in range(8):
        place = np.array([0.5 * step, 0.1 * step, 0.0])
        following.move({3: Page(camera)}, place)
    np.testing.assert_allclose(camera.page[1], place, atol=1e-9)
    np.testing.assert_allclose(camera.page[0] - camera.page[1], EYE, atol=1e-9)


def test_pages_are_followed_from_the_camera_that_they_open_with():
    """A page reports other cameras first, and may open when what is followed is far away."""
    camera, following = LateCamera(-1), Following()
    following.open(EYE, np.zeros(3), np.array([0.0, 0.0, 0.2]))
    place = np.array([9.0, 1.0, 0.3])
    for eye, target in (((-5.0, 0.0, 0.0), (0.0, 0.0, 0.0)), ((3.0, 3.0, 3.0), (0.0, 0.0, 0.0))):
        camera.position, camera.look_at = np.array(eye), np.array(target)
        following.move({3: Page(camera)}, place)
        np.testing.assert_allclose(camera.page[0], eye)
    camera.position, camera.look_at = EYE, np.zeros(3)
    following.move({3: Page(camera)}, place)
    np.testing.assert_allclose(camera.page[1], (9.0, 1.0, 0.1), atol=1e-9)
    np.testing.assert_allclose(camera.page[0] - camera.page[1], EYE, atol=1e-9)
