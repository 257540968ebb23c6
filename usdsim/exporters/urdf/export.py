"""URDF export of a stage."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from pxr import Usd

from usdsim.engine import compile_scene
from usdsim.exporters.result import (
    Export,
    open_source,
    parse_source,
    refuse_losses,
    to_text,
    write_document,
)

from .actuation import read_actuation
from .annotations import add_annotations
from .control import control_element
from .joints import JointWriter
from .links import inertial
from .losses import note_losses
from .robot import Robot, build_robot
from .shapes import UrdfShapes

__all__ = ["export_urdf"]


def export_urdf(
    source: str | os.PathLike[str] | Usd.Stage,
    destination: str | os.PathLike[str],
    *,
    strict: bool = False,
    env: str | None = None,
    package: str | None = None,
    **options: Any,
) -> Export:
    """Write a stage as URDF, with its meshes and textures in a folder beside it.

    Bodies become links in the frames they have, joints keep their names, coordinates, limits and
    dynamics. A body with several joints hangs on a chain of links without mass; named sites are
    links too. Drives and sensors are a ``<ros2_control>`` element, springs and surfaces
    ``<gazebo>`` elements. What URDF cannot say is a warning in the report: loops, tendons, balls,
    shapes of the world, keyframes.

    Args:
        source: a stage, or any file that converts to one.
        destination: ``.urdf`` file to write.
        strict: raise instead of leaving out what the format cannot say.
        env: prim path of the environment to write with what all share; None: the whole stage.
        package: name of the ROS package the file is for: meshes are ``package://`` names in it,
            relative to the file. None: paths relative to the file.
        **options: of the conversion, if `source` is no USD file.

    Raises:
        FileError: the source is missing or unreadable, or the result cannot be written.
        ConversionError: the source cannot be converted, or not in full and `strict`; nothing is
            written.
        ParseError: the stage has no physics, or is physically invalid.
        StageError: `env` is no prim.
        CompileError: the engine refuses the stage.
        InvalidValueError: an option is unknown.
    """
    target = Path(destination)
    stage, report = open_source(source, target, options)
    known = len(report.findings)
    compiled = compile_scene(parse_source(stage, env), exact=True)
    report.counts.clear()
    robot = build_robot(compiled, report)
    default = stage.GetDefaultPrim()
    name = compiled.scene.name or (default.GetName() if default else target.stem)
    root, shapes = _document(robot, name)
    note_losses(robot)
    if strict:
        refuse_losses(report.findings[known:], "URDF")

    def text(folder: str) -> str:
        place = f"{folder}/" if package is None else f"package://{package}/{folder}/"
        for element in root.iter() if folder else ():
            if "filename" in element.attrib:
                element.set("filename", place + element.attrib["filename"])
        return to_text(root)

    write_document(target, text, shapes.files)
    return Export(target, report)


def _document(robot: Robot, name: str) -> tuple[ET.Element, UrdfShapes]:
    root = ET.Element("robot", {"name": name})
    shapes = UrdfShapes(robot)
    actuation = read_actuation(robot)
    links = {}
    for link in robot.links:
        links[link.name] = ET.Element("link", {"name": link.name})
        if link.body is not None:
            inertial(links[link.name], robot.model, link.body)
            shapes.add(links[link.name], link.body)
    root.extend(shapes.materials)
    root.extend(links.values())
    robot.report.count("link", len(links))
    joints = JointWriter(robot, actuation)
    for joint in robot.joints:
        root.append(joints.element(joint))
        robot.report.count("joint")
    if any(True for _ in root.iter("capsule")):
        # Capsules are of this version; readers of the first one refuse what says another.
        root.set("version", "1.1")
    control = control_element(robot, actuation)
    if control is not None:
        root.append(control)
    add_annotations(robot, root, links)
    if any(element.tag.startswith("drake:") for element in root.iter()):
        root.set("xmlns:drake", "https://drake.mit.edu")
    return root, shapes
