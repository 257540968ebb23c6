"""Units and axes of a stage, converted to SI, radians and Z up."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import NDArray
from pxr import Tf, Usd, UsdGeom, UsdPhysics

from usdsim.core.units import StageUnits
from usdsim.math.rotations import quat_to_matrix

from .report import Report

__all__ = ["DEGREE", "Units", "stage_units"]

DEGREE = pi / 180.0
"""[rad]"""

_SMALLEST, _LARGEST = 1e-12, 1e16
"""Range of a unit in SI: from under the size of atoms to over a light year."""
_USUAL = (1e-6, 1e6)
"""Units that are not remarkable."""

_TO_Z_UP = {
    "X": np.array([0.0, -(0.5**0.5), 0.0, 0.5**0.5]),
    "Y": np.array([0.5**0.5, 0.0, 0.0, 0.5**0.5]),
    "Z": np.array([0.0, 0.0, 0.0, 1.0]),
}
"""Rotation that takes the stage's up axis to Z, xyzw."""


@dataclass(frozen=True)
class Units(StageUnits):
    """Units of the stage in SI, and which way is up."""

    up_axis: str = "Z"

    @property
    def length(self) -> float:
        """Length of one stage unit [m]."""
        return self.meters_per_unit

    def axis_factor(self, unit: str, *, angular: bool) -> float:
        """`factor` of a unit with alternatives for sliding and turning axes, ``N | N m``."""
        sliding, _, turning = unit.partition(" | ")
        return self.factor(turning if angular and turning else sliding)

    @property
    def to_z_up(self) -> NDArray[np.float64]:
        """Rotation from the stage's axes to Z up, xyzw, shape (4,)."""
        return _TO_Z_UP[self.up_axis]

    @property
    def to_z_up_matrix(self) -> NDArray[np.float64]:
        """The same rotation for column vectors, without rounding, shape (3, 3)."""
        return np.round(quat_to_matrix(self.to_z_up))


def stage_units(stage: Usd.Stage, report: Report) -> Units:
    """Units of a stage; values that are no unit are reported and taken as 1."""
    length = float(UsdGeom.GetStageMetersPerUnit(stage))
    mass = float(UsdPhysics.GetStageKilogramsPerUnit(stage))
    checked = {"metersPerUnit": length, "kilogramsPerUnit": mass}
    for name, value in checked.items():
        if not _SMALLEST <= value <= _LARGEST:
            report.error(
                "invalid-unit", "/", f"is {value}; it must be a number from {_SMALLEST:g} to "
                f"{_LARGEST:g}", attribute=name, value=value,
            )  # fmt: skip
            checked[name] = 1.0
        elif not _USUAL[0] <= value <= _USUAL[1]:
            report.warning(
                "unusual-unit", "/",
                f"is {value}, which no robot is described in; usual are {_USUAL[0]:g} to "
                f"{_USUAL[1]:g}. Correct it, if that was not meant", attribute=name, value=value,
            )  # fmt: skip
    if not UsdGeom.StageHasAuthoredMetersPerUnit(stage):
        report.default("/", "metersPerUnit", length)
        report.info(
            "unit-assumed", "/", f"is not authored, so a unit is {length:g} m, as OpenUSD has "
            "it. Author 1 if lengths are in metres", attribute="metersPerUnit",
        )  # fmt: skip
    try:
        up_axis = str(UsdGeom.GetStageUpAxis(stage))
    except Tf.ErrorException:
        up_axis = "no token"
    if up_axis not in _TO_Z_UP:
        report.error(
            "invalid-unit", "/", f"is {up_axis!r}; it must be Y or Z (or X)", attribute="upAxis",
            value=up_axis,
        )  # fmt: skip
        up_axis = "Z"
    elif up_axis == "X":
        report.warning(
            "unusual-unit", "/", "is 'X', which OpenUSD does not know; X is taken for up and "
            "gravity points along -X. Author Y or Z", attribute="upAxis", value=up_axis,
        )  # fmt: skip
    return Units(checked["metersPerUnit"], checked["kilogramsPerUnit"], up_axis=up_axis)
