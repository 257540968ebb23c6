"""Constants of large scenes, derived for the parts in which something else was written.

The engine derives what follows from parameters for a whole model, with an effort that grows with
the square of its bodies: seconds for thousands. Parts of a scene that were compiled by themselves
share no joints with others, so that their constants follow from their own parameters, bit by bit.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.compile.parts.part_models import PartModels, mass_of_world
from usdsim.engine.compile.parts.statistics import VIEWS, views_of_world

__all__ = ["DERIVING", "OUTPUTS", "PartConstants"]

Ids = NDArray[np.intp]

DERIVING = frozenset(mujoco.MjModel._setconst_inputs)
"""Parameters that constants follow from."""
OUTPUTS = frozenset(mujoco.MjModel._setconst_outputs)
"""The constants."""
_INPUTS = sorted(DERIVING.intersection(mjbatch.MODEL_FIELDS))
_MASSES = "body_subtreemass"


class PartConstants:
    """Constants of worlds of a scene that was compiled in parts.

    Args:
        parts: models of its parts.
        model: that of the whole, as its worlds have it where nothing was written.
    """

    def __init__(self, parts: PartModels, model: mujoco.MjModel):
        self._parts, self._model = parts, model
        self._known: dict[str, NDArray[Any]] = {}
        self._own: dict[int, mujoco.MjModel] = {}
        track = mujoco.mjtCamLight.mjCAMLIGHT_TRACKCOM
        self._tracked = any(
            (getattr(model, f"{kind}_mode")[views_of_world(model, kind)] == track).any()
            for kind in VIEWS
        )
        """Whether a camera or light follows the centre of mass of all bodies."""

    def derive(self, batch: mjbatch.Batch, worlds: Ids) -> Ids:
        """Derive the constants of some worlds; returns those that are left to the engine."""
        written = [name for name in _INPUTS if batch.expanded(name) is not None]
        found = [self._follow(batch, written, world) for world in worlds.tolist()]
        return worlds[np.logical_not(np.array(found, np.bool_))]

    def remember(self, batch: mjbatch.Batch, worlds: Ids) -> None:
        """Take the constants of some worlds as those that follow from their parameters."""
        for name in _INPUTS:
            values = batch.expanded(name)
            if values is not None:
                if name not in self._known:
                    own = getattr(self._model, name)[: values.shape[1]]
                    self._known[name] = np.repeat(own[None], len(values), axis=0)
                self._known[name][worlds] = values[worlds]

    def _follow(self, batch: mjbatch.Batch, written: Sequence[str], world: int) -> bool:
        """Derive the constants of a world; returns whether they could be."""
        changed = {name: self._changed(batch, name, world) for name in written}
        changed = {name: rows for name, rows in changed.items() if rows.any()}
        if changed and (self._tracked or not self._parts.indices.isdisjoint(changed)):
            return False
        homes = {part for name, rows in changed.items() for part in self._parts.homes(name, rows)}
        if not all(self._derive(batch, written, world, part) for part in sorted(homes)):
            return False
        masses, own = batch.expanded(_MASSES), batch.expanded("body_mass")
        if masses is not None:
            roots = np.flatnonzero(self._model.body_parentid == 0)[1:]
            mass = (self._model.body_mass if own is None else own[world])[0]
            batch.expand(_MASSES)[world, 0] = mass_of_world(mass, masses[world, roots])
        return True

    def _changed(self, batch: mjbatch.Batch, name: str, world: int) -> NDArray[np.bool_]:
        """Rows of a parameter that differ from what constants were derived from."""
        values = batch.expand(name)[world]
        known = self._known[name][world] if name in self._known else getattr(self._model, name)
        return _differing(values, known[: len(values)])

    def _derive(self, batch: mjbatch.Batch, written: Sequence[str], world: int, part: int) -> bool:
        """Derive the constants of a part of a world; returns whether it takes them."""
        model = self._part(part)
        for name in written:
            if name not in self._parts.indices:
                own, whole = self._parts.places(part, name)
                getattr(model, name)[own] = batch.expand(name)[world, whole]
        indices = {name: getattr(model, name).copy() for name in OUTPUTS & self._parts.indices}
        try:
            mujoco.mj_setConst(model, mujoco.MjData(model))
        except mujoco.FatalError:
            return False
        if not all(np.array_equal(getattr(model, name), old) for name, old in indices.items()):
            del self._own[part]
            return False
        for name in OUTPUTS - self._parts.indices:
            self._put(batch, name, world, part)
        return True

    def _put(self, batch: mjbatch.Batch, name: str, world: int, part: int) -> None:
        """Take a constant of a part's bodies for those of a world."""
        own, whole = self._parts.places(part, name)
        values = batch.expanded(name)
        present = getattr(self._model, name) if values is None else values[world]
        # Of bounding volumes, worlds have those of bodies only, which come first.
        fits = whole < len(present)
        own, whole = own[fits], whole[fits]
        found = getattr(self._own[part], name)[own]
        differs = _differing(found, present[whole])
        if differs.any():
            batch.expand(name)[world, whole[differs]] = found[differs]

    def _part(self, part: int) -> mujoco.MjModel:
        """Model of a part, with what was set in that of the whole after it was joined."""
        if part not in self._own:
            self._own[part] = model = copy.copy(self._parts.models[part])
            for name in _INPUTS:
                if name not in self._parts.indices:
                    own, whole = self._parts.places(part, name)
                    getattr(model, name)[own] = getattr(self._model, name)[whole]
        return self._own[part]


def _differing(values: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
    """Rows in which two arrays differ, shape (rows,)."""
    return np.asarray((values != others).any(axis=tuple(range(1, values.ndim))))
