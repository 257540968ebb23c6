"""The live view in a real browser: what is drawn, and that its controls act."""

from __future__ import annotations

import io
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest
from free_ports import free_port
from pxr import Sdf
from textured_card import card_stage, preview_material

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
    with _stepping(tmp_path, XML) as made:
        yield made


@contextmanager
def _stepping(folder: Path, xml: str) -> Iterator[Stepping]:
    path = folder / "arm.xml"
    path.write_text(xml)
    stage = usdsim.load_model(path).stage
    arm = next(prim for prim in stage.Traverse() if prim.GetName() == "arm")
    arm.CreateAttribute("physics:unheardOf", Sdf.ValueTypeNames.Float).Set(1.0)
    model = usdsim.load_model(stage)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    with Viewer(model, usdsim.SceneData(model), port=port) as viewer:
        viewer.playing = False
        made = Stepping(viewer)
        try:
            yield made
        finally:
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


SLIDING = """
<mujoco><option timestep=".005" gravity="0 0 0"/><worldbody>
  <body name="arm" pos="0 0 1"><joint name="rail" type="slide" axis="1 0 0"/>
    <geom type="box" size=".3 .1 .1" pos=".3 0 0" rgba="1 0 0 1"/></body>
  <body name="post" pos="0 0 .7"><geom size=".1" rgba="0 0 1 1"/></body>
</worldbody></mujoco>
"""


def test_cameras_follow_the_chosen_body_and_names_stand_beside_bodies(browser, tmp_path: Path):
    with _stepping(tmp_path, SLIDING) as stepping:
        viewer, data = stepping.viewer, stepping.viewer.data
        browser.get(viewer.url)
        stepping.until(lambda: _red(browser))
        stepping.until(lambda: _drawn_at(browser, stepping))
        seen = _image(browser)

        def changed() -> int:
            return int((np.abs(_image(browser) - seen) > 0.2).any(axis=-1).sum())

        def settled() -> bool:
            """Pages fold and load a little longer than they need for the first picture."""
            nonlocal seen
            seen = _image(browser)
            time.sleep(0.5)
            return not changed()

        stepping.until(settled)
        viewer.controls["names"].value = True
        stepping.until(lambda: changed() > 50)
        viewer.controls["names"].value = False
        stepping.until(lambda: changed() < 5)
        red = _red(browser)
        path = next(path for path in viewer.poses() if path.endswith("arm"))
        (client,) = viewer.server.get_clients().values()
        camera = client.camera
        start = np.array([camera.position, camera.look_at])
        viewer.ask(lambda: viewer.select(path))
        stepping.until(lambda: viewer.selected == path)
        viewer.controls["follow"].value = True
        stepping.until(lambda: viewer.following)
        viewer.ask(viewer.step)  # Cameras go along from here, before anything moves.
        viewer.ask(lambda: setattr(data, "dof_vel", [1.0]))
        viewer.playing = True  # pages report their cameras late
        stepping.until(lambda: bool(data.dof_pos[0] > 2.0))
        viewer.playing = False

        def behind() -> np.ndarray:
            """How far a camera is from where it should be and look, in parts of the way."""
            moved = np.array([camera.position, camera.look_at]) - start
            return np.abs(moved / data.dof_pos[0] - (1.0, 0.0, 0.0)).max(axis=1)

        stepping.until(lambda: bool((behind() < (0.04, 0.01)).all()))
        stepping.until(lambda: bool(np.abs(_red(browser) - red).max() < 30))


def _open(browser, folder: str) -> None:
    """Unfold a folder of controls; its title is the element with a text and an icon."""
    script = """const all = [...document.querySelectorAll('div')];
      const one = all.find((d) => d.textContent.trim() === arguments[0]
        && [...d.children].some((c) => c.tagName.toLowerCase() === 'svg'));
      if (one) one.click(); return !!one;"""
    assert browser.execute_script(script, folder), f"no folder {folder}"


def _visible(browser, label: str, selector: str):
    """The control of this kind in the row of a label, once it can be seen."""
    script = """const all = [...document.querySelectorAll('label')];
      const one = all.find((l) => l.textContent.trim() === arguments[0]);
      let row = one; while (row && !row.querySelector(arguments[1])) row = row.parentElement;
      const found = row && row.querySelector(arguments[1]);
      if (found) found.scrollIntoView({block: 'center'});
      return found && found.getBoundingClientRect().width > 0 ? found : null;"""
    return browser.execute_script(script, label, selector)


