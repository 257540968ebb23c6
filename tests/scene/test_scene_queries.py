"""Compiled reads and writes: the same values as the getters and setters, for any view."""

from __future__ import annotations

import numpy as np
import pytest

from usdsim.core.errors import (
    InvalidValueError,
    ShapeError,
    StageError,
    UnknownNameError,
    UsdsimError,
)
from usdsim.scene import DisjointIndices, SceneData, load_mjcf_str
from usdsim.scene.queries import read_plan

SCENE = """
<mujoco>
  <option timestep="0.002"/>
  <asset><mesh name="wedge" vertex="0 0 0 .3 0 0 0 .2 0 0 0 .1"/></asset>
  <worldbody>
    <body name="base" pos="0 0 1">
      <freejoint/>
      <geom name="trunk" type="box" size=".1 .1 .1"/>
      <site name="imu" pos=".05 0 .1" euler="0 0 90"/>
      <body name="hand" pos=".3 0 0">
        <joint name="swing" type="ball"/>
        <geom name="shell" type="mesh" mesh="wedge" pos=".1 0 0"/>
        <site name="hand" pos="0 0 .2"/>
        <body name="finger" pos="0 0 .3">
          <joint name="elbow" axis="0 1 0"/>
          <geom name="pad" size=".05"/>
        </body>
      </body>
    </body>
    <body name="goal" mocap="true" pos="0 2 1"><geom size=".05" contype="0" conaffinity="0"/></body>
    <body name="other" mocap="true" pos="0 3 1"><site name="mark"/></body>
    <camera name="eye" pos="0 -3 1" xyaxes="1 0 0 0 0 1"/>
  </worldbody>
  <tendon><spatial name="wire"><site site="imu"/><site site="mark"/></spatial></tendon>
  <actuator>
    <motor name="push" joint="elbow"/><position name="hold" joint="elbow" kp="3"/>
  </actuator>
  <sensor>
    <gyro name="gyro" site="imu" noise=".1"/>
    <framequat name="turn" objtype="site" objname="imu"/>
    <actuatorfrc name="force" actuator="push"/>
  </sensor>
</mujoco>
"""
FRAME = ("pose", "position", "rotation", "linear_velocity", "angular_velocity")
COUNT = 7


@pytest.fixture(scope="module")
def model():
    return load_mjcf_str(SCENE)


@pytest.fixture
def data(model):
    rng = np.random.default_rng(0)
    data = SceneData(model, batch=(COUNT,))
    pos = rng.normal(size=(COUNT, model.num_dof_pos))
    for start in (3, 7):
        pos[:, start : start + 4] /= np.linalg.norm(pos[:, start : start + 4], axis=1)[:, None]
    data.dof_pos, data.dof_vel = pos, rng.normal(size=(COUNT, model.num_dof_vel))
    data.actuator_ctrls = rng.normal(size=(COUNT, 2))
    return data


def _expected(model, data):
    """Every quantity there is, by request, from its own getter."""
    found = {
        "dof_pos": data.dof_pos,
        "dof_vel": data.dof_vel,
        "actuator_ctrls": data.actuator_ctrls,
        "time": data.time[..., None],
        "com": model.get_com(data),
        "push.ctrl": model.get_actuator("push").get_ctrl(data)[..., None],
        "wire.length": model.get_tendon("wire").get_length(data)[..., None],
        "wire.velocity": model.get_tendon("wire").get_velocity(data)[..., None],
        "link:hand.com": model.get_link("hand").get_com(data),
    }
    body = model.get_body("base")
    found["body:base.joint_dof_pos"] = body.get_joint_dof_pos(data)
    found["body:base.joint_dof_vel"] = body.get_joint_dof_vel(data)
    found["eye.pose"] = model.cameras["eye"].get_pose(data)
    frames = [
        ("base", "body"),
        ("hand", "link"),
        ("hand", "site"),
        ("trunk", "geom"),
        ("shell", "geom"),
    ]
    for name, kind in frames:
        element = model.catalog(kind).get(name)
        parts = {what: getattr(element, f"get_{what}")(data) for what in FRAME}
        parts["velocity"] = np.concatenate(
            [parts["linear_velocity"], parts["angular_velocity"]], axis=-1
        )
        if name != "shell":
            mat = element.get_rotation_mat(data)
            parts["rotation_mat"] = mat.reshape(*data.shape, 9)
        found |= {f"{kind}:{name}.{what}": value for what, value in parts.items()}
    for name in ("swing", "elbow"):
        found[f"{name}.dof_pos"] = model.get_joint(name).get_dof_pos(data)
        found[f"{name}.dof_vel"] = model.get_joint(name).get_dof_vel(data)
    found["base.dof_pos"] = model.floating_bases[0].get_dof_pos(data)
    found["base.dof_vel"] = model.floating_bases[0].get_dof_vel(data)
    for name in ("gyro", "turn", "force"):
        found[f"{name}.value"] = model.get_sensor_value(name, data)
    return found


