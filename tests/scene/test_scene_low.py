"""Low level of data: single rays and contacts against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import usdsim
from usdsim import low
from usdsim.core.errors import InvalidValueError, OutOfRangeError, ShapeError

XML = """<mujoco><worldbody><geom name="floor" type="plane" size="5 5 .1"/>
<body pos="0 0 .9"><freejoint/><geom name="ball" size="1"/></body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def model():
    return usdsim.load_mjcf_str(XML)


def test_a_ray_hits_the_top_of_a_ball(model):
    data = usdsim.SceneData(model, batch=(2,))
    data[1].dof_pos = data[1].dof_pos + np.array([0, 0, 1, 0, 0, 0, 0], np.float32)
    down = low.RaycastInfo(low.Ray([0, 0, 5], [0, 0, -3]))
    for world, height in ((0, 1.9), (1, 2.9)):
        hit = down.raycast_closest(model, data, world)
        assert hit.collider_index == model.get_geom_index("ball")
        assert hit.distance == pytest.approx(5 - height, abs=1e-6)
        np.testing.assert_allclose(hit.normal, [0, 0, 1], atol=1e-6)
    near = low.RaycastInfo(low.Ray([0, 0, 5], [0, 0, -1]), max_distance=2.0)
    assert low.raycast_closest(model, data, near) is None
    low.enable_immediate_raycast(model)
    assert low.is_immediate_raycast_enabled(model)
    with pytest.raises(OutOfRangeError):
        low.raycast_closest(model, data, down, 2)
    with pytest.raises(InvalidValueError, match="not all zero"):
        low.Ray([0, 0, 0], [0, 0, 0])


def test_contacts_have_the_depth_of_the_overlap(model):
    data = usdsim.SceneData(model)
    (contact,) = data.low.get_contacts()
    assert {contact.collider_index_a, contact.collider_index_b} == {0, 1}
    assert contact.depth == pytest.approx(0.1, abs=1e-6)
    np.testing.assert_allclose(np.abs(contact.normal), [0, 0, 1], atol=1e-6)
    with pytest.raises(ShapeError, match="one world"):
        usdsim.SceneData(model, batch=(2,)).low.get_contacts()


def test_the_engine_is_all_there(model):
    data = usdsim.SceneData(model)
    assert "qpos" in dir(data.low) or data.low.read("qpos").shape == (1, 7)
    assert data.low.num_envs == data.engine.num_envs == 1
    assert repr(data.low) == repr(data.engine)
