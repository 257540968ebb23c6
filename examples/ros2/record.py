"""Bag of a simulated robot, as an MCAP file that ROS 2 and Foxglove open; ROS need not be there.

`python examples/ros2/record.py [OUT.mcap] [FILE]`. Needs `pip install "usdsim[ros]"`.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from robot import MESSAGES, SimulatedRobot

__all__ = ["main", "record"]

PERIOD = 0.02  # [s]


def record(robot: SimulatedRobot, path: str | Path, seconds: float) -> int:
    """Simulate a robot whose first joint swings, and write its messages; returns how many."""
    try:
        from mcap_ros2.writer import Writer
    except ImportError as error:
        raise SystemExit("mcap is missing: pip install 'usdsim[ros]'") from error
    count = 0
    first = robot.joints[0].name
    with Path(path).open("wb") as file, Writer(file) as writer:
        schemas = {t: writer.register_msgdef(*definition) for t, definition in MESSAGES.items()}
        for _ in range(round(seconds / PERIOD)):
            robot.command({str(first): 0.5 * math.sin(2.0 * math.pi * robot.time_ns * 1e-9)})
            robot.advance(PERIOD)
            for topic, values in robot.messages():
                writer.write_message(topic, schemas[topic], values, log_time=robot.time_ns)
                count += 1
    return count


def main(path: str = "out/examples/arm.mcap", file: str | None = None) -> None:
    """Record two seconds."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    print(f"{record(SimulatedRobot(file), path, 2.0)} messages in {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
