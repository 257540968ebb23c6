"""Small calls that remember what they did: what is remembered changes no answer."""

from __future__ import annotations

import numpy as np
import pytest

import usdsim
from usdsim.core.errors import InvalidValueError

XML = """<mujoco><worldbody><geom name="floor" type="plane" size="5 5 .1"/>
<body name="a" pos="0 0 .05"><freejoint/><geom name="a" size=".1"/></body>
<body name="b" pos="1 0 .05"><freejoint/><geom name="b" size=".1"/></body>
</worldbody></mujoco>"""


@pytest.fixture(scope="module")
def model():
    return usdsim.load_mjcf_str(XML)


def test_pairs_asked_again_get_the_present_answer(model):
    data = usdsim.SceneData(model, batch=(3,))
    pairs = np.array([[0, 1], [2, 0], [1, 2], [1, 0]])
    query = model.get_contact_query(data)
    touching = np.array([True, True, False, True])
    np.testing.assert_array_equal(query.is_colliding(pairs), [touching] * 3)
    pos = data.dof_pos
    pos[1, 2] = 2.0
    data.dof_pos = pos
    expected = np.array([touching, [False, True, False, False], touching])
    for kind in (np.uint32, np.int64):
        np.testing.assert_array_equal(query.is_colliding(pairs.astype(kind)), expected)
    # An array that its owner changes is another question.
    pairs[:] = [[1, 2]] * 4
    assert not query.is_colliding(pairs).any()
    assert query.is_colliding(np.zeros((0, 2), int)).shape == (3, 0)
    for _ in range(2):
        with pytest.raises(InvalidValueError, match="0 to 2"):
            query.is_colliding(np.array([[0, 3]]))


def test_resets_drop_parameters_of_the_worlds_that_have_them(model):
    data = usdsim.SceneData(model, batch=(4,))
    link = model.get_link("a")
    mass = float(link.mass)
    for _ in range(2):
        link.set_mass_override(data[[1, 3]], 2 * mass)
        model.get_link("b").set_mass_override(data[2], 3 * mass)
        data[[0, 1]].reset()
        np.testing.assert_allclose(link.get_mass_override(data) / mass, [1, 1, 1, 2], rtol=1e-6)
        others = model.get_link("b").get_mass_override(data) / mass
        np.testing.assert_allclose(others, [1, 1, 3, 1], rtol=1e-6)
        data[[2, 3]].reset()
        np.testing.assert_allclose(link.get_mass_override(data) / mass, 1, rtol=1e-6)
        # Nothing is left to be dropped: the inertia is the model's own again.
        np.testing.assert_array_equal(data.param("body_subtreemass")[0], model.low.body_subtreemass)
    assert data._worlds.parameters == []


def test_a_refused_override_changes_nothing(model):
    data = usdsim.SceneData(model, batch=(2,))
    link = model.get_link("a")
    before = link.get_mass_override(data)
    with pytest.raises(InvalidValueError):
        link.set_mass_override(data, [1.0, -1.0])
    np.testing.assert_array_equal(link.get_mass_override(data), before)


def test_velocities_of_few_links_are_those_of_many(model):
    few, many = usdsim.SceneData(model), usdsim.SceneData(model, batch=(512,))
    for data in (few, many):
        data.dof_vel = np.linspace(-2.0, 3.0, model.num_dof_vel)
    found, expected = model.get_link_velocities(few), model.get_link_velocities(many)
    assert expected.size > 2 * 2000 > 4 * found.size
    np.testing.assert_array_equal(np.broadcast_to(found, expected.shape), expected)
