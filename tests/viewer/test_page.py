"""Pages that play recordings: what is packed, and what a browser shows of it."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import struct
import time
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from pxr import Usd, UsdGeom

import usdsim
from usdsim.cli.main import main
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.render import EngineReader, Recording, world_looks
from usdsim.sim import Recorder
from usdsim.viewer import Page

XML = """
<mujoco><option timestep=".01"/><worldbody>
  <geom type="plane" size="5 5 .1" rgba=".8 .8 .8 1"/>
  <body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>
    <geom type="box" size=".3 .1 .1" pos=".3 0 0" rgba="1 0 0 1"/></body>
  <body name="ball" pos="1 .5 .2"><freejoint/><geom size=".2" rgba="0 0 1 1"/></body>
  <site name="peg" pos="0 -.5 1"/>
</worldbody></mujoco>
"""
FPS = 20.0


def _model(folder: Path) -> tuple:
    path = folder / "arm.xml"
    path.write_text(XML)
    model = usdsim.load_model(path)
    return model, usdsim.SceneData(model)


def _unpacked(html: str) -> tuple[dict, bytes]:
    text = re.search(r'id="data">([^<]*)<', html).group(1)
    data = gzip.decompress(base64.b64decode(text))
    length = struct.unpack("<I", data[:4])[0]
    return json.loads(data[4 : 4 + length]), data[4 + length :]


def _array(place: dict, body: bytes) -> np.ndarray:
    count = int(np.prod(place["shape"]))
    return np.frombuffer(body, place["type"], count, place["at"]).reshape(place["shape"])


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, np.ndarray]:
    """A page of a falling arm and a ball at rest, and poses of the bodies in each frame."""
    folder = tmp_path_factory.mktemp("page")
    model, data = _model(folder)
    reader, poses = EngineReader(data.low), []
    with Page(folder / "run.html", model, data, fps=FPS, guides=["contacts"]) as made:
        for _ in range(11):
            made.add()
            poses.append(reader.body_poses())
            model.step_n(data, 5)
    return folder / "run.html", np.array(poses)


def test_a_page_holds_every_frame_and_nothing_of_what_rests(page):
    path, poses = page
    head, body = _unpacked(path.read_text())
    assert (head["frames"], head["fps"]) == (11, FPS)
    tracks = _array(head["tracks"], body)
    assert tracks.shape == (11, len(head["moving"]), 7)
    arm = next(p["frame"] for p in head["parts"] if "/arm/" in p["path"])
    found = tracks[:, head["moving"].index(arm)]
    np.testing.assert_allclose(found[:, :3], poses[:, 0, :3], atol=1e-6)
    alike = np.abs(np.einsum("ij,ij->i", found[:, 3:], poses[:, 0, 3:]))
    np.testing.assert_allclose(alike, 1.0, atol=1e-6)
    first, kind = (_array(head["marks"][name], body) for name in ("first", "kind"))
    assert first[-1] == len(kind) and first[1] > 0, "the ball touches the ground"


def test_recordings_become_pages_by_the_command(tmp_path: Path, capsys):
    model, data = _model(tmp_path)
    reader = EngineReader(data.low)
    with Recorder(model.stage, model.description, tmp_path / "run.usda", reader=reader) as recorder:
        for _ in range(40):
            recorder.record()
            model.step(data)
    out = tmp_path / "run.html"
    assert main(["view", str(tmp_path / "run.usda"), "--export", str(out), "--json"]) == 0
    head, body = _unpacked(out.read_text())
    assert head["frames"] == recorder.num_frames == json.loads(capsys.readouterr().out)["frames"]
    recording = Recording(tmp_path / "run.usda")
    recording.seek(recording.duration)
    arm = next(pose for path, pose in recording.read().items() if path.endswith("arm"))
    last = _array(head["tracks"], body)[-1]
    assert np.abs(last - arm).max(axis=1).min() < 1e-5


def test_pages_follow_what_roams_from_where_it_begins(tmp_path: Path, page):
    """The camera of a page is for the first frame, whatever comes after."""
    assert not _unpacked(page[0].read_text())[0]["follow"], "the arm stays where it is"
    (tmp_path / "ball.xml").write_text(
        "<mujoco><option gravity='0 0 0'/><worldbody><body name='ball'><freejoint/>"
        "<geom size='.2'/></body></worldbody></mujoco>"
    )
    model = usdsim.load_model(tmp_path / "ball.xml")
    data = usdsim.SceneData(model)
    made = Page(tmp_path / "ball.html", model, data)
    for place in (0.0, 30.0):
        data.dof_pos = [place, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        model.forward_kinematic(data)
        made.add()
    head, body = _unpacked(made.html())
    assert head["follow"]
    np.testing.assert_allclose(_array(head["tracks"], body)[:, 0, 0], [0.0, 30.0])
    np.testing.assert_allclose(head["middle"], 0.0, atol=0.05)


def test_a_failing_block_leaves_the_older_page(tmp_path: Path):
    model, data = _model(tmp_path)
    out = tmp_path / "run.html"
    out.write_text("older")
    with pytest.raises(RuntimeError, match="stop"), Page(out, model, data) as page:
        page.add()
        raise RuntimeError("stop")
    assert out.read_text() == "older"
    with pytest.raises(StageError, match="no frames"), Page(out, model, data):
        pass
    assert out.read_text() == "older"
    with pytest.raises(StageError, match="no Recording"):
        Page(out, model, data).add_recording()


@pytest.mark.parametrize(
    "options",
    [{"path": "run.txt"}, {"fps": 0.0}, {"triangles": 0}, {"guides": ["colours"]}],
)
def test_bad_values_are_refused(tmp_path: Path, options: dict):
    model, data = _model(tmp_path)
    with pytest.raises(InvalidValueError):
        Page(**{"path": tmp_path / "run.html", "source": model, "data": data} | options)


def _opened(browser, path: Path):
    browser.get(f"file://{path}#paused")
    deadline = time.monotonic() + 60.0
    while not browser.execute_script("return !!window.usdsim"):
        assert time.monotonic() < deadline, browser.get_log("browser")
        time.sleep(0.1)


def _seen(browser, frame: float) -> np.ndarray:
    """Pixels of a frame, drawn."""
    script = """const done = arguments[1]; usdsim.seek(arguments[0]);
      requestAnimationFrame(() => requestAnimationFrame(
        () => done(usdsim.renderer.domElement.toDataURL('image/png'))));"""
    text = browser.execute_async_script(script, frame)
    data = base64.b64decode(text.partition(",")[2])
    return matplotlib.image.imread(io.BytesIO(data), format="png")[..., :3]


def _projected(browser, body: str, local: tuple[float, ...]) -> np.ndarray:
    """Column and row of a point of a body, by the page's own camera."""
    script = """const mesh = usdsim.meshes.find((m) => m.name.includes(arguments[0]));
      const at = mesh.parent.localToWorld(mesh.position.clone().set(...arguments[1]));
      at.project(usdsim.camera); const c = usdsim.renderer.domElement;
      return [(at.x + 1) / 2 * c.width, (1 - at.y) / 2 * c.height];"""
    return np.array(browser.execute_script(script, body, local))


