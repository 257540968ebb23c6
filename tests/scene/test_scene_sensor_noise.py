"""Noise of sensors: its size, and that it depends on seed, world and step alone."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from usdsim.core.errors import InvalidValueError
from usdsim.scene import DisjointIndices, SceneData, load_mjcf_str

SCENE = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="9 9 1"/>
    <body name="ball" pos="0 0 .5">
      <freejoint/><geom name="round" size=".1"/>
      <site name="imu" euler="10 20 30"/><site name="ray" euler="180 0 0" pos="0 0 .3"/>
      <site name="up" pos="0 0 .3"/>
    </body>
  </worldbody>
  <sensor>
    <gyro name="gyro" site="imu" noise=".1"/>
    <gyro name="clean" site="imu"/>
    <gyro name="capped" site="imu" noise="5" cutoff="1"/>
    <framequat name="turn" objtype="site" objname="imu" noise=".02"/>
    <framezaxis name="axis" objtype="site" objname="imu" noise=".02"/>
    <touch name="touch" site="imu" noise="3"/>
    <rangefinder name="down" site="ray" noise=".05" cutoff="2"/>
    <rangefinder name="sky" site="up" noise=".05"/>
    <rangefinder name="many" site="ray" noise=".05" data="dist dir origin point normal"/>
    <rangefinder name="nothing" site="up" noise=".05" data="dist dir origin point normal"/>
    <contact name="contact" geom1="round" noise=".5" num="2" data="found force normal"/>
    <insidesite name="inside" site="imu" objtype="body" objname="ball" noise="1"/>
  </sensor>
</mujoco>
"""
WORLDS = 400


@pytest.fixture(scope="module")
def model():
    return load_mjcf_str(SCENE)


def _all(model, data, order=1):
    return {s.name: np.array(s.get_value(data)) for s in model.sensors[::order]}


def test_off_until_asked_for(model):
    data = SceneData(model, batch=(3,))
    start = _all(model, data)
    assert not start["gyro"].any()
    data.seed_sensor_noise(7)
    noisy = _all(model, data)
    assert noisy["gyro"].all() and not noisy["clean"].any()
    np.testing.assert_array_equal(model.get_sensor_value("gyro", data, noise=False), 0.0)
    data.seed_sensor_noise(None)
    for name, values in _all(model, data).items():
        np.testing.assert_array_equal(values, start[name])


def test_size_and_shape_of_noise(model):
    data = SceneData(model, batch=(WORLDS,))
    clean = _all(model, data)
    data.seed_sensor_noise(3)
    samples = []
    for _ in range(10):
        samples.append(model.get_sensor_value("gyro", data))
        model.step(data)
    gyro = np.concatenate(samples).reshape(-1)
    # 12,000 draws: the mean is within 4 and the deviation within 4 standard errors.
    error = 0.1 / np.sqrt(gyro.size)
    assert abs(gyro.mean()) < 4 * error and abs(gyro.std() - 0.1) < 4 * error / np.sqrt(2)
    assert abs((np.abs(gyro) < 0.1).mean() - 0.6827) < 0.02
    assert abs(np.corrcoef(samples[0].reshape(-1), samples[1].reshape(-1))[0, 1]) < 0.12
    across = np.corrcoef(np.concatenate(samples).T)
    assert np.abs(across - np.eye(3)).max() < 0.06
    data.reset()
    noisy = _all(model, data)
    np.testing.assert_allclose(np.linalg.norm(noisy["turn"], axis=-1), 1.0, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(noisy["axis"], axis=-1), 1.0, rtol=1e-6)
    dot = np.abs((noisy["turn"] * clean["turn"]).sum(axis=-1)).clip(max=1.0)
    angle = 2 * np.arccos(dot.astype(float))
    # The length of three normal numbers of deviation s has mean s sqrt(8 / pi).
    assert angle.mean() == pytest.approx(0.02 * np.sqrt(8 / np.pi), rel=0.1)
    tilt = np.arccos((noisy["axis"] * clean["axis"]).sum(axis=-1).clip(max=1.0).astype(float))
    # Turning about the axis itself does not show: two numbers are left.
    assert tilt.mean() == pytest.approx(0.02 * np.sqrt(np.pi / 2), rel=0.1)


