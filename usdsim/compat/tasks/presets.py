"""Presets: named alternatives in a configuration, one of which takes the place of all of them.

An alternative replaces the others as a whole; nothing of them is merged. A name that is chosen is
taken wherever it is among the alternatives; elsewhere, ``default`` is.
"""

from __future__ import annotations

import enum
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from usdsim.compat.configclass import configclass, copied
from usdsim.compat.settings import (
    IsaacRtxRendererCfg,
    NewtonWarpRendererCfg,
    OVRTXRendererCfg,
    PhysicsCfg,
    RendererCfg,
)
from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError, UnknownNameError

__all__ = [
    "MultiBackendRendererCfg",
    "PresetCfg",
    "PresetSelection",
    "PresetTarget",
    "collect_presets",
    "preset",
    "resolve_cfg_presets",
    "resolve_presets",
]

_RENAMED = {"newton": "newton_mjwarp", "kamino": "newton_kamino"}
"""Names of earlier releases, and what they are now."""


class PresetTarget(enum.Enum):
    """Kinds of presets, by the argument of the command line that chooses among them."""

    PHYSICS = "physics"
    RENDERER = "renderer"
    DOMAIN = "presets"

    @property
    def base_classes(self) -> tuple[type, ...]:
        """Classes of the alternatives; none: any that are of no other kind."""
        kinds = {"physics": (PhysicsCfg,), "renderer": (RendererCfg,)}
        return kinds.get(self.value, ())

    @classmethod
    def of(cls, alternative: Any) -> PresetTarget:
        """Kind of an alternative."""
        return next((t for t in cls if isinstance(alternative, t.base_classes)), cls.DOMAIN)


@configclass
class PresetCfg:
    """Alternatives by name, of which ``default`` is taken where no other is chosen."""

    def __getattr__(self, name: str) -> Any:
        """The alternative that a name of earlier releases means."""
        known = _current(name, type(self).__dict__.get("__dataclass_fields__", ()))
        if known == name:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self, known)


def preset(**options: Any) -> PresetCfg:
    """Alternatives of a value that need no class of their own.

    Args:
        **options: the alternatives by name, ``default`` among them.

    Raises:
        InvalidValueError: there is no ``default``.
    """
    if "default" not in options:
        raise InvalidValueError("preset()", sorted(options), "alternatives with a 'default'")
    kind: type[PresetCfg] = configclass(type("_Preset", (PresetCfg,), options))
    return kind()


@configclass
class MultiBackendRendererCfg(PresetCfg):
    """Renderers by name, all of which are the one that there is here."""

    default = IsaacRtxRendererCfg()
    isaacsim_rtx_renderer = IsaacRtxRendererCfg()
    newton_renderer = NewtonWarpRendererCfg()
    ovrtx_renderer = OVRTXRendererCfg()


class PresetSelection:
    """Names of alternatives to take: in the whole of a configuration, and at places in it.

    Args:
        names: those to take wherever they are among the alternatives.
        places: names by the path of what they choose for, ``env.sim.physics`` for example. Paths
            at which there is nothing to choose are left alone.

    Attributes:
        taken: kinds of the alternatives that were taken, by name, of those in `names`.
        used: paths of `places` at which one was chosen.
    """

    def __init__(self, names: Iterable[str] = (), places: Mapping[str, str] | None = None):
        self._names, self._places = tuple(names), dict(places or {})
        self.taken: dict[str, set[PresetTarget]] = {}
        self.used: set[str] = set()

    def apply(self, cfg: Any, path: str = "") -> Any:
        """The configuration with one alternative in the place of each preset in it.

        Args:
            cfg: the configuration, which is changed, or a preset itself.
            path: where it is.

        Raises:
            UnknownNameError: a name at a place is none of its alternatives, or there is no default.
            InvalidValueError: two names choose different alternatives in one place.
        """
        cfg = self._chosen(cfg, path)
        pending, seen = [(path, cfg)], set[int]()
        while pending:
            place, holder = pending.pop()
            if id(holder) in seen:
                continue
            seen.add(id(holder))
            for name, value in _entries(holder):
                inner = f"{place}.{name}" if place else str(name)
                chosen = self._chosen(value, inner)
                if chosen is not value:
                    _put(holder, name, chosen)
                pending.append((inner, chosen))
        return cfg

    def _chosen(self, value: Any, path: str) -> Any:
        """The alternative that takes the place of a value: itself, if it is no preset."""
        while (alternatives := _alternatives(value)) is not None:
            value = copied(alternatives[self._name(alternatives, path)])
        return value

    def _name(self, alternatives: dict[str, Any], path: str) -> str:
        if path in self._places:
            self.used.add(path)
            return _known(self._places[path], alternatives, path)
        found: dict[str, Any] = {}
        for given in self._names:
            name = _current(given, alternatives)
            if name in alternatives:
                found[name] = alternatives[name]
                self.taken.setdefault(given, set()).add(PresetTarget.of(found[name]))
        first, *others = found or {"default": None}
        for other in others:
            if found[other] != found[first]:
                raise InvalidValueError(
                    f"Conflicting global presets for {path!r}:",
                    [first, other],
                    "one of them",
                    f"Choose for this place alone: {path}={first}.",
                )
        return _known(first, alternatives, path)


