"""The live view in a real browser: what is drawn, and that its controls act."""

from __future__ import annotations

import io
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest

import usdsim
from usdsim.math.rotations import quat_apply, quat_conjugate, quat_from_wxyz
from usdsim.viewer import Viewer

XML = """
<mujoco><option timestep=".005" gravity="0 0 0"/><worldbody>
  <body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0" range="-90 90" damping=".2"/>
    <geom type="box" size=".3 .1 .1" pos=".3 0 0" rgba="1 0 0 1"/></body>
</worldbody><actuator><motor name="motor" joint="hinge" ctrlrange="-3 3"/></actuator></mujoco>
"""
_PATIENCE = 90.0


class Stepping:
    """A viewer that is stepped in a thread while a browser looks."""

    def __init__(self, viewer: Viewer):
        self.viewer = viewer
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._end.is_set():
            self.viewer.run(0.05)

    def until(self, true: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + _PATIENCE
        while (found := true()) is None or found is False:
            assert time.monotonic() < deadline, "nothing happened"
            time.sleep(0.1)
        return found

    def stop(self) -> None:
        self._end.set()
        self._thread.join()


@pytest.fixture
def stepping(tmp_path: Path) -> Iterator[Stepping]:
    path = tmp_path / "arm.xml"
    path.write_text(XML)
    model = usdsim.load_model(path)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    with Viewer(model, usdsim.SceneData(model), port=port) as viewer:
        viewer.playing = False
        made = Stepping(viewer)
        yield made
        made.stop()


def _image(browser) -> np.ndarray:
    return matplotlib.image.imread(io.BytesIO(browser.get_screenshot_as_png()))[..., :3]


def _is_red(image: np.ndarray) -> np.ndarray:
    return (image[..., 0] > 0.25) & (image[..., 1:].max(axis=-1) < 0.45 * image[..., 0])


def _red(browser) -> np.ndarray | None:
    """Middle of what is red, column and row."""
    image = _image(browser)
    red = _is_red(image)
    return np.argwhere(red).mean(axis=0)[::-1] if red.sum() > 150 else None


def _press(browser, label: str) -> None:
    """Press a button of the page."""
    script = """const all = [...document.querySelectorAll('button')];
      const one = all.find((b) => b.textContent.trim() === arguments[0]);
      if (one) one.click(); return !!one;"""
    deadline = time.monotonic() + _PATIENCE
    while not browser.execute_script(script, label):
        assert time.monotonic() < deadline, f"no button {label}"
        time.sleep(0.2)


def test_a_browser_draws_the_scene_and_its_controls_act(browser, stepping: Stepping):
    viewer, data = stepping.viewer, stepping.viewer.data
    browser.get(viewer.url)
    stepping.until(lambda: len(viewer.server.get_clients()) == 1)
    level = stepping.until(lambda: _red(browser))
    stepping.until(lambda: _drawn_at(browser, stepping))
    # A slider of the page's own would need its mouse: its value arrives as one from the page does.
    viewer.controls["joint hinge"].value = 1.2
    stepping.until(lambda: bool(abs(data.dof_pos[0] - 1.2) < 0.01))
    stepping.until(lambda: bool(np.abs(_red(browser) - level).max() > 15))
    stepping.until(lambda: _drawn_at(browser, stepping))
    _press(browser, "Reset")
    stepping.until(lambda: bool(data.dof_pos[0] == 0.0))
    stepping.until(lambda: bool(np.abs(_red(browser) - level).max() < 6))
    _press(browser, "Play")
    stepping.until(lambda: bool(data.low.time[0] > 0.0))
    _press(browser, "Pause")
    stepping.until(lambda: not viewer.playing)
    time.sleep(0.2)
    at = float(data.low.time[0])
    time.sleep(0.5)
    assert float(data.low.time[0]) == at, "paused time stands still"
    _press(browser, "Step")
    stepping.until(lambda: data.low.time[0] == pytest.approx(at + 0.005))


def test_a_pull_in_the_browser_moves_the_body(browser, stepping: Stepping):
    from selenium.webdriver import ActionChains, Keys

    viewer, data = stepping.viewer, stepping.viewer.data
    browser.get(viewer.url)
    start = stepping.until(lambda: _red(browser))
    viewer.playing = True
    canvas = browser.find_element("css selector", "canvas")
    box = canvas.rect
    x, y = start[0] - box["x"] - box["width"] / 2, start[1] - box["y"] - box["height"] / 2
    chain = ActionChains(browser, duration=100).move_to_element_with_offset(canvas, x, y)
    chain = chain.key_down(Keys.CONTROL).click_and_hold()
    for _ in range(6):
        chain = chain.move_by_offset(0, 12).pause(0.1)
    chain.perform()
    stepping.until(lambda: bool(abs(data.dof_pos[0]) > 0.1))
    ActionChains(browser).release().key_up(Keys.CONTROL).perform()
    stepping.until(lambda: viewer._pull is None)


def test_two_browsers_look_at_once_and_one_comes_back(browser, stepping: Stepping):
    viewer = stepping.viewer
    browser.get(viewer.url)
    first = browser.current_window_handle
    stepping.until(lambda: len(viewer.server.get_clients()) == 1)
    browser.switch_to.new_window("tab")
    browser.get(viewer.url)
    stepping.until(lambda: len(viewer.server.get_clients()) == 2)
    browser.close()
    browser.switch_to.window(first)
    stepping.until(lambda: len(viewer.server.get_clients()) == 1)
    browser.switch_to.new_window("tab")
    last = browser.current_window_handle
    browser.switch_to.window(first)
    browser.close()
    browser.switch_to.window(last)
    stepping.until(lambda: len(viewer.server.get_clients()) == 0)
    viewer.playing = True
    before = float(viewer.data.low.time[0])
    stepping.until(lambda: bool(viewer.data.low.time[0] > before + 0.05))
    browser.get(viewer.url)
    stepping.until(lambda: len(viewer.server.get_clients()) == 1)
    assert stepping.until(lambda: _red(browser)) is not None


def _drawn_at(browser, stepping: Stepping) -> bool:
    """Whether the pixel where the middle of the arm is projected is red."""
    viewer = stepping.viewer
    pose = next(pose for path, pose in viewer.poses().items() if path.endswith("arm"))
    middle = pose[:3] + quat_apply(quat_from_wxyz(pose[3:]), np.array([0.3, 0.0, 0.0]))
    camera = next(iter(viewer.server.get_clients().values())).camera
    # The page's cameras look along +z with -y up.
    turn = quat_from_wxyz(np.array(camera.wxyz))
    x, y, z = quat_apply(quat_conjugate(turn), middle - np.array(camera.position))
    rect = browser.find_element("css selector", "canvas").rect
    focal = rect["height"] / 2.0 / np.tan(camera.fov / 2.0)
    column = int(rect["x"] + rect["width"] / 2.0 + focal * x / z)
    row = int(rect["y"] + rect["height"] / 2.0 + focal * y / z)
    return bool(_is_red(_image(browser)[row, column]))
