"""Friction and restitution of shapes that differ between worlds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.effects.impacts.cpu import Impacts
from usdsim.engine.effects.impacts.reports import SentBack
from usdsim.engine.effects.sticking.cpu import FIELD, Sticking
from usdsim.engine.indices import checked_ids
from usdsim.engine.part import EnginePart

__all__ = ["SurfaceProperties"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

_SURFACES = frozenset({FIELD, "geom_friction"})
"""Parameters that say what static friction is."""
_NOTHING = nullcontext()


class _Static:
    """Static friction, which the engine has no parameter for.

    Whoever writes the engine's friction directly changes both, so what is kept here holds only
    while the parameter is the one it was kept with.
    """

    def __init__(self, compiled: CompiledModel, num_envs: int):
        self.static, self.friction = (
            np.repeat(values[None], num_envs, axis=0)
            for values in (compiled.surfaces.static, compiled.mj.geom_friction[:, 0])
        )

    def values(self, friction: Floats) -> Floats:
        """Static friction at what the engine has now, shape (num_envs, ngeom)."""
        return np.where(friction == self.friction, self.static, friction)


class SurfaceProperties(EnginePart):
    """The part of engines that is about surfaces of shapes."""

    _impacts: Impacts
    _sticking: Sticking

    @cached_property
    def _static_friction(self) -> _Static:
        return _Static(self.compiled, self.num_envs)

    def _surfaces_written(self, *fields: str) -> AbstractContextManager[None]:
        """Context in which static friction follows what is written to parameters."""
        if self._sticking.active and not _SURFACES.isdisjoint(fields):
            return self._static_follows()
        return _NOTHING

    @contextmanager
    def _static_follows(self) -> Iterator[None]:
        self._sticking.release()
        try:
            yield
        finally:
            friction = np.asarray(self.param("geom_friction")[..., 0])
            self._sticking.follow(self._static_friction.values(friction))

    @property
    def surfaces(self) -> Floats:
        """Static friction, dynamic friction and restitution, shape (num_envs, ngeom, 3).

        Static friction acts where that of two materials was above their dynamic one when the
        scene was compiled; elsewhere contacts have the dynamic one. Where friction was given to
        the engine by its parameter, both are the same.
        """
        friction = np.asarray(self.param("geom_friction")[..., 0])
        static = self._static_friction.values(friction)
        return np.stack([static, friction, self._impacts.restitution], axis=-1)

    def sent_back(self, worlds: Ids) -> tuple[Ids, SentBack]:
        """Contacts that impulses of restitution sent back in the last step of some worlds.

        What was written since forgets them, in the worlds it was written to.

        Args:
            worlds: which, in any order.

        Returns:
            For each contact the place of its world among these, shape (n,), and the contacts.
        """
        return self._impacts.sent_back(worlds)

    def set_surfaces(
        self, values: ArrayLike, env_ids: ArrayLike | None = None, geoms: ArrayLike | None = None
    ) -> None:
        """Change friction and restitution of shapes, which act from the next step on.

        What a shape touches combines them with its own as the materials of both say. Compliant
        materials do not bounce, whatever their restitution.

        Args:
            values: static friction, dynamic friction and restitution from 0 to 1: what broadcasts
                to (worlds, geoms, 3).
            env_ids: worlds, as indices or a mask; None: all.
            geoms: geoms, as indices or a mask; None: all.

        Raises:
            UnsupportedError: friction of a geom cannot change by itself; see
                `SceneDescription.varied_surfaces`. Nothing is changed then.
            InvalidValueError: a value is not allowed; nothing is changed then.
            ShapeError: the values do not fit.
        """
        worlds = _ids("env_ids", env_ids, self.num_envs)
        ids = _ids("geoms", geoms, self.compiled.mj.ngeom)
        new = _checked(values, (len(worlds), len(ids), 3))
        cells = np.ix_(worlds, ids)
        friction = np.array(self.param("geom_friction")[cells])
        if (friction[..., 0] != new[..., 1]).any():
            friction[..., 0] = new[..., 1]
            ratio = self.compiled.surfaces.torsional[ids]
            friction[..., 1] = np.where(ratio > 0.0, ratio * new[..., 1], friction[..., 1])
            self.set_param("geom_friction", friction, worlds, ids)
        known = self._static_friction
        with self._surfaces_written(FIELD):
            known.static[cells] = new[..., 0]
            known.friction[cells] = self.param("geom_friction")[cells][..., 0]
        reported = self._impacts.reporting
        self._impacts.set(new[..., 2], worlds, ids)
        # What sensors read is in other memory where impulses are told.
        self.versions.arrays += reported != self._impacts.reporting
        self.versions.parameters += 1


def _ids(what: str, ids: ArrayLike | None, count: int) -> Ids:
    return np.arange(count) if ids is None else checked_ids(what, ids, count)


def _checked(values: ArrayLike, shape: tuple[int, ...]) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    try:
        array = np.broadcast_to(array, shape)
    except ValueError as error:
        raise ShapeError(
            "surfaces", array.shape, f"{shape} or one that broadcasts to it"
        ) from error
    good = np.isfinite(array).all() and (array >= 0.0).all() and (array[..., 2] <= 1.0).all()
    if not good:
        raise InvalidValueError(
            "surfaces", values, "friction of 0 or more, and restitution from 0 to 1"
        )
    return array
