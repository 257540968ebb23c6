"""Pictures from the command line, and options between the files of a command."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import imageio_ffmpeg
import matplotlib.image
import numpy as np
import pytest

import usdsim
from usdsim.cli.arguments import GUIDE_NAMES
from usdsim.cli.main import build_parser, main
from usdsim.cli.simulation import demo
from usdsim.render import GUIDES

ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"
PENDULUM = str(ASSETS / "pendulum" / "pendulum.usda")
FINGER = str(ASSETS / "finger" / "finger.xml")


def test_simulate_takes_a_picture(tmp_path: Path, capsys):
    picture = tmp_path / "pictures" / "end.png"
    arguments = ["simulate", PENDULUM, "--envs", "2", "--steps", "5", "--world", "1", "--json"]
    code = main([*arguments, "--picture", str(picture)])
    document = json.loads(capsys.readouterr().out)
    assert code == 0 and document["picture"] == str(picture)
    assert matplotlib.image.imread(picture).shape == (720, 960, 3)


def test_all_marks_that_can_be_drawn_can_be_named():
    given = build_parser().parse_args(["simulate", "a.usda", "--guides", ",".join(GUIDES)])
    assert given.guides == GUIDE_NAMES == tuple(GUIDES)


def test_pictures_are_png_files(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["simulate", PENDULUM, "--picture", "end.jpg"])
    assert "'end.jpg' does not end with .png" in capsys.readouterr().err


def test_demo_takes_a_picture_and_a_film_without_opengl(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setenv("MUJOCO_GL", "off")
    monkeypatch.setattr(
        demo, "speed_ratios", lambda model, bare, *more: [1.0] * len(bare)
    )  # takes seconds
    options = ["--envs", "2", "--seconds", "0.4", "--out", str(tmp_path)]
    assert main(["demo", PENDULUM, *options]) == 0
    names = {path.name for path in tmp_path.glob("*.png")}
    assert names == {"pendulum_joints.png", "pendulum.png"}
    frames = imageio_ffmpeg.read_frames(tmp_path / "pendulum.mp4")
    assert next(frames)["size"] == (320, 240)
    images = [np.frombuffer(frame, np.uint8).astype(int).reshape(240, 320, 3) for frame in frames]
    assert len(images) == 11, "0.4 s at 25 pictures per second, the first at the beginning"
    assert (np.abs(images[-1] - images[0]) > 40).any(axis=-1).sum() > 100, "the pendulum moves"


@pytest.mark.parametrize(
    "order",
    [
        ("convert", FINGER, "--check", "TARGET"),
        ("convert", "--check", FINGER, "TARGET"),
        ("convert", FINGER, "TARGET", "--check"),
        ("convert", FINGER, "--jobs", "1", "TARGET", "--check"),
    ],
)
def test_options_may_stand_between_files(order, tmp_path: Path, capsys):
    target = tmp_path / "finger.usda"
    level = logging.getLogger("usdsim").level
    assert main([str(target) if word == "TARGET" else word for word in order]) == 0
    assert target.is_file()
    assert "the result equals its source" in capsys.readouterr().out
    assert logging.getLogger("usdsim").level == level


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convert", "a.xml", "--check", "b.usda", "c.usda"], "unrecognized arguments: c.usda"),
        (["convert", "--check"], "required: SRC"),
        (["convert", "a.xml", "--jobs"], "--jobs: expected one argument"),
        (["simulate", "a.usda", "--steps", "1", "--seconds", "2"], "not allowed with"),
        (["simulate", "a.usda", "--stride", "1"], "unrecognized arguments: --stride"),
    ],
)
def test_wrong_usage_is_still_refused(arguments, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        build_parser().parse_args(arguments)
    assert message in capsys.readouterr().err


def test_cameras_that_are_not_there_are_named_before_a_run(tmp_path, capsys):
    stage = usdsim.example_asset("pendulum/pendulum.usda")
    picture, record = tmp_path / "a.png", tmp_path / "a.usda"
    words = ["--steps", "5", "--camera", "eye", "--picture", str(picture), "--record", str(record)]
    assert main(["simulate", str(stage), *words]) == 1
    assert "No camera 'eye' in" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_pictures_are_taken_by_the_cameras_and_of_the_worlds_that_are_named(tmp_path):
    """As films: cameras side by side, worlds below another, and one of each alone is larger."""
    stage = tmp_path / "seen.usda"
    text = usdsim.example_asset("pendulum/pendulum.usda").read_text()
    for name in ("front", "side"):
        text += f'def Camera "{name}" {{\ndouble3 xformOp:translate = (0, 0, 3)\n'
        text += 'uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n'
    stage.write_text(text)
    sizes = {}
    for words in ("", "--camera /front", "--camera /front --camera /side", "--envs 2 --tiles 2"):
        picture = tmp_path / "a.png"
        steps = ["--steps", "1", "--picture", str(picture)]
        assert main(["simulate", str(stage), *steps, *words.split()]) == 0
        header = picture.read_bytes()[16:24]  # Width and height of a PNG.
        sizes[words] = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:], "big")
    assert sizes[""] == sizes["--camera /front"] == (960, 720)
    assert sizes["--camera /front --camera /side"] == (960, 360)
    assert sizes["--envs 2 --tiles 2"] == (960, 360)
