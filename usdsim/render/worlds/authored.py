"""Authored looks: colours and visibility that are changed on the stage while worlds are seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Tf, Usd, UsdShade

from usdsim.engine.base import Engine
from usdsim.parser.element import is_below, path_of_prim
from usdsim.render.display_materials import shown_colour
from usdsim.usd.queries import is_visible

from .looks import WorldLooks, world_looks
from .visible import FirstNames, VisibleWorlds

__all__ = ["AuthoredLooks", "authored_looks"]

_COLOURS = ("primvars:displayColor", "primvars:displayOpacity")
_INPUTS = "inputs:"
_VISIBILITY = "visibility"

_known: WeakKeyDictionary[Engine, AuthoredLooks] = WeakKeyDictionary()


def authored_looks(stage: Usd.Stage, engine: Engine, env_paths: Sequence[str]) -> AuthoredLooks:
    """Changes of looks on a stage since the worlds of an engine were first seen.

    Args:
        stage: the stage that is simulated.
        engine: the worlds.
        env_paths: prim paths of the environments.
    """
    if engine not in _known:
        _known[engine] = AuthoredLooks(stage, world_looks(stage, engine), env_paths)
    return _known[engine]


class AuthoredLooks:
    """Changes of display colours, of colours of materials and of visibility.

    What is hidden from the start stays so, and pictures of materials stay what they are.

    Args:
        stage: the stage.
        looks: where the changes go.
        env_paths: prim paths of the environments.
    """

    def __init__(self, stage: Usd.Stage, looks: WorldLooks, env_paths: Sequence[str]):
        self._stage, self._looks, self._env_paths = stage, looks, env_paths
        self._names = FirstNames(env_paths)
        self._changed: dict[Sdf.Path, None] = {}
        self._listener = Tf.Notice.Register(Usd.Notice.ObjectsChanged, self._note, stage)

    def follow(self, seen: VisibleWorlds) -> None:
        """Update the looks of the worlds by what has changed since the last call.

        Args:
            seen: what the worlds show.
        """
        changed, self._changed = [*self._changed], {}
        for path in changed:
            prim = self._stage.GetPrimAtPath(path.GetPrimPath())
            if prim:
                self._apply(prim, path.name, seen)

    # -- inside --------------------------------------------------------------------------------

    def _note(self, notice: Usd.Notice.ObjectsChanged, _: Usd.Stage) -> None:
        for path in (*notice.GetChangedInfoOnlyPaths(), *notice.GetResyncedPaths()):
            named = path.name in _COLOURS or path.name == _VISIBILITY
            if path.IsPropertyPath() and (named or path.name.startswith(_INPUTS)):
                self._changed[path] = None

    def _apply(self, prim: Usd.Prim, name: str, seen: VisibleWorlds) -> None:
        """Colour the parts that a property concerns, in its environment or in all."""
        world = self._names(str(prim.GetPath()))[0]
        for index, part in enumerate(seen.parts.paths):
            for own_world, path in self._places(part, seen.prims[index], world, seen):
                own = self._stage.GetPrimAtPath(path_of_prim(path))
                if own and _concerns(prim, name, own):
                    rgba = seen.rgba[min(max(own_world, 0), len(seen.rgba) - 1), index]
                    worlds = None if own_world < 0 else [own_world]
                    self._looks.paint(part, _rgba(own, rgba), worlds)

    def _places(
        self, part: str, prim: str, world: int, seen: VisibleWorlds
    ) -> Iterator[tuple[int, str]]:
        """Worlds, -1 for all alike, and the prim of a part there; only one world if it is said."""
        first = self._env_paths[0] if self._env_paths else ""
        if not prim.startswith("/"):
            return
        apart = len(seen.rgba) > 1 and bool(first) and is_below(part, first)
        if world < 0 and not apart:
            yield -1, prim
            return
        for index in range(len(self._env_paths)) if world < 0 else (world,):
            yield index, self._env_paths[index] + part.removeprefix(first)


def _concerns(changed: Usd.Prim, name: str, prim: Usd.Prim) -> bool:
    """Whether a changed property decides what a prim shows."""
    if name == _VISIBILITY:
        return is_below(str(prim.GetPath()), str(changed.GetPath()))
    if name in _COLOURS:
        return bool(prim == changed)
    material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0].GetPath()
    return not material.isEmpty and changed.GetPath().HasPrefix(material)


def _rgba(prim: Usd.Prim, usual: NDArray[np.float64]) -> NDArray[np.float64]:
    """Colour and opacity of a prim as it is now; `usual` where nothing says a colour."""
    said = shown_colour(prim)
    rgba = np.array(usual if said is None else said)
    if not is_visible(prim):
        rgba[3] = 0.0
    return rgba
