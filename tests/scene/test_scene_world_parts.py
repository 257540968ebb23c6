"""Worlds of parts: they are the models that the same words of MJCF are."""

from __future__ import annotations

import numpy as np
import pytest

import usdsim
from usdsim import msd
from usdsim.core.errors import InvalidValueError, UnsupportedError

XML = """<mujoco model="all"><compiler angle="radian"/><option timestep=".01"/>
<asset>
  <texture name="checks" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 1 0"
    width="8" height="8"/>
  <material name="red" rgba="1 0 0 1" texture="checks" texrepeat="2 3"/>
  <mesh name="tent" vertex="0 0 0  1 0 0  0 1 0  0 0 1" scale="1 2 .5"/>
  <hfield name="hills" nrow="2" ncol="3" size="1 2 .5 .001" elevation="0 1 2 3 4 5"/>
</asset>
<worldbody>
  <light name="sun" type="directional" pos="0 0 3" dir="0 1 -1" diffuse="1 .5 .5"/>
  <camera name="eye" pos="0 -2 1" xyaxes="1 0 0 0 0 1" fovy="50"/>
  <geom name="floor" type="plane" size="0 0 1" material="red"/>
  <geom name="ground" type="hfield" hfield="hills" pos="0 0 -9"/>
  <site name="mark" type="box" size=".1 .2 .3" pos="0 1 0"/>
  <body name="cup" pos="1 0 .5"><freejoint name="loose"/>
    <geom name="wall" type="capsule" size=".1 .2" friction=".5 .01 .001"
      priority="1" rgba="0 1 0 1"/>
    <body name="ear" pos=".3 0 0" gravcomp=".5"><joint name="hinge" axis="0 1 0" range="-1 .5"
        damping=".2" stiffness="3" springref=".1" armature=".01" frictionloss=".02" ref=".05"/>
      <inertial mass=".4" pos="0 0 .1" diaginertia=".01 .02 .03"/>
      <geom name="lobe" type="mesh" mesh="tent" contype="2" conaffinity="4" solref=".01 .5"/>
      <site name="tip" pos="0 0 .2"/></body></body>
  <body name="box" pos="4 0 .2"><joint name="rail" type="slide" axis="1 0 0"/>
    <geom name="cube" type="box" size=".1 .1 .1" mass="2"/></body>
</worldbody>
<contact><exclude body1="cup" body2="box"/>
  <pair name="two" geom1="wall" geom2="cube" friction=".9 .9 .01 .001 .001"/></contact>
<equality><connect name="pin" body1="cup" anchor=".1 .2 .3" active="false"/>
  <weld name="glue" body1="cup" body2="box" active="false" relpose="1 0 0 1 0 0 0"/>
  <joint name="gears" joint1="hinge" joint2="rail" polycoef=".1 2 0 0 0"/></equality>
<tendon><fixed name="cord" range="-1 2" stiffness="4"><joint joint="hinge" coef="2"/>
  <joint joint="rail" coef="-1"/></fixed></tendon>
<actuator><motor name="pull" joint="rail" ctrlrange="-2 2" gear="3"/>
  <position name="hold" joint="hinge" kp="20" kv="1.5" forcerange="-3 3"/>
  <velocity name="spin" joint="hinge" kv="2"/>
  <general name="any" tendon="cord" gainprm="3" biastype="affine" biasprm=".1 -2 -.3"/></actuator>
<sensor><subtreecom name="middle" body="cup"/>
  <framepos name="where" objtype="site" objname="tip" reftype="body" refname="box"/>
  <gyro name="turns" site="tip"/><jointvel name="rate" joint="hinge"/>
  <touch name="felt" site="mark"/>
  <contact name="hits" geom1="wall" geom2="floor" data="found force"
    reduce="netforce" num="2"/></sensor>
<keyframe><key name="up" qpos="0 0 2 1 0 0 0 .3 .1" ctrl="1 2 3 4"/></keyframe>
<statistic extent="3" center="1 2 3"/></mujoco>"""
SUBJECTS = (
    *("assets", "hierarchy", "tendon_set", "actuators", "sensors", "equality_constraint_set"),
    *("collision_ignores", "contact_pairs", "simulate_option", "statistic", "keyframes"),
)
ARRAYS = (
    *("body_mass", "body_inertia", "body_pos", "body_quat", "body_ipos", "body_gravcomp"),
    *("body_parentid", "geom_type", "geom_size", "geom_pos", "geom_quat", "geom_friction"),
    *("geom_solref", "geom_contype", "geom_conaffinity", "geom_priority", "geom_rgba"),
    *("geom_matid", "geom_dataid", "jnt_type", "jnt_range", "jnt_axis", "jnt_stiffness"),
    *("dof_damping", "dof_armature", "dof_frictionloss", "qpos0", "qpos_spring", "site_pos"),
    *("site_size", "cam_pos", "cam_quat", "cam_fovy", "light_dir", "light_diffuse", "eq_type"),
    *("eq_data", "eq_active0", "tendon_range", "tendon_stiffness", "wrap_prm", "exclude_signature"),
    *("actuator_gainprm", "actuator_biasprm", "actuator_ctrlrange", "actuator_forcerange"),
    *("actuator_gear", "actuator_trnid", "sensor_type", "sensor_objid", "sensor_refid"),
    *("sensor_intprm", "key_qpos", "key_ctrl", "hfield_data", "mesh_vert", "mat_texrepeat"),
    *("tex_data", "pair_friction", "pair_geom1"),
)


