"""Sensors of an editable world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import mujoco
import numpy as np

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.core.lidar import LidarScan, spread

from .elements import Field, ListField, WorldPart
from .fields import choice, optional_name, text
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
    "LidarExclude",
    "LidarPattern",
    "LidarReturns",
    "LidarSensor",
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


class LidarExclude(Enum):
    """Shapes that beams pass through."""

    None_ = "none"
    ParentBody = "parentbody"
    ParentSubtree = "parentsubtree"


class ObjectType(Variant):
    """Frame by the name of what it belongs to; of a link, its own or that of its inertia."""

    link_inertia = Case("value")
    link = Case("value")
    geom = Case("value")
    site = Case("value")


class FrameSensorRef(Variant):
    """Frame that values are in: that of the object itself, the world's, or another's."""

    local = Case()
    world = Case()
    object = Case("value")


class ContactMatch(Variant):
    """Contacts that count: those between two geoms, links, or links with all that hangs on them."""

    geom_pair = Case("value_0", "value_1")
    link_pair = Case("value_0", "value_1")
    subtree_pair = Case("value_0", "value_1")


class LidarPattern(Variant):
    """Beams of a lidar: a grid of angles, or elevations repeated at azimuths, or a list [deg]."""

    grid = Case("vscan", "hrange", "vrange", hscan=None)
    rings = Case("elevations", "hrange", hscan=None)
    explicit = Case("beams")


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


@dataclass
class LidarReturns(Value):
    """Values of each beam; here the points that are hit."""

    distance: bool = True
    """Range [m]."""
    point: bool = False
    """Point that is hit [m]."""
    normal: bool = False
    """Normal there."""


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


class FrameSensor(WorldPart):
    """Sensor of a frame: where it is and how it moves.

    Velocities in another frame are relative to it. Those of a link or a geom in its own frame are
    measured on a site, which the model has then, with the sensor's name and the word frame.
    """

    name = optional_name("name")
    object_type = Field(
        _object,
        lambda owner, value: _set_frame_sensor(owner, _quantity(owner), value, _reference(owner)),
    )
    sensor_type = Field(
        _quantity,
        lambda owner, value: _set_frame_sensor(owner, value, _object(owner), _reference(owner)),
    )
    ref_frame = Field(
        _reference,
        lambda owner, value: _set_frame_sensor(owner, _quantity(owner), _object(owner), value),
    )

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        return spec.add_sensor(type=_KIND.mjSENS_FRAMEPOS, objtype=_OBJECT.mjOBJ_BODY)


class JointSensor(WorldPart):
    """Sensor of a joint."""

    name = optional_name("name")
    joint = text("objname")
    type_ = choice(
        "type",
        {
            JointSensorType.JointPos: _KIND.mjSENS_JOINTPOS,
            JointSensorType.JointVel: _KIND.mjSENS_JOINTVEL,
        },
    )

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        return spec.add_sensor(type=_KIND.mjSENS_JOINTPOS, objtype=_OBJECT.mjOBJ_JOINT)


class SubtreeSensor(WorldPart):
    """Sensor of a link with all that hangs on it."""

    name = optional_name("name")
    link = text("objname")
    type_ = choice(
        "type",
        {
            SubtreeSensorType.Com: _KIND.mjSENS_SUBTREECOM,
            SubtreeSensorType.LinVel: _KIND.mjSENS_SUBTREELINVEL,
            SubtreeSensorType.AngMom: _KIND.mjSENS_SUBTREEANGMOM,
        },
    )

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        return spec.add_sensor(type=_KIND.mjSENS_SUBTREECOM, objtype=_OBJECT.mjOBJ_BODY)


class TouchSensor(WorldPart):
    """Sensor of the contact force in the volume of a site [N]."""

    name = optional_name("name")
    site = text("objname")

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        return spec.add_sensor(type=_KIND.mjSENS_TOUCH, objtype=_OBJECT.mjOBJ_SITE)


_PAIRS = {
    "geom_pair": _OBJECT.mjOBJ_GEOM,
    "link_pair": _OBJECT.mjOBJ_BODY,
    "subtree_pair": _OBJECT.mjOBJ_XBODY,
}
_REPORTED = ("found", "force", "torque", "dist", "pos", "normal", "tangent")


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


def _report(owner: Any) -> ContactSensorReport:
    bits = int(owner.element.intprm[0])
    return ContactSensorReport(*(bool(bits >> place & 1) for place in range(len(_REPORTED))))


def _number_of(place: int, read: Any, said: Any) -> Field:
    """Field of one of the whole numbers that MuJoCo keeps of a contact sensor."""

    def write(owner: Any, value: Any) -> None:
        numbers = [int(v) for v in owner.element.intprm]
        numbers[place] = said(value)
        owner.element.intprm = numbers

    return Field(read, write)


_REDUCES = list(ContactSensorReduce)


class ContactSensor(WorldPart):
    """Sensor of the contacts of a pair."""

    name = optional_name("name")
    match_ = Field(_match, _set_match)
    max_num = _number_of(2, lambda owner: int(owner.element.intprm[2]), int)
    report = _number_of(
        0,
        _report,
        lambda value: sum(bool(getattr(value, part)) << i for i, part in enumerate(_REPORTED)),
    )
    reduce = _number_of(1, lambda owner: _REDUCES[int(owner.element.intprm[1])], _REDUCES.index)

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        geom = _OBJECT.mjOBJ_GEOM
        return spec.add_sensor(
            type=_KIND.mjSENS_CONTACT, objtype=geom, reftype=geom, intprm=[1, 0, 1]
        )


def _scan(owner: Any) -> LidarScan:
    found = LidarScan.of_numbers(np.array(owner.element.userdata, np.float64))
    return LidarScan((0.0,), (0.0,)) if found is None else found


def _set_scan(owner: Any, **parts: Any) -> None:
    old = _scan(owner)
    said = {part: parts.get(part, getattr(old, part)) for part in vars(old)}
    scan = LidarScan(**said)
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

    return Field(lambda owner: owner.__dict__.get(attribute), write)


class LidarSensor(WorldPart):
    """Scanner on a site, which looks along the z axis of it; it tells the points that are hit."""

    name = optional_name("name")
    site = text("objname")
    cutoff = Field(
        lambda owner: _scan(owner).cutoff, lambda owner, value: _set_scan(owner, cutoff=value)
    )
    reportrate = _rate("_rate")
    hz = _rate("_hz")
    pattern = Field(_pattern, _set_pattern)
    exclude = Field(
        lambda owner: LidarExclude(_scan(owner).exclude),
        lambda owner, value: _set_scan(owner, exclude=value.value),
    )

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        scan = LidarScan((0.0,), (0.0,))
        return spec.add_sensor(
            type=_KIND.mjSENS_USER,
            objtype=_OBJECT.mjOBJ_SITE,
            needstage=mujoco.mjtStage.mjSTAGE_POS,
            datatype=mujoco.mjtDataType.mjDATATYPE_REAL,
            dim=3,
            userdata=scan.numbers(),
        )


def _of(kind: type[WorldPart], wanted: Any) -> ListField:
    """Sensors of one kind, of all sensors of a world."""
    return ListField(
        lambda: kind,
        lambda owner: [sensor for sensor in owner.home.spec.sensors if wanted(sensor)],
        lambda owner: kind._add(owner.home.spec),
    )


def _typed(*kinds: Any) -> Any:
    codes = {int(kind) for kind in kinds}
    return lambda sensor: int(sensor.type) in codes


def _is_lidar(sensor: Any) -> bool:
    return (
        sensor.type == _KIND.mjSENS_USER
        and LidarScan.of_numbers(np.array(sensor.userdata, np.float64)) is not None
    )


class SensorSet(WorldPart):
    """Sensors of an editable world, by kind; `World.spec` has those of other kinds."""

    subtree = _of(
        SubtreeSensor,
        _typed(_KIND.mjSENS_SUBTREECOM, _KIND.mjSENS_SUBTREELINVEL, _KIND.mjSENS_SUBTREEANGMOM),
    )
    frame = _of(FrameSensor, lambda sensor: int(sensor.type) in _FRAME_OF)
    joint = _of(JointSensor, _typed(_KIND.mjSENS_JOINTPOS, _KIND.mjSENS_JOINTVEL))
    touch = _of(TouchSensor, _typed(_KIND.mjSENS_TOUCH))
    contact = _of(ContactSensor, _typed(_KIND.mjSENS_CONTACT))
    lidar = _of(LidarSensor, _is_lidar)
