"""Lidar sensors of an editable world: patterns of beams, and scanners of the points they hit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from numbers import Real
from typing import Any

import mujoco
import numpy as np

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.core.lidar import LidarScan, spread

from .elements import Field, WorldPart
from .fields import optional_name, text
from .values import Case, Value, Variant

__all__ = ["LidarExclude", "LidarPattern", "LidarReturns", "LidarSensor"]

_USER = mujoco.mjtSensor.mjSENS_USER


class LidarExclude(Enum):
    """Shapes that beams pass through."""

    None_ = "none"
    ParentBody = "parentbody"
    ParentSubtree = "parentsubtree"


class LidarPattern(Variant):
    """Beams of a lidar: a grid of angles, or elevations repeated at azimuths, or a list [deg]."""

    grid = Case("vscan", "hrange", "vrange", hscan=None)
    rings = Case("elevations", "hrange", hscan=None)
    explicit = Case("beams")


@dataclass
class LidarReturns(Value):
    """Values of each beam; here the points that are hit."""

    distance: bool = True
    """Range [m]."""
    point: bool = False
    """Point that is hit [m]."""
    normal: bool = False
    """Normal there."""


def _read_scan(sensor: Any) -> LidarScan | None:
    return LidarScan.of_numbers(np.array(sensor.userdata, np.float64))


def is_lidar(sensor: Any) -> bool:
    """Whether a sensor of MuJoCo's editor is a lidar."""
    return sensor.type == _USER and _read_scan(sensor) is not None


def _scan(owner: Any) -> LidarScan:
    found = _read_scan(owner.element)
    return LidarScan((0.0,), (0.0,)) if found is None else found


def _set_scan(owner: Any, **parts: Any) -> None:
    scan = replace(_scan(owner), **parts)
    owner.element.userdata, owner.element.dim = scan.numbers(), 3 * scan.count


def _pattern(owner: Any) -> LidarPattern:
    said = owner.__dict__.get("_pattern")
    if said is not None:
        return said
    scan = _scan(owner)
    ends = [min(scan.azimuths), max(scan.azimuths)]
    return LidarPattern.rings(list(scan.elevations), ends, len(scan.azimuths))


def _angles(pattern: LidarPattern, columns: int | None) -> tuple[Sequence[float], Sequence[float]]:
    """Azimuths and elevations of a pattern [deg]."""
    said = pattern.value
    if pattern.variant == "explicit":
        beams = np.asarray(said["beams"], np.float64).reshape(-1, 2)
        around, above = np.unique(beams[:, 0]), np.unique(beams[:, 1])
        if len(around) * len(above) != len(np.unique(beams, axis=0)):
            raise UnsupportedError("Beams are a column of elevations, repeated at azimuths, here.")
        return around.tolist(), above.tolist()
    count = columns if said["hscan"] is None else said["hscan"]
    if count is None:
        raise InvalidValueError("hscan", None, "a number, or reportrate and hz of the sensor")
    (first, last), vertical = said["hrange"], said.get("vrange")
    around_ = spread(first, last, count, circle=True)
    if pattern.variant == "rings":
        return around_, tuple(float(v) for v in np.ravel(said["elevations"]))
    return around_, spread(vertical[0], vertical[1], said["vscan"])


def _set_pattern(owner: Any, value: LidarPattern) -> None:
    owner.__dict__["_pattern"] = value
    rate, hz = owner.reportrate, owner.hz
    columns = round(rate / hz) if rate and hz else None
    if columns is None and value.variant != "explicit" and value.value["hscan"] is None:
        return
    azimuths, elevations = _angles(value, columns)
    _set_scan(owner, azimuths=tuple(azimuths), elevations=tuple(elevations))


def _rate(attribute: str) -> Field:
    """Field of how often a lidar reports; every reading is a whole scan here."""

    def write(owner: Any, value: float | None) -> None:
        owner.__dict__[attribute] = value
        if "_pattern" in owner.__dict__:
            _set_pattern(owner, owner.__dict__["_pattern"])

    return Field(lambda owner: owner.__dict__.get(attribute), write, Real | None)


class LidarSensor(WorldPart):
    """Scanner on a site, which looks along the z axis of it; it tells the points that are hit."""

    name = optional_name("name")
    site = text("objname")
    cutoff = Field(
        lambda owner: _scan(owner).cutoff,
        lambda owner, value: _set_scan(owner, cutoff=value),
        Real,
    )
    reportrate = _rate("_rate")
    hz = _rate("_hz")
    pattern = Field(_pattern, _set_pattern, LidarPattern)
    exclude = Field(
        lambda owner: LidarExclude(_scan(owner).exclude),
        lambda owner, value: _set_scan(owner, exclude=value.value),
        LidarExclude,
    )

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        scan = LidarScan((0.0,), (0.0,))
        return spec.add_sensor(
            type=_USER,
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            needstage=mujoco.mjtStage.mjSTAGE_POS,
            datatype=mujoco.mjtDataType.mjDATATYPE_REAL,
            dim=3,
            userdata=scan.numbers(),
        )
