"""State as a whole: taken, given back, saved, loaded, copied and pickled, always bit by bit."""

from __future__ import annotations

import gc
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import usdsim
from usdsim.core.errors import FileError, InvalidValueError, ShapeError, UsdsimError
from usdsim.scene import SceneData, SceneState, load_mjcf_str

SCENE = """
<mujoco>
  <option timestep="0.004"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="ball" pos="0 0 .3">
      <freejoint/><geom name="ball" size=".1" mass="1" condim="6"/>
    </body>
    <body name="arm" pos="1 0 1">
      <joint name="shoulder" axis="0 1 0" range="-90 90" damping=".1"/>
      <geom name="arm" type="capsule" fromto="0 0 0 .5 0 0" size=".05"/>
    </body>
    <body name="hand" mocap="true" pos="0 1 1"><geom name="hand" size=".1"/></body>
  </worldbody>
  <actuator>
    <general name="slow" joint="shoulder" dyntype="filter" dynprm=".2" gainprm="5"/>
    <motor name="fast" joint="shoulder"/>
  </actuator>
  <sensor><gyro site="s" noise=".1"/></sensor>
</mujoco>
""".replace('condim="6"/>', 'condim="6"/><site name="s"/>', 1)


@pytest.fixture
def model() -> usdsim.SceneModel:
    return load_mjcf_str(SCENE)


W = np.array([0, 0, 0, 0, 0, 0, 1.0])


def _started(model: usdsim.SceneModel, batch=(3,), threads: int = 0) -> SceneData:
    """Worlds that differ in everything."""
    data = SceneData(model, batch=batch, threads=threads)
    rng = np.random.default_rng(5)
    data.set_dof_vel(rng.normal(size=(*data.shape, 7)))
    model.mocaps[0].set_pose(data, rng.normal(size=(*data.shape, 7)) * [1, 1, 1, 0, 0, 0, 0] + W)
    # Overrides are read as float32, so these are numbers that float32 has.
    masses = np.array([0.5, 1.25, 2.0]) if data.shape else 1.25
    model.get_link("ball").set_mass_override(data, masses)
    data.actuator_ctrls = rng.normal(size=(*data.shape, 2))
    model.step_n(data, 25)
    model.get_link("ball").add_external_force(data, rng.normal(size=(*data.shape, 3)) * 9)
    data.actuator_ctrls = [0.25, 0.25]
    return data


def _trace(model: usdsim.SceneModel, data: SceneData, count: int = 40) -> np.ndarray:
    states = []
    for _ in range(count):
        model.step(data)
        states.append(np.concatenate([data.dof_pos, data.dof_vel, data.activations], axis=-1))
    return np.array(states)


@pytest.mark.parametrize("batch", [(), (3,)])
def test_worlds_go_on_bit_by_bit_from_a_state(model, batch):
    data = _started(model, batch)
    state, time = data.get_state(), data.time
    assert isinstance(state, SceneState) and state.shape == data.shape and state.pushed
    expected = _trace(model, data)
    data.set_state(state)
    np.testing.assert_array_equal(data.time, time)
    np.testing.assert_allclose(data.actuator_ctrls, 0.25)
    np.testing.assert_array_equal(_trace(model, data), expected)
    assert "SceneState" in repr(state) and state.arrays["qacc_warmstart"].any()


def test_a_state_is_a_copy(model):
    data = _started(model)
    state = data.get_state()
    before = {name: values.copy() for name, values in state.arrays.items()}
    model.step_n(data, 5)
    for name, values in state.arrays.items():
        np.testing.assert_array_equal(values, before[name])


def test_rows(model):
    data = _started(model)
    state = data.get_state()
    expected = _trace(model, data)
    data.set_state(state)
    other = SceneData(model, batch=(4,))
    other[[3, 0, 2]].set_state(state)
    masses = model.get_link("ball").get_mass_override(data)
    model.get_link("ball").set_mass_override(other[[3, 0, 2]], masses)
    untouched = SceneData(model)
    trace, alone = _trace(model, other), _trace(model, untouched)
    np.testing.assert_array_equal(trace[:, [3, 0, 2]], expected)
    np.testing.assert_array_equal(trace[:, 1], alone)
    # One world's state in all worlds, and single rows of a state.
    single = state[1]
    assert single.shape == () and state[[2, 0]].shape == (2,) and state[:0].shape == (0,)
    other.set_state(single)
    model.get_link("ball").set_mass_override(other, masses[1])
    trace = _trace(model, other)
    np.testing.assert_array_equal(trace, np.repeat(expected[:, 1:2], 4, axis=1))
    other[2].set_state(state[1])
    np.testing.assert_array_equal(_trace(model, other[2]), expected[:, 1])


