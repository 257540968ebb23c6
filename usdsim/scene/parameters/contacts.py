"""Contact parameters of geoms, which the engine keeps a second time for combined materials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.domains import FINITE, NON_NEGATIVE
from usdsim.engine.surfaces.mixing import reference, weighted

from .domains import SOLIMP, SOLREF
from .engine_fields import FieldWrite, PhysicalParameter

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.elements.element import Element

__all__ = [
    "ADHESION",
    "FRICTION",
    "GAP",
    "MARGIN",
    "SOLIMP_CONTACT",
    "SOLREF_CONTACT",
    "SURFACE_VELOCITY",
]

Floats = NDArray[np.float64]
Mix = Callable[[mujoco.MjModel, NDArray[np.intp], NDArray[np.intp], Floats, Floats], Floats]


def _sum(model: object, first: object, second: object, a: Floats, b: Floats) -> Floats:
    return a + b


_MIXES: dict[str, Mix] = {
    "geom_adhesion": _sum,
    "geom_gap": _sum,
    "geom_margin": _sum,
    "geom_solimp": weighted,
    "geom_solref": reference,
}


@dataclass(frozen=True)
class _ContactParameter(PhysicalParameter):
    """A parameter of the contacts of a geom.

    Where materials are combined on the stage, the engine has one entry per pair of geoms; those
    of the geoms that change are combined anew.
    """

    def writes(
        self, elements: Sequence[Element], data: SceneData, values: Floats
    ) -> list[FieldWrite]:
        """Values of the geoms, and of the pairs they are part of."""
        found = super().writes(elements, data, values)
        model, pairs = elements[0].model.low, elements[0].model.compiled.mixed_pairs
        name, rows, new = found[0]
        ids = np.array([pair for pair, *_ in pairs], dtype=np.intp)
        touched = np.isin(model.pair_geom1[ids], rows) | np.isin(model.pair_geom2[ids], rows)
        ids = ids[touched]
        if len(ids):
            every = np.array(data.param(name), dtype=np.float64)
            axis = len(data.shape)
            every[(slice(None),) * axis + (rows,)] = new
            first, second = model.pair_geom1[ids], model.pair_geom2[ids]
            a, b = np.take(every, first, axis), np.take(every, second, axis)
            mixed = _MIXES[name](model, first, second, a, b)
            found.append(FieldWrite(name.replace("geom_", "pair_"), ids, mixed))
        return found


_SOLVER = "Solver parameters of MuJoCo, combined with those of the other geom."

FRICTION = PhysicalParameter.of(
    "friction",
    "friction",
    "1, m, m",
    NON_NEGATIVE,
    "geom_friction",
    "Sliding, spinning and rolling.",
)
ADHESION = _ContactParameter.of(
    "adhesion",
    "adhesion",
    "N",
    NON_NEGATIVE,
    "geom_adhesion",
    "Pull that each contact point stands before it breaks.",
)
SURFACE_VELOCITY = PhysicalParameter.of(
    "surface_velocity",
    "velocity of the surface",
    "m/s, rad/s",
    FINITE,
    "geom_surfacevel",
    "Linear, then angular, in the geom's frame: a belt, a turntable.",
)
MARGIN = _ContactParameter.of(
    "margin", "margin", "m", NON_NEGATIVE, "geom_margin", "Distance at which contacts begin to act."
)
GAP = _ContactParameter.of(
    "gap",
    "gap",
    "m",
    NON_NEGATIVE,
    "geom_gap",
    "Further distance at which contacts are found but do not act.",
)
SOLREF_CONTACT = _ContactParameter.of(
    "solref", "contact dynamics", "", SOLREF, "geom_solref", _SOLVER
)
SOLIMP_CONTACT = _ContactParameter.of(
    "solimp", "contact impedance", "", SOLIMP, "geom_solimp", _SOLVER
)
