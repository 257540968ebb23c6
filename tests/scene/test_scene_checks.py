"""What is given is checked before anything is done with it."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import mujoco
import numpy as np
import pytest
from scene_models import ROBOT

from usdsim import SceneData, load_mjcf_str, load_model
from usdsim.core.errors import (
    InvalidValueError,
    ShapeError,
    SimulationError,
    UnknownNameError,
    UsdsimError,
)
from usdsim.engine.failures import joined_errors
from usdsim.scene import DisjointIndices, InverseKinematics
from usdsim.scene.checks import all_finite

NOT_NUMBERS = ["1.5", b"1", None, 1j, np.datetime64("2020"), 10**400, {}, [[1, 2], [3]], object()]
PARTS = """
<mujoco>
  <asset>
    <hfield name="hills" nrow="3" ncol="3" size="2 2 1 .1" elevation="0 0 0 0 1 0 0 0 0"/>
  </asset>
  <worldbody>
    <geom name="ground" type="hfield" hfield="hills"/>
    <camera name="eye"/>
    <body name="ball" pos="1.9 1.9 .5"><freejoint/><geom name="skin" size=".1"/></body>
    <body name="arm" pos="0 0 5">
      <joint name="hinge"/><geom size=".1"/>
      <body name="tip" pos="0 .5 0"/>
    </body>
  </worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator>
