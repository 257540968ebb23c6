"""Sensors: every kind against the bare engine, and the main ones against closed forms."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from usdsim.core.errors import UnsupportedError
from usdsim.scene import DisjointIndices, SceneData, load_mjcf_str
from usdsim.scene.sensors.kinds import KINDS

EVERY = """
<mujoco>
  <extension><plugin plugin="mujoco.sensor.touch_grid"/></extension>
  <option timestep="0.002" magnetic=".1 -.5 .2"/>
  <asset><mesh name="plate" builtin="plate" params="3 3" scale=".05 .05 .01"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 1"/>
    <camera name="eye" pos="0 -3 1" xyaxes="1 0 0 0 0 1" resolution="64 48"/>
    <site name="zone" type="box" size="1 1 .5"/>
    <body name="arm" pos="0 0 1">
      <joint name="elbow" axis="0 1 0" range="-10 3"/>
      <geom size=".05" pos=".2 0 0" mass="2"/>
      <site name="imu" pos=".1 .02 .03" euler="10 20 30"/>
      <site name="root"/>
      <body name="tip" pos=".4 0 0">
        <joint name="wrist" type="ball"/>
        <geom name="knob" size=".05" pos="0 0 -.1" mass="1"/>
        <site name="end" pos="0 0 -.2" quat=".8 0 .6 0"/>
        <site name="beam" pos="0 0 -.2" euler="180 0 0"/>
      </body>
    </body>
    <body name="crate" pos=".8 0 .0999">
      <freejoint/>
      <geom name="box" type="box" size=".1 .1 .1"/>
      <geom name="skin" type="mesh" mesh="plate" pos="0 0 -.1" contype="0" conaffinity="0"
        mass="0"/>
      <site name="pad" type="box" size=".11 .11 .11"/>
      <site name="grid"/>
    </body>
  </worldbody>
  <tendon>
    <spatial name="wire" range=".1 .45" limited="true">
      <site site="root"/><site site="end"/>
    </spatial>
  </tendon>
  <actuator>
    <motor name="push" joint="elbow"/>
    <motor name="pull" tendon="wire"/>
  </actuator>
  <sensor>
    <touch name="touch" site="pad"/>
    <accelerometer name="accelerometer" site="imu"/>
    <velocimeter name="velocimeter" site="imu"/>
    <gyro name="gyro" site="imu"/>
    <force name="force" site="imu"/>
    <torque name="torque" site="imu"/>
    <magnetometer name="magnetometer" site="imu"/>
    <rangefinder name="rangefinder" site="beam" data="dist dir origin point normal"/>
    <camprojection name="camprojection" site="end" camera="eye"/>
    <jointpos name="jointpos" joint="elbow"/>
    <jointvel name="jointvel" joint="elbow"/>
    <tendonpos name="tendonpos" tendon="wire"/>
    <tendonvel name="tendonvel" tendon="wire"/>
    <actuatorpos name="actuatorpos" actuator="push"/>
    <actuatorvel name="actuatorvel" actuator="push"/>
    <actuatorfrc name="actuatorfrc" actuator="push"/>
    <jointactuatorfrc name="jointactuatorfrc" joint="elbow"/>
    <tendonactuatorfrc name="tendonactuatorfrc" tendon="wire"/>
    <ballquat name="ballquat" joint="wrist"/>
    <ballangvel name="ballangvel" joint="wrist"/>
    <jointlimitpos name="jointlimitpos" joint="elbow"/>
    <jointlimitvel name="jointlimitvel" joint="elbow"/>
    <jointlimitfrc name="jointlimitfrc" joint="elbow"/>
    <tendonlimitpos name="tendonlimitpos" tendon="wire"/>
    <tendonlimitvel name="tendonlimitvel" tendon="wire"/>
    <tendonlimitfrc name="tendonlimitfrc" tendon="wire"/>
    <framepos name="framepos" objtype="site" objname="end" reftype="body" refname="crate"/>
    <framequat name="framequat" objtype="site" objname="end" reftype="site" refname="imu"/>
    <framexaxis name="framexaxis" objtype="body" objname="tip"/>
    <frameyaxis name="frameyaxis" objtype="xbody" objname="tip"/>
    <framezaxis name="framezaxis" objtype="geom" objname="box"/>
    <framelinvel name="framelinvel" objtype="site" objname="end" reftype="xbody" refname="arm"/>
    <frameangvel name="frameangvel" objtype="site" objname="end"/>
    <framelinacc name="framelinacc" objtype="site" objname="end"/>
    <frameangacc name="frameangacc" objtype="body" objname="tip"/>
    <subtreecom name="subtreecom" body="arm"/>
    <subtreelinvel name="subtreelinvel" body="arm"/>
    <subtreeangmom name="subtreeangmom" body="arm"/>
    <insidesite name="insidesite" site="zone" objtype="body" objname="crate"/>
    <distance name="distance" geom1="knob" geom2="box" cutoff="3"/>
    <normal name="normal" geom1="knob" geom2="box" cutoff="3"/>
    <fromto name="fromto" geom1="knob" geom2="box" cutoff="3"/>
    <contact name="contact" geom1="box" geom2="floor" num="5" reduce="mindist"
      data="found force torque dist pos normal tangent linvel angvel"/>
    <e_potential name="e_potential"/>
    <e_kinetic name="e_kinetic"/>
    <clock name="clock"/>
    <tactile name="tactile" geom="skin" mesh="plate"/>
    <user name="user" objtype="body" objname="tip" dim="2" needstage="vel"/>
    <plugin name="plugin" plugin="mujoco.sensor.touch_grid" objtype="site" objname="grid">
      <config key="size" value="3 3"/><config key="fov" value="90 90"/>
      <config key="gamma" value="0"/><config key="nchannel" value="1"/>
    </plugin>
    <gyro name="late" site="imu" nsample="5" delay=".006"/>
    <gyro name="slow" site="imu" nsample="5" interval=".01"/>
    <jointpos name="clipped" joint="elbow" cutoff=".05"/>
  </sensor>
