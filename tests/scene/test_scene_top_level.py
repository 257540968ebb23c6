"""What a program gets from the package itself: all names of the scene door, threads, the loop."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import usdsim
from usdsim import run
from usdsim.core.errors import (
    InvalidValueError,
    OutOfRangeError,
    StageError,
    UnknownNameError,
    UnsupportedError,
)

BOX = '<mujoco><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>'


def test_every_name_of_the_scene_door_is_at_the_top():
    missing = [name for name in usdsim.scene.__all__ if name not in dir(usdsim)]
    assert missing == ["render_loop"] and usdsim.run.render_loop is run.render_loop
    for name in usdsim.__all__:
        assert getattr(usdsim, name) is not None
    assert usdsim.GeomSDF is usdsim.scene.GeomSDF
    assert (
        np.dtype(usdsim.real_dtype()) == usdsim.SceneData(usdsim.load_mjcf_str(BOX)).dof_pos.dtype
    )


def test_threads_are_set_once_and_held_to():
    code = f"""
import usdsim
usdsim.init_thread_pool(1)
model = usdsim.load_mjcf_str('''{BOX}''')
print(usdsim.SceneData(model, 2).low.threads, usdsim.SceneData(model, 2, threads=2).low.threads)
try:
    usdsim.init_thread_pool(2)
except RuntimeError as error:
    print("runtime", error)
except usdsim.core.errors.StageError as error:
    print("stage", error)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    first, second = ran.stdout.splitlines()
    assert first == "1 2" and "already set to 1" in second
    with pytest.raises(UnsupportedError, match="taskset"):
        usdsim.init_thread_pool(2, core_ids=[0, 1])
    assert issubclass(StageError, Exception)


class _Clock:
    """A clock that only moves when someone sleeps or works."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize("work", [0.0, 0.005, 1.0], ids=["fast", "busy", "too slow"])
def test_physics_keeps_real_time_whatever_the_pictures_cost(monkeypatch, work):
    clock = _Clock()
    monkeypatch.setattr("usdsim.scene.run.time", clock)
    steps, frames = [], []

    def draw() -> None:
        frames.append(clock.now)
        clock.sleep(work)
        if len(frames) == 100:
            raise StopIteration

    run.render_loop(0.002, 50.0, lambda: steps.append(clock.now), draw)
    period = max(0.02, work)
    np.testing.assert_allclose(np.diff(frames), period, rtol=1e-9)
    # Beyond a quarter of a second per picture the scene runs slowly instead of never catching up.
    expected = 99 * min(period, 0.25) / 0.002
    assert len(steps) == pytest.approx(expected, rel=0.01)
    with pytest.raises(InvalidValueError, match="phys_dt"):
        run.render_loop(0.0, 50.0, draw, draw)
    with pytest.raises(ZeroDivisionError):
        run.render_loop(0.002, 50.0, lambda: 1 / 0, draw)


ONLY_SEEN = """<mujoco><worldbody><body name="b"><joint name="j"/><geom name="rock" size=".1"/>
<geom name="paint" size=".2" contype="0" conaffinity="0" mass="0"/></body></worldbody></mujoco>"""


def test_unknown_names_are_none_where_a_program_asks_for_it():
    model = usdsim.load_mjcf_str(ONLY_SEEN)
    try:
        usdsim.set_unknown_names("none")
        assert model.get_geom_index("rok") is None
        assert model.get_link("c") is None
        assert model.get_geom_index("rock") == 0
        with pytest.raises(OutOfRangeError):
            model.get_link_index(3)
    finally:
        usdsim.set_unknown_names("raise")
    with pytest.raises(UnknownNameError, match="Did you mean 'rock'"):
        model.get_geom_index("rok")
    with pytest.raises(InvalidValueError, match="answer is 'sometimes'"):
        usdsim.set_unknown_names("sometimes")