def test_states_that_do_not_fit_are_refused(model):
    data = _started(model)
    state, before = data.get_state(), data.dof_pos

    def broken(name: str, value: float, where=(1,)) -> SceneState:
        arrays = {key: values.copy() for key, values in state.arrays.items()}
        arrays[name][where] = value
        return SceneState(arrays, state.shape)

    cases = [
        (broken("qvel", np.nan), InvalidValueError, "qvel of the state of world 1"),
        (broken("qpos", np.inf), InvalidValueError, "qpos of the state"),
        (broken("qpos", 0.0), InvalidValueError, "ball.*unit quaternion"),
        (broken("mocap_quat", 0.0), InvalidValueError, "mocap"),
        (state[[0, 1]], ShapeError, r"\(3,\)"),
        ("state", InvalidValueError, "get_state"),
        (SceneState(dict(state.arrays) | {"qvel": [0.0] * 7}, (3,)), InvalidValueError, "qvel"),
        (SceneState({"qpos": state.arrays["qpos"]}, (3,)), InvalidValueError, "arrays"),
        (SceneState(dict(state.arrays), (2,))[:0], ShapeError, "state"),
        (
            SceneState(dict(state.arrays) | {"qvel": np.zeros((3, 2))}, (3,)),
            ShapeError,
            "qvel of the state",
        ),
    ]
    for bad, error, words in cases:
        with pytest.raises(error, match=words):
            data.set_state(bad)
    np.testing.assert_array_equal(data.dof_pos, before)
    with pytest.raises(InvalidValueError, match="world index"):
        _ = state[7]
    with pytest.raises(InvalidValueError, match="no batch axis"):
        _ = state[0][0]


def test_copies_share_nothing(model):
    data = _started(model)
    data.seed_sensor_noise(4)
    twin = data.copy()
    assert twin.shape == data.shape and twin.model is model
    np.testing.assert_array_equal(model.get_sensor_value(0, twin), model.get_sensor_value(0, data))
    before = data.dof_pos
    expected = _trace(model, twin)
    np.testing.assert_array_equal(data.dof_pos, before)
    np.testing.assert_array_equal(_trace(model, data), expected)
    part = data[[2, 0]].copy()
    assert part.shape == (2,)
    np.testing.assert_array_equal(_trace(model, part), _trace(model, data)[:, [2, 0]])
    one = data[1].copy()
    assert one.shape == ()
    np.testing.assert_array_equal(_trace(model, one), _trace(model, data[1]))


def test_pickles_go_on_too(model):
    data = _started(model)
    model.options.gravity = [0, 0, -3]
    again = pickle.loads(pickle.dumps(data))
    assert again.model is not model and again.model.num_links == model.num_links
    assert again.model.options.gravity[2] == -3 and again.model.stage is None
    np.testing.assert_array_equal(_trace(again.model, again), _trace(model, data))


# Files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [(), (3,)])
@pytest.mark.parametrize("threads", [1, 2])
def test_files_go_on_bit_by_bit(model, tmp_path, batch, threads):
    data = _started(model, batch, threads)
    data.seed_sensor_noise(11)
    model.step(data)
    data.save(tmp_path / "state.npz")
    expected, measured = _trace(model, data), model.get_sensor_value(0, data)
    other = load_mjcf_str(SCENE)
    fresh = SceneData(other, batch=batch)
    other.get_joint("shoulder").set_armature_override(fresh, 3.0)
    fresh.load(tmp_path / "state.npz")
    np.testing.assert_array_equal(_trace(other, fresh), expected)
    np.testing.assert_array_equal(other.get_sensor_value(0, fresh), measured)
    assert [path.name for path in tmp_path.iterdir()] == ["state.npz"]


def test_rows_of_a_file_reach_rows_of_data(model, tmp_path):
    data = _started(model)
    path = tmp_path / "two"
    data[[2, 0]].save(path)
    expected = _trace(model, data)
    other = SceneData(model, batch=(5,))
    other[[1, 4]].load(path)
    np.testing.assert_array_equal(_trace(model, other)[:, [1, 4]], expected[:, [2, 0]])


