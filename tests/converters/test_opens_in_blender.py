"""Converted robots open in Blender, with every body in its place.

``pip install bpy`` in an environment of its own, named in ``USDSIM_BLENDER_PYTHON``.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import usdsim

ASSETS = Path(__file__).parents[2] / "assets"
SCRIPT = Path(__file__).with_name("blender_reference.py")


@pytest.mark.nightly
@pytest.mark.parametrize("structure", ["single", "layered"])
@pytest.mark.parametrize("name", ["quadruped/quadruped.xml", "arm/arm.urdf", "hand/hand.xml"])
def test_bodies_are_where_they_are_here(name, structure, tmp_path):
    python = os.environ.get("USDSIM_BLENDER_PYTHON")
    if not python:
        pytest.skip("no Blender: name an interpreter with bpy in USDSIM_BLENDER_PYTHON")
    file = tmp_path / "robot.usda"
    usdsim.convert(ASSETS / name, file, structure=structure)
    command = [python, str(SCRIPT), str(file)]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    objects = json.loads(answer.stdout.strip().splitlines()[-1])
    assert any(thing["kind"] == "MESH" for thing in objects.values())
    model = usdsim.load_model(file)
    data = usdsim.SceneData(model)
    for link in model.links:
        found = objects[link.path.rsplit("/", 1)[-1]]["position"]
        assert np.ravel(link.get_pose(data))[:3] == pytest.approx(found, abs=1e-5), link.path
