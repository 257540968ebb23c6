"""URDF text to `UrdfRobot`, forgiving where files in the wild are wrong."""

from __future__ import annotations

from usdsim.converters.report import ConversionReport
from usdsim.core.errors import ConversionError

from .joints import read_joint, read_loop_joint
from .links import read_link, read_material
from .model import UrdfFrame, UrdfJoint, UrdfLink, UrdfRobot
from .values import read_pose
from .xmltree import Node

__all__ = ["read_robot"]


class _RobotReader:
    def __init__(self, root: Node, file: str, report: ConversionReport):
        self.root, self.file, self.report = root, file, report
        self.robot = UrdfRobot(name="", file=file, where=root.where)

    def read(self) -> UrdfRobot:
        if self.root.tag != "robot":
            raise ConversionError(f"{self.root.where}: the root element of a URDF is <robot>.")
        name = self.root.attributes.get("name", "")
        if not name:
            name = self.file.rsplit("/", 1)[-1].split(".")[0] or "robot"
            self.report.warn("robot-unnamed", self.root.where, f"no name; called {name!r}")
        self.robot.name = name
        for node in self.root.find_all("material"):
            material = read_material(node)
            self.robot.materials.setdefault(material.name, material)
        for node in self.root.children:
            if node.tag == "link":
                name = self._name(node, self.robot.links)
                self.robot.links[name] = read_link(node, name, self.report)
            elif node.tag in ("joint", "loop_joint"):
                name = self._name(node, self.robot.joints)
                read = read_joint if node.tag == "joint" else read_loop_joint
                self.robot.joints[name] = read(node, name, self.report)
            elif node.tag == "frame":
                self._frame(node)
            elif node.tag != "material":
                self.robot.extras.append(node)
        if not self.robot.links:
            raise ConversionError(
                f"{self.root.where}: the robot has no <link>. If it has macros alone, convert the "
                "file that calls them."
            )
        return self.robot

    def _name(self, node: Node, taken: dict[str, UrdfLink] | dict[str, UrdfJoint]) -> str:
        name = node.attributes.get("name", "")
        if not name:
            name = f"{node.tag}_{node.line}"
            self.report.warn("unnamed", node.where, f"no name; called {name!r}")
        if name in taken:
            raise ConversionError(
                f"{node.where}: a second <{node.tag}> of this name (first: {taken[name].where}). "
                "Rename one of them."
            )
        return name

    def _frame(self, node: Node) -> None:
        link = node.attributes.get("link", "")
        name = node.attributes.get("name", f"frame_{node.line}")
        self.robot.frames.append(UrdfFrame(name, link, read_pose(node), node.where))


def read_robot(root: Node, file: str, report: ConversionReport) -> UrdfRobot:
    """Read a parsed URDF.

    Args:
        root: the ``<robot>`` element.
        file: path of the file, for messages and for resolving meshes.
        report: receives a warning for everything that had to be put right.

    Raises:
        ConversionError: the file cannot be understood, with file, line and element.
    """
    return _RobotReader(root, file, report).read()
