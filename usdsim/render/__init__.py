"""Drawing what is simulated: one drawable scene, and who draws it.

Names are imported on first use: a picture by ray casting needs nothing of OpenGL.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from usdsim.core.lazy import lazy_names, listed_names

if TYPE_CHECKING:
    from .annotations.guides import GUIDES as GUIDES
    from .annotations.marks import Marks as Marks
    from .drawable import DrawableScene as DrawableScene
    from .engine_reader import EngineReader as EngineReader
    from .film import Film as Film
    from .framing import frame_points as frame_points
    from .framing import look_at as look_at
    from .parts import Parts as Parts
    from .parts import SurfaceMesh as SurfaceMesh
    from .parts import Textures as Textures
    from .picture import Renderer as Renderer
    from .picture import render_picture as render_picture
    from .png import write_png as write_png
    from .raycast.tracer import Tracer as Tracer
    from .recordings import Recording as Recording
    from .shown import ShownWorld as ShownWorld
    from .tiles import tile_images as tile_images
    from .views import Lens as Lens
    from .views import View as View
    from .worlds.looks import WorldLooks as WorldLooks
    from .worlds.looks import world_looks as world_looks

_find, _names, __all__ = lazy_names(__name__, modules=("widgets",))

# Names that programs of others look for here. They are of a package below, which nothing here uses.
_APPLICATION = {*listed_names(Path(__file__).parents[1] / "viewer" / "app" / "__init__.py")}


def __getattr__(name: str) -> Any:
    if name in _APPLICATION:
        return getattr(importlib.import_module("usdsim.viewer.app"), name)
    return _find(name)


def __dir__() -> list[str]:
    return sorted({*_names(), *_APPLICATION})