</mujoco>
"""
# Everything but sensors of plugins, which need a library of their own.
NAMES = [kind.name for kind in KINDS.values() if kind.name != "plugin"] + [
    "late",
    "slow",
    "clipped",
]
STEPS = 40
QUATERNIONS = ("ballquat", "framequat")


@pytest.fixture(scope="module")
def every():
    """Model, data of three worlds after some steps, and the bare engine's sensors of world 1."""
    model = load_mjcf_str(EVERY)
    data = SceneData(model, batch=(3,))
    velocity = np.array([0.8, 0.5, -1.0, 0.7, 0.3, 0.2, -0.1, 0.1, 0.4, 0.2])
    data[1].set_dof_vel(velocity)
    data[1].actuator_ctrls = [0.5, 20.0]
    model.step_n(data, STEPS)
    low = mujoco.MjModel.from_xml_string(EVERY)
    state = mujoco.MjData(low)
    state.qvel[:], state.ctrl[:] = velocity, [0.5, 20.0]
    for _ in range(STEPS):
        mujoco.mj_step(low, state)
    # Positions and velocities are those of the new state, forces those of the step.
    mujoco.mj_step1(low, state)
    return model, data, low, state


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_equals_the_bare_engine(every, name):
    model, data, low, state = every
    sensor, bare = model.get_sensor(name), low.sensor(name)
    expected = state.sensordata[int(bare.adr[0]) : int(bare.adr[0]) + int(bare.dim[0])]
    expected = np.roll(expected, -1) if name in QUATERNIONS else expected
    found = model.get_sensor_value(name, data)
    assert found.shape == (3, sensor.size) and found.dtype == np.float32
    assert found.flags.writeable
    np.testing.assert_allclose(found[1], expected, rtol=1e-5, atol=1e-6)
    assert expected.any() or name == "user"
    np.testing.assert_array_equal(sensor.get_value(data[1]), found[1])
    np.testing.assert_array_equal(sensor.get_value(data[DisjointIndices([2, 1])]), found[[2, 1]])
    if name not in ("user", "clock", "late", "slow", "clipped"):
        assert sensor.typ == name
    if name not in ("clock", "magnetometer", "insidesite", "user", "clipped"):
        assert not np.array_equal(found[0], found[1])


def test_every_kind_of_the_engine_is_known():
    codes = {int(code) for code in mujoco.mjtSensor.__members__.values()}
    assert set(KINDS) == codes
    assert len({kind.name for kind in KINDS.values()}) == len(KINDS)


def test_all_values_at_once(every):
    model, data, _, _ = every
    names = [name for name in model.sensor_names if name]
    each = [model.get_sensor_value(name, data) for name in names]
    np.testing.assert_array_equal(
        model.get_sensor_values(names, data), np.concatenate(each, axis=-1)
    )
    assert model.num_sensors == len(model.sensors) == len(names)


