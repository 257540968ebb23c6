"""Joint elements of an export: axes, limits, dynamics and mimic relations."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import mujoco
import numpy as np

from usdsim.converters.urdf.reading.limits import UNLIMITED

from .actuation import Actuation
from .elements import add_origin, number, numbers
from .robot import ExportedJoint, Robot

__all__ = ["JointWriter"]

_COUPLING = int(mujoco.mjtEq.mjEQ_JOINT)


class JointWriter:
    """Writes the joints of a robot.

    Args:
        robot: the robot.
        actuation: what drives its joints.
    """

    def __init__(self, robot: Robot, actuation: dict[int, Actuation]):
        self._robot = robot
        self._actuation = actuation
        self._mimics = _mimics(robot)
        self._speeds = {
            dof.path: dof.velocity_limit
            for joint in robot.compiled.scene.joints
            for dof in joint.dofs
        }

    def element(self, joint: ExportedJoint) -> ET.Element:
        """One ``<joint>``."""
        element = ET.Element("joint", {"name": joint.name, "type": joint.kind})
        add_origin(element, joint.origin)
        ET.SubElement(element, "parent", {"link": joint.parent})
        ET.SubElement(element, "child", {"link": joint.child})
        if joint.axis is not None:
            ET.SubElement(element, "axis", {"xyz": numbers(joint.axis)})
        if joint.joint in self._robot.joint_of:
            self._limit(element, joint)
        if joint.dof is not None:
            self._dynamics(element, joint.dof)
        if joint.joint in self._mimics:
            ET.SubElement(element, "mimic", self._mimics[joint.joint])
        return element

    def _limit(self, element: ET.Element, joint: ExportedJoint) -> None:
        model, index = self._robot.model, joint.joint
        law = self._actuation.get(index) if index is not None else None
        effort = math.inf if law is None else law.effort
        if model.jnt_actfrclimited[index]:
            effort = min(effort, float(np.abs(model.jnt_actfrcrange[index]).max()))
        speed = self._speeds.get(self._robot.path("joint", index or 0), math.inf)
        values = {"effort": effort, "velocity": speed}
        if joint.kind != "continuous":
            low, high = (
                model.jnt_range[index].tolist()
                if model.jnt_limited[index]
                else (-math.inf, math.inf)
            )
            values = {"lower": low, "upper": high, **values}
        elif not math.isfinite(effort) and not math.isfinite(speed):
            return
        bounded = {key: min(max(value, -UNLIMITED), UNLIMITED) for key, value in values.items()}
        ET.SubElement(element, "limit", {key: number(value) for key, value in bounded.items()})

    def _dynamics(self, element: ET.Element, dof: int) -> None:
        model = self._robot.model
        values = {
            "damping": model.dof_damping[dof],
            "friction": model.dof_frictionloss[dof],
            "armature": model.dof_armature[dof],
        }
        if any(values.values()):
            shown = {key: number(v) for key, v in values.items() if v or key != "armature"}
            ET.SubElement(element, "dynamics", shown)


def _mimics(robot: Robot) -> dict[int | None, dict[str, str]]:
    """Attributes of ``<mimic>`` by engine joint that follows another."""
    model = robot.model
    found: dict[int | None, dict[str, str]] = {}
    for index in range(int(model.neq)):
        if int(model.eq_type[index]) != _COUPLING or not model.eq_active0[index]:
            continue
        follower, leader = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
        offset, slope, *bends = model.eq_data[index, :5].tolist()
        where = robot.path("equality", index) or robot.path("joint", follower)
        known = follower in robot.joint_of and leader in robot.joint_of
        if any(bends) or not known or follower in found:
            robot.warn("coupling", where, "a coupling of joints that is no mimic; left out")
            continue
        zeros = model.qpos0[model.jnt_qposadr[[follower, leader]]]
        found[follower] = {
            "joint": robot.joint_of[leader],
            "multiplier": number(slope),
            "offset": number(float(zeros[0] + offset - slope * zeros[1])),
        }
    return found
