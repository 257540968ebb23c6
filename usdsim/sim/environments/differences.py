"""Differences between compiled environments: numbers per world, or a refusal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.core.errors import StageError
from usdsim.engine import CompiledModel
from usdsim.engine.effects.velocity_limits.cpu import VelocityLimits
from usdsim.engine.fields import LAYOUT

__all__ = [
    "QPOS",
    "Comparison",
    "Difference",
    "Numbers",
    "RowValues",
    "Rows",
    "is_parameter",
    "parameter",
]

Rows = NDArray[np.intp] | None
"""Rows of a field; None: all of it, as it has one value per world."""
Numbers = Mapping[str, NDArray[Any]]
"""All numbers of an environment that may differ from those of another one, by name."""
RowValues = Mapping[str, tuple[NDArray[np.intp], NDArray[Any]]]
"""Rows of `Numbers`, and their values in each of some environments, shape (n, rows, ...)."""

_TOLERANCE = 1e-9
"""Difference, relative to the largest number in a row, that is rounding."""
_FLOOR = 1e-12
_NO_ROWS = np.zeros(0, np.intp)
_LIMITS, _SURFACES, _INITIAL = "limits", "surfaces", "initial."
"""Names among `Numbers` of what is no field of the model."""
QPOS = f"{_INITIAL}qpos"
"""Name among `Numbers` of the positions to start in."""
_LAYOUT = (*LAYOUT, "bvh_", "name", "oct_", "text_data", "buffer", "paths", "signature")
_COUNTS = frozenset(
    {"na", "nactuator", "nbody", "neq", "nexclude", "nflex", "ngeom", "nhfield", "njnt", "nkey"}
    | {"nlight", "nmesh", "nmocap", "npair", "nplugin", "nq", "nsensor", "nsite", "nskin"}
    | {"ntendon", "ntree", "nu", "nv", "nwrap", "ncam", "nmat", "ntex", "ntuple", "nnumeric"}
)
_WRITTEN_OUTPUTS = frozenset({"eq_data", "geom_size"})
"""Fields that are derived in part, and that carry what the stage says."""
_FREE_INTEGERS = frozenset(
    {"eq_active0", "flex_conaffinity", "flex_condim", "flex_contype", "geom_conaffinity"}
    | {"geom_condim", "geom_contype", "geom_priority", "jnt_actgravcomp", "light_active"}
    | {"light_castshadow", "light_texid", "pair_dim"}
)
"""Integers and flags that may differ between worlds, besides those with these endings."""
_FREE_ENDINGS = ("limited", "_group")
_KINDS = {"jnt": "joint", "eq": "equality", "cam": "camera", "tex": "texture", "mat": "material"}


@dataclass(frozen=True, eq=False)
class Difference:
    """Parameters that some environments have other than the first one.

    Values are those of each environment, or without the first axis, of all of them.
    """

    worlds: NDArray[np.intp]
    """Indices of the environments."""
    path: str
    """Prim path of one of them."""
    parameters: Mapping[str, tuple[Rows, NDArray[Any]]]
    """Rows of model fields, and values (rows, ...)."""
    initial: Mapping[str, NDArray[np.float64]]
    """Fields of the initial state."""
    limits: tuple[NDArray[np.float64], NDArray[np.intp]]
    """Velocity limits [m/s or rad/s], and the degrees of freedom that have them."""
    surfaces: tuple[NDArray[np.float64], NDArray[np.intp]]
    """Static friction and restitution, shape (n, 2), and the geoms that have them."""

    def of_many(
        self,
        worlds: NDArray[np.intp],
        numbers: Numbers,
        changes: RowValues,
    ) -> Difference:
        """The difference of environments that are like this one but for some numbers.

        Args:
            worlds: the environments.
            numbers: of this environment.
            changes: the numbers they have each.
        """

        def joined(name: str, own: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[Any]]:
            rows, values = changes[name]
            both = np.union1d(own, rows)
            found = np.repeat(numbers[name][both][None], len(worlds), axis=0)
            found[:, np.searchsorted(both, rows)] = values
            return both, found

        parameters, initial = dict(self.parameters), dict(self.initial)
        limits, surfaces = self.limits, self.surfaces
        for name in changes:
            if name == _LIMITS:
                limits = joined(name, limits[1])[::-1]
            elif name == _SURFACES:
                surfaces = joined(name, surfaces[1])[::-1]
            elif name.startswith(_INITIAL):
                every = np.arange(len(numbers[name]))
                initial[name.removeprefix(_INITIAL)] = joined(name, every)[1]
            else:
                own = parameters.get(name, (_NO_ROWS, _NO_ROWS))[0]
                parameters[name] = joined(name, _NO_ROWS if own is None else own)
        return Difference(worlds, self.path, parameters, initial, limits, surfaces)


def is_parameter(name: str) -> bool:
    """Whether `Numbers` of a name are a field of the model."""
    return name not in (_LIMITS, _SURFACES) and not name.startswith(_INITIAL)


def parameter(model: mujoco.MjModel, field: str) -> NDArray[Any]:
    """A field of the model that may differ between worlds."""
    if field.startswith("opt."):
        return np.asarray(getattr(model.opt, field[4:]))
    return np.asarray(getattr(model, field))


class Comparison:
    """Compares environments with the first one, compiled in one place and under one name.

    Args:
        base: the first environment.
        first: its prim path.
    """

    def __init__(self, base: CompiledModel, first: str):
        self._base, self._first = base, first
        derived = set(mujoco.MjModel._setconst_outputs) - _WRITTEN_OUTPUTS
        fields = [f for f in sorted(mjbatch.MODEL_FIELDS) if f not in derived and not _is_layout(f)]
        self._parameters = [_Field.of(base.mj, field) for field in fields]
        self._assets = [_Field.of(base.mj, field) for field in _shared_fields(base.mj)]
        self._limits, self._surfaces = _speed_limits(base), _friction(base)

    def compare(self, other: CompiledModel, worlds: Sequence[int], path: str) -> Difference:
        """Difference of another environment from the first one.

        Args:
            other: the environment.
            worlds: which environments are like it.
            path: its prim path.

        Raises:
            StageError: it differs in more than numbers.
        """
        base, first = self._base, self._first
        reason = _structure(base, other, path, first) or self._other_assets(other.mj)
        if reason:
            raise _refusal(path, first, reason)
        own = _speed_limits(other)
        dofs = np.flatnonzero(own != self._limits)
        initial = {
            field: np.array(getattr(other.initial, field))
            for field, value in vars(base.initial).items()
            if _differing(value, getattr(other.initial, field)).size
        }
        found = dict(self._other_parameters(other.mj, path))
        _leave_vertices(base, other, found, initial)
        surfaces = _friction(other)
        geoms = np.flatnonzero((surfaces != self._surfaces).any(axis=1))
        ids = np.array(worlds, np.intp)
        return Difference(ids, path, found, initial, (own[dofs], dofs), (surfaces[geoms], geoms))

    def numbers(self, other: CompiledModel) -> Numbers:
        """All numbers of an environment.

        Positions are those authored; fields that have no rows are compared as bytes.
        """
        found = {}
        for known in self._parameters:
            values = parameter(other.mj, known.name)
            shared = known.name.startswith("opt.") or not values.ndim
            found[known.name] = np.frombuffer(values.tobytes(), np.uint8) if shared else values
        initial = {_INITIAL + name: value for name, value in vars(other.initial).items()}
        if other.authored_qpos is not None:
            initial[QPOS] = other.authored_qpos
        return {**found, **initial, _LIMITS: _speed_limits(other), _SURFACES: _friction(other)}

    def _other_parameters(
        self, other: mujoco.MjModel, path: str
    ) -> Iterator[tuple[str, tuple[Rows, NDArray[Any]]]]:
        for known in self._parameters:
            field, y = known.name, parameter(other, known.name)
            rows = known.differing(y)
            if rows is None or (len(rows) and not _may_differ(field, known.values)):
                where = "" if rows is None else _element(self._base, field, int(rows[0]))
                raise _refusal(path, self._first, f"{field}{where} is not the same")
            if len(rows) and (field.startswith("opt.") or not y.ndim):
                yield field, (None, np.array(y))
            elif len(rows):
                yield field, (rows, y[rows])

    def _other_assets(self, other: mujoco.MjModel) -> str:
        """Array that all worlds share and that differs; empty if none does."""
        for known in self._assets:
            rows = known.differing(getattr(other, known.name))
            if rows is None or len(rows):
                kind = known.name.partition("_")[0]
                return (
                    f"all worlds share one {_KINDS.get(kind, kind)}, "
                    f"and {known.name} is not the same"
                )
        return ""


@dataclass(frozen=True, eq=False)
class _Field:
    """A field of the first environment's model."""

    name: str
    values: NDArray[Any]
    bytes: bytes
    """Values as bytes: most fields are equal, which bytes tell in a tenth of the time."""

    @classmethod
    def of(cls, model: mujoco.MjModel, name: str) -> _Field:
        """A field by name."""
        values = parameter(model, name)
        return cls(name, values, values.tobytes())

    def differing(self, other: NDArray[Any]) -> Rows:
        """Rows in which another model differs by more than rounding; None: in its shape."""
        if self.values.shape != other.shape:
            return None
        return _NO_ROWS if other.tobytes() == self.bytes else _differing(self.values, other)


