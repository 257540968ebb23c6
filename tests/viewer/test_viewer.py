"""The live view: what its page is given, and what its controls do."""

from __future__ import annotations

import json
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from free_ports import free_port

import usdsim
from usdsim.cli.main import main
from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.math.rotations import quat_apply, quat_from_wxyz
from usdsim.viewer import Viewer
from usdsim.viewer.following import Following

XML = """
<mujoco><worldbody>
  <body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0" range="-90 90"/>
    <geom type="capsule" fromto="0 0 0 .5 0 0" size=".05" rgba="1 0 0 1"/></body>
</worldbody><actuator><motor name="motor" joint="hinge" ctrlrange="-3 3"/></actuator></mujoco>
"""


@pytest.fixture
def viewer(tmp_path: Path) -> Iterator[Viewer]:
    path = tmp_path / "arm.xml"
    path.write_text(XML)
    model = usdsim.load_model(path)
    with Viewer(model, usdsim.SceneData(model, batch=(2,)), port=free_port()) as made:
        yield made


def _arm(viewer: Viewer) -> np.ndarray:
    """Where the middle of the arm is by what was sent to the page."""
    pose = next(pose for path, pose in viewer.poses().items() if path.endswith("arm"))
    return pose[:3] + quat_apply(quat_from_wxyz(pose[3:]), np.array([0.25, 0.0, 0.0]))


def _click(button) -> None:
    for callback in button._impl.update_cb:
        callback(None)


def test_the_page_is_served_and_shows_where_bodies_are(viewer: Viewer):
    with urllib.request.urlopen(viewer.url, timeout=20) as page:
        assert b"<html" in page.read().lower()
    np.testing.assert_allclose(_arm(viewer), (0.25, 0.0, 1.0), atol=1e-6)
    for _ in range(100):
        viewer.model.step(viewer.data)
    viewer._sent = -np.inf
    viewer.update()
    assert _arm(viewer)[2] < 0.99
    assert float(viewer.controls["time"].value) == pytest.approx(0.2)


def test_controls_act_in_the_next_update(viewer: Viewer):
    _click(viewer.controls["play"])
    assert not viewer.playing and viewer.controls["play"].label == "Play"
    before = viewer.data.low.time.copy()
    viewer.run(0.1)
    np.testing.assert_array_equal(viewer.data.low.time, before)
    _click(viewer.controls["step"])
    np.testing.assert_array_equal(viewer.data.low.time, before)
    viewer.update()
    assert (viewer.data.low.time > before).all()
    slider = next(v for k, v in viewer.controls.items() if k.startswith("joint"))
    assert (slider.min, slider.max) == pytest.approx((-np.pi / 2.0, np.pi / 2.0))
    slider.value = 0.5
    viewer.update()
    assert viewer.data.dof_pos[0, 0] == pytest.approx(0.5) and viewer.data.dof_pos[1, 0] < 0.1
    assert _arm(viewer)[2] == pytest.approx(1.0 - 0.25 * np.sin(0.5), abs=1e-5)
    _click(viewer.controls["reset"])
    viewer.update()
    assert viewer.data.dof_pos[0, 0] == 0.0


def test_an_actuator_slider_moves_the_watched_world_alone(viewer: Viewer):
    viewer.controls["world"].value = 1
    viewer.update()
    slider = next(v for k, v in viewer.controls.items() if k.startswith("actuator"))
    slider.value = 2.0
    viewer.update()
    np.testing.assert_allclose(viewer.data.actuator_ctrls[:, 0], [0.0, 2.0], atol=0.02)


def test_sliders_show_what_something_else_has_set(viewer: Viewer):
    joint, motor = viewer.controls["joint hinge"], viewer.controls["actuator motor"]
    viewer.playing = False
    viewer.data[1].dof_pos, viewer.data[1].actuator_ctrls = [0.7], [2.0]
    viewer.controls["world"].value = 1
    viewer.update()
    assert (joint.value, motor.value) == pytest.approx((0.7, 2.0))
    motor.value = -1.0
    viewer.update()
    _click(viewer.controls["reset"])
    viewer.update()
    assert (joint.value, motor.value) == (0.0, 0.0)
    viewer.data[1].dof_pos = [2.0]  # beyond the end of the slider, which is to leave it there
    viewer._sent = viewer._controls_read = -np.inf
    for _ in range(2):
        viewer.update()
    assert joint.value == pytest.approx(np.pi / 2.0)
    assert viewer.data.dof_pos[:, 0].tolist() == [0.0, 2.0]


def test_controls_of_worlds_show_what_a_program_has_chosen(viewer: Viewer):
    """So that who moves one of them on the page leaves the others as they are."""
    viewer.show_world(1)
    viewer.show_ghosts(1, spacing=2.5)
    viewer.update()
    names = ("world", "ghosts", "as points", "spacing")
    assert [viewer.controls[name].value for name in names] == [1, 1, 0, 2.5]
    viewer.controls["ghosts"].value = 0
    viewer.update()
    choice = viewer.display.choice
    assert (choice.watched, choice.ghosts, choice.points, choice.spacing) == (1, 0, 0, 2.5)
    assert isinstance(choice.ghosts, int)


