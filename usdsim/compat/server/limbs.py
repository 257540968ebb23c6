"""Limbs: robots made of a table of links, written as MJCF, to stand in for others.

A line of the table is a link: its name, that of its parent (``-`` for the root, ``^`` for the link
of the line above), its place in the parent [m] and its mass [kg]; then, if not left to be guessed,
its shape; and after each semicolon, here or on lines of their own, a joint: name, axis, such as
``-y`` or ``slide_x``, and limits [rad or m]. Names with ``*`` are two links, of the left and the
right side, mirrored in the plane y = 0: joints turn about the same axes on both sides, within
limits that are mirrored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

import numpy as np

from .flat import flatten_links
from .masks import ROBOT, masks
from .sources import write_mjcf

__all__ = ["Limbs"]

_SIDES = ("left", "right")
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass
class _Link:
    """A line of the table for one side."""

    name: str
    parent: str
    place: list[float]
    mass: float
    shape: list[str]
    joints: list[tuple[str, str, tuple[float, float, float], float, float]]
    children: list[_Link] = field(default_factory=list)


@dataclass(frozen=True)
class Limbs:
    """A robot as a tree of links, capsules along them and the shapes that the table names.

    Shapes are ``rod x y z``, a capsule from the origin to a point; ``box lx ly lz x y z``, with
    edge lengths and middle; and ``ball r``. Without one it is a rod to the first child, or a ball
    where that is close. Links of one robot do not collide with each other.
    """

    links: str
    """The table."""
    radius: float = 0.04
    """Radius of rods, and of balls that are guessed [m]."""
    floats: bool = True
    """Whether the root moves freely, rather than being fixed to the world."""
    drives: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Stiffness [N m/rad] and damping [N m s/rad] of drives by pattern of joints; the first acts.
    What configures the robot may say others."""
    follows: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    """Joints that others lead by tendons: the leader and the factor of its position, by name."""
    kind: int = ROBOT
    """Bit of the collision masks; see `masks`."""
    scopes: Mapping[str, str] = field(default_factory=dict)
    """Prims below the robot's that links lie in, by pattern of links."""

    def write(self, file: Path) -> str:
        """Make the file; returns its name."""
        # Programs name links as prims below the robot's, `Robot/torso_link` for example.
        return flatten_links(write_mjcf(file, self.text()), self.scopes)

    def text(self) -> str:
        """The robot as MJCF."""
        links = self._read()
        root = next(iter(links.values()))
        drives = "".join(self._drive(j[0]) for link in links.values() for j in link.joints)
        led = "".join(
            f'<fixed name="{name.replace("*", side)}_tendon" range="-0.001 0.001">'
            f'<joint joint="{leader.replace("*", side)}" coef="{factor}"/>'
            f'<joint joint="{name.replace("*", side)}" coef="-1"/></fixed>'
            for name, (leader, factor) in self.follows.items()
            for side in (_SIDES if "*" in name else ("",))
        )
        return (
            '<mujoco><compiler angle="radian" autolimits="true"/>'
            f'<default><joint armature="0.001"/><geom {masks(self.kind)}/></default>'
            f"<worldbody>{self._body(root, self.floats)}</worldbody>"
            f"<actuator>{drives}</actuator><tendon>{led}</tendon></mujoco>"
        )

    def _read(self) -> dict[str, _Link]:
        """Links by name, each among the children of its parent."""
        links: dict[str, _Link] = {}
        above = "-"
        for row in filter(str.strip, re.sub(r"\n\s*;", " ;", self.links).splitlines()):
            line = row.replace("^", above, 1)
            above = line.split()[0]
            for side, sign in zip(_SIDES, (1.0, -1.0), strict=True):
                link = _link(line.replace("*", side), sign)
                links[link.name] = link
                if "*" not in line:
                    break
        for link in links.values():
            if link.parent != "-":
                links[link.parent].children.append(link)
        return links

    def _body(self, link: _Link, floats: bool = False) -> str:
        joints = "<freejoint/>" if floats else ""
        for name, kind, axis, least, most in link.joints:
            joints += (
                f'<joint name="{name}" type="{kind}" axis="{_numbers(axis)}" '
                f'range="{least} {most}"/>'
            )
        inner = "".join(map(self._body, link.children))
        place = _numbers(link.place)
        return f'<body name="{link.name}" pos="{place}">{joints}{self._geom(link)}{inner}</body>'

    def _geom(self, link: _Link) -> str:
        kind, *numbers = link.shape or self._guess(link)
        values = [float(number) for number in numbers]
        if kind == "rod":
            form = f'type="capsule" fromto="0 0 0 {_numbers(values)}" size="{self.radius}"'
        elif kind == "ball":
            form = f'type="sphere" size="{values[0]}"'
        else:
            half = [0.5 * value for value in values[:3]]
            form = f'type="box" size="{_numbers(half)}" pos="{_numbers(values[3:])}"'
        return f'<geom {form} mass="{link.mass}"/>'

    def _guess(self, link: _Link) -> list[str]:
        near = next((child.place for child in link.children), [0.0, 0.0, 0.0])
        if float(np.linalg.norm(near)) < 2.0 * self.radius:
            return ["ball", str(self.radius)]
        return ["rod", *map(str, near)]

    def _drive(self, joint: str) -> str:
        gains = (gains for pattern, gains in self.drives.items() if fnmatch(joint, pattern))
        stiffness, damping = next(gains, (0.0, 0.0))
        if not stiffness:
            return ""
        return f'<position name="{joint}" joint="{joint}" kp="{stiffness}" kv="{damping}"/>'


def _link(line: str, sign: float) -> _Link:
    """A line for a side; the sign of y."""
    first, *others = (part.split() for part in line.split(";"))
    name, parent, *rest = first
    place, shape = [float(number) for number in rest[:3]], rest[4:]
    place[1] *= sign
    if shape[:1] in (["rod"], ["box"]):
        middle = {"rod": 2, "box": 5}[shape[0]]
        shape = [*shape[:middle], str(sign * float(shape[middle])), *shape[middle + 1 :]]
    joints = []
    for joint, axis, low, high in others:
        kind = "slide" if axis.startswith("slide_") else "hinge"
        letter, turns = axis[-1], -1.0 if "-" in axis else 1.0
        limits = (float(low), float(high))
        if sign < 0.0 and letter == "y" and kind == "slide":
            turns = -turns
        elif sign < 0.0 and letter != "y" and kind == "hinge":
            limits = (-limits[1], -limits[0])
        x, y, z = (turns * number for number in _AXES[letter])
        joints.append((joint, kind, (x, y, z), *limits))
    return _Link(name, parent, place, float(rest[3]), shape, joints)


def _numbers(values: object) -> str:
    return " ".join(f"{value:.6g}" for value in np.ravel(np.asarray(values)))