def test_what_sensors_say_of_themselves(every):
    model = every[0]
    get = model.get_sensor
    assert get("accelerometer").unit == "m/s^2" and get("jointpos").unit == "rad"
    assert get("jointlimitfrc").unit == "N m" and get("framequat").unit == ""
    assert get("jointpos").stage == "position" and get("gyro").stage == "velocity"
    assert get("force").stage == "acceleration"
    assert get("gyro").object_path == model.get_site("imu").path
    assert get("framepos").reference_path == model.get_link("crate").path
    assert get("framexaxis").reference_path == "" and get("clock").object_path == ""
    assert get("jointpos").cutoff is None and get("clipped").cutoff == 0.05
    assert get("late").delay == pytest.approx(0.006)
    assert get("slow").interval == pytest.approx(0.01)
    assert get("gyro").noise == 0.0
    assert list(get("contact").fields) == [
        *("found", "force", "torque", "dist", "pos", "normal", "tangent", "linvel", "angvel")
    ]
    assert get("rangefinder").fields["dist"] == "m" and get("gyro").fields == {}


def test_a_cutoff_limits(every):
    model, data, _, _ = every
    angle = model.get_sensor_value("jointpos", data)[:, 0]
    clipped = model.get_sensor_value("clipped", data)[:, 0]
    np.testing.assert_allclose(clipped, np.clip(angle, -0.05, 0.05), rtol=1e-6)
    assert abs(angle).max() > 0.05


def test_fields_of_contacts_and_rays(every):
    model, data, _, _ = every
    parts = model.get_sensor("contact").get_fields(data)
    assert parts["found"].shape == (3, 5, 1) and parts["normal"].shape == (3, 5, 3)
    np.testing.assert_array_equal(parts["found"][0, :, 0], [4, 4, 4, 4, 0])
    # A crate of 8 kg at rest: its weight, straight up on its floor.
    np.testing.assert_allclose(parts["force"][0, :, 0].sum(), 8 * 9.81, rtol=1e-3)
    np.testing.assert_allclose(np.abs(parts["normal"][0, :4, 2]), 1.0, atol=1e-5)
    ray = model.get_sensor("rangefinder").get_fields(data[0])
    np.testing.assert_allclose(ray["point"][0, 2], 0.0, atol=1e-6)
    reach = ray["origin"] + ray["dist"] * ray["dir"]
    np.testing.assert_allclose(reach, ray["point"], atol=1e-6)
    with pytest.raises(UnsupportedError, match="'gyro'"):
        model.get_sensor("gyro").get_fields(data)


# Closed forms -----------------------------------------------------------------------------------


def _scene(body: str, sensors: str, option: str = "", rest: str = ""):
    return load_mjcf_str(
        f'<mujoco><option timestep="1e-4" {option}/><worldbody>{body}</worldbody>{rest}'
        f"<sensor>{sensors}</sensor></mujoco>"
    )


HINGE = """
<body name="rod"><joint name="pin" axis="0 1 0"/>
  <inertial pos="0 0 -1" mass="2" diaginertia="1e-9 1e-9 1e-9"/>
  <site name="bob" pos="0 0 -1"/><site name="top"/>
</body>
"""
G = 9.81


def test_accelerometer_on_a_pendulum():
    """Along the rod: g cos + l w^2; across it a point mass at the end of a rod feels nothing."""
    model = _scene(HINGE, '<accelerometer name="a" site="bob"/>')
    data = SceneData(model, batch=(3,))
    angle, rate = np.array([0.0, 0.7, -2.0]), np.array([0.0, 1.5, -3.0])
    data.dof_pos, data.dof_vel = angle[:, None], rate[:, None]
    felt = model.get_sensor_value("a", data)
    np.testing.assert_allclose(felt[:, 2], G * np.cos(angle) + rate**2, rtol=1e-6)
    np.testing.assert_allclose(felt[:, :2], 0.0, atol=1e-5)


def test_accelerometer_on_a_spinning_free_body():
    """In free fall only the centripetal acceleration is felt, not the velocity."""
    model = _scene(
        '<body pos="0 0 9"><freejoint/><geom type="box" size=".2 .2 .1"/>'
        '<site name="mid"/><site name="rim" pos=".5 0 0"/></body>',
        '<accelerometer name="mid" site="mid"/><accelerometer name="rim" site="rim"/>'
        '<gyro name="spin" site="rim"/><velocimeter name="speed" site="rim"/>',
    )
    data = SceneData(model)
    data.dof_vel = [1.0, 2.0, 3.0, 0.0, 0.0, 3.0]
    np.testing.assert_allclose(model.get_sensor_value("mid", data), 0.0, atol=1e-6)
    np.testing.assert_allclose(model.get_sensor_value("rim", data), [-4.5, 0, 0], atol=1e-6)
    np.testing.assert_allclose(model.get_sensor_value("spin", data), [0, 0, 3], atol=1e-7)
    np.testing.assert_allclose(model.get_sensor_value("speed", data), [1, 3.5, 3], atol=1e-6)


