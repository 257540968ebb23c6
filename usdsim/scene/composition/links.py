"""Links and joints of an editable world."""

from __future__ import annotations

import math
from enum import Enum
from typing import Any

import mujoco

from .contact_values import (
    ImpedanceDamping,
    Range,
    SpringDampCoeff,
    SpringDamper,
    StiffnessDamping,
    ends_of,
    force_model,
    limits,
    reference_of,
    spring_of,
)
from .elements import Field, HangingPart, WorldPart, hanging, refused
from .fields import array, checked, choice, number, optional_name, turn
from .geoms import Geometry, Inertia, Site, link_inertia, set_link_inertia
from .lights import Camera, Light

__all__ = ["Body", "FreeJoint", "Hierarchy", "Joint", "JointType", "Link"]

_JOINT = mujoco.mjtJoint


class JointType(Enum):
    """Kind of a joint."""

    Revolute = "revolute"
    Slide = "slide"
    Ball = "ball"


_TYPES = {
    JointType.Revolute: _JOINT.mjJNT_HINGE,
    JointType.Slide: _JOINT.mjJNT_SLIDE,
    JointType.Ball: _JOINT.mjJNT_BALL,
}


def _angular(owner: Any) -> float:
    """Radians in the unit that the element's angles are written in."""
    element = owner.element
    turns = element.type in (_JOINT.mjJNT_HINGE, _JOINT.mjJNT_BALL)
    return math.radians(1.0) if turns and element.compiler.degree else 1.0


_limits = limits("range", "limited", always=True)


def _range(owner: Any) -> Range:
    unit = _angular(owner)
    return Range(*(end * unit for end in _limits.__get__(owner, type(owner))))


def _set_range(owner: Any, value: Range | None) -> None:
    unit = _angular(owner)
    ends = ends_of(f"pos_limit of {owner!r}", value)
    _limits.__set__(owner, Range(*(end / unit for end in ends)))


def _set_reference(owner: Any, value: float) -> None:
    owner.element.ref = checked(float, f"ref_ of {owner!r}", value) / _angular(owner)


def _joint_spring(owner: Any) -> SpringDamper | None:
    joint = owner.element
    stiffness, damping = float(joint.stiffness[0]), float(joint.damping[0])
    if not stiffness and not damping:
        return None
    coefficients = SpringDampCoeff.stiffness_damping(StiffnessDamping(stiffness, damping))
    return SpringDamper(coefficients, float(joint.springref) * _angular(owner))


def _set_joint_spring(owner: Any, value: SpringDamper | None) -> None:
    joint = owner.element
    joint.springdamper = [0.0, 0.0]
    joint.stiffness, joint.damping = [0.0] * 3, [0.0] * 3
    if value is None:
        return
    said = value.coeff.value
    if value.coeff.variant == "stiffness_damping":
        joint.stiffness, joint.damping = [said.k, 0.0, 0.0], [said.d, 0.0, 0.0]
    else:
        # MuJoCo takes the time constant 1 / (w z) and the ratio, and finds the inertia itself.
        joint.springdamper = [1.0 / (said.w * said.z), said.z]
    joint.springref = float(value.target_pos) / _angular(owner)


def friction_damping() -> Field:
    """Field of the softness of dry friction."""

    def read(owner: Any) -> ImpedanceDamping:
        element = owner.element
        damping = spring_of(element.solref_friction).d
        return ImpedanceDamping(damping, float(element.solimp_friction[0]))

    def write(owner: Any, value: ImpedanceDamping) -> None:
        element = owner.element
        old = spring_of(element.solref_friction)
        element.solref_friction = reference_of(StiffnessDamping(old.k, value.damping))
        share = value.impedance
        element.solimp_friction = [share, max(share, element.solimp_friction[1]), 0.001, 0.5, 2.0]

    return Field(read, write, ImpedanceDamping)


class _JointPart(HangingPart):
    """Joint, which hangs on a link but not on the world."""

    @classmethod
    def _add(cls, spec: mujoco.MjSpec) -> Any:
        return cls._hang(spec.worldbody.add_body())