def test_the_mouse_moves_a_slider_and_chooses_a_finding(browser, stepping: Stepping):
    from selenium.webdriver import ActionChains, Keys

    viewer, data = stepping.viewer, stepping.viewer.data
    browser.get(viewer.url)
    stepping.until(lambda: _red(browser))
    _open(browser, "joints")
    thumb = stepping.until(lambda: _visible(browser, "hinge [rad]", "[role=slider]"))
    time.sleep(0.5)  # the folder unfolds
    ActionChains(browser).click_and_hold(thumb).move_by_offset(30, 0).release().perform()
    stepping.until(lambda: bool(data.dof_pos[0] > 0.3))
    stepping.until(lambda: _drawn_at(browser, stepping))
    _open(browser, "findings")
    field = stepping.until(lambda: _visible(browser, "finding", "input"))
    time.sleep(0.5)
    ActionChains(browser).click(field).pause(0.3).send_keys(Keys.ARROW_DOWN, Keys.ENTER).perform()
    stepping.until(lambda: viewer.controls["finding"].value != "-")
    finding = viewer.model.report.findings[0]
    stepping.until(lambda: viewer.selected == finding.path)
    assert finding.message in viewer.controls["findings"].content
    _open(browser, "prim")
    shown = stepping.until(lambda: _visible(browser, "path", "input"))
    stepping.until(lambda: shown.get_property("value") == finding.path)


def test_views_are_remembered_and_pictures_taken(browser, stepping: Stepping, tmp_path: Path):
    from selenium.webdriver import ActionChains

    viewer = stepping.viewer
    browser.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    browser.get(viewer.url)
    before = stepping.until(lambda: _red(browser))
    (client,) = viewer.server.get_clients().values()
    place = np.array(client.camera.position)
    _press(browser, "Remember view")
    canvas = browser.find_element("css selector", "canvas")
    drag = ActionChains(browser).move_to_element_with_offset(canvas, -200, 60).click_and_hold()
    drag.move_by_offset(120, 30).release().perform()
    stepping.until(lambda: bool(np.abs(np.array(client.camera.position) - place).max() > 0.1))
    stepping.until(lambda: bool(np.abs(_red(browser) - before).max() > 10))
    _press(browser, "View 1")
    stepping.until(lambda: bool(np.abs(np.array(client.camera.position) - place).max() < 1e-3))
    stepping.until(lambda: bool(np.abs(_red(browser) - before).max() < 6))
    _press(browser, "Screenshot")
    path = tmp_path / "view.png"
    stepping.until(path.exists)
    picture = matplotlib.image.imread(path)[..., :3]
    rect = canvas.rect
    assert picture.shape[1] / picture.shape[0] == pytest.approx(
        rect["width"] / rect["height"], 0.02
    )
    # The panel hides what is on the right of the page, and not of the picture.
    left = [_is_red(image)[:, : image.shape[1] // 2] for image in (picture, _image(browser))]
    middles = [np.argwhere(red).mean(axis=0) / red.shape for red in left]
    assert np.abs(middles[0] - middles[1]).max() < 0.03


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


def test_a_browser_draws_textures(browser, tmp_path: Path):
    stage = card_stage(tmp_path)
    preview_material(stage)
    model = usdsim.load_model(stage)
    with Viewer(model, usdsim.SceneData(model), port=free_port()) as viewer:
        viewer.playing = False
        made = Stepping(viewer)
        try:
            browser.get(viewer.url)
            places = made.until(lambda: _middles(browser))
        finally:
            made.stop()
    red, green, blue = places
    # From ahead and a side, as the view opens: green beside red, and blue below both.
    assert green[0] < red[0] and blue[1] > max(green[1], red[1])


def _middles(browser) -> list[np.ndarray] | None:
    """Middles of what is red, green and blue, column and row, once all is there."""
    image = _image(browser)
    found = []
    for channel in range(3):
        others = np.delete(image, channel, axis=-1).max(axis=-1)
        places = np.argwhere((image[..., channel] > 0.25) & (others < 0.3 * image[..., channel]))
        if len(places) < 300:
            return None
        found.append(places.mean(axis=0)[::-1])
    return found
