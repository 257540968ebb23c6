"""Pictures that programs take by themselves: render products and annotators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.compat.absent import AbsentType
from usdsim.core.errors import StageError, UnsupportedError
from usdsim.render import Renderer, look_at
from usdsim.sim import SimulationContext

__all__ = ["Annotator", "AnnotatorRegistry", "RenderProduct", "create", "opaque"]

_COLOURS = ("rgb", "LdrColor")
_VIEWPORT = "/OmniverseKit_"
"""Beginning of the paths of an application's own cameras."""


def opaque(colours: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Colours with an opacity of one, shape (height, width, 4), of those without."""
    return np.concatenate([colours, np.full((*colours.shape[:2], 1), 255, np.uint8)], axis=-1)


@dataclass(frozen=True)
class RenderProduct:
    """A camera and the size of its pictures."""

    path: str
    """Path of the camera."""
    resolution: tuple[int, int]
    """Width and height [pixels]."""

    def destroy(self) -> None:
        """Nothing: it holds nothing."""


class Annotator:
    """Colours that a camera sees; those of an application look where `set_camera_view` says."""

    def __init__(self) -> None:
        self._product: RenderProduct | None = None
        self._drawn: tuple[Any, Renderer] | None = None

    def attach(self, render_products: RenderProduct | Sequence[RenderProduct]) -> None:
        """Choose the camera, the first of several."""
        one = isinstance(render_products, RenderProduct)
        self._product = render_products if one else next(iter(render_products))  # type: ignore[assignment,arg-type]

    def detach(self, *_: Any) -> None:
        """Let go of the camera."""
        if self._drawn is not None:
            self._drawn[1].close()
        self._product = self._drawn = None

    def get_data(self, **_: Any) -> NDArray[np.uint8]:
        """Red, green, blue and opacity, shape (height, width, 4).

        Raises:
            StageError: there is no camera, or no simulation was started.
        """
        simulation = SimulationContext.instance()
        if self._product is None or simulation is None:
            raise StageError("An annotator needs a simulation, and a render product to attach to.")
        engine = simulation.engine
        if self._drawn is None or self._drawn[0] is not engine:
            size, world = self._product.resolution, simulation.render_env
            self._drawn = engine, Renderer(simulation, world=world, size=size)
        camera: Any = self._product.path
        if camera.startswith(_VIEWPORT):
            view = simulation.camera_view
            camera = None if view is None else look_at(*view)
        return opaque(self._drawn[1].render(camera))


class create(metaclass=AbsentType):
    """Things of Replicator that programs make: render products."""

    @staticmethod
    def render_product(
        camera: Any, resolution: Sequence[int] = (512, 512), **_: Any
    ) -> RenderProduct:
        """A camera, by its path or prim, and the width and height of its pictures [pixels]."""
        path = str(camera.GetPath()) if hasattr(camera, "GetPath") else str(camera)
        return RenderProduct(path, (int(resolution[0]), int(resolution[1])))


class AnnotatorRegistry(metaclass=AbsentType):
    """Annotators by name."""

    @staticmethod
    def get_annotator(name: str, *_: Any, **__: Any) -> Annotator:
        """The annotator of a name.

        Raises:
            UnsupportedError: it is another than that of colours.
        """
        if name not in _COLOURS:
            raise UnsupportedError(
                f"There is no annotator {name!r} here, but {' and '.join(_COLOURS)}. Use a Camera "
                "sensor with the data type."
            )
        return Annotator()