def test_files_of_other_models_are_refused(model, tmp_path):
    path = tmp_path / "state.npz"
    _started(model).save(path)
    renamed = load_mjcf_str(SCENE.replace('"shoulder"', '"hip"'))
    heavier = load_mjcf_str(SCENE.replace('mass="1"', 'mass="2"'))
    bigger = load_mjcf_str(SCENE.replace("</worldbody>", "<geom size='1'/></worldbody>"))
    for other, words in ((renamed, "joint"), (heavier, "other parameters"), (bigger, "ngeom")):
        data = SceneData(other, batch=(3,))
        before = data.get_state()
        with pytest.raises(UsdsimError, match=f"saved for.*{words}"):
            data.load(path)
        np.testing.assert_array_equal(data.get_state().arrays["qpos"], before.arrays["qpos"])
    data = SceneData(heavier, batch=(3,))
    data.load(path, exact=False)
    np.testing.assert_array_equal(data.dof_pos, _started(model).dof_pos)


def test_options_must_be_what_they_were(model, tmp_path):
    path = tmp_path / "state.npz"
    data = _started(model)
    data.save(path)
    model.options.timestep = 0.001
    with pytest.raises(InvalidValueError, match=r"option timestep.*0\.004"):
        data.load(path)
    data.load(path, exact=False)
    model.options.timestep = 0.004
    data.load(path)
    data.save(path)
    data.load(path)


def test_files_are_checked(model, tmp_path):
    data = _started(model)
    with pytest.raises(FileError, match="no such file"):
        data.load(tmp_path / "missing.npz")
    bad = tmp_path / "bad.npz"
    bad.write_bytes(b"not a zip file")
    with pytest.raises(FileError, match="damaged"):
        data.load(bad)
    np.savez(bad, qpos=np.zeros(3))
    with pytest.raises(FileError, match="damaged"):
        data.load(bad)
    good = tmp_path / "good.npz"
    data.save(good)
    np.savez(bad, usdsim=np.array('{"format": 99}'))
    with pytest.raises(FileError, match="format 99"):
        data.load(bad)
    for header in ('{"format": 1}', "[]", "{", '{"format": 1, "shape": 3}'):
        np.savez(bad, usdsim=np.array(header))
        with pytest.raises(FileError, match="damaged"):
            data.load(bad)
    cut = tmp_path / "cut.npz"
    cut.write_bytes(good.read_bytes()[:-200])
    with warnings.catch_warnings(record=True) as leaks:
        warnings.simplefilter("always", ResourceWarning)
        with pytest.raises(FileError, match="damaged"):
            data.load(cut)
        gc.collect()
    assert not leaks
    with pytest.raises(FileError, match="Cannot write"):
        data.save(good / "no" / "folder.npz")
    with pytest.raises(ShapeError, match=r"\(2,\)"):
        SceneData(model, batch=(2,)).load(good)
    assert Path(good).stat().st_size < 50_000


# Resets -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [None, [2, 0], 1])
def test_resets_restore_everything(model, key):
    data, fresh = _started(model), SceneData(model, batch=(3,))
    target = data if key is None else data[key]
    rows = np.arange(3) if key is None else np.atleast_1d(key)
    target.reset(model)
    state, start = data.get_state(), fresh.get_state()
    kept = np.setdiff1d(np.arange(3), rows)
    for name, values in state.arrays.items():
        np.testing.assert_array_equal(values[rows], start.arrays[name][rows], err_msg=name)
    assert all(state.arrays[name][kept].any() for name in ("act", "qacc_warmstart") if len(kept))
    trace, expected = _trace(model, data), _trace(model, fresh)
    np.testing.assert_array_equal(trace[:, rows], expected[:, rows])


def test_resets_keep_overrides_if_asked(model):
    data, ball = _started(model), model.get_link("ball")
    masses = ball.get_mass_override(data)
    data[1].reset(reset_overrides=False)
    np.testing.assert_array_equal(ball.get_mass_override(data), masses)
    data[1].reset()
    np.testing.assert_array_equal(ball.get_mass_override(data), [masses[0], 1, masses[2]])


def test_activations_and_time_may_be_written(model):
    data = SceneData(model, batch=(2,))
    assert data.activations.shape == (2, 1)
    data.activations = [[0.5], [0.0]]
    np.testing.assert_array_equal(data.activations, [[0.5], [0]])
    model.step(data)
    vel = model.get_joint("shoulder").get_dof_vel(data)[:, 0]
    assert vel[0] != vel[1]
    data[1].activations = [0.25]
    data.time = 3.0
    data[0].time = 1.5
    np.testing.assert_array_equal(data.time, [1.5, 3])
    assert data.activations[1, 0] == 0.25
    for name, value, error in (
        ("activations", [0.5, 0.1], ShapeError),
        ("activations", [np.nan], InvalidValueError),
        ("time", [1, 2, 3], ShapeError),
        ("time", np.inf, InvalidValueError),
        ("time", "noon", InvalidValueError),
    ):
        with pytest.raises(error, match=name):
            setattr(data, name, value)
