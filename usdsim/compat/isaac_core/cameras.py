"""Cameras of Isaac Sim: colours, distances and points that one camera prim sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import UnsupportedError
from usdsim.render import Renderer
from usdsim.sim import SimulationContext
from usdsim.usd.stage import current_stage

from .camera_prims import CameraPrim
from .pictures import opaque

__all__ = ["Camera", "SingleCamera"]


class SingleCamera(CameraPrim):
    """One camera, which draws when it is read; see `CameraPrim`."""

    def __init__(self, *args: Any, **others: Any):
        super().__init__(*args, **others)
        self._drawn: tuple[Any, Renderer] | None = None
        self._attached: set[str] = set()

    def initialize(self, physics_sim_view: Any = None, attach_rgb_annotator: bool = True) -> None:
        """Nothing: it draws when it is read."""

    def get_rgba(self, device: Any = None) -> NDArray[np.uint8]:
        """Red, green, blue and opacity, top row first, shape (height, width, 4)."""
        return opaque(self.get_rgb())

    def get_rgb(self, device: Any = None) -> NDArray[np.uint8]:
        """Red, green and blue, top row first, shape (height, width, 3)."""
        return self._renderer().render(self._view())

    def get_depth(self, device: Any = None) -> NDArray[np.float32]:
        """Distances to the image plane [m], infinite where nothing is, shape (height, width)."""
        return self._renderer().depth(self._view())

    def get_pointcloud(self, device: Any = None, world_frame: bool = True) -> NDArray[np.float32]:
        """Points that are seen [m], in world or in axes with z forward and y down, shape (n, 3)."""
        depth = self.get_depth()
        down, right = np.nonzero(np.isfinite(depth))
        pixels = np.stack([right + 0.5, down + 0.5], axis=-1)
        far = depth[down, right]
        if world_frame:
            return self.get_world_points_from_image_coords(pixels, far).astype(np.float32)
        return (self._sight(pixels) * far[:, None]).astype(np.float32)

    def get_current_frame(self, clone: bool = False) -> dict[str, Any]:
        """Colours as ``rgba`` and ``rgb``, time, and what was added, by name."""
        simulation, rgba = _running(), self.get_rgba()
        frame: dict[str, Any] = {
            "rendering_time": 0.0 if simulation is None else simulation.current_time,
            "rendering_frame": 0 if simulation is None else simulation._steps,
            "rgba": rgba,
            "rgb": rgba,
        }
        return frame | {name: _SHOWN[name](self) for name in self._attached}

    def _distances(self) -> NDArray[np.float32]:
        """Distances along lines of sight [m], shape (height, width)."""
        width, height = self._size
        right, down = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
        sight = self._sight(np.stack([right.ravel(), down.ravel()], axis=-1))
        longer = np.linalg.norm(sight, axis=-1).reshape(height, width)
        return np.asarray(self.get_depth() * longer, np.float32)

    def attach_annotator(self, annotator_name: str, **_: Any) -> None:
        """Add something to what `get_current_frame` tells: distances or points.

        Raises:
            UnsupportedError: it is something else.
        """
        if annotator_name == "rgb":
            return
        if annotator_name not in _SHOWN:
            raise UnsupportedError(
                f"Cameras of Isaac Sim show {', '.join(_SHOWN)} here, not {annotator_name!r}. Use "
                "a Camera sensor with the data type."
            )
        self._attached.add(annotator_name)

    def detach_annotator(self, annotator_name: str) -> None:
        """Take something out of what `get_current_frame` tells."""
        self._attached.discard(annotator_name)

    def add_rgb_to_frame(self, init_params: Any = None) -> None:
        """Nothing: colours are always told."""

    def _renderer(self) -> Renderer:
        """Renderer of the simulation, or of the stage while nothing is simulated."""
        simulation = _running()
        if simulation is None:
            return Renderer(current_stage(), size=self._size, floor=False)
        key = simulation.engine, self._size
        if self._drawn is None or self._drawn[0] != key:
            world = simulation.render_env
            renderer = Renderer(simulation, world=world, size=self._size, floor=False)
            self._drawn = key, renderer
        return self._drawn[1]


def _running() -> SimulationContext | None:
    """The simulation, if it was started."""
    simulation = SimulationContext.instance()
    return None if simulation is None or simulation.is_stopped() else simulation


_SHOWN: dict[str, Callable[[SingleCamera], Any]] = {
    "distance_to_camera": SingleCamera._distances,
    "distance_to_image_plane": SingleCamera.get_depth,
    "pointcloud": lambda camera: {"data": camera.get_pointcloud()},
}
"""Functions of what may be told besides colours, by name of the annotator."""


def _adding(name: str) -> Callable[..., None]:
    def add(self: SingleCamera, *_: Any, **__: Any) -> None:
        self.attach_annotator(name)

    add.__doc__ = f"Add ``{name}`` to what `SingleCamera.get_current_frame` tells."
    return add


for _name in _SHOWN:
    setattr(SingleCamera, f"add_{_name}_to_frame", _adding(_name))

Camera = SingleCamera
"""Its name there."""
