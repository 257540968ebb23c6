"""Mass and inertia of links, which depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from usdsim.core.domains import FINITE, NON_NEGATIVE, POSITIVE
from usdsim.core.errors import InvalidValueError
from usdsim.math.rotations import quat_from_matrix, quat_from_wxyz, quat_to_matrix, quat_to_wxyz

from .domains import INERTIA, inertia_matrix
from .engine_fields import FieldShapes, FieldWrite, PhysicalParameter, owned_rows

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.elements.element import Element

__all__ = [
    "CENTER_OF_MASS",
    "GRAVITY_COMPENSATION",
    "INERTIA_ABOUT_COM",
    "MASS",
    "SCALED_MASS",
    "inertia_from_principal",
]

Floats = NDArray[np.float64]

_SIX = ([0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2])
"""Rows and columns of (xx, yy, zz, xy, xz, yz) in a matrix."""


def inertia_from_principal(moments: Floats, quats: Floats) -> Floats:
    """(xx, yy, zz, xy, xz, yz) of principal moments and axes, NaN where a quaternion is none.

    Args:
        moments: [kg m^2], shape (..., 3).
        quats: quaternions (x, y, z, w) of any length, shape (..., 4).
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        axes = quat_to_matrix(quats / np.linalg.norm(quats, axis=-1, keepdims=True))
    return (axes * moments[..., None, :] @ np.swapaxes(axes, -1, -2))[(..., *_SIX)]


# Products of inertia below this share of the largest moment are rounding, not turned axes.
_ALIGNED = 1e-12


@dataclass(frozen=True)
class _ScaledMass(PhysicalParameter):
    """A mass that the inertia follows, as when a body of the same shape is made of other stuff."""

    def writes(
        self, elements: Sequence[Element], data: SceneData, values: Floats
    ) -> list[FieldWrite]:
        """Mass and inertia."""
        found = super().writes(elements, data, values)
        rows, axis = found[0].rows, len(data.shape)
        masses = np.take(data.param("body_mass"), rows, axis=axis)
        for index in np.flatnonzero((masses == 0.0).reshape(-1, len(rows)).any(axis=0)):
            raise InvalidValueError(
                f"scale_inertia of {elements[int(index)].title}",
                True,
                "a link that has mass, as inertia is scaled with it",
                "Set mass and inertia. Nothing was changed.",
            )
        factor = found[0].values / masses
        inertia = np.take(data.param("body_inertia"), rows, axis=axis)
        return [*found, FieldWrite("body_inertia", rows, factor[..., None] * inertia)]


@dataclass(frozen=True)
class _Inertia(PhysicalParameter):
    """An inertia, which the engine keeps as principal moments and axes."""

    def tail(self, shapes: FieldShapes) -> tuple[int, ...]:
        """Six numbers of a symmetric matrix."""
        return (6,)

    def read(self, elements: Sequence[Element], data: SceneData) -> Floats:
        """(xx, yy, zz, xy, xz, yz), shape (*B, n, 6)."""
        rows, _ = owned_rows(elements, "body_inertia")
        moments = np.take(data.param("body_inertia"), rows, axis=len(data.shape))
        quats = np.take(data.param("body_iquat"), rows, axis=len(data.shape))
        return inertia_from_principal(moments, quat_from_wxyz(quats))

    def writes(
        self, elements: Sequence[Element], data: SceneData, values: Floats
    ) -> list[FieldWrite]:
        """Principal moments and axes."""
        rows, _ = owned_rows(elements, "body_inertia")
        moments, axes = np.linalg.eigh(inertia_matrix(values))
        axes[..., 0] *= np.sign(np.linalg.det(axes))[..., None]
        # Axes of the link itself stay as they are: bodies with such axes are stepped faster.
        products = np.abs(values[..., 3:]).max(axis=-1)
        aligned = (products <= _ALIGNED * values[..., :3].max(axis=-1))[..., None]
        moments = np.where(aligned, values[..., :3], moments)
        quats = np.where(aligned, (1.0, 0.0, 0.0, 0.0), quat_to_wxyz(quat_from_matrix(axes)))
        return [FieldWrite("body_inertia", rows, moments), FieldWrite("body_iquat", rows, quats)]


MASS = PhysicalParameter.of("mass", "mass", "kg", POSITIVE, "body_mass")
SCALED_MASS = _ScaledMass.of("mass", "mass", "kg", POSITIVE, "body_mass")
CENTER_OF_MASS = PhysicalParameter.of(
    "center_of_mass", "center of mass", "m", FINITE, "body_ipos", "Link's frame."
)
INERTIA_ABOUT_COM = _Inertia.of(
    "inertia",
    "inertia",
    "kg m^2",
    INERTIA,
    "body_inertia",
    "About the centre of mass, along the axes of the link: (xx, yy, zz, xy, xz, yz).",
)
GRAVITY_COMPENSATION = PhysicalParameter.of(
    "gravity_compensation",
    "gravity compensation",
    "",
    NON_NEGATIVE,
    "body_gravcomp",
    "Share of the weight that an outside force carries: 1 lets the link float.",
)
