"""Films: what is in the file, and that it is complete or not there."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import numpy as np
import pytest

from usdsim.cli.main import main
from usdsim.core.errors import InvalidValueError, ShapeError, StageError, UnsupportedError
from usdsim.render import Film

ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"
RED = np.full((31, 40, 3), (250, 10, 10), np.uint8)


def _frames(path: Path) -> tuple[dict, np.ndarray]:
    import imageio_ffmpeg

    reader = imageio_ffmpeg.read_frames(path)
    about = next(reader)
    width, height = about["size"]
    return about, np.array([np.frombuffer(f, np.uint8).reshape(height, width, 3) for f in reader])


def test_a_film_has_its_pictures_in_order(tmp_path: Path):
    path = tmp_path / "new" / "film.mp4"
    with Film(path, fps=10.0) as film:
        for k in range(6):
            film.add(RED if k < 3 else RED[..., ::-1])
    about, frames = _frames(path)
    assert about["fps"] == 10.0 and frames.shape == (6, 32, 40, 3)
    assert (frames[:3, 5, 5, 0] > 200).all() and (frames[3:, 5, 5, 2] > 200).all()


def test_notebooks_show_a_film_that_is_complete(tmp_path: Path):
    with Film(tmp_path / "film.mp4") as film:
        film.add(RED)
        assert film._repr_html_() is None
    data = film._repr_html_().split("base64,")[1].partition('"')[0]
    assert base64.b64decode(data) == (tmp_path / "film.mp4").read_bytes()


def test_a_film_is_complete_or_not_there(tmp_path: Path):
    path = tmp_path / "film.mp4"
    path.write_bytes(b"older")
    with pytest.raises(ShapeError, match="as the pictures before"), Film(path) as film:
        film.add(RED)
        film.add(RED[:-2])
    with pytest.raises(StageError, match="no pictures"), Film(path):
        pass
    assert path.read_bytes() == b"older"
    assert [p.name for p in tmp_path.iterdir()] == ["film.mp4"]


@pytest.mark.parametrize(("path", "fps"), [("film.avi", 30.0), ("film.mp4", 0.0)])
def test_bad_values_are_refused(path, fps):
    with pytest.raises(InvalidValueError):
        Film(path, fps)


def test_a_missing_encoder_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'usdsim\[video\]'"):
        Film("film.mp4")


def test_the_command_films_at_its_rate(tmp_path: Path, capsys):
    path = tmp_path / "run.mp4"
    stage = str(ASSETS / "pendulum" / "pendulum.usda")
    assert main(["simulate", stage, "--seconds", "0.2", "--video", str(path)]) == 0
    about, frames = _frames(path)
    assert about["fps"] == 25.0 and len(frames) == 6
    assert (frames[0] != frames[-1]).any()


def test_a_view_is_filmed_by_several_cameras_and_worlds(tmp_path: Path):
    """Cameras side by side, worlds below one another: one camera sees the red box, one does not."""
    (tmp_path / "two.xml").write_text(
        """<mujoco><worldbody><body name="box" pos="0 0 1"><freejoint/>
        <geom type="box" size=".2 .2 .2" rgba="1 0 0 1"/></body>
        <camera name="front" pos="2 0 1" xyaxes="0 1 0 0 0 1"/>
        <camera name="away" pos="2 0 1" xyaxes="0 -1 0 0 0 1"/></worldbody></mujoco>"""
    )
    path = tmp_path / "two.mp4"
    film = ["--seconds", "0.01", "--video", str(path), "--camera", "front", "--camera", "away"]
    two = [str(tmp_path / "two.xml"), "--envs", "3", "--tiles", "2"]
    assert main(["view", *two, *film]) == 0
    _, frames = _frames(path)
    assert frames.shape[1:3] == (720, 960)
    red = frames[0].astype(int)[[180, 180, 540, 540], [240, 720, 240, 720]]
    assert (red[:, 0] > 2 * red[:, 1] + 40).tolist() == [True, False, True, False]
