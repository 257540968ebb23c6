"""Sources of compiled plans: what getters and setters say, for chosen elements and worlds."""

from __future__ import annotations

import numpy as np
import pytest

import usdsim
from usdsim import query, write
from usdsim.core.errors import InvalidValueError, OutOfRangeError, ShapeError, UnknownNameError

SCENE = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="base" pos="0 0 .1">
      <freejoint/>
      <geom name="trunk" type="box" size=".1 .1 .1"/>
      <site name="imu" pos=".1 0 0"/>
      <body name="arm" pos=".3 0 0">
        <joint name="elbow" axis="0 1 0" damping=".1"/><geom name="pad" size=".05"/>
      </body>
      <body name="tail" pos="-.3 0 0">
        <joint name="ball" type="ball" damping=".1"/><geom name="tip" size=".05"/>
      </body>
    </body>
    <body name="goal" mocap="true" pos="1 0 1"><geom name="mark" size=".02"/></body>
  </worldbody>
  <actuator>
    <position name="hold" joint="elbow" kp="1" kv=".01"/><motor name="push" joint="elbow"/>
  </actuator>
  <sensor>
    <gyro name="gyro" site="imu"/><framepos name="place" objtype="site" objname="imu"/>
  </sensor>
</mujoco>
"""
COUNT = 3
PAIRS = [("floor", "trunk"), ("trunk", "pad")]

READS = {
    "controls": (query.ActuatorControls(), lambda m, d: d.actuator_ctrls),
    "pos": (query.DofPosition(), lambda m, d: d.dof_pos),
    "vel": (query.DofVelocity(), lambda m, d: d.dof_vel),
    "body pos": (query.BodyDofPosition("base"), lambda m, d: d.dof_pos[..., :12]),
    "joint vel": (query.BodyDofVelocity("base", False), lambda m, d: d.dof_vel[..., 6:]),
    "hinge": (query.JointPosition(["elbow"]), lambda m, d: d.dof_pos[..., 7:8]),
    "hinge speed": (query.JointVelocity([0]), lambda m, d: d.dof_vel[..., 6:7]),
    "ball": (query.JointQuaternion(["ball"]), lambda m, d: d.dof_pos[..., None, 8:12]),
    "ball speed": (query.JointAngularVelocity([1]), lambda m, d: d.dof_vel[..., None, 7:10]),
    "links": (query.LinkPosition(), lambda m, d: m.get_link_poses(d)[..., :3]),
    "turns": (query.LinkRotation([2, 0]), lambda m, d: m.get_link_poses(d)[..., [2, 0], 3:]),
    "speeds": (
        query.LinkLinearVelocity(["arm", "arm"]),
        lambda m, d: np.stack([m.get_link("arm").get_linear_velocity(d)] * 2, -2),
    ),
    "spins": (
        query.LinkAngularVelocity(np.array([1])),
        lambda m, d: m.get_link("arm").get_angular_velocity(d)[..., None, :],
    ),
    "forces": (query.LinkNetContactForces(), lambda m, d: m.get_link_net_contact_forces(d)),
    "geoms": (
        query.GeomPosition(["pad", "floor"]),
        lambda m, d: np.stack([m.get_geom(n).get_pose(d)[..., :3] for n in ("pad", "floor")], -2),
    ),
    "geom turns": (
        query.GeomRotation(["tip"]),
        lambda m, d: m.get_geom("tip").get_pose(d)[..., None, 3:],
    ),
    "geom speeds": (
        query.GeomLinearVelocity(["tip"]),
        lambda m, d: m.get_geom("tip").get_linear_velocity(d)[..., None, :],
    ),
    "geom spins": (
        query.GeomAngularVelocity(["tip"]),
        lambda m, d: m.get_geom("tip").get_angular_velocity(d)[..., None, :],
    ),
    "site": (query.SitePosition(), lambda m, d: m.get_site("imu").get_pose(d)[..., None, :3]),
    "site turn": (
        query.SiteRotation(["imu"]),
        lambda m, d: m.get_site("imu").get_pose(d)[..., None, 3:],
    ),
    "sensors": (
        query.SensorValues(["place", "gyro"]),
        lambda m, d: m.get_sensor_values(["place", "gyro"], d),
    ),
    "touch": (
        query.GeomPairCollision(PAIRS),
        lambda m, d: m.get_contact_query(d).is_colliding(
            [[m.get_geom_index(geom) for geom in pair] for pair in PAIRS]
        ),
    ),
}


@pytest.fixture(scope="module")
def model():
    return usdsim.load_mjcf_str(SCENE)


@pytest.fixture
def data(model):
    data = usdsim.SceneData(model, batch=(COUNT,))
    data.actuator_ctrls = [[0.1, 0.2], [0.3, 0.0], [0.0, 0.1]]
    usdsim.step_n(model, data, 60)
    return data


def test_every_source_reads_what_its_getter_reads(model, data):
    plan = model.compile_query({name: source for name, (source, _) in READS.items()})
    program = plan.allocate(data).execute(data)
    assert program.buffer.shape == (COUNT, plan.total_width)
    assert program.keys() == [*READS]
    for field in program.fields:
        expected = READS[field.name][1](model, data)
        assert program[field.name].shape == (COUNT, *field.shape) == expected.shape, field
        np.testing.assert_allclose(program[field.name], expected, atol=2e-6, err_msg=field.name)
        assert np.shares_memory(program[field.name], program.buffer)
    assert program["touch"].tolist() == [[1, 0]] * COUNT
    assert program["forces"][:, 0, 2].min() > 10.0


def test_worlds_that_are_not_named_keep_their_rows(model, data):
    program = model.compile_query({"pos": query.DofPosition()}).allocate(data)
    program.execute(data, env_ids=[2, 0, 2])
    assert not program["pos"][1].any()
    np.testing.assert_array_equal(program["pos"][[0, 2]], data.dof_pos[[0, 2]])
    program.execute(data, env_ids=np.zeros(0, dtype=int))


def test_writes_reach_what_setters_reach(model, data):
    sources = {
        "controls": write.ActuatorCtrls(["push"]),
        "kp": write.ActuatorKpOverride(),
        "damping": write.ActuatorDampingOverride(["hold"]),
        "place": write.BodyPosition(["goal", "base"]),
        "turn": write.BodyRotation(["goal", "base"]),
        "speed": write.BodyLinearVelocity(),
        "spin": write.BodyAngularVelocity(),
        "hinge": write.BodyJointPosition(),
        "hinge speed": write.BodyJointVelocity(),
        "ball": write.JointQuaternion(),
        "ball speed": write.JointAngularVelocity(),
        "mass": write.LinkMassOverride(["arm"]),
        "com": write.LinkCenterOfMassOverride(["arm"]),
        "friction": write.GeomFrictionOverride(["pad", "tip"]),
    }
    program = model.compile_write(sources, reset=True).allocate(data)
    rng = np.random.default_rng(1)
    for _, view in program.items():
        view[...] = rng.uniform(0.1, 1.0, view.shape)
    before = data.dof_pos.copy()
    assert program.execute(data, env_ids=[1]) is program
    np.testing.assert_array_equal(data.dof_pos[[0, 2]], before[[0, 2]])
    one = data[1]
    row = {name: view[1] for name, view in program.items()}
    base, goal = model.get_link("base"), model.get_body("goal")
    turn = row["turn"] / np.linalg.norm(row["turn"], axis=1, keepdims=True)
    found = {
        "controls": one.actuator_ctrls[1:],
        "kp": model.get_actuator("hold").get_kp_override(one),
        "damping": model.get_actuator("hold").get_damping_override(one),
        "place": [goal.get_position(one), base.get_position(one)],
        "speed": [base.get_linear_velocity(one)],
        "spin": [base.get_angular_velocity(one)],
        "hinge": one.dof_pos[7:8],
        "hinge speed": one.dof_vel[6:7],
        "ball speed": [one.dof_vel[7:10]],
        "mass": model.get_link("arm").get_mass_override(one),
        "com": [model.get_link("arm").get_center_of_mass_override(one)],
        "friction": [model.get_geom(name).get_friction_override(one) for name in ("pad", "tip")],
    }
    for name, value in found.items():
        np.testing.assert_allclose(np.reshape(value, row[name].shape), row[name], atol=1e-6)
    np.testing.assert_allclose([goal.get_rotation(one), base.get_rotation(one)], turn, atol=1e-6)
    assert one.time == 0.0


def test_a_wrong_value_writes_nothing(model, data):
    sources = {"hinge": write.BodyJointPosition(), "mass": write.LinkMassOverride(["arm"])}
    program = model.compile_write(sources, reset=True).allocate(data)
    program["mass"][:] = [[1.0], [-1.0], [1.0]]
    before, mass = data.dof_pos, model.get_link("arm").get_mass_override(data)
    with pytest.raises(InvalidValueError, match=r"mass of link 'arm'.* in world 1 is -1"):
        program.execute(data)
    np.testing.assert_array_equal(data.dof_pos, before)
    np.testing.assert_array_equal(model.get_link("arm").get_mass_override(data), mass)
    turned = model.compile_write({"turn": write.BodyRotation(["base"])}).allocate(data)
    with pytest.raises(InvalidValueError, match="quaternion"):
        turned.execute(data)


def test_what_cannot_be_chosen_is_named(model, data):
    with pytest.raises(UnknownNameError, match=r"No link 'amr'.*Did you mean 'arm'"):
        model.compile_query({"x": query.LinkPosition(["amr"])})
    with pytest.raises(OutOfRangeError, match="link index is 9"):
        model.compile_query({"x": query.LinkPosition([9])})
    with pytest.raises(InvalidValueError, match="not mixed"):
        query.LinkPosition(["arm", 0])
    with pytest.raises(InvalidValueError, match=r"joint 'ball'.*hinges and slides"):
        model.compile_query({"x": query.JointPosition(["ball"])})
    with pytest.raises(InvalidValueError, match="link 'arm'"):
        model.compile_write({"x": write.LinkMassOverride(["arm", "arm"])})
    with pytest.raises(InvalidValueError, match=r"body 'goal'.*floating base"):
        model.compile_write({"x": write.BodyLinearVelocity(["goal"])})
    with pytest.raises(InvalidValueError, match="what 'x' does not write too"):
        model.compile_write({"x": write.ActuatorCtrls(), "y": write.ActuatorCtrls(["push"])})
    program = model.compile_query({"x": query.LinkPosition()}).allocate(data)
    for ids, error in (([3], OutOfRangeError), ([-1], OutOfRangeError), ([[0]], ShapeError)):
        with pytest.raises(error):
            program.execute(data, env_ids=ids)
    with pytest.raises(ShapeError, match="data of shape"):
        program.execute(data[0])
    with pytest.raises(UnknownNameError):
        program["y"]


def test_layout_and_values_are_those_of_motrixsim(model, data):
    motrixsim = pytest.importorskip("motrixsim")
    theirs = motrixsim.load_mjcf_str(SCENE)
    other = motrixsim.SceneData(theirs, batch=(COUNT,))
    other.set_dof_pos(data.dof_pos, theirs)
    other.set_dof_vel(data.dof_vel)
    other.actuator_ctrls = data.actuator_ctrls
    motrixsim.forward_kinematic(theirs, other)
    # Contacts and sensors are renewed by steps there.
    names = [name for name in READS if name not in ("forces", "touch", "sensors")]
    plans = []
    for module, owner, state in (("usdsim", model, data), ("motrixsim", theirs, other)):
        kinds = __import__(f"{module}.query").query
        sources = {
            name: getattr(kinds, type(READS[name][0]).__name__)(*_arguments(READS[name][0]))
            for name in names
        }
        plans.append(owner.compile_query(sources).allocate(state).execute(state))
    for name in names:
        np.testing.assert_allclose(plans[0][name], plans[1][name], atol=2e-5, err_msg=name)


def _arguments(source):
    if hasattr(source, "include_base"):
        return source.body, source.include_base
    return () if source.selection is None else (source.selection,)