def test_joints_are_moved_in_a_pause_alone(viewer: Viewer):
    joint, motor = viewer.controls["joint hinge"], viewer.controls["actuator motor"]
    assert joint.disabled and not motor.disabled
    _click(viewer.controls["play"])
    assert not joint.disabled
    _click(viewer.controls["play"])
    assert joint.disabled


def test_messages_of_failures_stay_until_something_succeeds(viewer: Viewer):
    message = viewer.controls["message"]
    viewer.ask(lambda: viewer.edit("/nothing", "physics:mass", "1"))
    viewer.update()
    viewer.update()
    assert "/nothing" in message.content
    viewer.ask(viewer.step)
    viewer.update()
    assert message.content == ""
    viewer.say("of a program")
    viewer.ask(viewer.step)
    viewer.update()
    assert message.content == "of a program"


def test_there_are_no_folders_without_content(viewer: Viewer, tmp_path: Path):
    def folders(shown: Viewer) -> set[str]:
        held = shown.server.gui._container_handle_from_uuid.values()
        return {f._impl.props.label for f in held if hasattr(getattr(f, "_impl", None), "props")}

    path = tmp_path / "still.xml"
    path.write_text("<mujoco><worldbody><geom size='.1'/></worldbody></mujoco>")
    with Viewer(usdsim.load_model(path), port=free_port()) as still:
        assert folders(viewer) - folders(still) == {"actuators", "joints"}
        assert "display" in folders(still) and "views" not in folders(still)


def test_time_passes_at_the_speed_that_the_page_says(viewer: Viewer, monkeypatch):
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += max(seconds, 1e-4)

    clock = SimpleNamespace(perf_counter=lambda: now[0], sleep=sleep)
    monkeypatch.setattr("usdsim.viewer.viewer.time", clock)
    for speed in (1.0, 0.1, 4.0):
        viewer.controls["speed"].value = speed
        before = viewer.data.low.time[0]
        viewer.run(1.0)
        assert viewer.data.low.time[0] - before == pytest.approx(speed, abs=0.02)
    step = viewer.clock.step
    monkeypatch.setattr(viewer.clock, "step", lambda: sleep(1.0) or step())
    before = viewer.data.low.time[0]
    viewer.run(100.0)
    assert viewer.data.low.time[0] - before < 0.5, "a slow machine falls behind, and does not hurry"


class _Page:
    """A camera of a page that reports itself when it has heard of the change before the last."""

    def __init__(self) -> None:
        self._said = [(np.array([3.0, 0.0, 2.0]), np.zeros(3))]
        self.camera = SimpleNamespace(position=None, look_at=None, update_timestamp=1.0)
        self.atomic = nullcontext
        self.report()

    def report(self) -> None:
        self.camera.position, self.camera.look_at = self._said[0]

    def hear(self) -> None:
        self._said = [*self._said, (self.camera.position, self.camera.look_at)][-3:]


def test_cameras_follow_though_pages_report_them_late():
    following, page = Following(), _Page()
    for k in range(101):
        page.report()
        following.move({7: page}, np.array([0.03 * k, 0.0, 1.0]))
        page.hear()
    np.testing.assert_allclose(page.camera.look_at, [3.0, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(page.camera.position, [6.0, 0.0, 2.0], atol=1e-6)
    following.move({7: page}, None)
    following.move({7: page}, np.array([0.0, 5.0, 0.0]))
    np.testing.assert_allclose(page.camera.look_at, [3.0, 0.0, 0.0], atol=1e-6)


def test_an_occupied_port_is_refused_and_the_simulation_goes_on(viewer: Viewer):
    port = int(viewer.url.rpartition(":")[2])
    with pytest.raises(InvalidValueError, match="Choose another"):
        Viewer(viewer.model, port=port)
    with pytest.raises(
        InvalidValueError, match=r"host is '192\.0\.2\.1'; allowed: a name or address"
    ):
        Viewer(viewer.model, host="192.0.2.1", port=port)
    viewer.close()
    viewer.model.step(viewer.data)
    viewer.update()


def test_a_missing_library_is_named(viewer: Viewer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'usdsim\[view\]'"):
        Viewer(viewer.model, port=free_port())


def test_the_command_drives_what_it_shows_and_prints_json_alone(tmp_path, capsys, monkeypatch):
    path, shown = tmp_path / "arm.xml", []
    path.write_text(XML)
    monkeypatch.setattr(Viewer, "close", lambda self: shown.append(self) or _close(self))
    watched = "usdsim.viewer.launching.run_watched"  # a browser would begin the time
    monkeypatch.setattr(watched, lambda viewer, seconds: viewer.run(seconds))
    options = ["--ctrl", "sine:1:5", "--envs", "2", "--seconds", "0.3", "--json"]
    assert main(["view", str(path), "--port", str(free_port()), *options]) == 0
    out = json.loads(capsys.readouterr().out)
    (viewer,) = shown
    assert out["page"] == viewer.url and np.ptp(viewer.data.actuator_ctrls) > 0.01


_close = Viewer.close


def test_an_interrupt_ends_a_view_as_it_is_meant_to(tmp_path: Path, monkeypatch, capsys):
    path = tmp_path / "arm.xml"
    path.write_text(XML)

    def interrupted(viewer: Viewer) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Viewer, "update", interrupted)
    assert main(["view", str(path), "--port", str(free_port()), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["page"].startswith("http://")
