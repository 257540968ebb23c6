"""Walking by a policy in a file: it goes as told, without torch, and says what is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import usdsim
from usdsim._resources import resource_dir
from usdsim.actuators.networks.network import load_npz, save_network
from usdsim.cli.simulation.walking import WalkingControl, policy_beside
from usdsim.core.errors import InvalidValueError

SCENE = resource_dir("assets") / "quadruped" / "scene.xml"
POLICY = SCENE.with_name("policy.npz")

PROGRAM = """
import sys

sys.modules["torch"] = None  # An import of it would fail.
from usdsim.cli.main import main

options = ["--envs", "8", "--seconds", "0.4", "--out", sys.argv[1], "--json"]
raise SystemExit(main(["demo", *options]))
"""


def worlds(count: int):
    model = usdsim.load_model(SCENE)
    data = usdsim.SceneData(model, batch=(count,))
    model.keyframes[0].apply(data)
    return model, data


def test_the_shipped_quadruped_walks_as_told():
    model, data = worlds(16)
    control = WalkingControl(POLICY, model, data)
    trunk, timestep, begin = model.get_link("trunk"), float(model.low.opt.timestep), None
    for step in range(1000):  # 4 s
        data.actuator_ctrls = control(step * timestep)
        model.step(data)
        if step == 499:
            begin = trunk.get_position(data)[0, :2].copy()
    speed = np.linalg.norm(trunk.get_position(data)[0, :2] - begin) / 2.0
    assert speed == pytest.approx(0.6, abs=0.15)
    standing = trunk.get_position(data)[:, 2] > 0.2
    assert standing[0] and standing.mean() > 0.85


def test_servos_of_another_stiffness_give_the_torques_of_the_task():
    model, data = worlds(2)
    control = WalkingControl(POLICY, model, data)
    controls = control(0.0)
    position = np.asarray(data.dof_pos)[:, 7:]
    target = control._default + control._scale * control._actions
    np.testing.assert_allclose(90.0 * (controls - position), 60.0 * (target - position), atol=1e-4)
    again = control(0.004)
    np.testing.assert_array_equal(again, controls)  # It decides every 20 ms.


def test_the_demo_walks_without_torch(tmp_path):
    assert policy_beside(SCENE) == POLICY and policy_beside(tmp_path / "robot.xml") is None
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert document["controls"] == "policy"
    assert document["physics"]["num_actuators"] == 12
    assert document["simulation"]["steps"] == 100
    assert document["ratio_to_bare_engine"] > 0
    assert all(Path(document[key]).is_file() for key in ("stage", "recording", "plot"))


def test_policies_that_do_not_fit(tmp_path):
    model, data = worlds(2)
    network = load_npz(POLICY)
    silent = tmp_path / "silent.npz"
    save_network(silent, replace(network, metadata={}))
    with pytest.raises(InvalidValueError, match="no entry 'deployment'"):
        WalkingControl(silent, model, data)
    task = {**network.metadata["deployment"], "joints": ["fl_knee", "tail"]}
    other = tmp_path / "other.npz"
    save_network(other, replace(network, metadata={"deployment": task}))
    with pytest.raises(InvalidValueError, match=r"\['tail'\].*position servos"):
        WalkingControl(other, model, data)