def _speed_limits(model: CompiledModel) -> NDArray[np.float64]:
    return VelocityLimits(model, 1).values[0]


def _friction(model: CompiledModel) -> NDArray[np.float64]:
    """Static friction and restitution of each geom, shape (ngeom, 2)."""
    return np.stack([model.surfaces.static, model.surfaces.restitution], axis=-1)


def _shared_fields(model: mujoco.MjModel) -> list[str]:
    """Arrays that all worlds share."""
    return [
        field
        for field in mujoco.MjModel._all_fields
        if field not in mjbatch.MODEL_FIELDS
        and not _is_layout(field)
        and not field.endswith("pathadr")
        and isinstance(getattr(model, field), np.ndarray)
    ]


def _leave_vertices(
    base: CompiledModel,
    other: CompiledModel,
    found: dict[str, tuple[Rows, NDArray[Any]]],
    initial: dict[str, NDArray[np.float64]],
) -> None:
    """Count the positions of vertices from where they are in the first environment.

    Where they start is a matter of state alone then, and their origins are equal in all worlds.
    """
    pairs = list(zip(base.deformables, other.deformables, strict=True))
    if not pairs:
        return
    qpos = np.array(other.initial.qpos)
    for ours, theirs in pairs:
        columns = ours.qpos_adr[ours.moving, None] + np.arange(3)
        qpos[columns] += (theirs.origins - ours.origins)[ours.moving]
    if _differing(base.initial.qpos, qpos).size:
        initial["qpos"] = qpos
    rows, values = found.pop("body_pos", (np.zeros(0, np.intp), np.zeros((0, 3))))
    moving = np.concatenate([ours.body_ids[ours.moving] for ours, _ in pairs])
    kept = ~np.isin(rows, moving) if rows is not None else np.zeros(0, np.bool_)
    if rows is not None and kept.any():
        found["body_pos"] = rows[kept], values[kept]


