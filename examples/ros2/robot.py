"""Robot whose state ROS 2 messages show: joint states, clock and transforms, as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import usdsim
from usdsim.converters import JointDriveCfg, NaturalFrequencyGainsCfg

__all__ = ["MESSAGES", "SimulatedRobot"]

_TIME = "int32 sec\nuint32 nanosec\n"
_HEADER = "builtin_interfaces/Time stamp\nstring frame_id\n"
_VECTOR = "float64 x\nfloat64 y\nfloat64 z\n"
_BAR = "=" * 80 + "\nMSG: "
_PARTS = {
    "builtin_interfaces/Time": _TIME,
    "std_msgs/Header": _HEADER,
    "geometry_msgs/Vector3": _VECTOR,
    "geometry_msgs/Quaternion": f"{_VECTOR}float64 w\n",
    "geometry_msgs/Transform": "geometry_msgs/Vector3 translation\n"
    "geometry_msgs/Quaternion rotation\n",
    "geometry_msgs/TransformStamped": "std_msgs/Header header\nstring child_frame_id\n"
    "geometry_msgs/Transform transform\n",
}


def _definition(fields: str, *parts: str) -> str:
    """The fields of a message, and those of the messages it is made of."""
    return fields + "".join(f"{_BAR}{name}\n{_PARTS[name]}" for name in parts)


MESSAGES = {
    "/clock": ("rosgraph_msgs/msg/Clock", _definition(
        "builtin_interfaces/Time clock\n", "builtin_interfaces/Time",
    )),
    "/joint_states": ("sensor_msgs/msg/JointState", _definition(
        "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n"
        "float64[] effort\n", "std_msgs/Header", "builtin_interfaces/Time",
    )),
    "/tf": ("tf2_msgs/msg/TFMessage", _definition(
        "geometry_msgs/TransformStamped[] transforms\n", *reversed(_PARTS),
    )),
}  # fmt: skip
"""Type and definition of the messages of each topic."""


class SimulatedRobot:
    """One world of a robot file, whose state is read as messages.

    Args:
        file: a stage, MJCF or URDF file; None: the shipped arm, with drives that hold it.
    """

    def __init__(self, file: str | Path | None = None):
        if file is None:
            gains = NaturalFrequencyGainsCfg(natural_frequency=30.0, damping_ratio=1.0)
            file = Path("out/examples/ros2_arm.usda")
            source = usdsim.example_asset("arm/arm.urdf")
            usdsim.convert(source, file, joint_drive=JointDriveCfg(gains=gains))
        self.model = usdsim.load_model(file)
        self.data = usdsim.SceneData(self.model)
        self.joints = [joint for joint in self.model.joints if joint.num_dof_pos == 1]
        self.timestep = float(self.model.low.opt.timestep)
        self._steps = 0

    @property
    def time_ns(self) -> int:
        """Simulated time [ns]."""
        return round(self._steps * self.timestep * 1e9)

    def advance(self, seconds: float) -> None:
        """Simulate."""
        steps = max(1, round(seconds / self.timestep))
        self.model.step_n(self.data, steps)
        self._steps += steps

    def command(self, positions: Mapping[str, float]) -> None:
        """Set targets of drives by joint name [rad or m]; names of other robots are left alone."""
        known = {joint.name for joint in self.joints}
        for name, position in positions.items():
            if name in known:
                drive: Any = self.model.get_actuator(name)
                drive.set_targets(self.data, position=position)

    def messages(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Topic and values of each message that shows the present state."""
        stamp = {"sec": self.time_ns // 10**9, "nanosec": self.time_ns % 10**9}
        yield "/clock", {"clock": stamp}
        yield (
            "/joint_states",
            {
                "header": {"stamp": stamp, "frame_id": ""},
                "name": [str(joint.name) for joint in self.joints],
                "position": [float(joint.get_dof_pos(self.data)[0]) for joint in self.joints],
                "velocity": [float(joint.get_dof_vel(self.data)[0]) for joint in self.joints],
                "effort": [],
            },
        )
        yield "/tf", {"transforms": [self._transform(link, stamp) for link in self.model.links]}

    def _transform(self, link: Any, stamp: Mapping[str, int]) -> dict[str, Any]:
        x, y, z, qx, qy, qz, qw = map(float, link.get_pose(self.data))
        return {
            "header": {"stamp": stamp, "frame_id": "world"},
            "child_frame_id": str(link.name),
            "transform": {
                "translation": {"x": x, "y": y, "z": z},
                "rotation": {"x": qx, "y": qy, "z": qz, "w": qw},
            },
        }