def test_a_world_copied_part_by_part_is_the_same_model():
    world, copy = msd.from_str(XML), msd.World()
    for subject in SUBJECTS:
        setattr(copy, subject, getattr(world, subject))
    first, second = world.spec.compile(), copy.spec.compile()
    for name in ARRAYS:
        np.testing.assert_allclose(
            getattr(second, name), getattr(first, name), atol=2e-6, err_msg=name
        )
    assert second.opt.timestep == first.opt.timestep == 0.01
    assert (second.stat.extent, *second.stat.center) == (3, 1, 2, 3)
    assert second.names.split(b"\0")[1:] == first.names.split(b"\0")[1:]


def test_parts_say_what_the_file_says():
    world = msd.from_str(XML)
    cup, box = world.hierarchy.bodies
    (ear,) = cup.link.children
    (hinge,) = ear.joints
    assert (cup.name, cup.free.name, box.free, cup.mocap) == ("cup", "loose", None, False)
    assert tuple(hinge.pos_limit) == (-1.0, 0.5) and hinge.type_ is msd.JointType.Revolute
    assert hinge.spring_damper.coeff == msd.SpringDampCoeff.stiffness_damping(
        msd.StiffnessDamping(3.0, 0.2)
    )
    assert ear.inertial.mass == 0.4 and cup.link.inertial.mass is None
    floor, ground = world.hierarchy.geoms
    assert floor.shape is msd.ShapeType.InfinitePlane and ground.hfield == "hills"
    # A time constant of 0.01 s and a ratio of 0.5: 1 / (0.01 * 0.5)^2 and 2 / 0.01.
    law = ear.geoms[0].physics_material.contact_model.value.spring
    np.testing.assert_allclose((law.k, law.d), (40_000, 200))
    variants = [actuator.actuator_type.variant for actuator in world.actuators]
    assert variants == ["motor", "position", "velocity", "general"]
    assert world.actuators[3].target == msd.ActuatorTarget.tendon("cord")
    assert world.sensors.frame[1].ref_frame == msd.FrameSensorRef.local()
    assert world.sensors.contact[0].match_.value == ("wall", "floor")
    assert world.sensors.contact[0].report == msd.ContactSensorReport(found=True, force=True)
    np.testing.assert_allclose(world.keyframes[0].dof_pos[:7], [0, 0, 2, 0, 0, 0, 1])
    assert world.collision_ignores.link_pairs == [["cup", "box"]]
    assert world.assets.textures["checks"].source.value.rgb1 == [1, 0, 0]
    assert world.assets.meshes["tent"].transform.linear == msd.LinearTransform.scale([1, 2, 0.5])
    weld = world.equality_constraint_set.welds[0].weld_type
    assert weld.value["relative_pose"] == [1, 0, 0, 0, 0, 0, 1]
    assert world.tendon_set.joint_tendons[0].joints[1] == msd.JointTendonNode("rail", -1.0)


def _geom(name, shape, size, position=(0, 0, 0)):
    geom = msd.Geometry()
    geom.name, geom.shape, geom.size, geom.position = name, shape, size, position
    return geom


