"""Absent names: what only an Omniverse application has, accepted on import and refused in use.

Programs import names of windows, devices and extensions at their top that a headless run never
touches. Configurations are kept as given, as they configure nothing here.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from usdsim.core.errors import UnsupportedError

from .settings import PhysicsCfg, RendererCfg, Settings

__all__ = ["AbsentType", "absent"]

_ENGINES = ("Newton", "Physics", "Physx", "Solver")
"""Words in the names of settings of engines."""


class AbsentType(type):
    """Type of names without a counterpart: their attributes are such names, calls are refused."""

    def __getattr__(cls, name: str) -> Any:
        """A name below this one."""
        if name.startswith("_"):
            raise AttributeError(f"{cls.__qualname__} has no attribute {name!r}")
        return absent(f"{cls.__qualname__}.{name}")

    def __call__(cls, *_: Any, **__: Any) -> Any:
        """Refuse.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError(
            f"{cls.__qualname__} has no counterpart here: it belongs to an application or a "
            "library that usdsim does without. Leave out what uses it."
        )


class _SettingsType(type):
    """Type of settings without effect: classes within them are such settings, too."""

    def __getattr__(cls, name: str) -> Any:
        """A class of settings within this one."""
        if not (name[:1].isupper() and name.endswith("Cfg")):
            raise AttributeError(f"{cls.__qualname__} has no attribute {name!r}")
        return absent(f"{cls.__qualname__}.{name}")


@cache
def absent(path: str) -> Any:
    """A name without a counterpart; one that ends with ``Cfg`` keeps what it is given."""
    name = path.rpartition(".")[2]
    if name.endswith("Cfg"):
        base: type[Settings] = Settings
        if name.endswith("RendererCfg"):
            base = RendererCfg
        elif any(word in name for word in _ENGINES):
            base = PhysicsCfg
        return _SettingsType(name, (base,), {"__doc__": "Settings that configure nothing here."})
    made = AbsentType(name, (), {"__doc__": "A name without a counterpart."})
    made.__qualname__ = path
    return made


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return absent(name)