def _structure(base: CompiledModel, other: CompiledModel, path: str, first: str) -> str:
    """Difference in elements between two models; empty if they have the same."""
    for kind in base.names.kinds:
        ours, theirs = _called(base, kind), _called(other, kind)
        if ours == theirs:
            continue
        extra = [name for name in theirs if name not in set(ours)]
        if extra:
            # It was compiled under the name of the first environment.
            name = extra[0].replace(first + "/", path + "/")
            return f"{name!r}, a {kind}, has no counterpart"
        missing = [name for name in ours if name not in set(theirs)]
        if missing:
            return f"{missing[0]!r}, a {kind}, has no counterpart"
        return f"elements of the kind {kind} are in another order"
    for count in sorted(_COUNTS):
        if getattr(base.mj, count) != getattr(other.mj, count):
            return f"{count} is {getattr(other.mj, count)}, not {getattr(base.mj, count)}"
    return ""


def _called(compiled: CompiledModel, kind: str) -> list[str]:
    """Prim paths of the elements of a kind, and names where there is no prim."""
    names = compiled.names
    pairs = zip(names.paths(kind), names.names(kind), strict=True)
    return [path or name for path, name in pairs]


def _is_layout(field: str) -> bool:
    return field.startswith(_LAYOUT)


def _may_differ(field: str, values: NDArray[Any]) -> bool:
    return (
        values.dtype.kind == "f"
        or field.startswith("opt.")
        or field in _FREE_INTEGERS
        or field.endswith(_FREE_ENDINGS)
    )


def _differing(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    """Rows of two arrays of one shape that differ by more than rounding."""
    count = len(x) if x.ndim else 1
    if not x.size or np.array_equal(x, y):
        return np.zeros(0, np.intp)
    a, b = x.reshape(count, -1), y.reshape(count, -1)
    if x.dtype.kind != "f":
        return np.flatnonzero((a != b).any(axis=1))
    size = np.fmax(np.abs(a), np.abs(b))
    size[~np.isfinite(size)] = 0.0
    allowed = np.fmax(_TOLERANCE * size.max(axis=1, keepdims=True), _FLOOR)
    with np.errstate(invalid="ignore"):
        close = np.abs(a - b) <= allowed
    return np.flatnonzero(~(close | (a == b)).all(axis=1))


def _element(base: CompiledModel, field: str, row: int) -> str:
    prefix = field.partition("_")[0]
    kind = _KINDS.get(prefix, prefix)
    if prefix == "dof":
        kind, row = "joint", int(base.mj.dof_jntid[row])
    if kind not in base.names.kinds or row >= len(base.names.paths(kind)):
        return ""
    return f" of {base.names.paths(kind)[row] or base.names.names(kind)[row]}"


def _refusal(path: str, first: str, reason: str) -> StageError:
    return StageError(
        f"{path} differs from {first} in more than numbers: {reason}. Environments are simulated "
        "as worlds of one model: give them the same bodies, joints and relationships."
    )
