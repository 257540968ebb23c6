"""Quantities that are read together on a device are filled together, and are as they are alone."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import warp as wp

sys.path.insert(0, str(Path(__file__).parent.parent / "engine"))
from test_warp_engine_views import NAMES, Data, layout
from warp_scenes import compiled_workshop, engines

from usdsim.views import read_graph
from usdsim.views.view import AssetView

pytest.importorskip("mujoco_warp")

READ = [name for name in NAMES if name != "mass"]


@pytest.fixture(scope="module")
def engine():
    found = engines(compiled_workshop())[1]
    found.acceleration()
    return found


@pytest.fixture
def view(engine):
    engine.reset()
    return AssetView(engine, layout(engine.compiled), Data)


def rounds(view, count, names=READ):
    for _ in range(count):
        view.engine.step(2)
        for name in names:
            getattr(Data(view), name)


def fresh(view):
    """What a view that never read anything tells."""
    return Data(AssetView(view.engine, view.layout, Data))


def test_they_are_the_same_as_alone_after_steps_and_writes(view):
    for step in range(12):
        view.engine.step(3)
        if step % 3 == 2:
            view.write("joint_velocity", 0.1 * step)
        for name in READ:
            wanted = getattr(fresh(view), name).numpy()
            np.testing.assert_array_equal(getattr(Data(view), name).numpy(), wanted, err_msg=name)


def test_the_first_one_read_fills_those_that_were_read_after_the_last_steps(view):
    rounds(view, 6, ["velocity_b", "joint_pos"])
    view.engine.step()
    current = {name for name, slot in view.slots.items() if slot.is_current}
    assert not current & {"joint_pos", "velocity_b", "pose", "velocity"}
    _ = Data(view).joint_pos
    assert all(view.slots[name].is_current for name in ("velocity_b", "pose", "velocity"))
    _ = Data(view).root_pose
    view.engine.step()
    _ = Data(view).joint_pos
    assert not view.slots["root_pose"].is_current


def test_what_is_read_later_joins_them(view):
    rounds(view, 6, ["pose"])
    rounds(view, 6, ["pose", "joint_vel"])
    view.engine.step()
    np.testing.assert_array_equal(Data(view).pose.numpy(), fresh(view).pose.numpy())
    assert view.slots["joint_vel"].is_current
    np.testing.assert_array_equal(Data(view).joint_vel.numpy(), fresh(view).joint_vel.numpy())


def test_what_is_read_no_longer_is_filled_no_longer(view, monkeypatch):
    monkeypatch.setattr(read_graph, "_LASTING", 8)
    rounds(view, 6, ["pose", "joint_vel"])
    rounds(view, 9, ["pose", "joint_pos"])
    view.engine.step()
    _ = Data(view).pose
    assert view.slots["joint_pos"].is_current
    assert not view.slots["joint_vel"].is_current


def test_an_error_on_the_way_leaves_none_of_them_current(view, monkeypatch):
    rounds(view, 6)
    view.engine.step()

    def refuse():
        raise RuntimeError("no")

    with monkeypatch.context() as patched, pytest.raises(RuntimeError, match="no"):
        patched.setattr(view.slots["velocity"].filling, "ready", [refuse])
        _ = Data(view).pose
    assert not any(view.slots[name].is_current for name in ("pose", "velocity", "joint_pos"))
    np.testing.assert_array_equal(Data(view).velocity.numpy(), fresh(view).velocity.numpy())


def test_within_a_recording_they_are_a_part_of_it(view):
    rounds(view, 6, ["pose", "joint_pos"])
    with wp.ScopedCapture(device=view.device) as capture:
        view.engine.versions.motion += 1
        found = Data(view).pose
    view.engine.step(5)
    _ = view.engine.read("xpos")
    wp.capture_launch(capture.graph)
    np.testing.assert_array_equal(found.numpy(), fresh(view).pose.numpy())
