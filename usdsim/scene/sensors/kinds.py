"""Sensor kinds: name, values and units of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import mujoco

__all__ = ["CONTACT_FIELDS", "KINDS", "RAY_FIELDS", "Kind", "SensorField", "fields_of"]

_S = mujoco.mjtSensor

Meaning = Literal["real", "positive", "axis", "quaternion", "exact"]
"""Action of noise on values: added; added but never below 0; turning a unit vector; turning an
orientation; not at all."""

_LENGTH, _RATE, _FORCE = "m or rad", "m/s or rad/s", "N or N m"


@dataclass(frozen=True)
class Kind:
    """A kind of sensor."""

    name: str
    """As in MJCF."""
    unit: str
    """Unit of its values; empty: none, or given by the model."""
    meaning: Meaning = "real"


@dataclass(frozen=True)
class SensorField:
    """A part of the values of a contact sensor or a rangefinder."""

    name: str
    size: int
    unit: str
    meaning: Meaning = "real"


KINDS: dict[int, Kind] = {
    int(code): kind
    for code, kind in (
        (_S.mjSENS_TOUCH, Kind("touch", "N", "positive")),
        (_S.mjSENS_ACCELEROMETER, Kind("accelerometer", "m/s^2")),
        (_S.mjSENS_VELOCIMETER, Kind("velocimeter", "m/s")),
        (_S.mjSENS_GYRO, Kind("gyro", "rad/s")),
        (_S.mjSENS_FORCE, Kind("force", "N")),
        (_S.mjSENS_TORQUE, Kind("torque", "N m")),
        (_S.mjSENS_MAGNETOMETER, Kind("magnetometer", "T")),
        (_S.mjSENS_RANGEFINDER, Kind("rangefinder", "m", "positive")),
        (_S.mjSENS_CAMPROJECTION, Kind("camprojection", "px")),
        (_S.mjSENS_JOINTPOS, Kind("jointpos", _LENGTH)),
        (_S.mjSENS_JOINTVEL, Kind("jointvel", _RATE)),
        (_S.mjSENS_TENDONPOS, Kind("tendonpos", _LENGTH)),
        (_S.mjSENS_TENDONVEL, Kind("tendonvel", _RATE)),
        (_S.mjSENS_ACTUATORPOS, Kind("actuatorpos", _LENGTH)),
        (_S.mjSENS_ACTUATORVEL, Kind("actuatorvel", _RATE)),
        (_S.mjSENS_ACTUATORFRC, Kind("actuatorfrc", _FORCE)),
        (_S.mjSENS_JOINTACTFRC, Kind("jointactuatorfrc", _FORCE)),
        (_S.mjSENS_TENDONACTFRC, Kind("tendonactuatorfrc", _FORCE)),
        (_S.mjSENS_BALLQUAT, Kind("ballquat", "", "quaternion")),
        (_S.mjSENS_BALLANGVEL, Kind("ballangvel", "rad/s")),
        (_S.mjSENS_JOINTLIMITPOS, Kind("jointlimitpos", _LENGTH)),
        (_S.mjSENS_JOINTLIMITVEL, Kind("jointlimitvel", _RATE)),
        (_S.mjSENS_JOINTLIMITFRC, Kind("jointlimitfrc", _FORCE, "positive")),
        (_S.mjSENS_TENDONLIMITPOS, Kind("tendonlimitpos", _LENGTH)),
        (_S.mjSENS_TENDONLIMITVEL, Kind("tendonlimitvel", _RATE)),
        (_S.mjSENS_TENDONLIMITFRC, Kind("tendonlimitfrc", _FORCE, "positive")),
        (_S.mjSENS_FRAMEPOS, Kind("framepos", "m")),
        (_S.mjSENS_FRAMEQUAT, Kind("framequat", "", "quaternion")),
        (_S.mjSENS_FRAMEXAXIS, Kind("framexaxis", "", "axis")),
        (_S.mjSENS_FRAMEYAXIS, Kind("frameyaxis", "", "axis")),
        (_S.mjSENS_FRAMEZAXIS, Kind("framezaxis", "", "axis")),
        (_S.mjSENS_FRAMELINVEL, Kind("framelinvel", "m/s")),
        (_S.mjSENS_FRAMEANGVEL, Kind("frameangvel", "rad/s")),
        (_S.mjSENS_FRAMELINACC, Kind("framelinacc", "m/s^2")),
        (_S.mjSENS_FRAMEANGACC, Kind("frameangacc", "rad/s^2")),
        (_S.mjSENS_SUBTREECOM, Kind("subtreecom", "m")),
        (_S.mjSENS_SUBTREELINVEL, Kind("subtreelinvel", "m/s")),
        (_S.mjSENS_SUBTREEANGMOM, Kind("subtreeangmom", "kg m^2/s")),
        (_S.mjSENS_INSIDESITE, Kind("insidesite", "", "exact")),
        (_S.mjSENS_GEOMDIST, Kind("distance", "m")),
        (_S.mjSENS_GEOMNORMAL, Kind("normal", "", "axis")),
        (_S.mjSENS_GEOMFROMTO, Kind("fromto", "m")),
        (_S.mjSENS_CONTACT, Kind("contact", "")),
        (_S.mjSENS_E_POTENTIAL, Kind("e_potential", "J")),
        (_S.mjSENS_E_KINETIC, Kind("e_kinetic", "J")),
        (_S.mjSENS_CLOCK, Kind("clock", "s")),
        (_S.mjSENS_TACTILE, Kind("tactile", "m, m/s, m/s", "positive")),
        (_S.mjSENS_PLUGIN, Kind("plugin", "")),
        (_S.mjSENS_USER, Kind("user", "")),
    )
}

CONTACT_FIELDS = (
    SensorField("found", 1, "", "exact"),
    SensorField("force", 3, "N"),
    SensorField("torque", 3, "N m"),
    SensorField("dist", 1, "m"),
    SensorField("pos", 3, "m"),
    SensorField("normal", 3, "", "axis"),
    SensorField("tangent", 3, "", "axis"),
    SensorField("linvel", 3, "m/s"),
    SensorField("angvel", 3, "rad/s"),
)
RAY_FIELDS = (
    SensorField("dist", 1, "m", "positive"),
    SensorField("dir", 3, "", "axis"),
    SensorField("origin", 3, "m", "exact"),
    SensorField("point", 3, "m"),
    SensorField("normal", 3, "", "axis"),
    SensorField("depth", 1, "m", "positive"),
)
_FIELDS = {int(_S.mjSENS_CONTACT): CONTACT_FIELDS, int(_S.mjSENS_RANGEFINDER): RAY_FIELDS}


def fields_of(model: mujoco.MjModel, sensor: int) -> tuple[SensorField, ...]:
    """The parts of each contact or ray, in order; empty for sensors of other kinds."""
    known = _FIELDS.get(int(model.sensor_type[sensor]), ())
    bits = int(model.sensor_intprm[sensor, 0])
    return tuple(field for bit, field in enumerate(known) if bits >> bit & 1)