def _arm():
    """Free body with an arm on a hinge, of parts that belong to no world yet."""
    body, arm, hinge = msd.Body(), msd.Link(), msd.Joint()
    body.link.name, body.free = "base", msd.FreeJoint()
    body.link.local_translation = [0, 0, 0.4]
    body.link.geoms.append(_geom("trunk", msd.ShapeType.Box, [0.1, 0.1, 0.1]))
    arm.name, arm.local_translation = "arm", [0.3, 0, 0]
    hinge.name, hinge.axis, hinge.pos_limit = "hinge", [0, 1, 0], msd.Range(-1, 1)
    arm.joints.append(hinge)
    arm.geoms.append(_geom("rod", msd.ShapeType.Capsule, [0.05, 0.1, 0]))
    body.link.children.append(arm)
    return body, arm, hinge


def test_handles_are_those_of_the_world_once_they_are_in_it():
    world = msd.World()
    body, arm, hinge = _arm()
    world.hierarchy.bodies.append(body)
    world.hierarchy.geoms.append(_geom("floor", msd.ShapeType.InfinitePlane, [0, 0, 1]))
    assert world.hierarchy.bodies[0] is body and body.link.children[0] is arm
    arm.local_translation[0] = 0.5
    arm.geoms[0].physics_material.friction[0] = 0.3
    arm.geoms[0].physics_material.density = 500.0
    hinge.armature = 0.25
    motor = msd.Actuator()
    motor.name, motor.target = "motor", msd.ActuatorTarget.joint("hinge")
    world.actuators.append(motor)
    motor.actuator_type = msd.ActuatorType.velocity(4.0)
    world.attach(msd.from_str("<mujoco><worldbody><site name='there'/></worldbody></mujoco>"))
    motor.forcerange = msd.Range(-1, 1)
    arm.name = "lever"
    low = world.build(exact=True).low
    assert low.body("lever").pos[0] == 0.5 and low.geom("rod").friction[0] == 0.3
    assert low.joint("hinge").armature == 0.25 and low.actuator("motor").biasprm[2] == -4.0
    assert low.actuator("motor").forcerange.tolist() == [-1, 1]
    volume = np.pi * 0.05**2 * 0.2 + 4 / 3 * np.pi * 0.05**3
    np.testing.assert_allclose(low.body("lever").mass, 500 * volume)


def test_what_is_taken_out_belongs_to_itself_again():
    world, other = msd.World(), msd.World()
    body, arm, hinge = _arm()
    world.hierarchy.bodies.append(body)
    other.hierarchy.bodies.append(body)
    other.hierarchy.bodies[0].link.name = "twin"
    assert body.link.name == "base", "a part of one world is copied into another"
    world.hierarchy.bodies.remove(body)
    assert len(world.spec.bodies) == 1 and body.link.children[0] is arm
    hinge.armature = 0.5
    world.hierarchy.bodies = [body]
    assert world.build().low.joint("hinge").armature == 0.5
    first = _geom("a", msd.ShapeType.Sphere, [1, 0, 0])
    world.hierarchy.geoms.insert(0, first)
    world.hierarchy.geoms.insert(0, _geom("b", msd.ShapeType.Sphere, [1, 0, 0]))
    assert [geom.name for geom in world.hierarchy.geoms] == ["b", "a"]


