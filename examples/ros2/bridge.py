"""Bridge to ROS 2: publishes joint states, clock and transforms, and takes commands.

`/joint_commands` (sensor_msgs/JointState) sets targets of drives by joint name. Needs a sourced
ROS 2: `python examples/ros2/bridge.py [FILE] [SECONDS]`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from robot import MESSAGES, SimulatedRobot

__all__ = ["Bridge", "main"]

PERIOD = 0.02  # [s]


class Bridge:
    """A node that simulates a robot in real time.

    Args:
        node: of ROS 2.
        robot: what it shows.
    """

    def __init__(self, node: Any, robot: SimulatedRobot):
        self.robot, self._node = robot, node
        self._types = {topic: _message_type(name) for topic, (name, _) in MESSAGES.items()}
        self._publishers = {
            topic: node.create_publisher(kind, topic, 10) for topic, kind in self._types.items()
        }
        states = self._types["/joint_states"]
        node.create_subscription(states, "/joint_commands", self.take_commands, 10)
        node.create_timer(PERIOD, self.tick)

    def take_commands(self, message: Any) -> None:
        """Set the targets that a message names."""
        self.robot.command(dict(zip(message.name, message.position, strict=False)))

    def tick(self) -> None:
        """Simulate one period, and publish what came of it."""
        self.robot.advance(PERIOD)
        for topic, values in self.robot.messages():
            self._publishers[topic].publish(_filled(self._types[topic](), values))


def _message_type(name: str) -> Any:
    """The class of a message, such as ``sensor_msgs/msg/JointState``."""
    package, _, kind = name.split("/")
    return getattr(import_module(f"{package}.msg"), kind)


def _filled(message: Any, values: dict[str, Any]) -> Any:
    """A message with values; lists of parts are of transforms, the only ones there are."""
    for name, value in values.items():
        if isinstance(value, dict):
            _filled(getattr(message, name), value)
        elif name == "transforms":
            part = _message_type("geometry_msgs/msg/TransformStamped")
            setattr(message, name, [_filled(part(), entry) for entry in value])
        else:
            setattr(message, name, value)
    return message


def main(file: str | None = None, seconds: str = "inf") -> None:
    """Run until the time is over, or Ctrl-C."""
    try:
        rclpy = import_module("rclpy")
    except ImportError as error:
        raise SystemExit("rclpy is missing: install ROS 2 and source its setup file.") from error
    rclpy.init()
    node = rclpy.create_node("usdsim")
    bridge = Bridge(node, SimulatedRobot(file))
    try:
        while rclpy.ok() and bridge.robot.time_ns < float(seconds) * 1e9:
            rclpy.spin_once(node)
    finally:
        node.destroy_node()
        rclpy.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
