"""Author, convert and simulate physics on OpenUSD stages.

Two doors over one core: the scene door (`load_model`, `SceneData`) runs a file in five lines; the
asset door builds scenes from configurations. Everything heavy is imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _plugins

if TYPE_CHECKING:
    from .converters import convert as convert
    from .scene import SceneData as SceneData
    from .scene import SceneModel as SceneModel
    from .scene import forward_kinematic as forward_kinematic
    from .scene import load_mjcf_str as load_mjcf_str
    from .scene import load_model as load_model
    from .scene import step as step

__version__ = "0.1.0"

_LAZY = {
    "SceneData": "scene",
    "SceneModel": "scene",
    "convert": "converters",
    "forward_kinematic": "scene",
    "load_mjcf_str": "scene",
    "load_model": "scene",
    "step": "scene",
}

_MODULES = (
    "actuators",
    "assets",
    "converters",
    "core",
    "engine",
    "math",
    "parser",
    "scene",
    "schemas",
    "sensors",
    "sim",
    "spawners",
    "usd",
    "views",
)

__all__ = [
    "__version__",
    *_LAZY,
]

_plugins.register()


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_MODULES})
