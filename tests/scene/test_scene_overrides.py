"""Parameters that differ from world to world, and sensors."""

from __future__ import annotations

import numpy as np
import pytest

import usdsim
from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.scene import (
    ActuatorOverrideError,
    ActuatorOverrideInvalidValueError,
    DampingType,
    SceneData,
    load_mjcf_str,
)

SCENE = """
<mujoco>
  <option gravity="0 0 0" timestep="0.001"/>
  <worldbody>
    <body name="cart">
      <joint name="rail" type="slide" axis="1 0 0" armature=".5" frictionloss="0"/>
      <geom name="box" type="box" size=".1 .2 .3" mass="2" friction=".5 .01 .001"/>
      <site name="imu" euler="0 0 90"/>
    </body>
    <body name="ball" pos="0 0 5"><freejoint/>
      <geom name="round" type="sphere" size=".1" mass="1"/>
      <geom name="rod" type="capsule" size=".1 .3" mass="1" pos=".1 0 0"/>
    </body>
  </worldbody>
  <actuator>
    <motor name="push" joint="rail"/>
    <position name="hold" joint="rail" kp="10" kv="1"/>
    <velocity name="run" joint="rail" kv="3"/>
    <general name="any" joint="rail" gainprm="2" biastype="affine" biasprm="1 -5 -.5"/>
  </actuator>
  <sensor>
    <jointpos name="where" joint="rail"/>
    <framequat name="turn" objtype="site" objname="imu"/>
    <accelerometer name="feel" site="imu"/>
  </sensor>
</mujoco>
"""

STARTS = [
    ("links", 0, "mass", 2.0),
    ("links", 1, "center_of_mass", [0.05, 0, 0]),
    ("joints", 0, "armature", 0.5),
    ("joints", 0, "frictionloss", 0.0),
    ("geoms", 0, "friction", [0.5, 0.01, 0.001]),
    ("geoms", 0, "size", [0.1, 0.2, 0.3]),
    ("geoms", 1, "size", [0.1]),
    ("geoms", 2, "size", [0.1, 0.3]),
    ("actuators", 2, "kv", 3.0),
    ("actuators", 3, "gain", 2.0),
    ("actuators", 3, "bias", 1.0),
    ("actuators", 3, "stiffness", 5.0),
    ("actuators", 3, "damping", 0.5),
    ("actuators", 1, "kp", 10.0),
]


@pytest.fixture(scope="module")
def model() -> usdsim.SceneModel:
    return load_mjcf_str(SCENE)


@pytest.mark.parametrize(("kind", "index", "what", "start"), STARTS)
def test_parameters_start_as_authored_in_all_data(model, kind, index, what, start):
    element, data = getattr(model, kind)[index], SceneData(model, batch=(3,))
    assert element.get_override(what, data).shape == (3, *np.shape(start))
    np.testing.assert_allclose(element.get_override(what, data), [start] * 3, rtol=1e-6)
    element.set_override(what, data, np.multiply(start, 2.0))
    np.testing.assert_allclose(element.get_override(what, SceneData(model)), start, rtol=1e-6)


def test_what_a_link_without_mass_has_is_written_back():
    """Programs read the masses of all links, change some and write all; a flange weighs nothing."""
    model = load_mjcf_str("""
    <mujoco><worldbody><body name="box"><freejoint/><geom size=".1" mass="2"/>
      <body name="flange" pos="0 0 .1"><site name="tip"/></body></body></worldbody></mujoco>""")
    data, (box, flange) = SceneData(model, batch=(2,)), model.links
    for what in ("mass", "center_of_mass", "inertia"):
        flange.set_override(what, data, flange.get_override(what, data))
        flange.set_override(what, data, flange.get_override(what, data)[0])
    model.set_overrides(data, model.links, "mass", [[2.5, 0.0], [3.0, 0.0]])
    np.testing.assert_array_equal(box.get_mass_override(data), [2.5, 3.0])
    np.testing.assert_array_equal(flange.get_mass_override(data), [0.0, 0.0])
    with pytest.raises(InvalidValueError, match="'box'"):
        box.set_mass_override(data, 0.0)
    flange.set_mass_override(data, [0.0, 0.5])
    with pytest.raises(InvalidValueError, match="'flange'"):
        flange.set_mass_override(data, 0.0)
    flange.set_mass_override(data, 0.0, invalid="ignore")
    np.testing.assert_array_equal(flange.get_mass_override(data), [0.0, 0.5])


def test_overrides_change_the_physics(model):
    """A force f moves a cart of mass m and armature a by f t / (m + a)."""
    data = SceneData(model, batch=(2,))
    cart, rail = model.get_link("cart"), model.get_joint("rail")
    for actuator in model.actuators[1:]:
        for what in ("kp", "kv", "gain", "bias", "stiffness", "damping"):
            put = getattr(actuator, f"set_{what}_override", None)
            if put is not None:
                put(data, 0.0)
    cart.set_mass_override(data, [2.0, 5.0])
    rail.set_armature_override(data, [0.5, 1.0])
    model.get_actuator("push").set_ctrl(data, 6.0)
    model.step_n(data, 10)
    expected = 6 * 0.01 / np.array([2.5, 6.0])
    np.testing.assert_allclose(rail.get_dof_vel(data)[:, 0], expected, rtol=1e-5)


