"""Lidar scans: patterns of beams, kept as the numbers of a user sensor.

MuJoCo has no lidar. A sensor of its kind ``user`` stands for one, on the frame of the scanner, with
three values per beam; its user data say which beams there are. So lidars pass through stages,
composition and compiled models like every other sensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidValueError

__all__ = ["LidarScan", "OwnShapes", "spread"]

OwnShapes = Literal["none", "parentbody", "parentsubtree"]
"""Shapes that beams pass through: none, those of the link that carries the scanner, or those of
everything that hangs on it too."""

_MARK = 1279869505.0
"""First number of the user data of lidars, "LIDA" in ASCII."""
_HEAD = 7


@dataclass(frozen=True)
class LidarScan:
    """Beams of a lidar: a column of elevations, repeated at several azimuths.

    The frame of the scanner has z forward, x to the right and y up.
    """

    azimuths: tuple[float, ...]
    """Angle of each column about the upward axis, to the right [deg]."""
    elevations: tuple[float, ...]
    """Angle of each beam of a column above the horizontal plane [deg]."""
    cutoff: float = 100.0
    """Longest range [m]."""
    exclude: OwnShapes = "parentbody"
    """Shapes that beams pass through."""

    def __post_init__(self) -> None:
        if not self.azimuths or not self.elevations:
            raise InvalidValueError("lidar", "no beams", "one azimuth and one elevation or more")
        if not np.isfinite([*self.azimuths, *self.elevations]).all():
            raise InvalidValueError("lidar", "an angle that is not finite", "angles [deg]")
        if not 0.0 < self.cutoff < np.inf:
            raise InvalidValueError("cutoff of the lidar", self.cutoff, "finite numbers above 0")
        if self.exclude not in get_args(OwnShapes):
            raise InvalidValueError(
                "exclude of the lidar", self.exclude, " or ".join(get_args(OwnShapes))
            )

    @property
    def count(self) -> int:
        """Number of beams."""
        return len(self.azimuths) * len(self.elevations)

    def directions(self) -> NDArray[np.float64]:
        """Unit vectors of the beams in the scanner's frame, column by column, shape (count, 3)."""
        around = np.deg2rad(self.azimuths)[:, None]
        above = np.deg2rad(self.elevations)[None, :]
        vectors = np.stack(
            np.broadcast_arrays(
                np.sin(around) * np.cos(above), np.sin(above), np.cos(around) * np.cos(above)
            ),
            axis=-1,
        )
        return np.ascontiguousarray(vectors.reshape(-1, 3))

    def numbers(self) -> list[float]:
        """User data of the sensor that stands for it."""
        kind = get_args(OwnShapes).index(self.exclude)
        return [
            *(_MARK, self.cutoff, kind, len(self.azimuths), len(self.elevations), 0.0, 0.0),
            *self.azimuths,
            *self.elevations,
        ]

    @classmethod
    def of_numbers(cls, numbers: Sequence[float] | NDArray[np.float64]) -> LidarScan | None:
        """Scan that a user sensor stands for; None: it stands for none."""
        if len(numbers) <= _HEAD or numbers[0] != _MARK:
            return None
        columns, beams = int(numbers[3]), int(numbers[4])
        angles = [float(angle) for angle in numbers[_HEAD : _HEAD + columns + beams]]
        exclude = get_args(OwnShapes)[int(numbers[2])]
        return cls(tuple(angles[:columns]), tuple(angles[columns:]), float(numbers[1]), exclude)


def spread(low: float, high: float, count: int, circle: bool = False) -> tuple[float, ...]:
    """Angles at equal distances from `low` to `high` [deg], of one the middle.

    Args:
        low: first angle.
        high: last angle.
        count: number of angles.
        circle: whether a full turn has its end at its beginning, and so leaves it out.
    """
    if count == 1:
        return ((low + high) / 2.0,)
    whole = circle and abs(abs(high - low) - 360.0) < 1e-9
    return tuple(float(a) for a in np.linspace(low, high, count, endpoint=not whole))
