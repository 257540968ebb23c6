"""Hierarchy of a world in the making: what stands in the world itself, to be moved and renamed."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from usdsim.core.errors import UnsupportedError
from usdsim.math.rotations import quat_from_matrix, quat_from_wxyz
from usdsim.scene.arrays import FloatArray
from usdsim.scene.checks import finite_numbers, unit_quaternion

__all__ = ["Hierarchy", "PlacedElement", "WorldBody"]


class PlacedElement:
    """Geom, camera, light or site of a world in the making, in its frame.

    Args:
        element: of MuJoCo's editor, which has all else of it.
    """

    def __init__(self, element: Any):
        self.element = element
        """The element as MuJoCo's editor has it."""

    @property
    def name(self) -> str | None:
        """Name; None: it has none."""
        return self.element.name or None

    @name.setter
    def name(self, value: str | None) -> None:
        self.element.name = value or ""

    @property
    def position(self) -> FloatArray:
        """Position [m], shape (3,); a copy: assign to change it."""
        return np.array(self.element.pos, np.float32)

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self.element.pos = finite_numbers(value, (), (3,), f"position of {self.name!r}")

    @property
    def orientation(self) -> FloatArray:
        """Orientation xyzw, shape (4,); a copy: assign to change it.

        Raises:
            UnsupportedError: it is written relative to something, or the element has none.
        """
        element = self.element
        if isinstance(element, mujoco.MjsLight):
            raise UnsupportedError("A light has a direction: see element.dir.")
        alternative = element.alt
        if alternative.type == mujoco.mjtOrientation.mjORIENTATION_QUAT:
            return quat_from_wxyz(element.quat).astype(np.float32)
        if alternative.type == mujoco.mjtOrientation.mjORIENTATION_XYAXES:
            x, y = np.split(np.asarray(alternative.xyaxes, np.float64), 2)
            x = x / np.linalg.norm(x)
            y = y - (y @ x) * x
            y = y / np.linalg.norm(y)
            turn = np.stack([x, y, np.cross(x, y)], axis=1)
            return quat_from_matrix(turn).astype(np.float32)
        raise UnsupportedError(
            f"The orientation of {self.name!r} is not a quaternion: element.alt."
        )

    @orientation.setter
    def orientation(self, value: ArrayLike) -> None:
        if isinstance(self.element, mujoco.MjsLight):
            raise UnsupportedError("A light has a direction: see element.dir.")
        what = f"orientation of {self.name!r}"
        quat = unit_quaternion(finite_numbers(value, (), (4,), what), what)
        self.element.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
        self.element.quat = np.roll(quat, 1)

    @property
    def fovy(self) -> float:
        """Vertical field of view of a camera [deg].

        Raises:
            UnsupportedError: it is no camera.
        """
        if not isinstance(self.element, mujoco.MjsCamera):
            raise UnsupportedError(f"{self.name!r} is no camera, and has no field of view.")
        return float(self.element.fovy)

    def __repr__(self) -> str:
        return f"<{type(self.element).__name__.removeprefix('Mjs')} {self.name!r}>"


class WorldBody(PlacedElement):
    """Link of a world in the making, with what is attached to it."""

    @property
    def link(self) -> WorldBody:
        """The link itself."""
        return self

    @property
    def local_translation(self) -> FloatArray:
        """The same as `position`."""
        return self.position

    @local_translation.setter
    def local_translation(self, value: ArrayLike) -> None:
        self.position = value

    @property
    def local_rotation(self) -> FloatArray:
        """The same as `orientation`."""
        return self.orientation

    @local_rotation.setter
    def local_rotation(self, value: ArrayLike) -> None:
        self.orientation = value

    @property
    def children(self) -> list[WorldBody]:
        """Links that hang on it."""
        return [WorldBody(body) for body in self.element.bodies]


class Hierarchy:
    """All that stands in the world itself, in the order of the file.

    The lists are made when they are asked for: what they hold may be changed; to add or remove
    something, see `World.spec`.

    Args:
        spec: the world as MuJoCo's editor has it.
    """

    def __init__(self, spec: mujoco.MjSpec):
        self._world = spec.worldbody

    @property
    def bodies(self) -> tuple[WorldBody, ...]:
        """Links that hang on nothing."""
        return tuple(WorldBody(body) for body in self._world.bodies)

    @property
    def geoms(self) -> tuple[PlacedElement, ...]:
        """Geoms of the world."""
        return tuple(PlacedElement(geom) for geom in self._world.geoms)

    @property
    def cameras(self) -> tuple[PlacedElement, ...]:
        """Cameras of the world."""
        return tuple(PlacedElement(camera) for camera in self._world.cameras)

    @property
    def lights(self) -> tuple[PlacedElement, ...]:
        """Lights of the world."""
        return tuple(PlacedElement(light) for light in self._world.lights)

    @property
    def sites(self) -> tuple[PlacedElement, ...]:
        """Sites of the world."""
        return tuple(PlacedElement(site) for site in self._world.sites)