def test_a_world_of_parts_moves_as_the_same_words_do():
    world = msd.World()
    world.hierarchy.bodies.append(_arm()[0])
    world.hierarchy.geoms.append(_geom("floor", msd.ShapeType.InfinitePlane, [0, 0, 1]))
    world.simulate_option.timestep = 0.002
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>
      <body name="base" pos="0 0 .4"><freejoint/><geom type="box" size=".1 .1 .1"/>
        <body name="arm" pos=".3 0 0"><joint axis="0 1 0"
            range="-57.29577951308232 57.29577951308232"/>
          <geom type="capsule" size=".05 .1"/></body></body></worldbody></mujoco>"""
    ends = []
    for model in (world.build(), usdsim.load_mjcf_str(text)):
        data = usdsim.SceneData(model)
        model.step_n(data, 200)
        ends.append(data.dof_pos)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)


def test_a_state_of_an_attached_world_may_be_said_again():
    robot = msd.from_str(XML)
    world = msd.World()
    world.attach(robot)
    world.keyframes.extend(robot.keyframes)
    key = world.build().low.key("up")
    np.testing.assert_allclose(key.qpos[:7], [0, 0, 2, 1, 0, 0, 0])


def test_bad_parts_change_nothing():
    world = msd.from_str(XML)
    geom = world.hierarchy.geoms[0]
    with pytest.raises(InvalidValueError, match=r"size of 'floor'.*3 finite numbers"):
        geom.size = [1, 2]
    with pytest.raises(AttributeError, match=r"Geometry has no 'colour'; it has .*visual"):
        geom.colour = 1
    with pytest.raises(AttributeError, match=r"CollisionMask has no 'mask'"):
        geom.collision_mask.mask = 1
    with pytest.raises(InvalidValueError, match=r"a Geometry"):
        world.hierarchy.geoms = [msd.Site()]
    with pytest.raises(UnsupportedError, match=r"World.spec.add_tuple"):
        geom.mesh_variant_set = "set"
    with pytest.raises(UnsupportedError, match=r"not a law of MuJoCo"):
        geom.physics_material.contact_model = msd.ConstraintForceModel.hard(0.5, 0.2)
    with pytest.raises(UnsupportedError, match=r"a column of elevations"):
        msd.LidarSensor().pattern = msd.LidarPattern.explicit([[0, 0], [1, 1], [2, 0]])
    with pytest.raises(TypeError, match=r"LidarPattern.grid takes vscan, hrange"):
        msd.LidarPattern.grid(2)
    assert len(world.hierarchy.geoms) == 2 and geom.shape is msd.ShapeType.InfinitePlane


def test_lidars_of_parts_are_those_of_a_text():
    texts = msd.from_str(
        """<mujoco><asset><lidar name="l" pattern="grid" hscan="4" vscan="3" hrange="-180 180"
        vrange="-10 10" cutoff="6"/></asset><worldbody><site name="s"/></worldbody>
        <sensor><lidar name="x" site="s" asset="l"/></sensor></mujoco>"""
    )
    world = msd.World()
    site, lidar = msd.Site(), msd.LidarSensor()
    site.name, lidar.name, lidar.site, lidar.cutoff = "s", "x", "s", 6.0
    lidar.reportrate, lidar.hz = 40.0, 10.0
    lidar.pattern = msd.LidarPattern.grid(3, [-180, 180], [-10, 10])
    world.hierarchy.sites.append(site)
    world.sensors.lidar.append(lidar)
    both = [list(w.spec.sensors[0].userdata) for w in (world, texts)]
    assert both[0] == both[1]


def test_a_world_of_parts_is_that_of_motrixsim():
    there = pytest.importorskip("motrixsim").msd
    masses, falls = [], []
    for kit, package in ((msd, usdsim), (there, pytest.importorskip("motrixsim"))):
        world, body, geom = kit.World(), kit.Body(), kit.Geometry()
        geom.shape, geom.size = kit.ShapeType.Ellipsoid, [0.1, 0.2, 0.3]
        geom.physics_material.density = 300.0
        body.link.name, body.free, body.link.local_translation = "b", kit.FreeJoint(), [1, 2, 3]
        body.link.geoms.append(geom)
        world.hierarchy.bodies.append(body)
        model = world.build()
        data = package.SceneData(model)
        for _ in range(50):
            model.step(data)
        masses.append(model.get_link("b").mass)
        falls.append(np.array(data.dof_pos))
    np.testing.assert_allclose(masses[0], masses[1], rtol=1e-5)
    # Semi-implicit Euler over 0.5 s in both: 3 - g dt^2 n (n + 1) / 2.
    np.testing.assert_allclose(falls[0][2], 3 - 9.81 * 1e-4 * 50 * 51 / 2, rtol=1e-5)
    np.testing.assert_allclose(falls[0], falls[1], atol=1e-5)


def test_velocities_in_the_frame_of_the_thing_itself():
    world = msd.World()
    body = _arm()[0]
    body.link.local_rotation = [0, 0, np.sqrt(0.5), np.sqrt(0.5)]
    world.hierarchy.bodies.append(body)
    for kind in (msd.ObjectType.link("base"), msd.ObjectType.geom("trunk")):
        sensor = msd.FrameSensor()
        sensor.name, sensor.object_type = kind.variant, kind
        sensor.sensor_type, sensor.ref_frame = (
            msd.FrameSensorType.FrameLinVel,
            msd.FrameSensorRef.local(),
        )
        world.sensors.frame.append(sensor)
    model = world.build()
    data = usdsim.SceneData(model)
    data.dof_vel = [2, 0, 0, 0, 0, 0, 0]
    # Turned by 90 degrees about z, x of the world is -y of the link.
    for name in ("link", "geom"):
        np.testing.assert_allclose(model.get_sensor_value(name, data), [0, -2, 0], atol=1e-6)