def test_force_and_torque_at_rest():
    """A clamped beam: its support carries the weight, and the weight times the arm."""
    model = _scene(
        '<body name="wall"><site name="clamp"/><body name="beam">'
        '<inertial pos=".5 0 0" mass="3" diaginertia=".1 .1 .1"/></body></body>',
        '<force name="f" site="clamp"/><torque name="t" site="clamp"/>',
    )
    data = SceneData(model)
    # The sensor tells what the parent does to the child.
    np.testing.assert_allclose(model.get_sensor_value("f", data), [0, 0, 3 * G], rtol=1e-6)
    np.testing.assert_allclose(model.get_sensor_value("t", data), [0, -1.5 * G, 0], rtol=1e-6)


def test_subtree_momentum():
    """Two masses on a rod that spins about its middle while it flies."""
    model = _scene(
        '<body name="flyer" pos="0 0 5"><freejoint/>'
        '<inertial pos="0 0 0" mass="1" diaginertia=".1 .2 .3"/>'
        '<body pos="1 0 0"><inertial pos="0 0 0" mass="3" diaginertia=".01 .01 .01"/></body>'
        "</body>",
        '<subtreecom name="c" body="flyer"/><subtreelinvel name="v" body="flyer"/>'
        '<subtreeangmom name="l" body="flyer"/>',
        'gravity="0 0 0"',
    )
    data = SceneData(model)
    data.dof_vel = [1.0, 0.0, 0.5, 0.0, 0.0, 2.0]
    np.testing.assert_allclose(model.get_sensor_value("c", data), [0.75, 0, 5], rtol=1e-6)
    np.testing.assert_allclose(model.get_sensor_value("v", data), [1, 1.5, 0.5], rtol=1e-6)
    inertia = 0.3 + 0.01 + 1 * 0.75**2 + 3 * 0.25**2
    np.testing.assert_allclose(model.get_sensor_value("l", data), [0, 0, 2 * inertia], atol=1e-6)


def test_frame_accelerations_on_a_turning_hinge():
    """At rate w and torque t: r w^2 inwards and r t / I across; gravity counts as acceleration."""
    model = _scene(
        '<body><joint name="pin" axis="0 0 1"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 .5"/>'
        '<site name="rim" pos="2 0 0"/></body>',
        '<framelinacc name="a" objtype="site" objname="rim"/>'
        '<frameangacc name="r" objtype="site" objname="rim"/>',
        rest='<actuator><motor joint="pin"/></actuator>',
    )
    data = SceneData(model)
    data.dof_vel, data.actuator_ctrls = [3.0], [2.0]
    np.testing.assert_allclose(model.get_sensor_value("a", data), [-18, 8, G], rtol=1e-6)
    np.testing.assert_allclose(model.get_sensor_value("r", data), [0, 0, 4], rtol=1e-6)


def test_touch_rangefinder_and_inside_at_rest():
    model = _scene(
        '<geom type="plane" size="1 1 1"/><site name="room" type="box" size="1 1 .1"/>'
        '<body name="foot" pos="0 0 .1"><freejoint/><geom size=".1" mass="2"/>'
        '<site name="sole" size=".12"/><site name="ray" pos="0 0 .5" euler="180 0 0"/></body>',
        '<touch name="t" site="sole"/><touch name="capped" site="sole" cutoff="5"/>'
        '<rangefinder name="r" site="ray"/><rangefinder name="short" site="ray" cutoff=".3"/>'
        '<insidesite name="in" site="room" objtype="body" objname="foot"/>',
        'tolerance="1e-12"',
    )
    data = SceneData(model, batch=(2,))
    data.dof_pos = [[0, 0, 0.1, 0, 0, 0, 1], [0, 0, 0.5, 0, 0, 0, 1]]
    model.step_n(data[0], 5000)
    assert model.get_sensor_value("t", data)[0, 0] == pytest.approx(2 * G, rel=1e-3)
    assert model.get_sensor_value("t", data)[1, 0] == 0.0
    assert model.get_sensor_value("capped", data)[0, 0] == 5.0
    # The ray leaves out the body it is on.
    height = data.dof_pos[:, 2] + 0.5
    np.testing.assert_allclose(model.get_sensor_value("r", data)[:, 0], height, rtol=1e-5)
    np.testing.assert_allclose(model.get_sensor_value("short", data)[:, 0], 0.3)
    assert model.get_sensor_value("in", data)[:, 0].tolist() == [1.0, 0.0]


