"""Arguments, exit codes and error lines of the command, without simulating anything."""

from __future__ import annotations

import json
import logging
import shlex
import subprocess
import sys

import pytest

from usdsim.cli.examples import EXAMPLES
from usdsim.cli.main import build_parser, main

COMMANDS = ("convert", "compare", "info", "validate", "simulate", "demo")


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    assert all(f"  {command} " in text for command in COMMANDS)


def test_every_command_has_help_the_common_options_and_examples_that_parse():
    parser = build_parser()
    for name, command in parser._subparsers._group_actions[0].choices.items():
        actions = command._actions
        options = {option for action in actions for option in action.option_strings}
        assert {"--json", "--debug", "--help"} <= options
        assert all(action.help for action in actions)
        for example in EXAMPLES[name]:
            words = shlex.split(example.partition(" >> ")[0])
            assert parser.parse_args([name, *words]).command == name


def test_commands_run_without_docstrings():
    program = [sys.executable, "-OO", "-m", "usdsim.cli.main", "convert", "--help"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "usage: usdsim convert" in done.stdout, done.stderr


def test_help_says_defaults_units_and_what_scoped_options_do():
    commands = build_parser()._subparsers._group_actions[0].choices
    text = " ".join(commands["convert"].format_help().split())
    assert "urdf: Make one body of links joined by fixed joints; default: off" in text
    assert "--timeout S per file of many; default: 300.0" in text
    text = " ".join(commands["simulate"].format_help().split())
    assert "--seed N of random controls; default: 0" in text and "simulated time [s]" in text


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["fly"],
        ["info"],
        ["simulate", "a.usda", "--envs", "0"],
        ["simulate", "a.usda", "--steps", "x"],
        ["simulate", "a.usda", "--fps", "nan"],
        ["simulate", "a.usda", "--device", "abacus"],
        ["simulate", "a.usda", "--steps", "3", "--seconds", "1"],
    ],
)
def test_wrong_usage_exits_with_2(arguments: list[str]):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2


@pytest.mark.parametrize("command", ["info", "validate", "simulate", "convert", "demo"])
def test_missing_file_is_one_line_on_standard_error(
    command: str, tmp_path, monkeypatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    assert main([command, "absent.usda"]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("usdsim: error: ")
    assert "absent.usda" in captured.err
    assert len(captured.err.splitlines()) == 1
    assert not any(tmp_path.rglob("*.usd*"))


def test_json_reports_errors_as_a_document(capsys: pytest.CaptureFixture[str]):
    assert main(["info", "absent.usda", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["error"]["type"] == "MissingFileError"
    assert "absent.usda" in document["error"]["message"]


def test_debug_raises():
    with pytest.raises(OSError, match="absent"):
        main(["info", "absent.usda", "--debug"])


def test_module_runs_as_the_command():
    result = subprocess.run(
        [sys.executable, "-m", "usdsim", "--version"], capture_output=True, text=True
    )
    assert result.returncode == 0
    assert result.stdout.startswith("usdsim 0")


def test_a_command_leaves_the_log_level_as_it_was(tmp_path):
    logger = logging.getLogger("usdsim")
    before = logger.level
    main(["info", str(tmp_path / "gone.usda")])
    assert logger.level == before


def test_a_bar_says_the_rate_and_the_time_left(monkeypatch, capsys):
    from usdsim.cli import console

    clock = iter([0.0, 10.0])
    monkeypatch.setattr(console.time, "perf_counter", lambda: next(clock))
    console.Bar(4, "4 blocks", terminal=False).advance()
    assert capsys.readouterr().err == "4 blocks  25%, 0.1/s, 30 s left\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["convert", "a.urdf", "--fixbase"], ["usdsim convert:", "Did you mean '--fix-base'"]),
        (["convert", "a.urdf", "--fix_base=1"], ["--fix-base", "--fix_base=1"]),
        (["simulate", "a.usda", "--keyframe", "home"], ["usdsim simulate:", "--keyframe home"]),
        (["doctor", "extra"], ["usdsim doctor:", "extra"]),
        (["simulate", "a.usda", "--camera", "eye"], ["--camera does nothing without --video"]),
        (["simulate", "a.usda", "--tiles", "4"], ["--tiles", "--picture"]),
        (["simulate", "a.usda", "--fps", "24"], ["--fps does nothing without --record"]),
        (["view", "a.usda", "--camera", "eye"], ["--camera does nothing without --video"]),
        (["train", "cartpole", "--seed", "-1"], ["'-1' is not a whole number"]),
        (["play", "cartpole", "--video", "a.avi"], ["does not end with .mp4"]),
    ],
)
def test_options_that_mean_nothing_are_wrong_usage(arguments, words, capsys):
    """In the words of the command, with what may have been meant."""
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    said = capsys.readouterr().err
    assert stop.value.code == 2 and "defect" not in said
    assert all(word in said for word in words), said


@pytest.mark.parametrize("command", ["convert", "info", "validate", "simulate", "view", "demo"])
def test_files_that_are_not_there_are_named_and_nothing_is_written(
    command, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert main([command, "none.usda"]) == 1
    assert capsys.readouterr() == ("", "usdsim: error: No such file: 'none.usda'.\n")
    if command != "convert":  # It takes folders.
        assert main([command, "."]) == 1
        assert "is a folder; name a file in it" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]