</mujoco>
"""


@pytest.fixture(scope="module")
def model() -> Any:
    return load_mjcf_str(PARTS)


@pytest.fixture
def data(model: Any) -> SceneData:
    return SceneData(model, (3,))


@pytest.mark.parametrize("value", NOT_NUMBERS, ids=lambda v: type(v).__name__)
def test_what_is_no_number_is_refused_everywhere(model, data, value):
    before = data.get_state()
    writes = (
        lambda: model.get_actuator("motor").set_ctrl(data, value),
        lambda: model.get_joint("hinge").set_dof_pos(data, value),
        lambda: model.get_link("arm").set_mass_override(data, value),
        lambda: model.get_link("arm").add_external_force(data, value),
        lambda: model.set_gravity_override(data, value),
        lambda: model.get_geom("ground").sample_height(data, value),
        lambda: model.cast_rays(data, value, [0, 0, -1]),
        lambda: data.set_dof_vel(value),
        lambda: setattr(data, "time", value),
        lambda: setattr(data, "actuator_ctrls", value),
    )
    for write in writes:
        with pytest.raises(InvalidValueError, match="real numbers"):
            write()
    for name, array in data.get_state().arrays.items():
        np.testing.assert_array_equal(array, before.arrays[name])


@pytest.mark.parametrize(
    "value",
    [None, "1", True, [1.0, 2.0], np.nan, 10**400, object()],
    ids=lambda v: type(v).__name__,
)
def test_what_is_no_single_number_is_refused(model, value):
    camera, tip = model.cameras["eye"], model.get_link("tip")
    calls = (
        lambda: setattr(model.options, "timestep", value),
        lambda: setattr(model.options, "max_iterations", value),
        lambda: camera.set_near_far(value, 5.0),
        lambda: camera.set_near_far(1.0, value),
        lambda: camera.set_render_target("image", value, 4),
        lambda: InverseKinematics(model, tip, damping=value),
        lambda: InverseKinematics(model, tip, restarts=value),
        lambda: model.get_hfield("hills").get(value, 0),
        lambda: model.step_n(SceneData(model), value),
    )
    for call in calls:
        with pytest.raises(InvalidValueError, match=r"number (above|>=|from)"):
            call()


@pytest.mark.parametrize("value", [None, "no", 0, np.ones(2)], ids=lambda v: type(v).__name__)
def test_switches_are_true_or_false(model, value):
    switches = [name for name in dir(model.options) if name.startswith("disable_")]
    assert len(switches) == 12
    for name in switches:
        with pytest.raises(InvalidValueError, match=f"{name}.*True or False"):
            setattr(model.options, name, value)
        assert getattr(model.options, name) is False


@pytest.mark.parametrize("value", [None, "world", 0, np.ones(2)], ids=lambda v: type(v).__name__)
def test_switches_of_questions_are_true_or_false(model, data, value):
    arm = model.get_link("arm")
    down = ([0, 0, 1], [0, 0, -1])
    for name, ask in (
        ("local", lambda: arm.get_jacobian(data, [0, 0, 0], local=value)),
        ("subtree", lambda: arm.get_com(data, subtree=value)),
        ("subtree", lambda: arm.get_com_jacobian(data, subtree=value)),
        ("subtree", lambda: model.get_contact_query(data).is_touching(arm, subtree=value)),
        ("include_static", lambda: model.cast_rays(data, *down, include_static=value)),
    ):
        with pytest.raises(InvalidValueError, match=f"{name} is.*True or False"):
            ask()


@pytest.mark.parametrize("names", ["gyro", None, 3])
def test_names_of_sensors_are_a_list(model, data, names):
    with pytest.raises(InvalidValueError, match="a list of names"):
        model.get_sensor_values(names, data)


@pytest.mark.parametrize("value", [None, "yaw", [], 3], ids=lambda v: type(v).__name__)
def test_choices_are_words_of_a_list(model, data, value):
    for name in ("integrator", "solver", "cone"):
        with pytest.raises(InvalidValueError, match=name):
            setattr(model.options, name, value)
    with pytest.raises(InvalidValueError, match="position_track"):
        model.cameras["eye"].position_track = value
    with pytest.raises(InvalidValueError, match="invalid is"):
        model.get_link("arm").set_mass_override(data, 1.0, invalid=value)


@pytest.mark.parametrize("key", ["a", None, ..., 1.5, -4, 3, True, [3], [-4], [[0, 1], [2]], [0.5]])
def test_worlds_that_do_not_exist(data, key):
    with pytest.raises((InvalidValueError, ShapeError)):
        data[key]
    with pytest.raises((InvalidValueError, ShapeError)):
        data.get_state()[key]


def test_states_are_indexed_as_data_are(data):
    data.time = [1.0, 2.0, 3.0]
    state = data.get_state()
    for key in (1, [2, 0], slice(0, 2), [True, False, True], DisjointIndices([2, 1])):
        np.testing.assert_array_equal(state[key].arrays["time"].reshape(-1), data[key].time.ravel())
        assert state[key].shape == data[key].shape


@pytest.mark.parametrize("size", [1, 100, 300_000])
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_finite_numbers_of_any_size_are_told_from_others(kind, size):
    values = np.full(size, np.finfo(kind).max, kind)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all_finite(values)
        for bad in (np.nan, np.inf, -np.inf):
            values[-1] = bad
            assert not all_finite(values)


def test_controls_beyond_single_precision(model, data):
    data.actuator_ctrls = [[0.5], [0.5], [0.5]]
    motor = model.get_actuator("motor")
    for write in (lambda v: setattr(data, "actuator_ctrls", v), lambda v: motor.set_ctrl(data, v)):
        with pytest.raises(InvalidValueError, match=r"3\.4e\+38"):
            write(np.full((3, 1), 1e200) if write.__code__.co_freevars == ("data",) else 1e200)
    np.testing.assert_array_equal(motor.get_ctrl(data), 0.5)


def test_options_act_on_what_is_read_next():
    model = load_mjcf_str(PARTS)
    data = SceneData(model, (2,))
    model.get_body("ball").set_dof_pos(data, [1.9, 1.9, 0.05, 0, 0, 0, 1])
    query = model.get_contact_query(data)
    assert (query.num_contacts > 0).all() and query.is_touching(model.get_geom("skin")).all()
    model.options.disable_contacts = True
    assert not query.num_contacts.any() and not query.is_touching(model.get_geom("skin")).any()
    model.options.gravity = [0.0, 3.0, -1.0]
    bare = mujoco.MjData(model.low)
    bare.qpos[:3] = [1.9, 1.9, 0.05]
    mujoco.mj_forward(model.low, bare)
    np.testing.assert_allclose(model.get_bias_forces(data), [bare.qfrc_bias] * 2, atol=1e-5)
    np.testing.assert_allclose(model.get_gravity_forces(data), [bare.qfrc_bias] * 2, atol=1e-5)
    np.testing.assert_array_equal(model.get_gravity_override(data)[1], [0.0, 3.0, -1.0])


def test_elevations_cannot_be_changed_behind_the_engine(model):
    field = model.get_hfield("hills")
    with pytest.raises(ValueError, match="read-only"):
        field.elevations[0, 0] = 0.5
    field.height_matrix[0, 0] = 0.5
    assert field.get(1, 1) == 1.0 and field.get(0, 0) == 0.0


def test_elements_of_other_models_give_no_parameters(model, data):
    other = load_mjcf_str(PARTS)
    with pytest.raises(UsdsimError, match="belongs to"):
        model.get_overrides(data, other.links, "mass")
    with pytest.raises(UsdsimError, match="belongs to"):
        model.set_overrides(data, other.links[:1], "mass", [1.0])
    with pytest.raises(UnknownNameError, match="mass"):
        model.set_overrides(data, [model.links[0], model.joints[0]], "mass", [1.0, 1.0])
    with pytest.raises(InvalidValueError, match="each element once"):
        model.set_overrides(data, [model.links[0]] * 2, "mass", [1.0, 1.0])
    with pytest.raises(InvalidValueError, match="links, joints"):
        model.get_overrides(data, ["arm"], "mass")


def test_inertia_of_nothing_cannot_be_scaled(model, data):
    tip = model.get_link("tip")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InvalidValueError, match=r"link 'tip'.*has mass"):
            tip.set_mass_override(data, 1.0, scale_inertia=True)
    np.testing.assert_array_equal(tip.get_mass_override(data), 0.0)
    tip.set_mass_override(data, 1.0)
    np.testing.assert_array_equal(tip.get_mass_override(data), 1.0)


def test_no_worlds_and_no_values(model, data):
    nothing = data[[]]
    solver = InverseKinematics(model, model.get_link("tip"))
    assert solver.solve(nothing, [0, 0, 1, 0, 0, 0, 1]).dof_pos.shape == (0, 1)
    assert solver.velocity(nothing, np.zeros(6)).shape == (0, 1)
    plan = model.compile_write(["body:ball.joint_dof_pos"])
    plan.write(data, np.zeros(0))
    assert plan.width == 0
    for requests in (None, 3, "arm.pose"):
        with pytest.raises(InvalidValueError, match="fields"):
            model.compile_query(requests)


def test_data_needs_a_model_and_files_a_path(model, data, tmp_path):
    for bad in (None, "robot.xml", model.low):
        with pytest.raises(InvalidValueError, match="load_model"):
            SceneData(bad)
    for call in (data.save, data.load):
        with pytest.raises(InvalidValueError, match="a path"):
            call(None)
    file = tmp_path / "robot.xml"
    file.write_text(ROBOT)
    assert load_model(path=file).num_joints == 1


def test_controls_follow_resets_however_many_worlds_failed(monkeypatch):
    monkeypatch.setattr("usdsim.engine.failures.KEPT_FAILURES", 1)
    model = load_mjcf_str(ROBOT)
    data = SceneData(model, (2,), on_failure="reset")
    for _ in range(3):
        data.actuator_ctrls = [0.5, 0.5]
        model.get_joint("elbow").set_dof_vel(data[1], [1e30])
        model.step(data)
        np.testing.assert_array_equal(data.actuator_ctrls, [[0.5, 0.5], [0.0, 0.0]])
        assert len(data.failures) == 1


def test_a_failing_world_does_not_stop_the_others_being_pushed():
    model = load_mjcf_str(ROBOT)
    base, pushed, calm = model.get_link("base"), SceneData(model, (2,)), SceneData(model)
    model.get_joint("elbow").set_dof_vel(pushed[1], [1e30])
    for data in (pushed, calm):
        base.add_external_force(data, [1.0, 0.0, 0.0])
    with pytest.raises(SimulationError) as caught:
        model.step_n(pushed, 10)
    assert set(caught.value.worlds) == {1} and len(caught.value.times) == 1
    model.step_n(calm, 10)
    assert pushed.time[0] == calm.time
    np.testing.assert_array_equal(pushed.dof_vel[0], calm.dof_vel)


def test_several_errors_of_one_call_are_one_error():
    first = SimulationError("one", [1], [0.5], [["/a"]])
    joined = joined_errors([first, SimulationError("two", [2, 3], [0.6, 0.7], [["/b"], []])])
    assert str(joined) == "one\ntwo" and joined.worlds == (1, 2, 3)
    assert joined.times == (0.5, 0.6, 0.7) and joined.prims == (["/a"], ["/b"], [])
    assert joined_errors([first]) is first


def test_copies_of_models_keep_what_was_set():
    model = load_mjcf_str(PARTS)
    camera = model.cameras["eye"]
    camera.set_near_far(0.5, 7.0)
    camera.set_render_target("image", 32, 24)
    camera.depth_only = True
    camera.track_target_link = model.get_link("arm")
    camera.rotation_track = "look_at_link"
    model.cameras.set_system_render_target("image", 8, 6)
    model.enable_constraints_report()
    copy = pickle.loads(pickle.dumps(model))
    again = copy.cameras["eye"]
    assert (again.near_plane, again.far_plane, again.render_size) == (0.5, 7.0, (32, 24))
    assert again.depth_only and not again.segmentation and again.rotation_track == "look_at_link"
    assert again.track_target_link is copy.get_link("arm")
    assert copy.cameras.system_render_size == (8, 6) and copy.reports_constraints
