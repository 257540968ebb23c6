"""Constraints of an editable world: equalities, tendons, pairs that touch or do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import mujoco
import numpy as np

from usdsim.core.errors import InvalidValueError
from usdsim.math.rotations import quat_from_wxyz

from .contact_values import (
    ConstraintForceModel,
    Range,
    StiffnessDamping,
    force_model,
    limits,
    reference_of,
    spring,
    spring_of,
)
from .elements import Field, WorldPart, all_of, in_world
from .fields import listed, number, optional_name, two_names
from .links import friction_damping
from .values import Case, LiveList, Value, Variant, vector

__all__ = [
    "CollisionIgnores",
    "ConnectConstraintType",
    "ContactPair",
    "ContactPairSet",
    "EqualityConnect",
    "EqualityConstraintSet",
    "EqualityJoint",
    "EqualityWeld",
    "JointTendon",
    "JointTendonNode",
    "SpringLengthType",
    "TendonSet",
    "WeldConstraintType",
]

_EQ, _OBJECT = mujoco.mjtEq, mujoco.mjtObj
_UNSAID = [0.0] * 10 + [1.0, 0.0]
"""Data of an equality with nothing said: a torque counts like a force."""


class ConnectConstraintType(Variant):
    """Points that are held together: one of a link, or two sites."""

    link_anchor = Case("link_a", "anchor", link_b=None)
    site_pair = Case("site_a", "site_b")


class WeldConstraintType(Variant):
    """Frames that are held together: of two links, or two sites.

    ``relative_pose`` is that of the second in the first: a position and a quaternion xyzw.
    """

    link_anchor = Case("link_a", "anchor", "torque_scale", link_b=None, relative_pose=None)
    site_pair = Case("site_a", "site_b", "torque_scale")


def _ends(owner: Any, value: Any) -> None:
    equality, said = owner.element, value.value
    sites = value.variant == "site_pair"
    equality.objtype = _OBJECT.mjOBJ_SITE if sites else _OBJECT.mjOBJ_BODY
    first, second = ("site_a", "site_b") if sites else ("link_a", "link_b")
    equality.name1, equality.name2 = said[first], said[second] or ""


def _said_ends(owner: Any) -> dict[str, Any]:
    equality = owner.element
    if equality.objtype == _OBJECT.mjOBJ_SITE:
        return {"site_a": equality.name1, "site_b": equality.name2}
    second = None if equality.name2 in ("", "world") else equality.name2
    return {"link_a": equality.name1, "link_b": second}


def _connection(owner: Any) -> ConnectConstraintType:
    said = _said_ends(owner)
    if "site_a" in said:
        return ConnectConstraintType.site_pair(**said)
    return ConnectConstraintType.link_anchor(
        anchor=np.array(owner.element.data[:3], np.float32), **said
    )


def _set_connection(owner: Any, value: ConnectConstraintType) -> None:
    _ends(owner, value)
    if value.variant == "link_anchor":
        owner.element.data[:3] = vector(value.value["anchor"], 3, f"anchor of {owner!r}")


def _weld(owner: Any) -> WeldConstraintType:
    said = _said_ends(owner)
    data = np.array(owner.element.data, np.float64)
    if "site_a" in said:
        return WeldConstraintType.site_pair(torque_scale=float(data[10]), **said)
    pose = None
    if data[6:10].any():
        pose = [*data[3:6].tolist(), *quat_from_wxyz(data[6:10]).tolist()]
    return WeldConstraintType.link_anchor(
        anchor=data[:3].astype(np.float32),
        relative_pose=pose,
        torque_scale=float(data[10]),
        **said,
    )


def _set_weld(owner: Any, value: WeldConstraintType) -> None:
    _ends(owner, value)
    said = value.value
    owner.element.data[10] = float(said["torque_scale"])
    if value.variant == "link_anchor":
        anchor = vector(said["anchor"], 3, f"anchor of {owner!r}")
        pose = np.zeros(7)
        if said["relative_pose"] is not None:
            given = vector(said["relative_pose"], 7, f"relative_pose of {owner!r}")
            pose = np.concatenate([given[:3], np.roll(given[3:], 1)])
        owner.element.data[:10] = [*anchor, *pose]


class _Equality(WorldPart):
    """Equality of two points, frames or joints."""

    _type: ClassVar[mujoco.mjtEq]
    _of: ClassVar[mujoco.mjtObj] = _OBJECT.mjOBJ_BODY

    name = optional_name("name")
    active = number("active", bool)
    spring = spring()

    @classmethod
    def _add(cls, spec: mujoco.MjSpec) -> Any:
        return spec.add_equality(type=cls._type, objtype=cls._of, data=_UNSAID)


class EqualityConnect(_Equality):
    """Two points that are held together."""

    _type = _EQ.mjEQ_CONNECT

    connect_type = Field(_connection, _set_connection, ConnectConstraintType)


class EqualityWeld(_Equality):
    """Two frames that are held together."""

    _type = _EQ.mjEQ_WELD

    weld_type = Field(_weld, _set_weld, WeldConstraintType)


def _set_coefficients(owner: Any, value: Any) -> None:
    owner.element.data[:5] = vector(value, 5, f"polycoeff of {owner!r}")


class EqualityJoint(_Equality):
    """Joint whose position is a polynomial of another's, or a constant."""

    _type, _of = _EQ.mjEQ_JOINT, _OBJECT.mjOBJ_JOINT

    joint_a = optional_name("name1")
    joint_b = optional_name("name2")
    polycoeff = Field(
        lambda owner: LiveList(float(v) for v in owner.element.data[:5]), _set_coefficients
    )