def test_position_servo_parameters(model):
    hold, data = model.get_actuator("hold"), SceneData(model, batch=(2,))
    assert hold.damping_type is DampingType.Kv and hold.get_dampratio_override(data) is None
    np.testing.assert_allclose(hold.get_kd_override(data), 1.0)
    hold.set_damping_override(data, [2, 3])
    hold.set_kp_override(data, [20, 30])
    np.testing.assert_allclose(hold.get_kd_override(data), [2, 3])
    np.testing.assert_allclose(data.low.param("actuator_gainprm")[:, 1, 0], [20, 30])
    np.testing.assert_allclose(data.low.param("actuator_biasprm")[:, 1, :3][1], [0, -30, -3])
    assert issubclass(ActuatorOverrideInvalidValueError, ActuatorOverrideError)
    assert issubclass(ActuatorOverrideError, ValueError)


def test_gravity_per_world(model):
    data = SceneData(model, batch=(2,))
    np.testing.assert_array_equal(model.get_gravity_override(data), np.zeros((2, 3)))
    model.set_gravity_override(data, [[0, 0, -1], [0, 0, -2]])
    np.testing.assert_array_equal(model.get_gravity_override(data)[1], [0, 0, -2])
    model.step_n(data, 10)
    speed = model.floating_bases[0].get_global_linear_velocity(data)[:, 2]
    np.testing.assert_allclose(speed, [-0.01, -0.02], rtol=1e-5)
    with pytest.raises(InvalidValueError, match="world 1"):
        model.set_gravity_override(data, [[0, 0, 0], [0, 0, np.nan]])
    data.reset()
    np.testing.assert_array_equal(model.get_gravity_override(data), np.zeros((2, 3)))


def test_center_of_mass_of_a_lone_box():
    """A push at the middle of a box turns it only where its centre of mass is elsewhere.

    The engine steps lone bodies on a shortcut that does not know of this; live controls and pushes
    survive leaving it.
    """
    model = load_mjcf_str("""
    <mujoco>
      <option gravity="0 0 0" timestep="0.001"/>
      <worldbody>
        <body name="box"><freejoint/><geom type="box" size=".1 .2 .3" mass="2"/></body>
        <body name="cart"><joint name="rail" type="slide" axis="1 0 0"/>
          <geom size=".1" mass="1" contype="0" conaffinity="0"/></body>
      </worldbody>
      <actuator><motor name="push" joint="rail"/></actuator>
    </mujoco>""")
    data, box = SceneData(model, batch=(2,)), model.get_link("box")
    ctrls = data.actuator_ctrls
    ctrls[:] = 3.0
    box.add_external_force(data, [0.0, 5.0, 0.0], point=[0.0, 0.0, 0.0])
    box.set_center_of_mass_override(data, [[0, 0, 0], [0.05, 0, 0]])
    model.step(data)
    ctrls[1] = 6.0
    model.step(data)
    turning = model.floating_bases[0].get_global_angular_velocity(data)[:, 2]
    assert turning[0] == pytest.approx(0.0, abs=1e-9)
    data.reset()
    assert not model.floating_bases[0].get_global_angular_velocity(data).any()
    np.testing.assert_allclose(box.get_center_of_mass_override(data), 0.0)
    box.set_center_of_mass_override(data, [[0, 0, 0], [0.05, 0, 0]])
    box.add_external_force(data, [0.0, 5.0, 0.0], point=[0.0, 0.0, 0.0])
    data.actuator_ctrls = [[3.0], [6.0]]
    model.step(data)
    spin = -5.0 * 0.05 * 0.001 / (2.0 / 3.0 * (0.1**2 + 0.2**2))
    turning = model.floating_bases[0].get_global_angular_velocity(data)[:, 2]
    np.testing.assert_allclose(turning, [0.0, spin], rtol=1e-4, atol=1e-9)
    speed = model.get_joint("rail").get_dof_vel(data)[:, 0]
    np.testing.assert_allclose(speed, [0.003, 0.006], rtol=1e-6)


def test_sensors(model):
    data = SceneData(model, batch=(2,))
    assert model.num_sensors == 3 and model.sensor_names == ["where", "turn", "feel"]
    assert [s.typ for s in model.sensors] == ["jointpos", "framequat", "accelerometer"]
    model.joints[0].set_dof_pos(data, [[0.5], [1.5]])
    np.testing.assert_allclose(model.get_sensor_value("where", data), [[0.5], [1.5]])
    half = np.sqrt(0.5)
    np.testing.assert_allclose(
        model.get_sensor_value("turn", data)[0], [0, 0, half, half], atol=1e-6
    )
    both = model.get_sensor_values(["turn", "where"], data)
    assert both.shape == (2, 5) and both[1, 4] == 1.5
    assert model.get_sensor_values([], data).shape == (2, 0)
    with pytest.raises(UnknownNameError, match="'where'"):
        model.get_sensor_value("wher", data)


def test_accelerometer_feels_the_push(model):
    """The site is turned by 90 degrees: the cart's x acceleration shows along -y."""
    data = SceneData(model)
    for actuator in model.actuators[1:]:
        actuator.set_ctrl(data, 0.0)
    model.get_actuator("push").set_ctrl(data, 4.0)
    # From rest at zero: forces are 4 (push), 1 (constant bias of "any"); mass 2, armature 0.5.
    model.step(data)
    np.testing.assert_allclose(
        model.get_sensor_value("feel", data), [0, -5 / 2.5, 0], rtol=2e-3, atol=1e-6
    )
