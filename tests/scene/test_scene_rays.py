"""Rays against closed forms and bare rays, in many worlds and views of them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import usdsim
from usdsim.core.errors import InvalidValueError, ShapeError, UsdsimError
from usdsim.scene import DisjointIndices, SceneData, load_mjcf_str

SCENE = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" group="1"/>
    <body name="ball" pos="0 0 1">
      <freejoint/><geom name="ball" size=".5" mass="1" group="2"/>
      <geom name="inner" size=".2" mass="0" group="3"/>
    </body>
    <body name="crate" pos="3 0 .5">
      <freejoint/><geom name="crate" type="box" size=".5 .5 .5"/>
    </body>
  </worldbody>
</mujoco>
"""

UP = np.array([0.0, 0.0, 4.5])


@pytest.fixture(scope="module")
def model() -> usdsim.SceneModel:
    return load_mjcf_str(SCENE)


def test_distances_points_and_normals(model):
    data = SceneData(model)
    origins = [[0, 0, 5], [0.3, 0, 5], [9, 0, 5], [9, 0, 5]]
    directions = [[0, 0, -3], [0, 0, -1], [0, 0, -0.5], [0, 0, 1]]
    hits = model.cast_rays(data, origins, directions)
    top = 1 + np.sqrt(0.25 - 0.09)
    np.testing.assert_allclose(hits.distance, [3.5, 5 - top, 5, np.inf], rtol=1e-6)
    assert hits.hit.tolist() == [True, True, True, False]
    names = [model.geom_names[g] if g >= 0 else None for g in hits.geom]
    assert names == ["ball", "ball", "floor", None]
    np.testing.assert_allclose(hits.point[:3], [[0, 0, 1.5], [0.3, 0, top], [9, 0, 0]], atol=1e-6)
    np.testing.assert_allclose(
        hits.normal[:3], [[0, 0, 1], [0.6, 0, (top - 1) / 0.5], [0, 0, 1]], atol=1e-6
    )
    assert np.isnan(hits.point[3]).all() and np.isnan(hits.normal[3]).all()


def test_what_may_be_hit(model):
    data, ball = SceneData(model), model.get_link("ball")
    ray = [0, 0, 5], [0, 0, -1]

    def seen(**options) -> str | None:
        geom = int(model.cast_rays(data, *ray, **options).geom[0])
        return None if geom < 0 else model.geom_names[geom]

    assert seen() == "ball"
    assert seen(exclude=ball) == "floor"
    assert seen(groups=[1, 3]) == "inner"
    assert seen(groups=[1]) == "floor"
    assert seen(groups=[]) is None
    assert seen(exclude=ball, include_static=False) is None
    assert seen(max_distance=3.4) is None and seen(max_distance=3.6) == "ball"


def _scattered(model: usdsim.SceneModel, threads: int = 0) -> SceneData:
    data = SceneData(model, batch=(4,), threads=threads)
    model.floating_bases[0].set_translation(data, [[0, 0, 1 + i] for i in range(4)])
    return data


@pytest.mark.parametrize("threads", [1, 2])
def test_worlds_are_their_own(model, threads):
    data = _scattered(model, threads)
    hits = model.cast_rays(data, [[0, 0, 9], [3, 0, 9]], [0, 0, -1])
    assert hits.distance.shape == (4, 2) and hits.normal.shape == (4, 2, 3)
    np.testing.assert_allclose(hits.distance[:, 0], [7.5, 6.5, 5.5, 4.5], rtol=1e-6)
    np.testing.assert_allclose(hits.distance[:, 1], 8, rtol=1e-6)
    rng = np.random.default_rng(0)
    origins, directions = rng.normal(size=(4, 30, 3)) + UP, rng.normal(size=(4, 30, 3))
    hits = model.cast_rays(data, origins, directions)
    for world in range(4):
        raw = data.low.world_data(world)
        for i in range(30):
            geom = np.zeros(1, np.int32)
            toward = directions[world, i] / np.linalg.norm(directions[world, i])
            far = mujoco.mj_ray(
                model.low, raw, origins[world, i], toward, None, True, -1, geom, None
            )
            assert hits.geom[world, i] == geom[0]
            assert hits.distance[world, i] == pytest.approx(far if far >= 0 else np.inf, rel=1e-6)
    assert hits.hit.any() and not hits.hit.all()


