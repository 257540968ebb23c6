"""Author, convert and simulate physics on OpenUSD stages.

Two doors over one core: the scene door (`load_model`, `SceneData`) runs a file in five lines; the
asset door builds scenes from configurations. Everything heavy is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _mujoco_gl, _plugins
from .core import __version__
from .core.lazy import lazy_names

if TYPE_CHECKING:
    from .core.shipped import example_asset as example_asset
    from .exporters import convert as convert

    # Everything the scene door has, so that a program needs no other import.
    from .scene import *

_MODULES = (
    "actuators",
    "assets",
    "coacd",
    "converters",
    "core",
    "engine",
    "exporters",
    "ik",
    "low",
    "math",
    "msd",
    "osc",
    "parser",
    "query",
    "render",
    "run",
    "scene",
    "schemas",
    "sensors",
    "sim",
    "spawners",
    "usd",
    "viewer",
    "views",
    "write",
)

# The module `run` has the loop that is left out.
__getattr__, __dir__, _names = lazy_names(__name__, _MODULES, without=("render_loop",))
__all__ = ["__version__", *_names]

_plugins.register()
_mujoco_gl.import_mujoco()
