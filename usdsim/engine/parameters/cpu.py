"""Model parameters that may differ between worlds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import (
    InvalidValueError,
    SimulationError,
    UnknownNameError,
    UnsupportedError,
    UsdsimError,
)
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.indices import ascending, cells, checked_ids, fill
from usdsim.engine.quiet import Quiet
from usdsim.engine.surfaces.materials import mix
from usdsim.engine.threads import ThreadedBatch
from usdsim.math.rotations import UNIT_TOLERANCE
from usdsim.parser.description import APART

from .inertial_gains import GAINS, InertialGains
from .mass_constants import MASS, MassConstants
from .part_constants import DERIVING, OUTPUTS, PartConstants
from .shapes import SHAPES, ShapeFields
from .simple_bodies import LIFTING, breaks_shortcut, is_loose, loosened
from .sizes import check_sizes

__all__ = ["MASKS", "Parameters", "model_value"]

MASKS = ("geom_contype", "geom_conaffinity")
"""Masks of geoms: those that meet collide."""

_NEVER_REFUSED = frozenset({"body_mass", "body_inertia", "dof_armature"})
"""Parameters of which the engine takes whatever has passed the checks here: what follows from them
can wait until somebody needs it, and is then derived once for all that was written."""
_STRUCTURE = ("adr", "num", "id", "type")
_ANCHORED = (int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD))
_POSITIVE = frozenset({"opt.timestep", "opt.impratio"})
_NOT_NEGATIVE = frozenset(
    {"body_inertia", "body_mass", "dof_armature", "dof_damping", "dof_frictionloss"}
    | {"geom_friction", "jnt_stiffness", "tendon_stiffness", "tendon_damping"}
)
_UNIT = frozenset({"body_iquat", "body_quat", "geom_quat", "jnt_axis", "site_quat"})
_LOOKED_AT = _UNIT | LIFTING | {"geom_size", "geom_friction", GAINS, *MASKS}
"""Parameters of which it matters what they are as a whole, or were before."""
_KINDS = {"jnt": "joint", "eq": "equality", "cam": "camera", "key": "key"}


def model_value(model: mujoco.MjModel, field: str) -> NDArray[Any]:
    """A parameter of a model, as in `MjModel`, or ``opt.`` and a field of its options."""
    owner = model.opt if field.startswith("opt.") else model
    return np.asarray(getattr(owner, field.removeprefix("opt.")))


class Parameters:
    """Reads and writes model fields of a batch of worlds.

    A field is shared by all worlds until it is first written. A write that the worlds' model has no
    room for replaces `batch`.
    """

    def __init__(self, batch: ThreadedBatch, compiled: CompiledModel):
        self._batch, self._compiled = batch, compiled
        self._loose = is_loose(batch, compiled)
        self._quiet = Quiet()
        self._gains = InertialGains(compiled, batch.nsim)
        self._masses = MassConstants(compiled)
        self._parts = self._open_parts()
        self._written: set[str] = set()
        self._shared: dict[str, NDArray[Any]] = {}
        # Derived constants of which worlds have values of their own; None: not looked up.
        self._derived: list[str] | None = None
        # Arrays to restore with the model's own, by what is restored and how much was written.
        self._kept: dict[tuple[tuple[str, ...], int], list[tuple[NDArray[Any], Any]]] = {}
        # Worlds whose constants do not follow yet from what was written; None: of no world.
        self._due: NDArray[np.bool_] | None = None

    @property
    def batch(self) -> ThreadedBatch:
        """The worlds, with constants that follow from what was written."""
        self.settle()
        return self._batch

    @batch.setter
    def batch(self, batch: ThreadedBatch) -> None:
        self._batch, self._derived = batch, None
        loose, self._loose = self._loose, is_loose(batch, self._compiled)
        if self._loose != loose:
            self._parts = self._open_parts()

    def replaced(self, batch: ThreadedBatch) -> bool:
        """Whether a write has put other worlds in the place of these."""
        return self._batch is not batch

    def settle(self) -> None:
        """Derive the constants of all that was written since the last call, world by world."""
        if self._due is None:
            return
        worlds = self._due.nonzero()[0]
        if self._masses.usable and not self._loose:
            worlds = self._follow_masses(worlds)
        if len(worlds):
            self._set_const(worlds)

    def _follow_masses(self, worlds: NDArray[np.intp]) -> NDArray[np.intp]:
        """Derive constants of worlds in which only masses differ; returns the other worlds."""
        others = [name for name in self._written if name != MASS and self._derives(name, None)]
        chosen = worlds
        for name in others:
            values = self._batch.expand(name)[chosen]
            own = model_value(self._compiled.mj, name)
            chosen = chosen[(values == own).all(axis=tuple(range(1, values.ndim)))]
        if not self._masses.serves(self._batch):
            self._derived = None
        left = self._masses.derive(self._batch, chosen) if len(chosen) else chosen
        if others or len(left):
            chosen = np.setdiff1d(chosen, left)
            left = np.setdiff1d(worlds, chosen)
        self._followed(chosen)
        return left

    def _open_parts(self) -> PartConstants | None:
        """Derivation of constants by the parts of a large scene; None: it has none."""
        compiled = self._compiled
        parts = compiled.loose_scene.parts if self._loose else compiled.parts
        return PartConstants(parts, self._batch.model) if parts else None

    def _set_const(self, worlds: NDArray[np.intp]) -> None:
        """Derive the constants of some worlds.

        Raises:
            mujoco.batch.SimulationError: the engine refuses the model of a world.
        """
        left = self._parts.derive(self._batch, worlds) if self._parts else worlds
        if len(left):
            with self._quiet:
                self._batch.set_const(left)
        # Constants that this changed for the first time are of each world now.
        self._derived = None
        self._followed(worlds)

    def _followed(self, worlds: NDArray[np.intp]) -> None:
        """Record worlds whose constants have been derived, and pass them on."""
        self._gains.follow(self._batch, worlds)
        self._compiled.cones.follow(self._batch, worlds)
        self._settled(worlds)

    def _settled(self, worlds: NDArray[np.intp]) -> None:
        """Record worlds whose constants follow from their parameters, whoever derived them."""
        if self._parts:
            self._parts.remember(self._batch, worlds)
        if len(worlds) == self._batch.nsim:
            self._due = None
        elif self._due is not None:
            self._due[worlds] = False
            self._due = self._due if np.count_nonzero(self._due) else None

    def read(self, field: str) -> NDArray[Any]:
        """Values of all worlds, read-only, shape (num_envs, ...)."""
        self._require_field(field)
        if field not in _NEVER_REFUSED:
            self.settle()
        values = self._batch.expanded(field)
        if values is not None:
            return values
        if field not in self._shared:
            shared = model_value(self._compiled.mj, field)
            self._shared[field] = np.broadcast_to(shared, (self._batch.nsim, *shared.shape))
        return self._shared[field]

    def write(
        self,
        field: str,
        values: ArrayLike,
        env_ids: NDArray[np.intp] | None,
        ids: ArrayLike | None,
    ) -> None:
        """Set values in some worlds, and everything the engine derives from them.

        Raises:
            SimulationError: the engine refuses the model; nothing is changed then.
        """
        self._require_field(field)
        self._check(field, values)
        derives = self._derives(field, ids)
        if field in _LOOKED_AT or (derives and field not in _NEVER_REFUSED):
            self._write_whole(field, values, env_ids, ids, derives=derives)
            return
        target = self._batch.expand(field)
        index = cells(field, target, env_ids, ids)
        before = np.array(target[index]) if derives else None
        fill(field, target, index, values)
        self._written.add(field)
        if before is not None:
            worlds = (target[index] != before).nonzero()[0]
            if len(worlds):
                self._postpone(worlds if env_ids is None else env_ids[worlds])

    def _write_whole(
        self,
        field: str,
        values: ArrayLike,
        env_ids: NDArray[np.intp] | None,
        ids: ArrayLike | None,
        *,
        derives: bool,
    ) -> None:
        """Write a parameter that is looked at, or derived from, before the write is final."""
        if field == GAINS:
            self.settle()
        target = self._batch.expand(field)
        worlds = np.arange(self._batch.nsim) if env_ids is None else ascending(env_ids)
        rows: Any = slice(None) if env_ids is None else worlds
        before = np.array(target[rows])
        fill(field, target, cells(field, target, env_ids, ids), values)
        now = target[rows]
        try:
            self._check_written(field, now, before, worlds)
        except UsdsimError:
            target[rows] = before
            raise
        self._written.add(field)
        self._gains.written(field, self._batch, worlds, ids)
        if field == "geom_friction":
            self._mix_friction(worlds, ids)
        elif field in MASKS:
            self._mask_pairs(worlds)
        if breaks_shortcut(self._batch.model, field, now):
            # What is due stays due: the worlds as they are may not bear what was just written.
            self.batch = loosened(self._batch, self._compiled)
        if derives:
            differs = (now != before).any(axis=tuple(range(1, target.ndim)))
            if differs.any():
                self._derive(field, before[differs], worlds[differs], ids)

    def write_shapes(
        self,
        values: Mapping[str, ArrayLike],
        env_ids: NDArray[np.intp] | None,
        ids: ArrayLike | None,
    ) -> None:
        """Set all fields of `SHAPES` of some geoms at once, and what the engine derives from them.

        Raises:
            SimulationError: the engine refuses the model; nothing is changed then.
        """
        self.settle()
        worlds = np.arange(self._batch.nsim) if env_ids is None else env_ids
        fields = ShapeFields(self._batch, worlds)
        try:
            fields.write(values, ids)
            self._set_const(np.unique(worlds))
            fields.bound()
        except (UsdsimError, mjbatch.SimulationError) as error:
            fields.put_back()
            self._set_const(np.unique(worlds))
            if isinstance(error, UsdsimError):
                raise
            raise self._refused("geom_type", list(error.ids), ids) from error
        self._written.update(SHAPES)

    def _postpone(self, worlds: NDArray[np.intp]) -> None:
        """Derive the constants of some worlds when somebody needs them."""
        self._due = np.zeros(self._batch.nsim, np.bool_) if self._due is None else self._due
        self._due[worlds] = True

    def restore(self, fields: Iterable[str], env_ids: NDArray[np.intp] | None) -> None:
        """Restore the model's own values of some parameters in some worlds.

        Where no other parameter was written, the constants are the model's own too, and copied.

        Raises:
            SimulationError: the engine refuses the model that is left.
        """
        fields = tuple(fields)
        if "geom_type" in fields:
            own = {name: model_value(self._compiled.mj, name) for name in SHAPES}
            self.write_shapes(own, env_ids, None)
            fields = tuple(field for field in fields if field not in SHAPES)
        others = [field for field in self._written.difference(fields) if self._derives(field, None)]
        if others or self._batch.model.nflex or self._loose:
            for field in fields:
                self.write(field, model_value(self._compiled.mj, field), env_ids, None)
            return
        rows: Any = slice(None) if env_ids is None else env_ids
        for values, own in self._kept_of(fields):
            values[rows] = own
        worlds = np.arange(self._batch.nsim) if env_ids is None else ascending(env_ids)
        self._settled(worlds)
        if GAINS in fields:
            self._gains.restored(worlds)
        else:
            self._gains.follow(self._batch, worlds)
        if "geom_friction" in fields:
            self._mix_friction(worlds, None)
        if not set(MASKS).isdisjoint(fields):
            self._mask_pairs(worlds)

    def _kept_of(self, fields: tuple[str, ...]) -> list[tuple[NDArray[Any], Any]]:
        """Arrays of fields and of what follows from them, with the values that the model has."""
        if self._derived is None:
            self._derived = [name for name in OUTPUTS if self._batch.expanded(name) is not None]
            self._kept.clear()
        key = fields, len(self._written)
        if key not in self._kept:
            names = [*fields, *(name for name in self._derived if name not in self._written)]
            found = []
            for name in names:
                if self._batch.expanded(name) is not None:
                    values, own = self._batch.expand(name), model_value(self._compiled.mj, name)
                    # Of bounding volumes, worlds have those of bodies only, which come first.
                    found.append((values, own[: values.shape[1]] if own.ndim else own))
            self._kept = {key: found}
        return self._kept[key]

    def _derives(self, field: str, ids: ArrayLike | None) -> bool:
        """Whether constants follow from what was written."""
        if field == "eq_data":
            # Only ties of bodies have anchors; of joints, what is written is all there is.
            kinds = self._batch.model.eq_type
            return bool(np.isin(kinds if ids is None else kinds[np.asarray(ids)], _ANCHORED).any())
        if field.startswith("opt."):
            # The stiffness of what is deformable is factorised for a time step.
            return self._batch.model.nflex > 0
        return field in DERIVING

    def _derive(
        self,
        field: str,
        before: NDArray[Any],
        worlds: NDArray[np.intp],
        ids: ArrayLike | None,
    ) -> None:
        """Derive the constants of a field; without success, restore what it was `before`."""
        try:
            self._set_const(worlds)
        except mjbatch.SimulationError as error:
            self._batch.expand(field)[worlds] = before
            self._set_const(worlds)
            raise self._refused(field, list(error.ids), ids) from error

    def _check_written(
        self,
        field: str,
        values: NDArray[Any],
        before: NDArray[Any],
        worlds: NDArray[np.intp],
    ) -> None:
        if field == "geom_size":
            check_sizes(self._compiled, values, before, worlds)
        if field == "geom_friction":
            self._check_alike(values, worlds)
        if field not in _UNIT:
            return
        off = np.abs(np.linalg.norm(values, axis=2) - 1.0) > UNIT_TOLERANCE
        bad = np.argwhere(off & (values != before).any(axis=2))
        if len(bad):
            row, index = bad[0]
            path = self._paths(field, [index])
            what = f"{field} of {path[0] if path else index} in world {worlds[row]}"
            raise InvalidValueError(what, values[row, index].tolist(), "a vector of unit length")

    def _check_alike(self, friction: NDArray[np.float64], worlds: NDArray[np.intp]) -> None:
        """Whether materials still combine as they say where the engine mixes by itself."""
        groups = self._compiled.surfaces.alike
        for group in range(groups.max(initial=-1) + 1):
            geoms = np.flatnonzero(groups == group)
            odd = np.argwhere((friction[:, geoms] != friction[:, geoms[:1]]).any(axis=2))
            if len(odd):
                first, other = (self._paths("geom_friction", [geoms[i]]) for i in (0, odd[0, 1]))
                raise UnsupportedError(
                    f"Friction of {''.join(other)} cannot differ from that of {''.join(first)} in "
                    f"world {worlds[odd[0, 0]]}: their materials were alike when the scene was "
                    "compiled, and contact pairs, which combine others, were too many to have "
                    "beforehand. Name the prims in SceneDescription.varied_surfaces, or set "
                    "randomize_materials=True in the configuration of their asset, before the "
                    "scene is compiled. Nothing was changed."
                )

    def _refused(self, field: str, worlds: list[int], ids: ArrayLike | None) -> SimulationError:
        paths = () if ids is None else self._paths(field, ids)
        where = " of " + ", ".join(paths[:5]) if paths else ""
        return SimulationError(
            f"The engine cannot simulate these values of {field}{where} in world {worlds[0]}"
            f"{f' and {len(worlds) - 1} more' if len(worlds) > 1 else ''}. Nothing was changed.",
            worlds,
            [float(self._batch.bind("time")[world]) for world in worlds],
            [paths] * len(worlds),
        )

    def _paths(self, field: str, ids: ArrayLike) -> tuple[str, ...]:
        """Prims of some rows of a field, where they have any."""
        prefix, names = field.partition("_")[0], self._compiled.names
        kind = _KINDS.get(prefix, prefix)
        if kind not in names.kinds:
            return ()
        known = names.paths(kind)
        return tuple(known[i] for i in checked_ids("ids", ids, len(known)) if known[i])

    def _mix_friction(self, worlds: NDArray[np.intp], ids: ArrayLike | None) -> None:
        """Pass friction of geoms on to the contact pairs that combine materials."""
        model, rows = self._compiled.mj, self._compiled.mixed_pairs
        if not rows:
            return
        geoms = None if ids is None else {int(i) for i in checked_ids("ids", ids, model.ngeom)}
        friction, pairs = (self._batch.expand(f) for f in ("geom_friction", "pair_friction"))
        for pair, mode, radius in rows:
            first, second = int(model.pair_geom1[pair]), int(model.pair_geom2[pair])
            if geoms is None or first in geoms or second in geoms:
                mixed = mix(mode, friction[worlds, first], friction[worlds, second])
                if radius:
                    mixed[:, 1] = radius * mixed[:, 0]
                pairs[worlds, pair] = mixed[:, [0, 0, 1, 2, 2]]

    def _mask_pairs(self, worlds: NDArray[np.intp]) -> None:
        """Part the contact pairs that combine materials where masks keep their geoms apart."""
        model, rows = self._compiled.mj, self._compiled.mixed_pairs
        if not rows:
            return
        types, affinities = (self._batch.expand(field) for field in MASKS)
        margins, own = self._batch.expand("pair_margin"), self.read("geom_margin")
        for pair, *_ in rows:
            a, b = int(model.pair_geom1[pair]), int(model.pair_geom2[pair])
            meet = (
                types[worlds, a] & affinities[worlds, b] | types[worlds, b] & affinities[worlds, a]
            )
            margins[worlds, pair] = np.where(meet != 0, own[worlds, a] + own[worlds, b], APART)

    def _require_field(self, field: str) -> None:
        if field not in mjbatch.MODEL_FIELDS:
            raise UnknownNameError("model parameter", field, sorted(mjbatch.MODEL_FIELDS))

    def _check(self, field: str, values: ArrayLike) -> None:
        structural = field.endswith(_STRUCTURE) and field != "geom_contype"
        if structural and model_value(self._compiled.mj, field).dtype.kind in "iu":
            raise UnsupportedError(
                f"{field!r} is structure: it is the same in every world. "
                "Change the stage and compile it again."
            )
        try:
            numbers = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidValueError(field, values, "numbers") from error
        if field in _NOT_NEGATIVE and np.count_nonzero(numbers >= 0.0) == numbers.size:
            return
        # Range ends and the like may be infinite; nothing may be NaN.
        if np.isnan(numbers).any():
            raise InvalidValueError(field, values, "numbers that are not NaN")
        if field in _POSITIVE and (numbers <= 0.0).any():
            raise InvalidValueError(field, values, "numbers > 0")
        if field in _NOT_NEGATIVE:
            raise InvalidValueError(field, values, "numbers >= 0")
