"""Pictures from the command line, and options between the files of a command."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import matplotlib.image
import pytest

from usdsim.cli import demo
from usdsim.cli.main import build_parser, main
from usdsim.core.errors import UnsupportedError
from usdsim.sim.picture_context import require_context

ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"
PENDULUM = str(ASSETS / "pendulum" / "pendulum.usda")
FINGER = str(ASSETS / "finger" / "finger.xml")


def _can_render() -> bool:
    try:
        require_context()
    except UnsupportedError:
        return False
    return True


def test_simulate_takes_a_picture_or_says_why_not(tmp_path: Path, capsys):
    picture = tmp_path / "pictures" / "end.png"
    arguments = ["simulate", PENDULUM, "--envs", "2", "--steps", "5", "--world", "1", "--json"]
    code = main([*arguments, "--picture", str(picture)])
    document = json.loads(capsys.readouterr().out)
    if _can_render():
        assert code == 0 and document["picture"] == str(picture)
        assert matplotlib.image.imread(picture).shape == (720, 960, 3)
    else:
        assert code == 1 and "usdsim[viewer]" in document["error"]["message"]


def test_simulate_asks_for_a_renderer_before_it_runs(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setenv("MUJOCO_GL", "off")
    recording = tmp_path / "run.usda"
    options = ["--steps", "5", "--record", str(recording), "--picture", str(tmp_path / "a.png")]
    assert main(["simulate", PENDULUM, *options]) == 1
    assert "pip install 'usdsim[viewer]'" in capsys.readouterr().err
    assert not recording.exists()


def test_pictures_are_png_files(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["simulate", PENDULUM, "--picture", "end.jpg"])
    assert "'end.jpg' does not end with .png" in capsys.readouterr().err


def test_demo_goes_without_picture_where_none_can_be_taken(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setenv("MUJOCO_GL", "off")
    monkeypatch.setattr(demo, "speed_ratio", lambda *arguments: 1.0)  # takes seconds
    options = ["--envs", "2", "--seconds", "0.05", "--out", str(tmp_path)]
    assert main(["demo", PENDULUM, *options]) == 0
    assert "none: Pictures need an OpenGL context" in capsys.readouterr().out
    assert {path.suffix for path in tmp_path.iterdir()} == {".usd", ".png"}
    assert [path.name for path in tmp_path.glob("*.png")] == ["pendulum_joints.png"]


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
