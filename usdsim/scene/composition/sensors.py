"""Sensors of an editable world."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from numbers import Integral
from typing import Any, ClassVar

import mujoco

from usdsim.core.errors import UnsupportedError

from .elements import Field, WorldPart, in_world
from .fields import choice, optional_name, text
from .lidar_sensors import LidarSensor, is_lidar
from .values import Case, Value, Variant

__all__ = [
    "ContactMatch",
    "ContactSensor",
    "ContactSensorReduce",
    "ContactSensorReport",
    "FrameSensor",
    "FrameSensorRef",
    "FrameSensorType",
    "JointSensor",
    "JointSensorType",
    "ObjectType",
    "SensorSet",
    "SubtreeSensor",
    "SubtreeSensorType",
    "TouchSensor",
]

_KIND, _OBJECT = mujoco.mjtSensor, mujoco.mjtObj


class FrameSensorType(Enum):
    """Quantity of a frame that is measured."""

    FramePos = "position"
    FrameQuat = "orientation"
    FrameLinVel = "linear velocity"
    FrameAngVel = "angular velocity"
    FrameLinAcc = "linear acceleration"
    XAxis = "x axis"
    YAxis = "y axis"
    ZAxis = "z axis"


class JointSensorType(Enum):
    """Quantity of a joint that is measured."""

    JointPos = "position"
    JointVel = "velocity"


class SubtreeSensorType(Enum):
    """Quantity of a subtree that is measured."""

    Com = "centre of mass"
    LinVel = "linear velocity"
    AngMom = "angular momentum"


class ContactSensorReduce(Enum):
    """Choice among many contacts."""

    None_ = "none"
    MinDist = "closest"
    MaxForce = "strongest"
    NetForce = "sum"


class ObjectType(Variant):
    """Frame by the name of what it belongs to; of a link, its own or that of its inertia."""

    link_inertia = Case("value", kind=str)
    link = Case("value", kind=str)
    geom = Case("value", kind=str)
    site = Case("value", kind=str)


class FrameSensorRef(Variant):
    """Frame that values are in: that of the object itself, the world's, or another's."""

    local = Case()
    world = Case()
    object = Case("value", kind=ObjectType)


class ContactMatch(Variant):
    """Contacts that count: those between two geoms, links, or links with all that hangs on them."""

    geom_pair = Case("value_0", "value_1", kind=str)
    link_pair = Case("value_0", "value_1", kind=str)
    subtree_pair = Case("value_0", "value_1", kind=str)


@dataclass
class ContactSensorReport(Value):
    """Values of each contact that are reported."""

    found: bool = True
    """Number of contacts."""
    force: bool = False
    """Force in the frame of the contact [N]."""
    torque: bool = False
    """Torque in the frame of the contact [N m]."""
    dist: bool = False
    """Distance, negative inside [m]."""
    pos: bool = False
    """Position [m]."""
    normal: bool = False
    """Normal, from the first to the second."""
    tangent: bool = False
    """First tangent."""


_OBJECTS = {
    "link_inertia": _OBJECT.mjOBJ_BODY,
    "link": _OBJECT.mjOBJ_XBODY,
    "geom": _OBJECT.mjOBJ_GEOM,
    "site": _OBJECT.mjOBJ_SITE,
}
_KIND_OF = {int(kind): variant for variant, kind in _OBJECTS.items()}
_FRAMES = {
    FrameSensorType.FramePos: _KIND.mjSENS_FRAMEPOS,
    FrameSensorType.FrameQuat: _KIND.mjSENS_FRAMEQUAT,
    FrameSensorType.FrameLinVel: _KIND.mjSENS_FRAMELINVEL,
    FrameSensorType.FrameAngVel: _KIND.mjSENS_FRAMEANGVEL,
    FrameSensorType.FrameLinAcc: _KIND.mjSENS_FRAMELINACC,
    FrameSensorType.XAxis: _KIND.mjSENS_FRAMEXAXIS,
    FrameSensorType.YAxis: _KIND.mjSENS_FRAMEYAXIS,
    FrameSensorType.ZAxis: _KIND.mjSENS_FRAMEZAXIS,
}
_LOCAL = {
    FrameSensorType.FrameLinVel: _KIND.mjSENS_VELOCIMETER,
    FrameSensorType.FrameAngVel: _KIND.mjSENS_GYRO,
    FrameSensorType.FrameLinAcc: _KIND.mjSENS_ACCELEROMETER,
}
"""Quantities of a site in its own frame, which MuJoCo has as sensors of their own."""
_FRAME_OF = {int(kind): said for table in (_FRAMES, _LOCAL) for said, kind in table.items()}
_LOCAL_KINDS = tuple(int(kind) for kind in _LOCAL.values())


def _object(owner: Any) -> ObjectType:
    sensor = owner.element
    return ObjectType(_KIND_OF.get(int(sensor.objtype), "link_inertia"), str(sensor.objname))


def _reference(owner: Any) -> FrameSensorRef:
    sensor = owner.element
    if int(sensor.type) in _LOCAL_KINDS:
        return FrameSensorRef.local()
    if sensor.reftype == _OBJECT.mjOBJ_UNKNOWN:
        return FrameSensorRef.world()
    other = ObjectType(_KIND_OF[int(sensor.reftype)], str(sensor.refname))
    return FrameSensorRef.local() if other == _object(owner) else FrameSensorRef.object(other)


def _quantity(owner: Any) -> FrameSensorType:
    return _FRAME_OF[int(owner.element.type)]


def _set_frame_sensor(
    owner: Any, quantity: Any, thing: ObjectType, reference: FrameSensorRef
) -> None:
    """Write what a frame sensor measures, of which object and in which frame."""
    sensor = owner.element
    sensor.objtype, sensor.objname = _OBJECTS[thing.variant], thing.value
    sensor.type = _FRAMES[quantity]
    sensor.reftype, sensor.refname = _OBJECT.mjOBJ_UNKNOWN, ""
    if reference.variant == "object":
        sensor.reftype, sensor.refname = _OBJECTS[reference.value.variant], reference.value.value
    elif reference.variant == "local":
        if thing.variant == "site" and quantity in _LOCAL:
            sensor.type = _LOCAL[quantity]
        else:
            sensor.reftype, sensor.refname = sensor.objtype, sensor.objname


class _Sensor(WorldPart):
    """Sensor of one of some types of MuJoCo, the first of them where none is said."""

    _types: ClassVar[tuple[mujoco.mjtSensor, ...]]
    _on: ClassVar[mujoco.mjtObj]

    name = optional_name("name")

    @classmethod
    def _add(cls, spec: mujoco.MjSpec) -> Any:
        return spec.add_sensor(type=cls._types[0], objtype=cls._on)


class FrameSensor(_Sensor):
    """Sensor of a frame: where it is and how it moves.

    Velocities in another frame are relative to it. Those of a link or a geom in its own frame are
    measured on a site, which the model has then, with the sensor's name and the word frame.
    """

    _types, _on = (*_FRAMES.values(), *_LOCAL.values()), _OBJECT.mjOBJ_BODY

    object_type = Field(
        _object,
        lambda owner, value: _set_frame_sensor(owner, _quantity(owner), value, _reference(owner)),
        ObjectType,
    )
    sensor_type = Field(
        _quantity,
        lambda owner, value: _set_frame_sensor(owner, value, _object(owner), _reference(owner)),
        FrameSensorType,
    )
    ref_frame = Field(
        _reference,
        lambda owner, value: _set_frame_sensor(owner, _quantity(owner), _object(owner), value),
        FrameSensorRef,
    )


class JointSensor(_Sensor):
    """Sensor of a joint."""

    _types, _on = (_KIND.mjSENS_JOINTPOS, _KIND.mjSENS_JOINTVEL), _OBJECT.mjOBJ_JOINT

    joint = text("objname")
    type_ = choice("type", dict(zip(JointSensorType, _types, strict=True)))


class SubtreeSensor(_Sensor):
    """Sensor of a link with all that hangs on it."""

    _types = _KIND.mjSENS_SUBTREECOM, _KIND.mjSENS_SUBTREELINVEL, _KIND.mjSENS_SUBTREEANGMOM
    _on = _OBJECT.mjOBJ_BODY

    link = text("objname")
    type_ = choice("type", dict(zip(SubtreeSensorType, _types, strict=True)))


class TouchSensor(_Sensor):
    """Sensor of the contact force in the volume of a site [N]."""

    _types, _on = (_KIND.mjSENS_TOUCH,), _OBJECT.mjOBJ_SITE

    site = text("objname")


_PAIRS = {
    "geom_pair": _OBJECT.mjOBJ_GEOM,
    "link_pair": _OBJECT.mjOBJ_BODY,
    "subtree_pair": _OBJECT.mjOBJ_XBODY,
}
_REPORTED = tuple(ContactSensorReport.__dataclass_fields__)
_REDUCES = list(ContactSensorReduce)


def _match(owner: Any) -> ContactMatch:
    sensor = owner.element
    known = [kind for kind, said in _PAIRS.items() if said == sensor.objtype == sensor.reftype]
    if not known:
        raise UnsupportedError(f"{owner!r} matches things of two kinds: see element.")
    return ContactMatch(known[0], (str(sensor.objname), str(sensor.refname)))


def _set_match(owner: Any, value: ContactMatch) -> None:
    sensor = owner.element
    sensor.objtype = sensor.reftype = _PAIRS[value.variant]
    sensor.objname, sensor.refname = value.value


def _report(bits: int) -> ContactSensorReport:
    return ContactSensorReport(*(bool(bits >> place & 1) for place in range(len(_REPORTED))))


def _bits(report: ContactSensorReport) -> int:
    return sum(bool(getattr(report, part)) << i for i, part in enumerate(_REPORTED))


def _number(place: int, shown: Any, said: Any, kind: Any) -> Field:
    """Field of one of the whole numbers that MuJoCo keeps of a contact sensor."""

    def write(owner: Any, value: Any) -> None:
        owner.element.intprm[place] = said(value)

    return Field(lambda owner: shown(int(owner.element.intprm[place])), write, kind)


class ContactSensor(_Sensor):
    """Sensor of the contacts of a pair."""

    _types, _on = (_KIND.mjSENS_CONTACT,), _OBJECT.mjOBJ_GEOM

    match_ = Field(_match, _set_match, ContactMatch)
    max_num = _number(2, int, int, Integral)
    report = _number(0, _report, _bits, ContactSensorReport)
    reduce = _number(1, _REDUCES.__getitem__, _REDUCES.index, ContactSensorReduce)

    @classmethod
    def _add(cls, spec: mujoco.MjSpec) -> Any:
        sensor = super()._add(spec)
        sensor.reftype, sensor.intprm = cls._on, [1, 0, 1]
        return sensor


def _sensors(kind: type[_Sensor]) -> Any:
    return in_world(kind, "sensors", lambda sensor: sensor.type in kind._types)


class SensorSet(WorldPart):
    """Sensors of an editable world, by kind; `World.spec` has those of other kinds."""

    subtree = _sensors(SubtreeSensor)
    frame = _sensors(FrameSensor)
    joint = _sensors(JointSensor)
    touch = _sensors(TouchSensor)
    contact = _sensors(ContactSensor)
    lidar = in_world(LidarSensor, "sensors", is_lidar)