def _equalities(kind: type[_Equality]) -> Any:
    return in_world(kind, "equalities", lambda equality: equality.type == kind._type)


class EqualityConstraintSet(WorldPart):
    """Equalities of an editable world, by kind."""

    connects = _equalities(EqualityConnect)
    welds = _equalities(EqualityWeld)
    joints = _equalities(EqualityJoint)


@dataclass
class JointTendonNode(Value):
    """Part of a joint in the length of a tendon."""

    joint_name: str = ""
    """Name of the joint."""
    weight: float = 1.0
    """Length per radian or metre."""


class SpringLengthType(Variant):
    """Length of a tendon's spring at rest: that of the start, a number, or a range."""

    automatic = Case()
    fixed = Case("value", kind=Real)
    range = Case("value")


def _nodes(owner: Any) -> LiveList:
    said = owner.__dict__.get("_nodes")
    if said is not None:
        return LiveList(JointTendonNode(node.joint_name, node.weight) for node in said)
    path = owner.element.path
    wraps = (path[index] for index in range(len(path)))
    return LiveList(JointTendonNode(str(wrap.target.name), float(wrap.coef)) for wrap in wraps)


def _set_nodes(owner: Any, values: Sequence[JointTendonNode]) -> None:
    values = all_of(JointTendonNode, values, f"joint of {owner!r}")
    if len(owner.element.path):
        if values != list(_nodes(owner)):
            remedy = "what they are; a JointTendon of its own can have others"
            raise InvalidValueError(f"joints of {owner!r}", values, remedy)
        return
    for node in values:
        owner.element.wrap_joint(node.joint_name, float(node.weight))
    # The editor knows the joints by name only once they are in its world.
    owner.__dict__["_nodes"] = values


def _rest(owner: Any) -> SpringLengthType:
    low, high = (float(v) for v in owner.element.springlength)
    if low == -1.0 and high == -1.0:
        return SpringLengthType.automatic()
    return SpringLengthType.fixed(low) if low == high else SpringLengthType.range(Range(low, high))


def _set_rest(owner: Any, value: SpringLengthType) -> None:
    said = value.value
    ends = {"automatic": (-1.0, -1.0), "fixed": (said, said), "range": said}[value.variant]
    owner.element.springlength = list(ends)


def _tendon_spring(owner: Any) -> StiffnessDamping | None:
    stiffness, damping = (float(v[0]) for v in (owner.element.stiffness, owner.element.damping))
    return StiffnessDamping(stiffness, damping) if stiffness or damping else None


