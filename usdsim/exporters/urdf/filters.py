"""Contact filters of an export: which of its links never touch, by masks of shapes or by pairs."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
from numpy.typing import NDArray

from usdsim.engine.colliding import colliding

from .robot import Robot

__all__ = ["add_filters"]

_ANYTHING = 1
"""Mask of shapes elsewhere, which say nothing about contacts."""


def add_filters(robot: Robot, root: ET.Element) -> None:
    """Write whether links collide with one another, and which pairs do not, as Drake's tags.

    Args:
        robot: the robot.
        root: the document.
    """
    scene, bodies = robot.compiled.scene, robot.compiled.body_ids
    shapes = _colliding(robot)
    _note_strangers(robot, shapes)
    if not any(articulation.self_collision for articulation in scene.articulations):
        return
    touching = _touching(robot, shapes)
    never = [pair for pair, touch in touching.items() if not touch.any()]
    if touching and len(never) == len(touching):
        return
    ET.SubElement(ET.SubElement(root, "gazebo"), "self_collide").text = "true"
    if scene.geom_filters or any(not touch.all() for touch in touching.values() if touch.any()):
        robot.warn("filter", scene.source or "/", "shapes that never collide with one another")
    said = {(int(bodies[a]), int(bodies[b])) for a, b in scene.body_filters if a >= 0}
    _write_groups(root, [(robot.link_of[a], robot.link_of[b]) for a, b in sorted({*said, *never})])


def _colliding(robot: Robot) -> dict[int, list[int]]:
    """Shapes with a mask by engine body of the robot."""
    model = robot.model
    found: dict[int, list[int]] = {}
    for geom in np.flatnonzero(colliding(model)).tolist():
        body = int(model.geom_bodyid[geom])
        if body and body in robot.link_of:
            found.setdefault(body, []).append(geom)
    return found


def _touching(
    robot: Robot, shapes: dict[int, list[int]]
) -> dict[tuple[int, int], NDArray[np.bool_]]:
    """Whether the masks let each shape of a body touch each of another, by pair of bodies."""
    kinds, meets = robot.model.geom_contype, robot.model.geom_conaffinity
    found = {}
    for a, mine in shapes.items():
        for b, theirs in shapes.items():
            if a < b:
                forth, back = (
                    kinds[mine][:, None] & meets[theirs],
                    meets[mine][:, None] & kinds[theirs],
                )
                found[a, b] = (forth | back) != 0
    return found


def _note_strangers(robot: Robot, shapes: dict[int, list[int]]) -> None:
    """Warn of links that do not touch what is not of the robot."""
    kinds, meets = robot.model.geom_contype, robot.model.geom_conaffinity
    for body, geoms in shapes.items():
        if not ((kinds[geoms] | meets[geoms]) & _ANYTHING).all():
            what = (
                "masks by which it touches some shapes of the world alone; it touches all of them"
            )
            robot.warn("filter", robot.path("body", body), what)


def _write_groups(root: ET.Element, pairs: list[tuple[str, str]]) -> None:
    """A group for each link, with those that it ignores."""
    for member in dict.fromkeys(name for pair in pairs for name in pair):
        group = ET.SubElement(root, "drake:collision_filter_group", {"name": f"{member}_group"})
        ET.SubElement(group, "drake:member", {"link": member})
        for a, b in pairs:
            if a == member:
                ignored = {"name": f"{b}_group"}
                ET.SubElement(group, "drake:ignored_collision_filter_group", ignored)