def _check(plan, model, data):
    values, expected = plan.read(data), _expected(model, data)
    assert values.shape == (*data.shape, plan.width) and values.dtype == np.float32
    for name, wanted in expected.items():
        np.testing.assert_allclose(plan[name], wanted, atol=2e-6, err_msg=name)
        np.testing.assert_array_equal(values[..., plan.slices[name]], plan[name])
        assert np.shares_memory(values, plan[name])


def test_every_quantity_equals_its_getter(model, data):
    requests = list(_expected(model, data))
    plan, backwards = model.compile_query(requests), model.compile_query(requests[::-1])
    assert plan.names == tuple(requests) and plan.model is model
    assert plan.width == sum(v.shape[-1] for v in _expected(model, data).values())
    for _ in range(2):
        for part in (data, data[3], data[DisjointIndices([6, 0, 2])], data[np.arange(7) > 4]):
            _check(plan, model, part)
            _check(backwards, model, part)
        model.step_n(data, 3)
    single = SceneData(model)
    _check(plan, model, single)
    _check(plan, model, SceneData(model, batch=(1,)))


def test_more_worlds_than_are_gathered_at_a_time(model, monkeypatch):
    monkeypatch.setattr(read_plan, "_CHUNK", 512)
    data = SceneData(model, batch=(1100,))
    data.set_dof_vel(np.random.default_rng(1).normal(size=(1100, model.num_dof_vel)))
    plan = model.compile_query(["link:hand.velocity", "elbow.dof_vel", "trunk.pose"])
    values = plan.read(data)
    hand = model.get_link("hand")
    np.testing.assert_allclose(values[:, :3], hand.get_linear_velocity(data), atol=2e-6)
    np.testing.assert_array_equal(values[:, 6:7], model.get_joint("elbow").get_dof_vel(data))
    np.testing.assert_array_equal(values[:, 7:], model.get_geom("trunk").get_pose(data))
    order = np.random.default_rng(2).permutation(1100)[:700]
    np.testing.assert_array_equal(plan.read(data[DisjointIndices(order)]), plan.read(data)[order])


CHAIN = "".join('<body pos=".1 0 0"><joint axis="0 1 0"/><geom size=".03"/>' for _ in range(9))
TREES = f"""
<mujoco><worldbody>
  {CHAIN}{"</body>" * 9}
  <body pos="0 1 0"><freejoint/><geom size=".1"/>{CHAIN}{"</body>" * 10}
</worldbody></mujoco>
"""
ORDERS = {
    "all": slice(None),
    "backwards": slice(None, None, -1),
    "every third": slice(1, None, 3),
    "of two trees": [2, 3, 4, 5, 13, 14, 15],
    "in no order": [7, 0, 12, 3, 18, 9, 1],
    "one": [4],
}


def moving_trees(count):
    model = load_mjcf_str(TREES)
    data = SceneData(model, (count,))
    data.set_dof_vel(np.random.default_rng(0).standard_normal((count, model.num_dof_vel)))
    model.step_n(data, 20)
    return model, data


