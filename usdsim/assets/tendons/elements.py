"""Tendon elements of an articulation, and their properties in the engine's terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.base import Engine
from usdsim.engine.compile.joints import UNLIMITED
from usdsim.engine.compile.mjc import FORCE_SCALE, LIMIT_STIFFNESS, TENDON_OFFSET
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.indices import cells
from usdsim.engine.surfaces.compliance import compliant
from usdsim.views.copies.scatter import InstanceColumns

__all__ = ["TendonProperties", "read_properties", "tendons_of", "write_properties"]

Array = NDArray[np.float64]
Ids = NDArray[np.intp]

_JOINT = int(mujoco.mjtWrap.mjWRAP_JOINT)
_SITE = int(mujoco.mjtWrap.mjWRAP_SITE)
_SHAPES = (int(mujoco.mjtWrap.mjWRAP_SPHERE), int(mujoco.mjtWrap.mjWRAP_CYLINDER))
_RIGID = (
    np.array([0.02, 1.0]),
    np.array([0.9, 0.95, 0.001, 0.5, 2.0]),
)
"""The engine's own reference and impedance of limits."""


def tendons_of(compiled: CompiledModel, bodies: set[int]) -> tuple[dict[str, int], dict[str, int]]:
    """Fixed and spatial tendons that belong to some bodies, by name, in the engine's order.

    A tendon belongs to the asset of the first moving body along it. Fixed tendons on joints are
    named after the prim of the joint that is their root, others after their own prim; names that
    would be there twice get the rest of the tendon's path, and then a number. Those by which the
    engine limits distance and spherical joints are none of the asset.
    """
    model = compiled.mj
    authored = {element.path for element in compiled.scene.elements if element.kind == "tendon"}
    fixed: list[tuple[str, str, int]] = []
    spatial: list[tuple[str, str, int]] = []
    for tendon, path in enumerate(compiled.names.paths("tendon")):
        start = int(model.tendon_adr[tendon])
        wraps = range(start, start + int(model.tendon_num[tendon]))
        owner = next((b for w in wraps if (b := _wrapped_body(model, w)) > 0), -1)
        if owner not in bodies or (path and path not in authored):
            continue
        prim, _, rest = path.rpartition("/")[2].partition(":")
        found = fixed if model.wrap_type[start] == _JOINT else spatial
        found.append((prim or compiled.names.names("tendon")[tendon], rest, tendon))
    return _named(fixed), _named(spatial)


def _wrapped_body(model: mujoco.MjModel, wrap: int) -> int:
    """Body of a point or joint along a tendon; 0 for what moves with nothing."""
    kind, index = int(model.wrap_type[wrap]), int(model.wrap_objid[wrap])
    if kind == _JOINT:
        return int(model.jnt_bodyid[index])
    if kind == _SITE:
        return int(model.site_bodyid[index])
    return int(model.geom_bodyid[index]) if kind in _SHAPES else 0


def _named(found: list[tuple[str, str, int]]) -> dict[str, int]:
    prims = [prim for prim, _, _ in found]
    named: dict[str, int] = {}
    for prim, rest, tendon in found:
        name = prim if prims.count(prim) == 1 or not rest else f"{prim}:{rest}"
        base, count = name, 0
        while name in named:
            count += 1
            name = f"{base}:{count}"
        named[name] = tendon
    return named


@dataclass(eq=False)
class TendonProperties:
    """Properties of tendons, shape (num_instances, num_tendons) each."""

    stiffness: Array
    """[N/m]"""
    damping: Array
    """[N s/m]"""
    limit_stiffness: Array
    """[N/m]; 0: as stiff as the solver allows."""
    offset: Array
    """Offset added to the length before it is compared with the others [m]."""
    rest_length: Array
    """Length without force [m]."""
    limits: Array
    """Lower and upper limit of the length [m], infinite for none, (num_instances, tendons, 2)."""
    scale: Array
    """Force on the joints per force of these springs and dampers; see `FORCE_SCALE`."""


