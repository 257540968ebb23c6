"""Converted robots open in Blender, and recordings play there, with every body in its place.

``pip install bpy`` in an environment of its own, named in ``USDSIM_BLENDER_PYTHON``.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from pxr import Usd

import usdsim
from usdsim.math.rotations import quat_apply
from usdsim.sim import EngineReader, Recorder

ASSETS = Path(__file__).parents[2] / "assets"
SCRIPT = Path(__file__).with_name("blender_reference.py")


TUMBLING = """<mujoco><option timestep="0.004"/><worldbody>
  <body name="box" pos="0 0 3"><freejoint/><geom type="box" size=".1 .2 .3"/></body>
  <body name="arm" pos="1 0 2"><joint name="hinge" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 .5 0 0" size=".03"/>
    <body name="hand" pos=".5 0 0"><joint name="wrist" axis="1 0 0"/>
      <geom type="box" pos="0 .1 0" size=".05 .1 .02"/></body></body>
  </worldbody></mujoco>"""


def _poses(model, data):
    return {link.path: np.ravel(link.get_pose(data)) for link in model.links}


def _seen_in_blender(file, *frames):
    python = os.environ.get("USDSIM_BLENDER_PYTHON")
    if not python:
        pytest.skip("no Blender: name an interpreter with bpy in USDSIM_BLENDER_PYTHON")
    command = [python, str(SCRIPT), str(file), *map(str, frames)]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return json.loads(answer.stdout.strip().splitlines()[-1])


@pytest.mark.nightly
@pytest.mark.parametrize("structure", ["single", "layered"])
@pytest.mark.parametrize("name", ["quadruped/quadruped.xml", "arm/arm.urdf", "hand/hand.xml"])
def test_bodies_are_where_they_are_here(name, structure, tmp_path):
    file = tmp_path / "robot.usda"
    usdsim.convert(ASSETS / name, file, structure=structure)
    (objects,) = _seen_in_blender(file)
    assert any(thing["kind"] == "MESH" for thing in objects.values())
    model = usdsim.load_model(file)
    data = usdsim.SceneData(model)
    for link in model.links:
        found = objects[link.path.rsplit("/", 1)[-1]]["position"]
        assert np.ravel(link.get_pose(data))[:3] == pytest.approx(found, abs=1e-5), link.path


@pytest.mark.nightly
def test_recordings_play_with_positions_and_rotations(tmp_path):
    model = usdsim.load_mjcf_str(TUMBLING)
    data = usdsim.SceneData(model)
    data.dof_vel = [1.0, 0.5, 2.0, 3.0, -2.0, 1.0, 0.5, 4.0]
    poses = {}
    reader = EngineReader(data.low)
    with Recorder(
        model.stage, model.description, tmp_path / "run.usda", reader=reader, fps=50
    ) as recorder:
        for step in range(1, 201):
            model.step(data)
            recorder.record()
            poses[step * 0.004 * 50] = _poses(model, data)
    first = Usd.Stage.Open(str(tmp_path / "run.usda")).GetStartTimeCode()
    frames = [5, 15, 35]
    seen = _seen_in_blender(tmp_path / "run.usda", *(int(first) + frame for frame in frames))
    for frame, objects in zip(frames, seen, strict=True):
        (time,) = (t for t in poses if abs(t - frame) < 1e-6)
        for path, pose in poses[time].items():
            found = objects[path.rsplit("/", 1)[-1]]
            assert pose[:3] == pytest.approx(found["position"], abs=1e-3), (frame, path)
            axes = np.column_stack([quat_apply(pose[3:], axis) for axis in np.eye(3)])
            assert axes == pytest.approx(np.array(found["axes"]), abs=2e-3), (frame, path)