def test_a_browser_shows_bodies_where_they_are_in_each_frame(browser, page):
    path, poses = page
    _opened(browser, path)
    rows = []
    for frame in (0, 10):
        image = _seen(browser, frame)
        red = (image[..., 0] > 0.3) & (image[..., 1:].max(axis=-1) < 0.5 * image[..., 0])
        assert red.sum() > 200
        middle = np.argwhere(red).mean(axis=0)[::-1]
        expected = _projected(browser, "/arm/", (0.3, 0.0, 0.0))
        assert np.abs(middle - expected).max() < 12.0
        rows.append(middle[1])
        script = "const p = usdsim.meshes.find(m => m.name.includes('/arm/')).parent;"
        turn = browser.execute_script(script + "return p.quaternion.toArray()")
        assert abs(np.dot(turn, poses[frame, 0, 3:])) == pytest.approx(1.0, abs=1e-5)
    assert rows[1] > rows[0] + 20, "the arm falls"


def test_a_page_needs_no_network_and_its_controls_work(browser, page):
    _opened(browser, page[0])
    loaded = browser.execute_script(
        "return performance.getEntriesByType('resource').map((e) => e.name)"
    )
    assert all(name.startswith(("blob:", "data:")) for name in loaded)
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    at = "return usdsim.state.at"
    browser.find_element("id", "next").click()
    assert browser.execute_script(at) == 1
    browser.execute_script(
        """const scrub = document.getElementById('scrub');
        scrub.value = 7; scrub.dispatchEvent(new Event('input'))"""
    )
    assert browser.execute_script(at) == 7
    play = browser.find_element("id", "play")
    play.click()
    assert play.text == "Pause"
    deadline = time.monotonic() + 30.0
    while browser.execute_script(at) == 7:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    play.click()
    still = browser.execute_script(at)
    _seen(browser, still)
    assert play.text == "Play" and browser.execute_script(at) == still


