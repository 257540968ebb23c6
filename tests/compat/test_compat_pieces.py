"""Configuration classes, stage helpers and the launcher, piece by piece."""

from __future__ import annotations

import argparse
import dataclasses

import numpy as np
import pytest

from usdsim.assets import ArticulationCfg
from usdsim.compat.app import AppLauncher, windows
from usdsim.compat.configclass import configclass
from usdsim.compat.prims.finding import (
    find_matching_prim_paths,
    get_all_matching_child_prims,
    get_first_matching_child_prim,
)
from usdsim.compat.prims.making import create_prim
from usdsim.compat.refusals import MissingValuesError
from usdsim.compat.settings import PhysicsCfg
from usdsim.compat.stages import close_stage, create_new_stage, get_current_stage
from usdsim.core.errors import StageError
from usdsim.sim.surroundings import Surroundings
from usdsim.usd.stage import create_stage, use_stage
from usdsim.usd.xforms import world_pose

torch = pytest.importorskip("torch")


def test_configurations_share_nothing():
    @configclass
    class Inner:
        numbers: list = [1, 2]  # noqa: RUF012

    @configclass
    class Outer:
        inner: Inner = Inner()
        name: str = dataclasses.MISSING
        gain = 2.0

        def doubled(self):
            return 2.0 * self.gain

    one, two = Outer(name="a"), Outer()
    one.inner.numbers.append(3)
    assert two.inner.numbers == [1, 2] and one.doubled() == 4.0
    changed = one.replace(gain=5.0)
    assert (changed.gain, one.gain, changed.inner.numbers) == (5.0, 2.0, [1, 2, 3])
    assert one.to_dict()["inner"] == {"numbers": [1, 2, 3]}
    one.validate()
    with pytest.raises(MissingValuesError, match=r"Outer.*\n.*name"):
        two.validate()


@pytest.mark.parametrize("base", [object, ArticulationCfg, PhysicsCfg])
def test_configurations_complete_their_values_one_after_the_other(base):
    @configclass
    class Plain(base):
        gain: float = 2.0

    @configclass
    class Robot(Plain):
        def __post_init__(self):
            super().__post_init__()
            self.gain = 3.0

    assert (Plain().gain, Robot().gain) == (2.0, 3.0)


def test_prims_are_made_and_found():
    stage = create_new_stage()
    create_prim("/World/A", translation=(1.0, 2.0, 3.0), orientation=(0.0, 0.0, 1.0, 0.0))
    inner = create_prim("/World/A/Box", "Cube", position=(5.0, 5.0, 5.0))
    np.testing.assert_allclose(world_pose(inner)[0].pos, (5.0, 5.0, 5.0), atol=1e-9)
    create_prim("/World/B/Box", "Cube")
    assert find_matching_prim_paths("/World/.*/Box") == ["/World/A/Box", "/World/B/Box"]
    cubes = get_all_matching_child_prims("/World", lambda prim: prim.GetTypeName() == "Cube")
    assert [prim.GetName() for prim in cubes] == ["Box", "Box"]
    assert not get_all_matching_child_prims("/World", lambda p: p.GetTypeName() == "Cube", depth=1)
    assert get_first_matching_child_prim("/World/B").GetPath() == "/World/B"
    with pytest.raises(StageError, match="already"):
        create_prim("/World/A", stage=stage)
    with use_stage(create_stage()):
        assert get_current_stage() is not stage
    with use_stage(create_stage()):
        another = create_new_stage()
    assert get_current_stage() is another
    close_stage()
    with pytest.raises(StageError, match="no current stage"):
        get_current_stage()


def test_the_launcher_takes_its_options(monkeypatch):
    parser = argparse.ArgumentParser()
    parser.add_argument("--headless", action="store_true")
    AppLauncher.add_app_launcher_args(parser)
    options = ["--headless", "--device", "cpu", "--frames", "3", "--enable_cameras"]
    given = parser.parse_args(options)
    assert not (given.deterministic or given.xr) and given.max_visible_envs is None
    launcher = AppLauncher(given)
    turns = 0
    while launcher.app.is_running():
        launcher.app.update()
        turns += 1
    assert (turns, launcher.device) == (3, "cpu")
    app = AppLauncher(headless=True).app
    assert app.is_running()
    app.close()
    assert not app.is_running() and app.is_exiting()
    monkeypatch.setattr("sys.argv", ["program.py", "--num_envs", "2", "--frames", "1"])
    app = AppLauncher(headless=True).app
    assert [app.is_running(), app.is_running()] == [True, False]


def test_loops_that_wait_for_windows_end_after_frames(monkeypatch):
    """As programs of Isaac Lab 3.0 write them, which take the options off the command line."""
    parser = argparse.ArgumentParser()
    monkeypatch.setattr("sys.argv", ["program.py", "--frames", "2"])
    AppLauncher.add_app_launcher_args(parser)
    monkeypatch.setattr("sys.argv", ["program.py"])
    turns = 0
    while any(window.is_running() and not window.is_closed for window in windows()):
        turns += 1
    assert turns == 2
    AppLauncher(headless=True)
    assert windows() == []


def test_surroundings_of_a_simulation():
    class Clock:
        cfg = argparse.Namespace(render_interval=4)

        def get_physics_dt(self):
            return 0.01

    clock = Surroundings(Clock())
    assert clock.get_rendering_dt() == pytest.approx(0.04)
    assert clock.camera_view is None and clock.get_setting("/a") is None
    clock.set_setting("/a", 3)
    clock.set_camera_view((1.0, 2.0, 3.0), (0.0, 0.0, 0.0))
    assert clock.get_setting("/a") == 3 and clock.camera_view[0] == (1.0, 2.0, 3.0)
    assert not clock.has_gui and not clock.is_rendering
