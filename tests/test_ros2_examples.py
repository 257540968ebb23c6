"""The ROS 2 example against a stand-in of rclpy's interface, and its bag by the reader of MCAP."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples" / "ros2"))

import bridge  # noqa: E402
import record  # noqa: E402
from robot import SimulatedRobot  # noqa: E402

FIELDS = {
    "builtin_interfaces": {"Time": {"sec": 0, "nanosec": 0}},
    "std_msgs": {"Header": {"stamp": "builtin_interfaces/Time", "frame_id": ""}},
    "rosgraph_msgs": {"Clock": {"clock": "builtin_interfaces/Time"}},
    "sensor_msgs": {
        "JointState": {
            "header": "std_msgs/Header", "name": [], "position": [], "velocity": [], "effort": [],
        }
    },
    "geometry_msgs": {
        "Vector3": {"x": 0.0, "y": 0.0, "z": 0.0},
        "Quaternion": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0},
        "Transform": {
            "translation": "geometry_msgs/Vector3", "rotation": "geometry_msgs/Quaternion",
        },
        "TransformStamped": {
            "header": "std_msgs/Header", "child_frame_id": "",
            "transform": "geometry_msgs/Transform",
        },
    },
    "tf2_msgs": {"TFMessage": {"transforms": []}},
}  # fmt: skip
"""Fields of ROS 2 messages with their first values, or the message they hold."""


def _message(package, name):
    def fill(self):
        for field, first in FIELDS[package][name].items():
            is_part = isinstance(first, str) and "/" in first
            setattr(self, field, _message(*first.split("/"))() if is_part else first)

    # As those of ROS 2: a field that a message does not have is an error.
    return type(name, (), {"__slots__": tuple(FIELDS[package][name]), "__init__": fill})


class Node:
    """What rclpy's nodes do: publishers, subscriptions and timers."""

    def __init__(self):
        self.published, self.subscriptions, self.timers, self.destroyed = [], {}, [], False

    def create_publisher(self, kind, topic, depth):
        def publish(message):
            assert type(message).__name__ == kind.__name__
            self.published.append((topic, message))

        return SimpleNamespace(publish=publish)

    def create_subscription(self, kind, topic, callback, depth):
        self.subscriptions[topic] = callback

    def create_timer(self, period, callback):
        self.timers.append((period, callback))

    def destroy_node(self):
        self.destroyed = True


@pytest.fixture
def ros(monkeypatch):
    """Modules of ROS 2 that behave as far as the bridge asks them."""
    node, state = Node(), SimpleNamespace(running=False)
    for package, kinds in FIELDS.items():
        module = ModuleType(f"{package}.msg")
        for name in kinds:
            setattr(module, name, _message(package, name))
        monkeypatch.setitem(sys.modules, package, ModuleType(package))
        monkeypatch.setitem(sys.modules, f"{package}.msg", module)
    rclpy = ModuleType("rclpy")
    rclpy.init = lambda: setattr(state, "running", True)
    rclpy.shutdown = lambda: setattr(state, "running", False)
    rclpy.ok = lambda: state.running
    rclpy.create_node = lambda name: node
    rclpy.spin_once = lambda given: [callback() for _, callback in given.timers]
    monkeypatch.setitem(sys.modules, "rclpy", rclpy)
    return SimpleNamespace(node=node, state=state)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out" / "examples").mkdir(parents=True)
    return tmp_path


def test_the_bridge_publishes_state_and_stops(ros, folder):
    bridge.main(None, "0.1")
    topics = [topic for topic, _ in ros.node.published]
    assert topics == ["/clock", "/joint_states", "/tf"] * 5
    clock = ros.node.published[-3][1].clock
    assert clock.sec == 0 and abs(clock.nanosec - 100_000_000) < 1e6
    states = ros.node.published[-2][1]
    assert len(states.name) == len(states.position) == len(states.velocity) == 9 - 1
    frames = {part.child_frame_id: part for part in ros.node.published[-1][1].transforms}
    assert {"base", "forearm", "gripper"} <= set(frames)
    rotation = frames["forearm"].transform.rotation
    assert rotation.x**2 + rotation.y**2 + rotation.z**2 + rotation.w**2 == pytest.approx(1.0)
    assert ros.node.destroyed and not ros.state.running


def test_commands_move_the_robot(ros, folder):
    node, robot = ros.node, SimulatedRobot()
    bridge.Bridge(node, robot)
    joint = robot.model.get_joint("shoulder_pan")
    message = SimpleNamespace(name=["shoulder_pan", "of_another_robot"], position=[0.4, 1.0])
    node.subscriptions["/joint_commands"](message)
    for _ in range(50):
        node.timers[0][1]()
    # The joint's dry friction holds it a little short of the target.
    assert joint.get_dof_pos(robot.data)[0] == pytest.approx(0.4, abs=0.05)


def test_without_ros_it_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "rclpy", None)
    with pytest.raises(SystemExit, match="source"):
        bridge.main()


def test_the_bag_opens_in_the_reader_of_mcap(folder):
    reader = pytest.importorskip("mcap.reader")
    from mcap_ros2.decoder import DecoderFactory

    robot = SimulatedRobot()
    assert record.record(robot, "arm.mcap", 0.5) == 75
    with (folder / "arm.mcap").open("rb") as file:
        bag = reader.make_reader(file, decoder_factories=[DecoderFactory()])
        assert bag.get_header().profile == "ros2"
        rows = [(c.topic, m.log_time, v) for _, c, m, v in bag.iter_decoded_messages()]
    assert [topic for topic, _, _ in rows[:3]] == ["/clock", "/joint_states", "/tf"]
    assert rows[-1][1] == robot.time_ns
    states = [value for topic, _, value in rows if topic == "/joint_states"]
    swing = [value.position[list(value.name).index("shoulder_pan")] for value in states]
    assert max(swing) > 0.2
    transforms = {part.child_frame_id: part for part in rows[-1][2].transforms}
    base = transforms["forearm"].transform.translation
    shown = robot.model.get_link("forearm").get_position(robot.data)
    assert [base.x, base.y, base.z] == pytest.approx(shown.tolist())
