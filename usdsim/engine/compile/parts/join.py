"""Joining of models: those of parts of a scene become that of the whole, bit by bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from .fields import COUNTS, DERIVED, REFERENCES, TYPED
from .layout import ModelLayout, layout, loaded
from .names import joined_names
from .part_models import PartModels, mass_of_world
from .partition import GeomAlias, NotJoinable, ScenePart
from .places import Places
from .statistics import FIELDS, at_rest, place_views, statistics

__all__ = ["joined"]

_SERIES = "4.0."
"""Versions of the engine that the tables of fields are for."""


def joined(
    parts: Sequence[ScenePart],
    models: Sequence[mujoco.MjModel],
    aliases: Sequence[GeomAlias],
) -> tuple[mujoco.MjModel, Places, PartModels]:
    """Join the models of the parts of a scene.

    Args:
        parts: the parts.
        models: as they were compiled.
        aliases: shapes of the first part that stand for those of others.

    Returns:
        What the compiler would make of the whole, where the rows of the parts are in it, and the
        parts.

    Raises:
        NotJoinable: something is in them whose meaning for the whole is not known here.
    """
    form = _checked(models)
    places = Places(parts, models, aliases)
    arrays: dict[str, Any] = {
        name: _joined_rows(places, name, size) for name, size in form.arrays.items()
    }
    _derive(arrays, places)
    kinds = {n: s for n, s in form.arrays.items() if n.startswith("name_") and n.endswith("adr")}
    arrays |= joined_names(places, kinds)
    sizes = dict(places.totals)
    sizes |= {"nnames": len(arrays["names"]), "nnames_map": len(arrays["names_map"])}
    for name in ("ngravcomp", "nemax"):
        sizes[name] = sum(int(getattr(model, name)) for model in models)
    sizes["nJmom"] = _moments(places)
    data = form.binary(models, sizes, arrays)
    # Large scenes are in memory often enough.
    arrays.clear()
    model = loaded(data)
    del data
    rest = at_rest(model)
    for name, value in statistics(model, rest).items():
        setattr(model.stat, name, value)
    place_views(model, rest)
    return model, places, PartModels(tuple(models), places.rows, form.arrays)


def _checked(models: Sequence[mujoco.MjModel]) -> ModelLayout:
    """The layout of models, if all that matters is known."""
    form = layout()
    if form is None or not mujoco.__version__.startswith(_SERIES) or not form.holds(models[0]):
        raise NotJoinable("another version of the engine")
    for model in models[1:2]:
        own = statistics(model, at_rest(model))
        if not all(np.array_equal(own[name], getattr(model.stat, name)) for name in FIELDS):
            raise NotJoinable("statistics are authored, or another engine's")
    shared = {*REFERENCES.values(), "npair", "neq"}
    known = REFERENCES.keys() | COUNTS | DERIVED | {name for name, _, _ in TYPED}
    for name, size in form.arrays.items():
        values = getattr(models[0], name)
        integers = isinstance(values, np.ndarray) and values.dtype == np.int32
        if integers and size in shared and name not in known:
            raise NotJoinable(f"{name} is not in the tables")
    if any(model.nbvhdynamic or model.nkey for model in models):
        raise NotJoinable("keyframes and deformable bodies are about the whole")
    return form


def _joined_rows(places: Places, name: str, size: str) -> Any:
    """An array of the joined model, with indices as they are in it."""
    models = places.models
    if size not in places.rows or isinstance(getattr(models[0], name), bytes):
        return _mapped(places, 0, name, getattr(models[0], name))
    first = getattr(models[0], name)
    found = np.zeros((places.totals[size], *first.shape[1:]), first.dtype)
    for part, model in enumerate(models):
        rows = places.rows[size][part]
        values = _mapped(places, part, name, getattr(model, name))
        if values.shape[1:] != found.shape[1:]:
            raise NotJoinable(f"{name} has rows of several widths")
        kept = rows >= 0
        found[rows[kept]] = values[kept]
    return found


def _mapped(places: Places, part: int, name: str, values: Any) -> Any:
    """Values of an array of a part, as they are in the joined model."""
    if name in REFERENCES:
        return _translated(values, places.references(REFERENCES[name], part))
    model = places.models[part]
    if name == "exclude_signature":
        return places.signatures(part).astype(values.dtype)
    if name == "geom_dataid" and part:
        meshes = [mujoco.mj_name2id(places.models[0], mujoco.mjtObj.mjOBJ_MESH, model.mesh(i).name)
                  for i in range(model.nmesh)]  # fmt: skip
        return _translated(values, np.array(meshes, np.int64))
    if name == "bvh_nodeid":
        shapes = int(model.body_bvhnum.sum())
        geoms = places.references("ngeom", part)
        return np.concatenate([_translated(values[:shapes], geoms), values[shapes:]])
    if any(field == name for field, _, _ in TYPED):
        return _translated_by_type(places, part, name, values)
    return values


def _translated(values: NDArray[Any], meaning: NDArray[Any]) -> NDArray[Any]:
    """Indices in the joined model; -1 stays."""
    if not len(meaning):
        return values
    return np.where(values >= 0, meaning[values], values).astype(values.dtype)


def _translated_by_type(places: Places, part: int, name: str, values: Any) -> NDArray[Any]:
    found, told = values.copy(), np.array(values < 0)
    for types, sizes in ((types, sizes) for field, types, sizes in TYPED if field == name):
        codes = getattr(places.models[part], types)
        for code, size in sizes.items():
            rows = codes == code
            told[rows] = True
            if size is not None:
                found[rows] = _translated(values[rows], places.references(size, part))
    if not told.all():
        raise NotJoinable(f"{name} has a type that is not in the tables")
    return found


def _derive(arrays: dict[str, Any], places: Places) -> None:
    """Compute the values that depend on the whole model."""
    arrays["B_rownnz"][0] = freedoms = places.totals["nv"]
    arrays["B_rowadr"][:] = np.cumsum(arrays["B_rownnz"]) - arrays["B_rownnz"]
    all_freedoms = np.arange(freedoms, dtype=np.int32)
    arrays["B_colind"] = np.concatenate([all_freedoms, arrays["B_colind"]])
    places.totals["nB"] += freedoms
    _order_pairs(arrays)
    arrays["dof_simplenum"] = _run_lengths(arrays["dof_simplenum"] > 0)
    masses, roots = arrays["body_subtreemass"], np.flatnonzero(arrays["body_parentid"] == 0)
    masses[0] = mass_of_world(arrays["body_mass"][0], masses[roots[1:]])


def _moments(places: Places) -> int:
    """Room for the moments of actuators; those on bodies move all degrees of freedom."""
    first = places.models[0]
    everywhere = int((first.actuator_trntype == mujoco.mjtTrn.mjTRN_BODY).sum())
    own = sum(int(model.nJmom) for model in places.models)
    return own + everywhere * (places.totals["nv"] - int(first.nv))


def _order_pairs(arrays: dict[str, Any]) -> None:
    """Name the geom of the earlier body first in each pair, and set the pairs' signatures."""
    geoms = np.stack([arrays["pair_geom1"], arrays["pair_geom2"]])
    bodies = arrays["geom_bodyid"][geoms]
    swapped = bodies[0] > bodies[1]
    geoms[:, swapped] = geoms[::-1, swapped]
    bodies.sort(axis=0)
    arrays["pair_geom1"], arrays["pair_geom2"] = np.ascontiguousarray(geoms)
    arrays["pair_signature"] = (bodies[0] << 16) + bodies[1]


def _run_lengths(simple: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Lengths of the runs of simple ones from each on."""
    places = np.arange(len(simple))
    stops = np.where(simple, len(simple), places)
    ends = np.minimum.accumulate(stops[::-1])[::-1]
    return np.where(simple, ends - places, 0).astype(np.int32)