def _set_tendon_spring(owner: Any, value: StiffnessDamping | None) -> None:
    k, d = (0.0, 0.0) if value is None else (value.k, value.d)
    owner.element.stiffness, owner.element.damping = [k, 0, 0], [d, 0, 0]


class JointTendon(WorldPart):
    """Tendon whose length is a weighted sum of joint positions."""

    name = optional_name("name")
    joints = Field(_nodes, _set_nodes)
    limit = limits("range", "limited")
    limit_force = spring("solref_limit", "solimp_limit")
    spring = Field(_tendon_spring, _set_tendon_spring, StiffnessDamping | None)
    spring_length = Field(_rest, _set_rest, SpringLengthType)
    frictionloss = number("frictionloss")
    friction_damping = friction_damping()

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        return spec.add_tendon()


def _fixed(tendon: Any) -> bool:
    return all(
        tendon.path[index].type == mujoco.mjtWrap.mjWRAP_JOINT for index in range(len(tendon.path))
    )


class TendonSet(WorldPart):
    """Tendons of joints of an editable world; `World.spec` has those along sites."""

    joint_tendons = in_world(JointTendon, "tendons", _fixed)


def _geoms(owner: Any) -> LiveList:
    return LiveList([owner.element.geomname1, owner.element.geomname2])


def _set_geoms(owner: Any, value: Sequence[str]) -> None:
    owner.element.geomname1, owner.element.geomname2 = two_names(f"geoms of {owner!r}", value)


def _friction_law(owner: Any) -> ConstraintForceModel | None:
    numbers = owner.element.solreffriction
    if not np.any(numbers):
        return None
    return ConstraintForceModel.acceleration_spring(spring_of(numbers))


def _set_friction_law(owner: Any, value: ConstraintForceModel | None) -> None:
    if value is None:
        owner.element.solreffriction = [0.0, 0.0]
        return
    said = value.value.spring if value.variant == "impedance" else value.value
    owner.element.solreffriction = reference_of(said)


class ContactPair(WorldPart):
    """Two geoms that collide whatever their masks say, with a law of their own."""

    name = optional_name("name")
    geoms = Field(_geoms, _set_geoms)
    condim = number("condim", int)
    friction = listed("friction", 5)
    contact_model = force_model()
    friction_model = Field(_friction_law, _set_friction_law, ConstraintForceModel | None)
    margin = number("margin")
    gap = number("gap")

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        return spec.add_pair()


class ContactPairSet(WorldPart):
    """Pairs of geoms with a law of their own."""

    pairs = in_world(ContactPair, "pairs")


class _LinkPairs(list[list[str]]):
    """Pairs of links that do not collide, as a list that writes what it holds."""

    def __init__(self, spec: mujoco.MjSpec):
        super().__init__([item.bodyname1, item.bodyname2] for item in spec.excludes)
        self._spec = spec

    def append(self, value: Sequence[str]) -> None:
        """Add a pair."""
        first, second = two_names("pair of links", value)
        self._spec.add_exclude(bodyname1=first, bodyname2=second)
        super().append([first, second])

    def extend(self, values: Any) -> None:
        """Add pairs."""
        for value in values:
            self.append(value)

    def clear(self) -> None:
        """Take all pairs away."""
        for item in list(self._spec.excludes):
            self._spec.delete(item)
        super().clear()

    def remove(self, value: Sequence[str]) -> None:
        """Take a pair away."""
        rest = list(self)
        rest.remove(list(value))
        self.clear()
        self.extend(rest)


def _set_pairs(owner: Any, values: Sequence[Sequence[str]]) -> None:
    values = [two_names("pair of links", value) for value in values]
    pairs = _LinkPairs(owner.home.spec)
    pairs.clear()
    pairs.extend(values)


class CollisionIgnores(WorldPart):
    """Pairs of links that do not collide."""

    link_pairs = Field(lambda owner: _LinkPairs(owner.home.spec), _set_pairs, Iterable)