class Joint(_JointPart):
    """Joint of a link with its parent, in the frame of the link."""

    name = optional_name("name")
    type_ = choice("type", _TYPES)
    axis = array("axis", 3)
    ref_ = Field(lambda owner: float(owner.element.ref) * _angular(owner), _set_reference)
    margin = number("margin")
    pos_limit = Field(_range, _set_range)
    limit_force = force_model("solref_limit", "solimp_limit")
    actuator_force_limit = limits("actfrcrange", "actfrclimited")
    friction_loss = number("frictionloss")
    friction_damping = friction_damping()
    spring_damper = Field(_joint_spring, _set_joint_spring, SpringDamper | None)
    armature = number("armature")
    pos = array("pos", 3)

    @staticmethod
    def _hang(body: Any) -> Any:
        return body.add_joint()


class FreeJoint(_JointPart):
    """Joint of a body that is free."""

    name = optional_name("name")
    friction_loss = number("frictionloss")
    armature = number("armature")

    @staticmethod
    def _hang(body: Any) -> Any:
        return body.add_freejoint()


class _Carrier(WorldPart):
    """Link or world: what shapes, lights, cameras and sites are attached to."""

    geoms = hanging(Geometry, "geoms")
    lights = hanging(Light, "lights")
    cameras = hanging(Camera, "cameras")
    sites = hanging(Site, "sites")


def _is_free(joint: Any) -> bool:
    return bool(joint.type == _JOINT.mjJNT_FREE)


class Link(HangingPart, _Carrier):
    """Link of an editable world, with all that hangs on it, in the frame of its parent."""

    name = optional_name("name")
    local_translation = position = array("pos", 3)
    local_rotation = orientation = turn()
    inertial = Field(link_inertia, set_link_inertia, Inertia)
    gravcomp = number("gravcomp")
    disable_self_collision = refused(False, "CollisionIgnores.link_pairs names the pairs")
    joints = hanging(Joint, "joints", lambda joint: not _is_free(joint))
    children = hanging(None, "bodies")

    @staticmethod
    def _hang(body: Any) -> Any:
        return body.add_body()


def _link(owner: Any) -> Any:
    return owner.home.handle(Link, owner.element)


def _set_link(owner: Any, value: Link) -> None:
    link = _link(owner)
    if link is value:
        return
    if value.home.free:
        owner.home.forget(link)
        link.__dict__.update(Link().__dict__)
        value._move(owner.home, owner.element)
    else:
        link._take(value)


def _free(owner: Any) -> Any:
    found = next(filter(_is_free, owner.element.joints), None)
    return None if found is None else owner.home.handle(FreeJoint, found)


def _set_free(owner: Any, value: FreeJoint | None) -> None:
    old = _free(owner)
    if old is value:
        return
    for joint in list(owner.element.joints):
        owner.home.spec.delete(joint)
    if value is not None:
        value._apart()._move(owner.home, owner.element.add_freejoint())


class Body(HangingPart):
    """Tree of links that hangs on nothing: its first link, and whether it is free."""

    mocap = number("mocap", bool)
    link = Field(_link, _set_link, Link)
    free = Field(_free, _set_free, FreeJoint | None)

    @staticmethod
    def _hang(body: Any) -> Any:
        return body.add_body()

    def _move(self, home: Any, element: Any) -> None:
        mocap, free, link = self.mocap, self.free, self.link
        self.home.forget(self)
        home.take(self, element)
        link._move(home, element)
        self.mocap = mocap
        if free is not None:
            free._move(home, element.add_freejoint())

    def __getattr__(self, name: str) -> Any:
        # Names and poses of a body are those of its first link.
        if name in ("name", "position", "orientation", "children"):
            return getattr(self.link, name)
        raise AttributeError(f"Body has no {name!r}; it has link, free and mocap.")


class Hierarchy(_Carrier):
    """All that stands in the world itself, in the order of the file."""

    bodies = hanging(Body, "bodies")

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        return spec.worldbody