def read_properties(
    engine: Engine, columns: InstanceColumns, num_instances: int
) -> TendonProperties:
    """Properties of tendons as they are in the engine."""
    compiled = engine.compiled
    described = {e.path: e.overrides for e in compiled.scene.elements if e.kind == "tendon"}
    paths = compiled.names.paths("tendon")

    def read(field: str) -> Array:
        values = engine.param(field)[:, columns.table]
        return np.array(values.reshape(num_instances, *values.shape[2:]), dtype=np.float64)

    def authored(key: str, otherwise: float = 0.0) -> Array:
        rows = np.array(
            [
                [_number(described.get(paths[t], {}), key, otherwise) for t in row]
                for row in columns.table
            ]
        )
        return np.tile(rows, (num_instances // columns.matches, 1)).astype(np.float64)

    offset, scale = authored(TENDON_OFFSET), authored(FORCE_SCALE, 1.0)
    limits = read("tendon_range")
    active = read("tendon_limited") > 0.0
    limits[~active] = -np.inf, np.inf
    limits[limits <= -UNLIMITED], limits[limits >= UNLIMITED] = -np.inf, np.inf
    return TendonProperties(
        stiffness=read("tendon_stiffness") / scale,
        damping=read("tendon_damping") / scale,
        limit_stiffness=authored(LIMIT_STIFFNESS),
        offset=offset,
        rest_length=read("tendon_lengthspring")[..., 0] + offset,
        limits=limits + offset[..., None],
        scale=scale,
    )


def _number(overrides: Mapping[str, Any], key: str, otherwise: float = 0.0) -> float:
    return float(overrides.get(key, otherwise) or otherwise)


def write_properties(
    engine: Engine,
    columns: InstanceColumns,
    values: TendonProperties,
    rows: Ids | None,
    ids: Ids | None,
) -> None:
    """Bring properties of some instances and tendons to the engine.

    Args:
        engine: the worlds.
        columns: the tendons.
        values: of all instances and tendons.
        rows: instances; None: all.
        ids: tendons; None: all.
    """
    for worlds, tendons, part in columns.parts(rows, None if ids is None else ids):
        if not len(tendons):
            continue
        picked = _picked(values, part, rows, ids)
        length = picked.rest_length - picked.offset
        limits = picked.limits - picked.offset[..., None]
        active = np.isfinite(limits).any(axis=-1)
        bounded = np.where(active[..., None], np.clip(limits, -UNLIMITED, UNLIMITED), 0.0)
        firm = picked.limit_stiffness * picked.scale
        solref, solimp = _limit_compliance(engine, firm, worlds, tendons)
        fields: tuple[tuple[str, NDArray[Any]], ...] = (
            ("tendon_stiffness", picked.stiffness * picked.scale),
            ("tendon_damping", picked.damping * picked.scale),
            ("tendon_lengthspring", np.stack([length, length], axis=-1)),
            ("tendon_range", bounded),
            ("tendon_limited", active),
            ("tendon_solref_lim", solref),
            ("tendon_solimp_lim", solimp),
        )
        for field, new in fields:
            _set(engine, field, new, worlds, tendons)


def _picked(values: TendonProperties, part: Any, rows: Ids | None, ids: Ids | None) -> Any:
    """Values of one match in the selected worlds and tendons."""

    def pick(array: Array) -> Array:
        chosen = array if rows is None else array[rows]
        chosen = chosen[part]
        return chosen if ids is None else chosen[:, ids]

    return TendonProperties(**{name: pick(array) for name, array in vars(values).items()})


def _set(
    engine: Engine, field: str, values: NDArray[Any], worlds: Ids | None, tendons: Ids
) -> None:
    """Write a field where it changes, which spares what is shared by all worlds."""
    present = engine.param(field)
    if not np.array_equal(present[cells(field, present, worlds, tendons)], values):
        engine.set_param(field, values, env_ids=worlds, ids=tendons)


def _limit_compliance(
    engine: Engine, stiffness: Array, worlds: Ids | None, tendons: Ids
) -> tuple[Array, Array]:
    """References and impedances of limits with a stiffness of their own."""
    weight = engine.param("tendon_invweight0")
    weight = weight[cells("tendon_invweight0", weight, worlds, tendons)]
    every = engine.param("opt.timestep")
    step = np.broadcast_to((every if worlds is None else every[worlds])[:, None], weight.shape)
    given = np.stack([stiffness, weight, step], axis=-1).reshape(-1, 3)
    kinds, kind = np.unique(given, axis=0, return_inverse=True)
    found = [compliant(float(k), 0.0, float(w), float(h)) or _RIGID for k, w, h in kinds]
    solref, solimp = (np.array([entry[i] for entry in found]) for i in (0, 1))
    solref, solimp = (table[kind.reshape(-1)] for table in (solref, solimp))
    default = stiffness <= 0.0
    shape = stiffness.shape
    solref, solimp = solref.reshape(*shape, 2), solimp.reshape(*shape, 5)
    if default.any():
        solref[default], solimp[default] = _authored(engine, tendons, default)
    return solref, solimp


def _authored(engine: Engine, tendons: Ids, where: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Solver parameters of limits without a stiffness: the stage's own, or the engine's."""
    compiled = engine.compiled
    described = {e.path: e.overrides for e in compiled.scene.elements if e.kind == "tendon"}
    solref, solimp = (
        np.array(value)[tendons]
        for value in (compiled.mj.tendon_solref_lim, compiled.mj.tendon_solimp_lim)
    )
    for i, tendon in enumerate(tendons):
        if _number(described.get(compiled.names.paths("tendon")[tendon], {}), LIMIT_STIFFNESS):
            solref[i], solimp[i] = _RIGID
    return tuple(
        np.broadcast_to(value, (*where.shape, value.shape[-1]))[where] for value in (solref, solimp)
    )  # type: ignore[return-value]
