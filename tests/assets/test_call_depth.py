"""What a command costs in calls of Python, as the architecture page counts them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from articulation_stages import advance, chain, running

import usdsim

PACKAGE = str(Path(str(usdsim.__file__)).parent)


def calls(function: Callable[[], object]) -> list[str]:
    """Names of the functions of the package that a call runs, made ones included."""
    found = []

    def note(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith((PACKAGE, "<writers")):
            found.append(code.co_qualname)

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return found


def test_a_target_its_way_to_the_engine_and_what_follows_take_few_calls():
    with running(chain(2)) as (sim, robot):
        target = np.zeros((robot.num_instances, robot.num_joints), np.float32)
        advance(sim, robot)
        robot.set_joint_position_target(target)
        robot.write_data_to_sim()
        sim.step()
        setting = calls(lambda: robot.set_joint_position_target(target))
        writing = calls(robot.write_data_to_sim)
        stepping = calls(sim.step)
        updating = calls(lambda: robot.update(0.01))
        robot.data.joint_pos.numpy()
        sim.step()
        reading = calls(lambda: robot.data.joint_pos.numpy())
    assert 5 < len(setting) <= 12, setting
    assert 5 < len(writing) <= 10, writing
    assert 15 < len(stepping) <= 30, stepping
    assert 2 < len(updating) <= 5, updating
    assert 2 < len(reading) <= 4, reading
