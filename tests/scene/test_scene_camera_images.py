"""Images of the scene door's cameras."""

from __future__ import annotations

import numpy as np
import pytest

import usdsim
from usdsim.core.errors import InvalidValueError
from usdsim.render import world_looks

XML = """
<mujoco><worldbody>
  <body name="box" pos="0 0 .5"><freejoint/><geom type="box" size=".2 .1 .1" rgba="1 0 0 1"/>
    <geom name="crown" pos="0 0 .3" size=".1" contype="0" conaffinity="0" rgba="0 0 1 1"/></body>
  <camera name="eye" pos="2 0 .5" xyaxes="0 1 0 0 0 1" fovy="40"/>
</worldbody></mujoco>
"""
SIZE = (40, 30)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "scene.xml"
    path.write_text(XML)
    return usdsim.load_model(path)


def test_a_camera_takes_images_of_all_worlds(model):
    data = usdsim.SceneData(model, batch=(3,))
    camera = model.cameras["eye"]
    camera.set_render_target("image", *SIZE)
    colours = camera.render(data)
    assert colours.shape == (3, 30, 40, 3) and colours.dtype == np.uint8
    assert colours[0, 15, 20, 0] > 3 * int(colours[0, 15, 20, 2])
    focal = 15.0 / np.tan(np.radians(20.0))
    crown = colours[0, 15 - round(0.3 / 2.0 * focal), 20].astype(int)
    assert crown[2] > 3 * crown[0]  # it collides with nothing, but is seen
    for _ in range(20):
        model.step(data[1])
    camera.depth_only = True
    depth = camera.render(data)
    assert depth.shape == (3, 30, 40)
    np.testing.assert_allclose(depth[[0, 2], 15, 20], 1.8, atol=1e-4)
    np.testing.assert_array_equal(depth[0], depth[2])
    assert (depth[0] != depth[1]).any()
    np.testing.assert_array_equal(camera.render(data[1]), depth[1])


def test_worlds_can_have_looks_of_their_own(model):
    """Green for blue in one world, for every size of image; depth is the same."""
    data = usdsim.SceneData(model, batch=(4,))
    camera = model.cameras["eye"]
    camera.set_render_target("image", *SIZE)
    before = camera.render(data)
    looks = world_looks(model.stage, data.engine)
    (path,) = (p for p in camera.segmentation_paths(data) if p.endswith("/box"))
    looks.set_colours(path, (0.0, 1.0, 0.0, 1.0), [2])
    after = camera.render(data).astype(int)
    assert after[2, 15, 20, 1] > 3 * after[2, 15, 20, 0]
    after[2] = before[2]
    np.testing.assert_array_equal(after, before)
    camera.set_render_target("image", 20, 20)
    assert camera.render(data)[2, 10, 10, 1] > 100
    with pytest.raises(InvalidValueError, match="worlds"):
        looks.set_colours(path, (0.0, 1.0, 0.0, 1.0), [4])
    with pytest.raises(InvalidValueError, match="prim of the stage"):
        looks.set_colours("/nothing", (0.0, 1.0, 0.0, 1.0))


def test_segmentation_numbers_prims(model):
    data = usdsim.SceneData(model)
    camera = model.cameras["eye"]
    camera.set_render_target("image", *SIZE)
    camera.segmentation = True
    seen = camera.render(data)
    paths = camera.segmentation_paths(data)
    assert seen.shape == (30, 40) and seen[0, 0] == -1
    assert paths[seen[15, 20]].rpartition("/")[2] == "box"
    assert {paths[k].rpartition("/")[2] for k in np.unique(seen[seen >= 0])} == {"box", "crown"}


def test_a_window_has_no_image(model):
    with pytest.raises(InvalidValueError, match="set_render_target"):
        model.cameras["eye"].render(usdsim.SceneData(model))
