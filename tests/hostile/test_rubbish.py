"""Every public writer, override and setter against rubbish: errors of usdsim, or finite worlds."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pxr import UsdGeom, UsdPhysics
from rubbish import indices, values

import usdsim
from usdsim.assets.articulation.articulation import Articulation
from usdsim.assets.articulation.cfg import ArticulationCfg
from usdsim.core.errors import UsdsimError
from usdsim.scene.data.access import DataAccess
from usdsim.sim.cfg import SimulationCfg
from usdsim.sim.context import SimulationContext
from usdsim.spawners import clone_environments
from usdsim.usd.stage import create_stage
from usdsim.views.binding import WRITERS

RARELY = settings(
    max_examples=150,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
MJCF = """
<mujoco><option timestep="0.002"/><worldbody><body name="base" pos="0 0 1"><freejoint/>
  <geom name="trunk" type="box" size=".1 .1 .1"/><body name="arm" pos="0 0 .5">
  <joint name="elbow" axis="0 1 0" range="-60 60" limited="true" damping=".1" frictionloss=".1"/>
  <geom type="capsule" size=".05 .2"/><site name="a"/>
  <body name="wrist" pos="0 0 .3"><joint name="ball" type="ball"/><geom size=".05"/></body>
  <body name="slide" pos="0 .3 .3"><joint name="slide" type="slide"/>
  <geom type="cylinder" size=".05 .1"/><geom type="ellipsoid" size=".05 .06 .07"/></body>
  </body></body><body name="hand" mocap="true" pos="1 1 1"><geom size=".1" contype="0"/></body>
  <geom type="plane" size="1 1 1" pos="0 0 -1"/><site name="b"/></worldbody>
  <tendon><spatial name="t"><site site="a"/><site site="b"/></spatial>
  <fixed name="f"><joint joint="elbow" coef="1"/><joint joint="slide" coef="1"/></fixed></tendon>
  <actuator><motor name="m" joint="elbow" ctrlrange="-1 1"/><intvelocity name="v" joint="elbow"
  actrange="-1 1" ctrlrange="-1 1"/><position joint="slide" kp="3"/><velocity joint="slide" kv="3"/>
  <general joint="slide" dyntype="filter" dynprm=".1"/></actuator></mujoco>
"""
KINDS = (
    *("bodies", "links", "joints", "geoms", "actuators", "tendons"),
    *("mocaps", "floating_bases", "sites"),
)
CHANGING = ("set_", "add_", "push_", "reset_", "apply_")
INSIDE = {*vars(DataAccess), "set_override", "set_option", "add_raw_buffers_from"}
"""What elements write through: it takes names of arrays, checked values, or another's buffers."""
ROBOT = "/World/envs/env_0/Robot"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    source = tmp_path_factory.mktemp("model") / "m.xml"
    source.write_text(MJCF)
    return usdsim.load_model(usdsim.convert(source))


@pytest.fixture(scope="module")
def data(model):
    return usdsim.SceneData(model, batch=3, threads=1)


@pytest.fixture(scope="module")
def running():
    stage = create_stage()
    for path in ("/World", "/World/envs", "/World/envs/env_0", ROBOT):
        UsdGeom.Xform.Define(stage, path)
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(ROBOT))
    for name in ("base", "link"):
        prim = UsdGeom.Sphere.Define(stage, f"{ROBOT}/{name}").GetPrim()
        UsdPhysics.RigidBodyAPI.Apply(prim)
        UsdPhysics.CollisionAPI.Apply(prim)
    joint = UsdPhysics.RevoluteJoint.Define(stage, f"{ROBOT}/joint")
    joint.CreateBody0Rel().SetTargets([f"{ROBOT}/base"])
    joint.CreateBody1Rel().SetTargets([f"{ROBOT}/link"])
    joint.CreateAxisAttr("Y")
    clone_environments("/World/envs/env_0", 3, 5.0, stage=stage)
    with SimulationContext(SimulationCfg(threads=1), stage) as sim:
        robot = Articulation(ArticulationCfg(prim_path="/World/envs/env_.*/Robot"))
        sim.reset()
        yield sim, robot


