"""Hierarchy of an editable world: what is moved there is moved in the model."""

from __future__ import annotations

import numpy as np
import pytest

import usdsim
from usdsim import msd
from usdsim.core.errors import InvalidValueError

XML = """<mujoco><worldbody>
<light name="sun" pos="0 0 3"/>
<camera name="eye" pos="0 -2 1" xyaxes="1 0 0 0 0 2" fovy="50"/>
<geom name="table" type="box" size="1 1 .1" pos="1 0 0" quat="0 0 0 1"/>
<site name="mark" pos="0 1 0"/>
<body name="cup" pos="1 0 .5"><freejoint/><geom size=".1"/>
  <body name="ear"><geom size=".01"/></body>
</body></worldbody></mujoco>"""


def test_what_is_moved_is_moved_in_the_model():
    world = msd.from_str(XML)
    tree = world.hierarchy
    for element in (*tree.geoms, *tree.cameras, *tree.lights, *tree.sites):
        element.position = element.position + np.array([0, 0, 1], np.float32)
    (cup,) = tree.bodies
    assert (cup.link.name, [child.name for child in cup.children]) == ("cup", ["ear"])
    cup.link.local_translation = [3, 0, 0.5]
    cup.link.local_rotation = [1, 0, 0, 0]
    tree.geoms[0].orientation = [0, 0, 0, 1]
    low = world.build().low
    np.testing.assert_allclose(low.geom("table").pos, [1, 0, 1])
    np.testing.assert_allclose(low.geom("table").quat, [1, 0, 0, 0])
    np.testing.assert_allclose(low.camera("eye").pos, [0, -2, 2])
    np.testing.assert_allclose(low.qpos0, [3, 0, 0.5, 0, 1, 0, 0])


def test_orientations_are_those_of_the_model():
    tree = msd.from_str(XML).hierarchy
    model = usdsim.load_mjcf_str(XML)
    data = usdsim.SceneData(model)
    (eye,) = tree.cameras
    assert eye.fovy == 50
    seen = model.cameras["eye"].get_pose(data)[3:]
    np.testing.assert_allclose(np.abs(eye.orientation @ seen), 1.0, atol=1e-6)
    np.testing.assert_allclose(tree.geoms[0].orientation, [0, 0, 1, 0])


def test_what_is_not_allowed_is_refused():
    tree = msd.from_str(XML).hierarchy
    with pytest.raises(InvalidValueError, match="position of 'table'"):
        tree.geoms[0].position = [0, 0, np.nan]
    with pytest.raises(InvalidValueError, match="orientation of 'table'"):
        tree.geoms[0].orientation = [0, 0, 0, 2]
    with pytest.raises(AttributeError, match=r"has no 'orientation'; it has .*direction"):
        tree.lights[0].orientation = [0, 0, 0, 1]
    np.testing.assert_allclose(tree.geoms[0].position, [1, 0, 0])
