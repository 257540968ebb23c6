"""Surface table: combine modes and values of all surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.physx import COMBINE
from usdsim.engine.compile.context import Build

from .contact_pair import ContactPair
from .materials import material_of, mix, patch_radius
from .mixing import reference, weighted
from .sticking import StickingTable

__all__ = ["SurfaceTable", "surface_table"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

BOUNCE_THRESHOLD = 0.2
"""Speed of approach up to which nothing bounces, as PhysX has it [m/s]."""
_STEPS_OF_FALL = 1.5
"""Approach speed of bodies at rest, in steps of falling."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SurfaceTable:
    """Surfaces of all geoms, whose values mix by one law for each two materials."""

    varied: NDArray[np.bool_]
    """Whether the friction of a geom may change by itself, shape (ngeom,)."""
    alike: Ids
    """Geoms of one number here mix by the engine's own law and have one friction; -1: not so."""
    static: Floats
    """Static friction, which acts between the geoms of `sticking`, shape (ngeom,)."""
    torsional: Floats
    """Ratio of torsional to sliding friction [m]; 0: they are independent, shape (ngeom,)."""
    restitution: Floats
    """Restitution, shape (ngeom,)."""
    bouncing: NDArray[np.bool_]
    """Whether restitution acts, as it does unless a material is compliant, shape (ngeom,)."""
    modes: Ids
    """Combine mode of a geom's restitution, as index into `COMBINE`; the larger of two decides."""
    threshold: float
    """Speed of approach up to which nothing bounces [m/s]."""
    sticking: StickingTable
    """Pairs of geoms that stick better than they slide."""

    def combined(self, restitution: Floats, geoms: NDArray[np.int32]) -> Floats:
        """Restitution of geoms that meet, shape (n,).

        Args:
            restitution: of all geoms of a world, shape (ngeom,).
            geoms: which meet, shape (n, 2).
        """
        first, second = geoms.T
        a, b = restitution[first], restitution[second]
        decides = np.maximum(self.modes[first], self.modes[second])
        return np.asarray(np.choose(decides, [mix(mode, a, b) for mode in COMBINE]))


def surface_table(
    build: Build, model: mujoco.MjModel, pairs: Sequence[ContactPair], sticking: StickingTable
) -> SurfaceTable:
    """Table of the surfaces of a model that was just compiled.

    Contact pairs get the solver parameters that the engine would mix of their geoms by itself.
    """
    scene = build.scene
    varied, bouncing = np.zeros((2, model.ngeom), np.bool_)
    modes, alike = np.zeros(model.ngeom, np.intp), np.full(model.ngeom, -1)
    static = np.array(model.geom_friction[:, 0])
    torsional, restitution = np.zeros((2, model.ngeom))
    groups: dict[bytes, int] = {}
    for index, element in build.geoms.items():
        geom, row = scene.geoms[index], element.id
        material = material_of(build, geom)
        if not geom.collides:
            continue
        dialect = geom.native_mixing
        varied[row], torsional[row] = index in build.varied, patch_radius(geom, geom)
        bouncing[row] = not material.contact_stiffness
        restitution[row] = material.restitution if bouncing[row] else 0.0
        modes[row] = COMBINE.index(material.restitution_combine or COMBINE[0])
        if not dialect:
            static[row] = material.static_friction
        native = build.owns_options or dialect or material.friction_combine == COMBINE[-1]
        if not varied[row] and not native:
            alike[row] = groups.setdefault(model.geom_friction[row].tobytes(), len(groups))
    _mix_solver_parameters(model, np.array([pair.element.id for pair in pairs], np.intp))
    fall = _STEPS_OF_FALL * float(np.linalg.norm(model.opt.gravity)) * model.opt.timestep
    authored = scene.bounce_threshold
    return SurfaceTable(
        varied=varied,
        alike=alike,
        static=static,
        torsional=torsional,
        restitution=restitution,
        bouncing=bouncing,
        modes=modes,
        threshold=max(BOUNCE_THRESHOLD if authored is None else authored, fall),
        sticking=sticking,
    )


def _mix_solver_parameters(model: mujoco.MjModel, ids: Ids) -> None:
    first, second = model.pair_geom1[ids], model.pair_geom2[ids]
    solref, solimp = model.geom_solref, model.geom_solimp
    model.pair_solref[ids] = reference(model, first, second, solref[first], solref[second])
    model.pair_solimp[ids] = weighted(model, first, second, solimp[first], solimp[second])