def test_limits_energy_clock_and_field():
    model = _scene(
        HINGE.replace('axis="0 1 0"', 'axis="0 1 0" range="-90 30" limited="true"'),
        '<jointlimitpos name="p" joint="pin"/><jointlimitvel name="v" joint="pin"/>'
        '<jointlimitfrc name="f" joint="pin"/><e_potential name="up"/><e_kinetic name="go"/>'
        '<clock name="t"/><magnetometer name="m" site="bob"/>',
        'magnetic="1 0 2"',
    )
    data = SceneData(model)
    angle, rate = np.deg2rad(31.0), 1.5
    data.dof_pos, data.dof_vel = [angle], [rate]
    value = {s.name: model.get_sensor_value(s.name, data) for s in model.sensors}
    # Beyond a limit the distance is negative, and coming closer is negative speed.
    np.testing.assert_allclose(value["p"], np.deg2rad(30.0) - angle, rtol=1e-5)
    np.testing.assert_allclose(value["v"], -rate, rtol=1e-6)
    assert value["f"][0] > 0.0
    np.testing.assert_allclose(value["up"], -2 * G * np.cos(angle), rtol=1e-6)
    np.testing.assert_allclose(value["go"], 0.5 * 2 * rate**2, rtol=1e-6)
    c, s = np.cos(angle), np.sin(angle)
    np.testing.assert_allclose(value["m"], [c - 2 * s, 0, s + 2 * c], rtol=1e-5)
    model.step_n(data, 250)
    np.testing.assert_allclose(model.get_sensor_value("t", data), 0.025, rtol=1e-6)


def test_distance_between_spheres():
    model = _scene(
        '<geom name="a" size=".2" pos="0 0 1"/><body name="b" pos="3 4 1"><freejoint/>'
        '<geom name="b" size=".3"/></body>',
        '<distance name="d" geom1="a" geom2="b" cutoff="9"/>'
        '<normal name="n" geom1="a" geom2="b" cutoff="9"/>'
        '<fromto name="x" geom1="a" geom2="b" cutoff="9"/>',
    )
    data = SceneData(model)
    np.testing.assert_allclose(model.get_sensor_value("d", data), 4.5, rtol=1e-6)
    np.testing.assert_allclose(model.get_sensor_value("n", data), [0.6, 0.8, 0], atol=1e-6)
    ends = [0.12, 0.16, 1, 3 - 0.18, 4 - 0.24, 1]
    np.testing.assert_allclose(model.get_sensor_value("x", data), ends, rtol=1e-5)


def test_tendon_actuator_and_ball_values():
    model = _scene(
        '<body name="a"><joint name="pin" type="slide" axis="1 0 0"/><geom size=".1"/>'
        '<site name="s"/><body name="b"><joint name="ball" type="ball"/><geom size=".1"/></body>'
        '</body><site name="o" pos="0 0 1"/>',
        '<tendonpos name="tp" tendon="w"/><tendonvel name="tv" tendon="w"/>'
        '<actuatorpos name="ap" actuator="m"/><actuatorfrc name="af" actuator="m"/>'
        '<jointactuatorfrc name="jf" joint="pin"/><ballquat name="bq" joint="ball"/>'
        '<ballangvel name="bv" joint="ball"/><jointpos name="x" joint="pin"/>',
        rest='<tendon><spatial name="w"><site site="o"/><site site="s"/></spatial></tendon>'
        '<actuator><motor name="m" joint="pin" gear="3"/></actuator>',
    )
    data = SceneData(model)
    data.dof_pos, data.dof_vel = [0.75, 0, 0.6, 0, 0.8], [2.0, 0.1, 0.2, 0.3]
    data.actuator_ctrls = [0.5]
    value = {s.name: model.get_sensor_value(s.name, data).tolist() for s in model.sensors}
    assert value["tp"] == pytest.approx([1.25]) and value["tv"] == pytest.approx([1.2])
    assert value["ap"] == pytest.approx([2.25]) and value["af"] == pytest.approx([0.5])
    assert value["jf"] == pytest.approx([1.5])
    assert value["bq"] == pytest.approx([0, 0.6, 0, 0.8])
    assert value["bv"] == pytest.approx([0.1, 0.2, 0.3])
    assert model.get_sensor("x").unit == "m"