def resolve_presets(cfg: Any, selected: Iterable[str] = ()) -> Any:
    """The configuration with one alternative in the place of each preset in it.

    A preset is an object of a class named ``PresetCfg``, or one with a mapping ``presets`` that has
    a ``default``.

    Args:
        cfg: the configuration, which is changed, or a preset itself.
        selected: names to take where they are among the alternatives; elsewhere the default is.

    Raises:
        UnknownNameError: there is no default.
        InvalidValueError: two names choose different alternatives in one place.
    """
    return PresetSelection(selected).apply(cfg)


resolve_cfg_presets = resolve_presets
"""Its name beside ``configclass``, which is called with a configuration alone."""


def collect_presets(cfg: Any, path: str = "") -> dict[str, dict[str, Any]]:
    """Alternatives by path and name, also of those within alternatives.

    Args:
        cfg: the configuration, or a preset.
        path: where it is.
    """
    alternatives = _alternatives(cfg)
    if alternatives is None:
        inner = [(f"{path}.{name}" if path else str(name), v) for name, v in _entries(cfg)]
    else:
        inner = [(path, value) for value in alternatives.values()]
    found = {} if alternatives is None else {path: alternatives}
    for place, value in inner:
        found.update(collect_presets(value, place))
    return found


def _alternatives(value: Any) -> dict[str, Any] | None:
    """Alternatives of a preset; None: it is something else.

    What classes have goes before what their objects have: modules of robots choose the
    alternatives of a class after objects of it were made.
    """
    presets = getattr(value, "__dict__", {}).get("presets")
    if isinstance(presets, Mapping) and "default" in presets:
        return dict(presets)
    kind = type(value)
    if not any(base.__name__ == "PresetCfg" for base in kind.__mro__):
        return None
    fields = getattr(kind, "__dataclass_fields__", {})
    own = {name: getattr(kind, name, None) for name in (*fields, *vars(kind))}
    own = {n: v for n, v in own.items() if not (n.startswith("_") or v is None or callable(v))}
    return {**{name: getattr(value, name) for name in fields}, **own}


def _entries(holder: Any) -> Iterator[tuple[Any, Any]]:
    """Names, keys or indices of what a configuration, mapping or list holds, with the values."""
    if isinstance(holder, Mapping):
        yield from list(holder.items())
    elif isinstance(holder, list):
        yield from enumerate(list(holder))
    elif isinstance(holder, Configuration) or hasattr(type(holder), "__dataclass_fields__"):
        fields = getattr(type(holder), "__dataclass_fields__", ())
        for name in dict.fromkeys((*fields, *getattr(holder, "__dict__", ()))):
            if not name.startswith("_"):
                yield name, getattr(holder, name, None)


def _put(holder: Any, name: Any, value: Any) -> None:
    if isinstance(holder, dict | list):
        holder[name] = value
    else:
        setattr(holder, name, value)


def _known(name: str, alternatives: Mapping[str, Any], path: str) -> str:
    """A name that is among the alternatives."""
    current = _current(name, alternatives)
    if current not in alternatives:
        raise UnknownNameError("preset", name, alternatives, path)
    return current


def _current(name: str, known: Iterable[str]) -> str:
    """Present name of a preset; a warning tells of one of earlier releases."""
    present = _RENAMED.get(name)
    if present is None or name in known or present not in known:
        return name
    warnings.warn(f"Preset {name!r} is {present!r} now.", FutureWarning, stacklevel=2)
    return present