@pytest.mark.parametrize("order", ORDERS)
def test_links_in_any_order_have_their_poses_and_velocities(order):
    model, data = moving_trees(3)
    chosen = np.arange(len(model.links))[ORDERS[order]]
    parts = ("pose", "velocity")
    plan = model.compile_query([(model.links[i], part) for i in chosen for part in parts])
    read = plan.read(data).reshape(3, len(chosen), 13)
    np.testing.assert_array_equal(read[..., :7], model.get_link_poses(data)[:, chosen])
    velocities = model.get_link_velocities(data)[:, chosen]
    np.testing.assert_allclose(read[..., 7:], velocities, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("order", ORDERS)
def test_what_is_read_does_not_depend_on_the_number_of_worlds(order):
    model, data = moving_trees(300)
    chosen = np.arange(len(model.links))[ORDERS[order]]
    plan = model.compile_query([(model.links[i], "velocity") for i in chosen])
    together = plan.read(data).copy()
    alone = np.concatenate([plan.read(data[i : i + 1]).copy() for i in range(300)])
    np.testing.assert_array_equal(alone, together)


def test_the_plans_own_array_and_others(model, data):
    plan = model.compile_query(["dof_vel", "base.dof_pos"])
    first = plan.read(data)
    kept = first.copy()
    data.dof_vel = np.zeros(model.num_dof_vel)
    assert plan.read(data) is first and not np.array_equal(first, kept)
    out = np.empty((COUNT, plan.width), dtype=np.float32)
    assert plan.read(data, out=out) is out
    np.testing.assert_array_equal(out, first)
    assert np.shares_memory(plan["dof_vel"], out)
    with pytest.raises(ShapeError, match="the query"):
        plan.read(data, out=np.empty((2, 2), dtype=np.float32))
    with pytest.raises(InvalidValueError, match="float32"):
        plan.read(data, out=np.empty((COUNT, plan.width)))
    with pytest.raises(InvalidValueError, match="contiguous"):
        plan.read(data, out=np.empty((COUNT, 2 * plan.width), dtype=np.float32)[:, ::2])


def test_elements_and_names_of_ones_own(model, data):
    hand = model.get_link("hand")
    plan = model.compile_query({"where": (hand, "pose"), "spin": "imu.angular_velocity"})
    plan.read(data)
    np.testing.assert_array_equal(plan["where"], hand.get_pose(data))
    assert plan.slices == {"where": slice(0, 7), "spin": slice(7, 10)}
    path = model.compile_query([f"{hand.path}.position", (hand, "rotation")])
    assert path.names == (f"{hand.path}.position", "hand.rotation")
    assert model.compile_query([]).read(data).shape == (COUNT, 0)


def test_sensors_have_their_noise(model, data):
    plan = model.compile_query(["time", "gyro.value", "turn.value"])
    clean = plan.read(data).copy()
    data.seed_sensor_noise(1)
    noisy = plan.read(data)
    np.testing.assert_array_equal(plan["gyro.value"], model.get_sensor_value("gyro", data))
    assert (noisy[:, 1:4] != clean[:, 1:4]).all()
    np.testing.assert_array_equal(noisy[:, 4:], clean[:, 4:])


def test_controls_are_read(model, data):
    plan = model.compile_query(["hold.ctrl", "force.value"])
    data.actuator_ctrls = [2.0, 3.0]
    np.testing.assert_array_equal(plan.read(data), np.tile([3.0, 2.0], (COUNT, 1)))


@pytest.mark.parametrize(
    ("requests", "error", "words"),
    [
        (["hand.pose"], UnknownNameError, "link:hand.pose, site:hand.pose"),
        (["hnd.pose"], UnknownNameError, "'hand'"),
        (["imu.poze"], UnknownNameError, "'pose'"),
        (["elbow.pose"], UnknownNameError, "quantity 'pose' in joint 'elbow'"),
        (["dof_poss"], UnknownNameError, "'dof_pos'"),
        (["link:nobody.pose"], UnknownNameError, "link 'nobody'"),
        (["time", "time"], InvalidValueError, "each name once"),
        ("time", InvalidValueError, "a list of texts"),
        ([7], InvalidValueError, "hand.pose"),
        ([("imu", "pose")], InvalidValueError, "element"),
        (["shell.rotation_mat"], UnknownNameError, "rotation_mat"),
    ],
)
def test_bad_requests(model, requests, error, words):
    with pytest.raises(error, match=words):
        model.compile_query(requests)


def test_bad_reads(model, data):
    plan = model.compile_query(["time"])
    with pytest.raises(StageError, match="Call read"):
        plan["time"]
    plan.read(data)
    with pytest.raises(UnknownNameError, match="'time'"):
        plan["tim"]
    other = load_mjcf_str(SCENE)
    with pytest.raises(UsdsimError, match="belongs to"):
        plan.read(SceneData(other))
    with pytest.raises(InvalidValueError, match="an element of"):
        model.compile_query([(other.links[0], "pose")])


# Writing -----------------------------------------------------------------------------------------

WRITES = ["elbow.dof_vel", "base.dof_pos", "goal.pose", "push.ctrl", "swing.dof_pos"]


def _rows(rng, count):
    values = rng.normal(size=(count, 1 + 7 + 7 + 1 + 4))
    for start in (4, 11, 16):
        quat = values[:, start : start + 4]
        quat /= np.linalg.norm(quat, axis=1, keepdims=True)
    return values


def test_writes_arrive_where_they_belong(model, data):
    plan = model.compile_write(WRITES)
    assert plan.width == 20 and plan.names == tuple(WRITES) and plan.model is model
    before = data.get_state()
    values = _rows(np.random.default_rng(4), 3)
    rows = [5, 1, 2]
    plan.write(data[DisjointIndices(rows)], values)
    places = plan.slices
    np.testing.assert_allclose(model.get_joint("elbow").get_dof_vel(data)[rows], values[:, :1])
    base = model.floating_bases[0].get_dof_pos(data)
    np.testing.assert_allclose(base[rows], values[:, places["base.dof_pos"]], rtol=1e-6)
    goal = model.mocaps[0].get_pose(data)
    np.testing.assert_allclose(goal[rows], values[:, places["goal.pose"]], rtol=1e-6)
    np.testing.assert_allclose(
        model.get_joint("swing").get_dof_pos(data)[rows],
        values[:, places["swing.dof_pos"]],
        rtol=1e-6,
    )
    np.testing.assert_allclose(data.actuator_ctrls[rows, 0], values[:, 15], rtol=1e-6)
    np.testing.assert_allclose(model.get_link("base").get_pose(data)[rows], base[rows], atol=1e-6)
    after = data.get_state()
    for name, array in before.arrays.items():
        others = np.setdiff1d(np.arange(COUNT), rows)
        np.testing.assert_array_equal(after.arrays[name][others], array[others])
    np.testing.assert_array_equal(model.mocaps[1].get_pose(data)[:, 1], 3.0)
    plan.write(data[0], values[0], forward_kinematic=True)
    np.testing.assert_allclose(model.mocaps[0].get_pose(data)[0], values[0, 8:15], rtol=1e-6)


@pytest.mark.parametrize(
    "requests", [["dof_pos", "dof_vel", "actuator_ctrls"], ["dof_vel", "dof_pos"]]
)
def test_whole_states_come_back_as_written(model, data, requests):
    read, write = model.compile_query(requests), model.compile_write(requests)
    values = read.read(data).copy()
    other = SceneData(model, batch=(COUNT,))
    write.write(other, values)
    np.testing.assert_allclose(read.read(other), values, rtol=1e-6)
    write.write(other[np.arange(COUNT) % 2 == 0], values[0])
    np.testing.assert_allclose(read.read(other)[2], values[0], rtol=1e-6)
    np.testing.assert_allclose(read.read(other)[3], values[3], rtol=1e-6)
    single = SceneData(model)
    write.write(single, values[2])
    np.testing.assert_allclose(read.read(single), values[2], rtol=1e-6)


def test_a_write_may_reset_first(model, data):
    plan, link = model.compile_write(["elbow.dof_pos"]), model.get_link("finger")
    mass = link.mass
    link.set_mass_override(data, 5.0)
    plan.write(data[[1, 2]], [[0.1], [0.2]], reset=True)
    assert np.array(data.dof_pos)[1:3, 11].tolist() == pytest.approx([0.1, 0.2])
    np.testing.assert_array_equal(data.dof_vel[1:3], 0.0)
    assert data.dof_vel[0].all()
    np.testing.assert_allclose(link.get_mass_override(data), 5.0)
    plan.write(data[1], [0.3], reset=True, reset_overrides=True)
    np.testing.assert_allclose(link.get_mass_override(data)[:2], [5.0, mass], rtol=1e-6)


def test_bad_writes_change_nothing(model, data):
    plan = model.compile_write(WRITES)
    before = data.get_state()
    values = _rows(np.random.default_rng(4), COUNT)
    bad = values.copy()
    bad[3, 0] = np.nan
    with pytest.raises(InvalidValueError, match=r"'elbow.dof_vel'.*world 3"):
        plan.write(data, bad, reset=True)
    bad = values.copy()
    bad[2, 11:15] *= 2
    with pytest.raises(InvalidValueError, match=r"'goal.pose'.*world 2.*unit quaternion"):
        plan.write(data, bad)
    with pytest.raises(ShapeError, match="values of the write"):
        plan.write(data, values[:2])
    for name, array in data.get_state().arrays.items():
        np.testing.assert_array_equal(array, before.arrays[name])
    with pytest.raises(UsdsimError, match="belongs to"):
        plan.write(SceneData(load_mjcf_str(SCENE)), values[0])
    with pytest.raises(InvalidValueError, match="'dof_pos' does not write too"):
        model.compile_write(["dof_pos", "elbow.dof_pos"])
    with pytest.raises(UnknownNameError, match="'pose'"):
        model.compile_write(["trunk.pose"])
    with pytest.raises(UnknownNameError, match="time"):
        model.compile_write(["time"])
