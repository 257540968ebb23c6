"""Files of included files, loaded by a path relative to where the program runs."""

from __future__ import annotations

import numpy as np
import pytest

from usdsim import load_model
from usdsim.converters.mjcf.png import encode_png

SCENE = '<mujoco><include file="inc/part.xml"/><worldbody><geom size="1"/></worldbody></mujoco>'
PART = """<mujoco>
  <asset>
    <texture name="t" type="2d" file="{folder}t.png"/><mesh name="m" file="{folder}m.obj"/>
  </asset>
  <worldbody><geom type="mesh" mesh="m"/></worldbody>
</mujoco>"""
MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.mark.parametrize("folder", ["", "../shared/"])
def test_files_are_found_beside_the_included_file(tmp_path, monkeypatch, folder):
    place = tmp_path / "models" / "inc" / folder
    place.mkdir(parents=True, exist_ok=True)
    (tmp_path / "models" / "inc").mkdir(exist_ok=True)
    (tmp_path / "models" / "scene.xml").write_text(SCENE)
    (tmp_path / "models" / "inc" / "part.xml").write_text(PART.format(folder=folder))
    (place / "t.png").write_bytes(encode_png(np.zeros((2, 2, 3), np.uint8)))
    (place / "m.obj").write_text(MESH)
    monkeypatch.chdir(tmp_path)
    assert load_model("models/scene.xml").num_geoms == 2
    monkeypatch.chdir(tmp_path / "models")
    assert load_model("scene.xml").num_geoms == 2