def _changing(path: Path, name: str) -> np.ndarray:
    """Colours and scales of a part in each frame."""
    head, body = _unpacked(path.read_text())
    part = next(k for k, part in enumerate(head["parts"]) if name in part["path"])
    values = _array(head["looks"]["values"], body)
    assert head["looks"]["parts"] == [part]
    return values[:, 0]


def test_pages_show_looks_and_sizes_as_they_change(browser, tmp_path: Path):
    model, data = _model(tmp_path)
    looks = world_looks(model.stage, data.engine)
    path = next(geom.path for geom in model.description.geoms if "/ball" in geom.path)
    ball = [k for k in range(model.low.ngeom) if model.low.geom_size[k, 0] == np.float64(0.2)]
    with Page(tmp_path / "run.html", model, data, fps=FPS) as page:
        page.add()
        looks.set_colours(path, (0.0, 1.0, 0.0, 1.0))
        page.add()
        data.engine.set_param("geom_size", [[[0.4, 0.0, 0.0]]], ids=ball)
        page.add()
        looks.set_colours(path, (0.0, 1.0, 0.0, 0.0))
        page.add()
    values = _changing(tmp_path / "run.html", path)
    np.testing.assert_allclose(values[:, 1], [0.0, 1.0, 1.0, 1.0])
    np.testing.assert_allclose(values[:, 4:], np.tile([[0.5], [0.5], [1.0], [1.0]], 3))
    _opened(browser, tmp_path / "run.html")
    counts = []
    for frame in range(4):
        image = _seen(browser, frame)
        light = image.max(axis=-1) > 0.15
        red, green, blue = np.moveaxis(image, -1, 0)
        counts.append([int((light & (blue > 1.6 * np.maximum(red, green))).sum()),
                       int((light & (green > 1.6 * np.maximum(red, blue))).sum())])  # fmt: skip
    (blue, none), (gone, small), (_, large), (_, hidden) = counts
    assert blue > 100 and none == gone == hidden == 0
    assert small == pytest.approx(blue, rel=0.2) and large > 2 * small


def test_recordings_hide_and_colour_parts_as_their_stages_do(tmp_path: Path):
    model, data = _model(tmp_path)
    reader, out = EngineReader(data.low), tmp_path / "run.usda"
    with Recorder(model.stage, model.description, out, reader=reader, fps=FPS) as recorder:
        for _ in range(20):
            recorder.record()
            model.step(data)
    stage = Usd.Stage.Open(str(out))
    path = next(geom.path for geom in model.description.geoms if "/ball" in geom.path)
    image, first = UsdGeom.Imageable(stage.GetPrimAtPath(path)), stage.GetStartTimeCode()
    image.CreateVisibilityAttr().Set("inherited", first)
    image.CreateVisibilityAttr().Set("invisible", first + 2)
    colour = UsdGeom.Gprim(image).CreateDisplayColorAttr()
    for k, value in ((0, (1.0, 0.0, 0.0)), (1, (0.0, 1.0, 0.0))):
        colour.Set([value], first + k)
    with Page(tmp_path / "run.html", Recording(stage)) as page:
        page.add_recording()
    values = _changing(tmp_path / "run.html", path)
    np.testing.assert_allclose(values[0, :4], [1.0, 0.0, 0.0, 1.0])
    np.testing.assert_allclose(values[1, :4], [0.0, 1.0, 0.0, 1.0])
    assert (values[2:, 3] == 0.0).all()