def test_what_noise_leaves_alone(model):
    data = SceneData(model, batch=(WORLDS,))
    clean = _all(model, data)
    data.seed_sensor_noise(5)
    noisy = _all(model, data)
    assert np.abs(noisy["capped"]).max() == 1.0 and (np.abs(noisy["capped"]) < 1.0).any()
    assert noisy["touch"].min() == 0.0 and noisy["touch"].max() > 3.0
    np.testing.assert_array_equal(noisy["sky"], -1.0)
    np.testing.assert_array_equal(noisy["nothing"], clean["nothing"])
    np.testing.assert_array_equal(noisy["inside"], 1.0)
    assert noisy["down"].std() == pytest.approx(0.05, rel=0.2) and noisy["down"].max() < 2.0
    # No contact yet, so nothing is measured.
    assert not noisy["contact"].any()
    many = dict(zip(("dist", "dir", "origin", "point", "normal"), (0, 1, 4, 7, 10), strict=True))
    at = many["origin"]
    np.testing.assert_array_equal(noisy["many"][:, at : at + 3], clean["many"][:, at : at + 3])
    assert (noisy["many"][:, many["point"]] != clean["many"][:, many["point"]]).all()
    normals = noisy["many"][:, many["normal"] : many["normal"] + 3]
    np.testing.assert_allclose(np.linalg.norm(normals, axis=-1), 1.0, rtol=1e-6)


def test_contacts_that_exist_are_noisy(model):
    data = SceneData(model, batch=(50,))
    data.dof_pos = [0, 0, 0.0999, 0, 0, 0, 1]
    clean = model.get_sensor("contact").get_fields(data)
    data.seed_sensor_noise(5)
    noisy = model.get_sensor("contact").get_fields(data)
    np.testing.assert_array_equal(noisy["found"], clean["found"])
    assert clean["found"][0, :, 0].tolist() == [1.0, 0.0]
    off = (noisy["force"] - clean["force"])[:, 0]
    assert off.std() == pytest.approx(0.5, rel=0.25)
    assert not noisy["force"][:, 1].any() and not noisy["normal"][:, 1].any()
    np.testing.assert_allclose(np.linalg.norm(noisy["normal"][:, 0], axis=-1), 1.0, rtol=1e-6)


def test_the_same_for_any_batch_threads_and_order(model):
    big = SceneData(model, batch=(8,), threads=2)
    small, one = SceneData(model, batch=(3,), threads=1), SceneData(model)
    for data in (big, small, one):
        data.seed_sensor_noise(11)
    for _ in range(3):
        found = _all(model, big)
        other = _all(model, small, order=-1)
        for name in found:
            np.testing.assert_array_equal(found[name][:3], other[name])
            np.testing.assert_array_equal(found[name][0], model.get_sensor_value(name, one))
            np.testing.assert_array_equal(found[name][[5, 2]], _read(model, name, big, [5, 2]))
            np.testing.assert_array_equal(found[name][4], model.get_sensor_value(name, big[4]))
        for data in (big, small, one):
            model.step_n(data, 2)
    names = ["turn", "gyro"]
    both = model.get_sensor_values(names, big)
    np.testing.assert_array_equal(both[:, 4:], model.get_sensor_value("gyro", big))


def _read(model, name, data, rows):
    return model.get_sensor_value(name, data[DisjointIndices(rows)])


def test_each_step_world_reset_and_seed_has_its_own(model):
    data = SceneData(model, batch=(3,))
    data.seed_sensor_noise(1)
    first = np.array(model.get_sensor_value("gyro", data))
    np.testing.assert_array_equal(model.get_sensor_value("gyro", data), first)
    assert len(np.unique(first)) == 9
    model.step(data[1])
    second = np.array(model.get_sensor_value("gyro", data))
    np.testing.assert_array_equal(second[[0, 2]], first[[0, 2]])
    assert (second[1] != first[1]).all()
    data[2].reset()
    third = np.array(model.get_sensor_value("gyro", data))
    np.testing.assert_array_equal(third[:2], second[:2])
    assert (third[2] != second[2]).all()
    data.seed_sensor_noise(2)
    assert (model.get_sensor_value("gyro", data) != first).all()
    # One call of many steps and many calls of one step come to the same.
    one, many = SceneData(model), SceneData(model)
    for other in (one, many):
        other.seed_sensor_noise(9)
    model.step_n(one, 5)
    for _ in range(5):
        model.step(many)
    np.testing.assert_array_equal(
        model.get_sensor_value("gyro", one), model.get_sensor_value("gyro", many)
    )


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "x"])
def test_bad_seeds(model, seed):
    with pytest.raises(InvalidValueError, match="seed"):
        SceneData(model).seed_sensor_noise(seed)


def test_saved_states_keep_the_noise(model):
    data = SceneData(model, batch=(2,))
    data.seed_sensor_noise(4)
    model.step_n(data, 3)
    kept = copy.deepcopy(data.get_state())
    model.step_n(data, 2)
    expected = np.array(model.get_sensor_value("gyro", data))
    data.set_state(kept)
    model.step_n(data, 2)
    np.testing.assert_array_equal(model.get_sensor_value("gyro", data), expected)
