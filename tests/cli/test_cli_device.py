"""Commands that simulate on a device other than the CPU."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from device_under_test import DEVICE

from usdsim.cli.main import main

PENDULUM = str(Path(__file__).resolve().parents[2] / "assets" / "pendulum" / "pendulum.usda")


def test_simulate_runs_on_a_warp_device(capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("mujoco_warp")
    command = ["simulate", PENDULUM, "--envs", "2", "--steps", "20", "--json"]
    assert main([*command, "--device", DEVICE]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["envs"], document["steps"], document["failures"]) == (2, 20, [])


def test_a_device_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]):
    assert main(["simulate", PENDULUM, "--device", "cuda:99"]) == 1
    assert "'cuda:99'" in capsys.readouterr().err


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:x", "warp:gpu", ""])
def test_unknown_devices_are_wrong_usage(device: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as caught:
        main(["simulate", PENDULUM, "--device", device])
    assert caught.value.code == 2
    assert "cuda:<number>" in capsys.readouterr().err