@pytest.mark.parametrize(
    "key", [slice(1, 3), [3, 0, 1], DisjointIndices([2, 1]), np.array([True, False, True, True])]
)
def test_views_keep_their_order(model, key):
    data = _scattered(model)
    rows = np.arange(4)[key.values if isinstance(key, DisjointIndices) else key]
    rng = np.random.default_rng(1)
    origins = rng.normal(size=(4, 5, 3)) * 0.2 + 2 * UP
    directions = np.tile([0.0, 0, -1], (4, 5, 1))
    whole = model.cast_rays(data, origins, directions)
    part = model.cast_rays(data[key], origins[rows], directions[rows])
    shared = model.cast_rays(data[key], origins[0], [0, 0, -1])
    np.testing.assert_array_equal(part.distance, whole.distance[rows])
    np.testing.assert_array_equal(part.point, whole.point[rows])
    np.testing.assert_array_equal(part.geom, whole.geom[rows])
    np.testing.assert_allclose(
        shared.distance, model.cast_rays(data, origins[0], [0, 0, -1]).distance[rows]
    )
    one = model.cast_rays(data[2], origins[2], directions[2])
    np.testing.assert_array_equal(one.distance, whole.distance[2])


def test_rays_see_what_was_just_written_and_change_nothing(model):
    alone, watched = _scattered(model), _scattered(model)
    for _ in range(20):
        hits = model.cast_rays(watched, [0, 0, 9], [0, 0, -1])
        height = model.get_link("ball").get_position(watched)[:, 2]
        np.testing.assert_allclose(hits.distance[:, 0], 8.5 - height, rtol=1e-5)
        assert model.get_contact_query(watched).num_contacts[0] == 4
        model.step(alone)
        model.step(watched)
    np.testing.assert_array_equal(alone.low.batch.state, watched.low.batch.state)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (([0, 0], [0, 0, 1]), {}, ShapeError, "origins"),
        (([0, 0, 1], [[0, 0], [0, 1]]), {}, ShapeError, "directions"),
        ((np.zeros((3, 5, 3)), [0, 0, 1]), {}, ShapeError, r"\(4, 'n', 3\)"),
        ((np.zeros((2, 3)), np.ones((3, 3))), {}, ShapeError, "as many rays"),
        (([0, 0, np.nan], [0, 0, 1]), {}, InvalidValueError, "origins is nan"),
        (([0, 0, 1], [[0, 0, 1], [0, 0, 0]]), {}, InvalidValueError, r"directions\[1\]"),
        (([0, 0, "x"], [0, 0, 1]), {}, InvalidValueError, "real numbers"),
        (([0, 0, 1], [0, 0, 1]), {"max_distance": 0}, InvalidValueError, "max_distance"),
        (([0, 0, 1], [0, 0, 1]), {"max_distance": np.nan}, InvalidValueError, "max_distance"),
        (([0, 0, 1], [0, 0, 1]), {"exclude": "ball"}, InvalidValueError, "a link of the model"),
        (([0, 0, 1], [0, 0, 1]), {"groups": [6]}, InvalidValueError, "0 to 5"),
    ],
)
def test_bad_rays_are_refused(model, arguments, options, error, words):
    with pytest.raises(error, match=words):
        model.cast_rays(_scattered(model), *arguments, **options)


def test_rays_need_data_of_the_model(model):
    with pytest.raises(UsdsimError, match="belongs to"):
        model.cast_rays(SceneData(load_mjcf_str(SCENE)), [0, 0, 1], [0, 0, 1])
