"""Surface table: combine modes and values of all surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.compile.context import Build

from .materials import bounces, material_of, mix
from .mixing import reference, weighted
from .pairs import ContactPair

__all__ = ["SurfaceTable", "surface_table"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class SurfaceTable:
    """Surfaces of all geoms, and of the contact pairs made for their materials."""

    varied: NDArray[np.bool_]
    """Whether the surface of a geom may change while it is simulated, shape (ngeom,)."""
    static: Floats
    """Static friction, which has no effect of its own, shape (ngeom,)."""
    restitution: Floats
    """Restitution, shape (ngeom,)."""
    bouncing: NDArray[np.bool_]
    """Whether restitution acts, as it does unless a material is compliant, shape (ngeom,)."""
    solref: Floats
    """Contact references of geoms without restitution, shape (ngeom, 2)."""
    solimp: Floats
    """Their impedances, shape (ngeom, 5)."""
    pairs: NDArray[np.intp]
    """Contact pairs whose restitution combines."""
    modes: tuple[str, ...]
    """How it does, for each of them."""
    pair_solref: Floats
    """Their contact references without restitution, shape (pairs, 2)."""
    pair_solimp: Floats
    """Their impedances, shape (pairs, 5)."""


def surface_table(
    build: Build, model: mujoco.MjModel, pairs: Sequence[ContactPair]
) -> SurfaceTable:
    """What is known of the surfaces of a model that was just compiled.

    Contact pairs that do not bounce get what the engine would mix of their geoms by itself.
    """
    base, scene = build.spec.default.geom, build.scene
    varied, bouncing = np.zeros(model.ngeom, np.bool_), np.ones(model.ngeom, np.bool_)
    static, restitution = np.array(model.geom_friction[:, 0]), np.zeros(model.ngeom)
    solref, solimp = np.array(model.geom_solref), np.array(model.geom_solimp)
    for index, element in build.geoms.items():
        geom, row = scene.geoms[index], element.id
        material = material_of(build, geom)
        if not geom.collides:
            continue
        varied[row] = index in build.varied
        bouncing[row] = not material.contact_stiffness
        if "friction" not in geom.overrides:
            static[row] = material.static_friction
        if bounces(material):
            restitution[row] = material.restitution
            solref[row] = geom.overrides.get("solref", base.solref)
            solimp[row] = geom.overrides.get("solimp", base.solimp)
    table = [pair for pair in pairs if pair.bounce is not None]
    ids = np.array([pair.element.id for pair in table], np.intp)
    first, second = model.pair_geom1[ids], model.pair_geom2[ids]
    found = SurfaceTable(
        varied=varied,
        static=static,
        restitution=restitution,
        bouncing=bouncing,
        solref=solref,
        solimp=solimp,
        pairs=ids,
        modes=tuple(str(pair.bounce) for pair in table),
        pair_solref=reference(model, first, second, solref[first], solref[second]),
        pair_solimp=weighted(model, first, second, solimp[first], solimp[second]),
    )
    _put_at_rest(model, found)
    return found


def _put_at_rest(model: mujoco.MjModel, table: SurfaceTable) -> None:
    """Give pairs of varied geoms that do not bounce what the engine would mix of their geoms."""
    ids = table.pairs
    first, second = model.pair_geom1[ids], model.pair_geom2[ids]
    for i, mode in enumerate(table.modes):
        a, b = first[i], second[i]
        bounce = mix(mode, table.restitution[a], table.restitution[b])
        if (table.varied[a] or table.varied[b]) and bounce == 0.0:
            model.pair_solref[ids[i]] = table.pair_solref[i]
            model.pair_solimp[ids[i]] = table.pair_solimp[i]
