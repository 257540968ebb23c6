"""Friction and restitution of shapes that differ between worlds."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, ShapeError, UnsupportedError
from usdsim.engine.compile.options import CONTACT_SOLREF
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.indices import checked_ids

from .materials import mix
from .restitution import BOUNCE_SOLIMP, restituting_rows, restitution_of

__all__ = ["SurfaceProperties"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

_AT_REST = np.zeros(2)
"""Reference of friction in pairs that do not bounce: that of the pair."""


class _Known:
    """Numbers the engine has no parameters for, and those of its parameters they belong to.

    Whoever writes the parameters directly changes the surface as well, so what is kept here holds
    only while the parameters are those it was kept with.
    """

    def __init__(self, compiled: CompiledModel, num_envs: int):
        table, model = compiled.surfaces, compiled.mj

        def everywhere(values: Floats) -> Floats:
            return np.repeat(values[None], num_envs, axis=0)

        self.static, self.restitution = everywhere(table.static), everywhere(table.restitution)
        self.friction = everywhere(model.geom_friction[:, 0])
        self.solref = everywhere(model.geom_solref)

    def surfaces(self, friction: Floats, solref: Floats) -> Floats:
        """Static and dynamic friction and restitution, shape (num_envs, ngeom, 3)."""
        static = np.where(friction == self.friction, self.static, friction)
        same = (solref == self.solref).all(axis=-1)
        restitution = np.where(same, self.restitution, 0.0)
        if not same.all():
            restitution[~same] = restitution_of(solref[~same])
        return np.stack([static, friction, restitution], axis=-1)


class SurfaceProperties:
    """The part of engines that is about surfaces of shapes."""

    compiled: CompiledModel
    num_envs: int

    if TYPE_CHECKING:

        def param(self, field: str) -> NDArray[Any]:
            """A model parameter of all worlds; see `Engine.param`."""
            ...

        def set_param(
            self,
            field: str,
            values: ArrayLike,
            env_ids: ArrayLike | None = None,
            ids: ArrayLike | None = None,
        ) -> None:
            """Set a model parameter; see `Engine.set_param`."""
            ...

    @cached_property
    def _known_surfaces(self) -> _Known:
        return _Known(self.compiled, self.num_envs)

    @property
    def surfaces(self) -> Floats:
        """Static friction, dynamic friction and restitution, shape (num_envs, ngeom, 3).

        The engine has one sliding coefficient, the dynamic one. Static friction is what the
        material says, and has no effect; where friction was given to the engine by its parameter,
        both are the same.
        """
        friction = np.asarray(self.param("geom_friction")[..., 0])
        return self._known_surfaces.surfaces(friction, np.asarray(self.param("geom_solref")))

    def set_surfaces(
        self, values: ArrayLike, env_ids: ArrayLike | None = None, geoms: ArrayLike | None = None
    ) -> None:
        """Change friction and restitution of shapes, which act from the next step on.

        What a shape touches combines them with its own as the materials of both say, except the
        other shapes of its articulation: there the larger friction counts, and the smaller
        restitution. Compliant materials do not bounce, whatever their restitution.

        Args:
            values: static friction, dynamic friction and restitution from 0 to 1: what broadcasts
                to (worlds, geoms, 3).
            env_ids: worlds, as indices or a mask; None: all.
            geoms: geoms, as indices or a mask; None: all.

        Raises:
            UnsupportedError: a geom is not in `SceneDescription.varied_surfaces`.
            InvalidValueError: a value is not allowed; nothing is changed then.
            ShapeError: the values do not fit.
        """
        count, table = self.compiled.mj.ngeom, self.compiled.surfaces
        worlds = _ids("env_ids", env_ids, self.num_envs)
        ids = _ids("geoms", geoms, count)
        fixed = ids[~table.varied[ids]]
        if len(fixed):
            path = self.compiled.names.paths("geom")[fixed[0]]
            raise UnsupportedError(
                f"The surface of {path!r} cannot change while it is simulated. Name it in "
                "SceneDescription.varied_surfaces before the scene is compiled. Nothing was "
                "changed."
            )
        new = _checked(values, (len(worlds), len(ids), 3))
        before = self.surfaces[worlds]
        after = np.array(before)
        after[:, ids] = new
        cells = np.ix_(worlds, ids)
        friction = np.array(self.param("geom_friction")[cells])
        friction[..., 0] = after[:, ids, 1]
        self.set_param("geom_friction", friction, worlds, ids)
        self._set_bounces(before[..., 2], after[..., 2], worlds, ids)
        self._set_pair_bounces(before[..., 2], after[..., 2], worlds, ids)
        known = self._known_surfaces
        known.static[cells], known.restitution[cells] = after[:, ids, 0], after[:, ids, 2]
        known.friction[cells] = self.param("geom_friction")[cells][..., 0]
        known.solref[cells] = self.param("geom_solref")[cells]

    def _set_bounces(self, before: Floats, after: Floats, worlds: Ids, ids: Ids) -> None:
        """Restitution of geoms by themselves, which counts within articulations."""
        table = self.compiled.surfaces
        ids = ids[table.bouncing[ids] & (before != after).any(axis=0)[ids]]
        if not len(ids):
            return
        solref, solimp = self._contacts(after[:, ids], worlds, table.solref[ids], table.solimp[ids])
        self.set_param("geom_solref", solref, worlds, ids)
        self.set_param("geom_solimp", solimp, worlds, ids)

    def _set_pair_bounces(self, before: Floats, after: Floats, worlds: Ids, ids: Ids) -> None:
        """Restitution of the pairs that some geoms are part of."""
        table, model = self.compiled.surfaces, self.compiled.mj
        first, second = (of[table.pairs] for of in (model.pair_geom1, model.pair_geom2))
        touched = np.flatnonzero(np.isin(first, ids) | np.isin(second, ids))
        modes = np.array(table.modes)[touched]
        old, new = np.zeros((2, len(worlds), len(touched)))
        for mode in set(modes):
            own = np.flatnonzero(modes == mode)
            a, b = first[touched[own]], second[touched[own]]
            old[:, own] = mix(mode, before[:, a], before[:, b])
            new[:, own] = mix(mode, after[:, a], after[:, b])
        changed = np.flatnonzero((old != new).any(axis=0))
        if not len(changed):
            return
        rows, bounce = touched[changed], new[:, changed]
        solref, solimp = self._contacts(
            bounce, worlds, table.pair_solref[rows], table.pair_solimp[rows]
        )
        sliding = np.where(bounce[..., None] > 0.0, CONTACT_SOLREF, _AT_REST)
        for field, numbers in (("solref", solref), ("solimp", solimp), ("solreffriction", sliding)):
            self.set_param(f"pair_{field}", numbers, worlds, table.pairs[rows])

    def _contacts(
        self, bounce: Floats, worlds: Ids, solref: Floats, solimp: Floats
    ) -> tuple[Floats, Floats]:
        """Contact references and impedances of restitutions, shape (worlds, n) each."""
        step = np.asarray(self.param("opt.timestep"))[worlds, None]
        lively = bounce[..., None] > 0.0
        return (
            np.where(lively, restituting_rows(bounce, step), solref),
            np.where(lively, BOUNCE_SOLIMP, solimp),
        )


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