def accepted(call):
    """Whether a call was accepted; nothing but errors of usdsim may come out of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call()
        except UsdsimError:
            return False
    return True


def check_worlds(model, data, before, was_accepted):
    """A refused call changes nothing; what was accepted simulates, or fails aloud."""
    if not was_accepted:
        after = data.get_state()
        for name, array in before.arrays.items():
            np.testing.assert_array_equal(after.arrays[name], array, err_msg=name)
        return
    try:
        model.step(data)
    except UsdsimError:
        pass
    else:
        assert np.isfinite(data.dof_pos).all()
        assert np.isfinite(data.dof_vel).all()
    data.reset()
    data.set_state(before)


def changing(thing):
    """Methods of an object that change something."""
    names = [name for name in dir(type(thing)) if name.startswith(CHANGING)]
    return [
        getattr(thing, name) for name in names
        if name not in INSIDE and callable(getattr(thing, name))
    ]  # fmt: skip


def given_to(call, draw, **known):
    """Rubbish for the parameters of a method; flags are flags."""
    arguments = {}
    for name, parameter in inspect.signature(call).parameters.items():
        if name in known:
            arguments[name] = known[name]
        elif parameter.default is not parameter.empty and draw(st.booleans()):
            continue
        elif parameter.annotation == "bool" or name == "full_data":
            arguments[name] = draw(st.booleans())
        elif name.endswith(("ids", "mask", "indices", "index")):
            arguments[name] = draw(indices())
        else:
            arguments[name] = draw(values())
    return arguments


@pytest.fixture(scope="module")
def scene_calls(model, data):
    one_each = {type(element): element for kind in KINDS for element in getattr(model, kind)}
    found = [call for thing in (*one_each.values(), model, data) for call in changing(thing)]
    assert len(found) > 130
    return found


@settings(RARELY, max_examples=400)
@given(st.data())
def test_elements_and_data(model, data, scene_calls, draw):
    call = draw.draw(st.sampled_from(scene_calls))
    arguments = given_to(call, draw.draw, data=data)
    before = data.get_state()
    fine = accepted(lambda: call(**arguments))
    check_worlds(model, data, before, fine)


@RARELY
@given(st.sampled_from(["dof_pos", "dof_vel", "actuator_ctrls", "time", "activations"]), values())
def test_properties_of_data(model, data, name, value):
    before = data.get_state()
    fine = accepted(lambda: setattr(data, name, value))
    check_worlds(model, data, before, fine)


@RARELY
@given(indices(), st.sampled_from(["dof_pos", "time"]), values())
def test_some_worlds(model, data, index, name, value):
    before = data.get_state()
    fine = accepted(lambda: setattr(data[index], name, value))
    check_worlds(model, data, before, fine)


@pytest.fixture(scope="module")
def asset_calls(running):
    _, robot = running
    wrenches = robot.permanent_wrench_composer, robot.instantaneous_wrench_composer
    found = [getattr(robot, writer.name) for writer in WRITERS if hasattr(robot, writer.name)]
    assert len(found) > 60
    return found + [call for thing in (robot.root_view, *wrenches) for call in changing(thing)]


@settings(RARELY, max_examples=200)
@given(st.data())
def test_writers_of_assets(running, asset_calls, draw):
    sim, robot = running
    call = draw.draw(st.sampled_from(asset_calls))
    arguments = given_to(call, draw.draw)
    before = robot.data.joint_pos.numpy().copy()
    fine = accepted(lambda: call(**arguments))
    if not fine:
        np.testing.assert_array_equal(robot.data.joint_pos.numpy(), before)
        return
    try:
        robot.write_data_to_sim()
        sim.step()
        robot.update(sim.get_physics_dt())
    except UsdsimError:
        pass
    else:
        assert np.isfinite(robot.data.joint_pos.numpy()).all()
        assert np.isfinite(robot.data.root_pos_w.numpy()).all()
    sim.reset()
    robot.reset()


@RARELY
@given(st.data())
def test_options(model, draw):
    options = model.options
    names = [
        name for name, member in vars(type(options)).items()
        if isinstance(member, property) and member.fset is not None
    ]  # fmt: skip
    name, value = draw.draw(st.sampled_from(names)), draw.draw(values())
    before = np.copy(getattr(options, name))
    if not accepted(lambda: setattr(options, name, value)):
        np.testing.assert_array_equal(getattr(options, name), before)
        return
    data = usdsim.SceneData(model, threads=1)
    try:
        model.step(data)
    except UsdsimError:
        pass
    else:
        assert np.isfinite(data.dof_pos).all()
    setattr(options, name, before.item() if before.ndim == 0 else before)


@pytest.mark.parametrize(
    "call",
    [
        lambda m, d, odd: m.bodies[0].set_dof_pos(d, [0.0] * 8, include_floatingbase=odd),
        lambda m, d, odd: m.links[0].set_mass_override(d, 1.0, scale_inertia=odd),
        lambda m, d, odd: m.links[0].add_external_force(d, [0.0, 0.0, 1.0], local=odd),
        lambda m, d, odd: m.links[0].add_external_torque(d, [0.0, 0.0, 1.0], local=odd),
        lambda m, d, odd: m.links[0].set_override(odd, d, 1.0),
        lambda m, d, odd: m.set_overrides(d, odd, "mass", 1.0),
        lambda m, d, odd: setattr(m.cameras, "settings", odd),
    ],
)  # fmt: skip
@pytest.mark.parametrize("odd", [np.array([True, False]), np.array(0.0), [1.0, 2.0]], ids=repr)
def test_flags_and_names_of_other_kinds(model, data, call, odd):
    with pytest.raises(UsdsimError):
        call(model, data, odd)
