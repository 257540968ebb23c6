"""Models composed in code, and stages composed by reference."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from pxr import Usd

from usdsim import SceneData, convert, load_mjcf_str, load_model, msd
from usdsim.converters.compose import compose
from usdsim.core.errors import (
    ConversionError,
    FileError,
    InvalidValueError,
    StageError,
    UnknownNameError,
    UnsupportedError,
    UsdsimError,
)
from usdsim.scene.composition.elements import HangingPart, WorldPart
from usdsim.usd import create_stage

BASE = """<mujoco model="dog"><worldbody>
  <body name="base" pos="0 0 1"><freejoint/><geom size=".1"/>
    <body name="hip" pos=".1 .2 0" euler="0 0 90"><joint name="hj" axis="0 1 0"/><geom size=".05"/>
    </body></body></worldbody>
  <actuator><motor name="hm" joint="hj"/></actuator></mujoco>"""
ARM = """<mujoco model="arm"><worldbody><geom name="lump" size=".02" pos="0 0 5"/>
  <body name="root" pos="1 0 0"><geom size=".1"/><joint name="r"/>
    <body name="fore" pos="0 .5 0" euler="0 30 0"><joint name="f" axis="1 0 0"/>
      <geom size=".05" pos="0 0 .1"/></body></body></worldbody>
  <actuator><position joint="f" name="fa" kp="3"/><motor joint="r" name="ra"/></actuator>
  <sensor><jointpos name="fp" joint="f"/></sensor></mujoco>"""


def test_subtrees_are_attached_with_names_and_poses_of_their_own():
    dog, arm = msd.from_str(BASE), msd.from_str(ARM)
    half = np.sqrt(0.5)
    returned = dog.attach(
        arm,
        self_link_name="hip",
        other_link_name="fore",
        other_translation=[0, 0, 0.3],
        other_rotation=[-half, 0, 0, half],
        other_prefix="arm_",
    )
    assert returned is dog
    scene = msd.World()
    scene.attach(dog, other_translation=[1, 0, 0], other_prefix="d0_")
    scene.attach(dog, other_translation=[2, 0, 0], other_prefix="d1_", other_suffix="_z")
    model = scene.build()
    names = ["base", "hip", "arm_fore"]
    assert model.link_names == [f"d0_{n}" for n in names] + [f"d1_{n}_z" for n in names]
    assert model.actuator_names == ["d0_hm", "d0_arm_fa", "d1_hm_z", "d1_arm_fa_z"]
    assert model.sensor_names == ["d0_arm_fp", "d1_arm_fp_z"]
    poses = model.get_link_poses(SceneData(model))
    np.testing.assert_allclose(poses[0], [1, 0, 1, 0, 0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(poses[1], [1.1, 0.2, 1, 0, 0, half, half], atol=1e-6)
    # The arm's own place in its parent, (0, .5, 0), is turned by -90 degrees about x, to -z.
    np.testing.assert_allclose(poses[2, :3], [1.1, 0.2, 0.8], atol=1e-6)
    np.testing.assert_allclose(poses[3:, :3], poses[:3, :3] + [1, 0, 0], atol=1e-6)
    assert arm.build().link_names == ["root", "fore"], "what is attached stays as it is"


def test_a_composed_model_is_what_its_parts_say(tmp_path):
    path = tmp_path / "dog.xml"
    path.write_text(BASE)
    scene = msd.from_file(path)
    assert scene.source_path == path == scene.deepcopy().source_path and scene.name == "dog"
    assert msd.from_str(BASE, file_path=str(path)).source_path == path
    assert msd.from_str(BASE).source_path is None
    scene.add_ground_plane(-0.5)
    copy = scene.deepcopy()
    scene.attach(msd.from_str(ARM))
    assert len(copy.spec.bodies) == 3 and len(scene.spec.bodies) == 5
    model = msd.build(scene)
    alone = load_mjcf_str(ARM)
    link, other = model.get_link("fore"), alone.get_link("fore")
    assert link.mass == other.mass
    np.testing.assert_array_equal(link.get_pose(SceneData(model)), other.get_pose(SceneData(alone)))
    plane = model.geoms[0]
    np.testing.assert_allclose(plane.local_pose[:3], [0, 0, -0.5])
    model.stage.GetRootLayer().Export(str(tmp_path / "scene.usda"))
    saved = load_model(tmp_path / "scene.usda")
    assert saved.link_names == model.link_names
    np.testing.assert_array_equal(saved.low.body_mass, model.low.body_mass)
    assert load_model(scene.spec).link_names == model.link_names


def test_bad_attachments_change_nothing():
    dog, arm = msd.from_str(BASE), msd.from_str(ARM)
    for error, words, arguments in (
        (UnknownNameError, "hop", {"self_link_name": "hop"}),
        (UnknownNameError, "Did you mean 'fore'", {"other_link_name": "for"}),
        (InvalidValueError, "other_translation", {"other_translation": [0, 0, np.nan]}),
        (InvalidValueError, "unit quaternion", {"other_rotation": [0, 0, 0, 2]}),
    ):
        with pytest.raises(error, match=words):
            dog.attach(arm, **arguments)
    dog.attach(arm)
    with pytest.raises(InvalidValueError, match=r"repeated name.*other_prefix keeps"):
        dog.attach(arm)
    with pytest.raises(InvalidValueError, match="from_file"):
        dog.attach("arm.xml")
    assert dog.build().link_names == ["base", "hip", "root", "fore"]
    with pytest.raises(UnsupportedError, match="urdf"):
        msd.from_str("<sdf/>", "sdf")
    with pytest.raises(FileError, match="no such file"):
        msd.from_file("scene.usda")
    with pytest.raises(ConversionError):
        msd.from_str("<mujoco><bod/></mujoco>")


def test_files_of_a_text_are_found_beside_a_file(tmp_path):
    (tmp_path / "m.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    text = """<mujoco><asset><mesh name="m" file="m.obj"{}/></asset><worldbody>
      <body><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    for extra in ("", ' acd="true"'):
        world = msd.from_str(text.format(extra), file_path=tmp_path / "any.xml")
        assert msd.World().attach(world).build().low.nmesh == 1


def test_stages_and_files_become_one_stage(tmp_path):
    robot = tmp_path / "dog.xml"
    robot.write_text(BASE)
    ball = create_stage()
    ball.SetDefaultPrim(ball.DefinePrim("/Ball", "Sphere"))
    for api in ("PhysicsRigidBodyAPI", "PhysicsCollisionAPI"):
        ball.GetDefaultPrim().ApplyAPI(api)
    model = load_model([robot, ball, robot])
    paths = [link.path for link in model.links]
    assert len(paths) == 5 and all(path.startswith("/World/") for path in paths)
    assert len({path.split("/")[2] for path in paths}) == 3
    assert model.num_actuators == 2 and model.get_link("Ball").mass > 0
    alone = load_model(robot)
    base = next(link for link in model.links if link.path.endswith("base"))
    assert base.mass == pytest.approx(alone.get_link("base").mass, rel=1e-6)


def test_stages_that_do_not_fit_are_refused():
    empty = Usd.Stage.CreateInMemory()
    with pytest.raises(StageError, match="default prim"):
        compose([empty])
    with pytest.raises(InvalidValueError, match="at least one"):
        load_model([])
    stages = [create_stage(), create_stage(meters_per_unit=0.01), create_stage(up_axis="Y")]
    for stage in stages:
        stage.SetDefaultPrim(stage.DefinePrim("/A", "Xform"))
    for other in stages[1:]:
        with pytest.raises(UnsupportedError, match="the first stage"):
            compose([stages[0], other])


URDF = """<robot name="arm">
  <link name="base"><inertial><mass value="2"/>
    <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size=".2 .2 .2"/></geometry></collision></link>
  <link name="fore"><inertial><mass value="1"/>
    <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="fore"/><axis xyz="0 0 1"/>
    <origin xyz="0 0 .3"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
</robot>"""


def test_robots_of_every_format_stand_in_one_world(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF)
    convert(tmp_path / "arm.urdf", tmp_path / "arm.usda")
    world = msd.World()
    for index, name in enumerate(("arm.urdf", "arm.usda")):
        robot = msd.from_file(tmp_path / name)
        world.attach(robot, other_prefix=f"r{index}_", other_translation=[index, 0, 0])
    model = world.build()
    assert sorted(model.link_names) == ["r0_base", "r0_fore", "r1_base", "r1_fore"]
    alone = load_model(tmp_path / "arm.urdf")
    assert [a.name for a in alone.actuators] == ["turn"]
    assert [a.name for a in model.actuators] == ["r0_turn", "r1_turn"]
    data, single = SceneData(model), SceneData(alone)
    for index in range(2):
        for link in ("base", "fore"):
            ours, theirs = model.get_link(f"r{index}_{link}"), alone.get_link(link)
            assert ours.mass == pytest.approx(theirs.mass)
            place = theirs.get_position(single) + np.array([index, 0, 0])
            np.testing.assert_allclose(ours.get_position(data), place, atol=1e-6)
        np.testing.assert_allclose(
            model.get_joint(f"r{index}_turn").range, alone.get_joint("turn").range
        )
    model.stage.GetRootLayer().Export(str(tmp_path / "both.usda"))
    assert len(load_model(tmp_path / "both.usda").links) == 4


def test_fragments_refer_to_the_world_they_are_attached_to(tmp_path):
    text = """<mujoco><contact><exclude body1="base" body2="hip"/></contact><sensor>
      <jointpos name="bend" joint="hj"/><framepos name="where" objtype="body" objname="base"/>
      </sensor></mujoco>"""
    (tmp_path / "part.xml").write_text(text)
    dog = msd.from_str(BASE)
    dog.attach(msd.from_str(text)).attach(msd.from_file(tmp_path / "part.xml"), other_prefix="b_")
    model = dog.build()
    assert model.sensor_names == ["bend", "where", "b_bend", "b_where"]
    np.testing.assert_allclose(model.get_sensor_value("b_where", SceneData(model)), [0, 0, 1])
    with pytest.raises(InvalidValueError, match="Nothing was attached"):
        msd.World().attach(msd.from_str(text))
    with pytest.raises(ConversionError, match="cannot compile"):
        msd.from_str('<mujoco><worldbody><geom type="mesh" mesh="no"/></worldbody></mujoco>')


def test_urdf_texts_become_worlds(tmp_path):
    text = """<robot name="r"><link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1"
      izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
    file = tmp_path / "r.urdf"
    file.write_text(text)
    for world in (
        msd.from_str(text, format="urdf"),
        msd.from_str(text, format="urdf", file_path=str(file)),
    ):
        (body,) = world.hierarchy.bodies
        assert body.link.name == "a"
        world.actuators.clear()
        np.testing.assert_allclose(world.build().links[0].mass, 2.0)


def test_drives_of_urdf_become_servos():
    world = msd.from_str(URDF, format="urdf")
    drive = world.actuators[0]
    assert drive.actuator_type.variant == "position"
    drive.actuator_type = msd.ActuatorType.position(msd.PositionParam(kp=20.0, damping_value=2.0))
    drive.name = "servo"
    low = world.build().low
    assert low.actuator("servo").biasprm[:3].tolist() == [0.0, -20.0, -2.0]
    assert low.actuator("servo").gainprm[0] == 20.0


def _parts(kind: type[WorldPart]) -> list[type[WorldPart]]:
    """Classes of elements that a program can make."""
    below = [part for each in kind.__subclasses__() for part in _parts(each)]
    abstract = kind.__name__.startswith("_") or kind in (WorldPart, HangingPart)
    return below if abstract else [kind, *below]


@pytest.mark.parametrize(
    "odd", [object, "odd", None, 3, -1.5, np.nan, [1, 2], [np.nan] * 3, {"a": 1}, True], ids=repr
)
def test_what_a_field_cannot_hold_is_refused_by_name(odd):
    for kind in dict.fromkeys(_parts(WorldPart)):
        for name in (*kind._fields, *kind._lists):
            with contextlib.suppress(UsdsimError):
                setattr(kind(), name, odd)


def test_refusals_of_fields_say_what_they_hold():
    geom, link, option = msd.Geometry(), msd.Link(), msd.World().simulate_option
    geom.name = "lump"
    for owner, name, value, words in (
        (geom, "shape", "box", "shape of <Geometry 'lump'> is 'box'.*a ShapeType"),
        (geom, "priority", 1.5, "priority of <Geometry 'lump'> is 1.5.*a whole number"),
        (geom, "name", 5, "a text or None"),
        (link, "inertial", None, "an Inertia"),
        (option, "timestep", "fast", "timestep of the world is 'fast'.*a finite number"),
        (msd.Joint(), "pos_limit", (0.0,), "a Range or None"),
        (msd.ContactPair(), "geoms", ["a"], "two names"),
        (msd.Actuator(), "target", "hj", "an ActuatorTarget"),
    ):
        with pytest.raises(InvalidValueError, match=words):
            setattr(owner, name, value)
    with pytest.raises(UnsupportedError, match="mass and diag_inertia are needed"):
        link.inertial = msd.Inertia(pos=[0, 0, 1])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: msd.StiffnessDamping(k="hard"), "k of StiffnessDamping is 'hard'.*a number"),
        (lambda: msd.CollisionMask(1.5, 1), "collide_group of CollisionMask is 1.5.*a whole numb"),
        (lambda: msd.GeneralParam(dyntype="none"), "dyntype of GeneralParam.*a DynType"),
        (lambda: msd.GeneralParam(actearly=1), "True or False"),
        (lambda: msd.ActuatorType.position(5.0), "ActuatorType.position is 5.0.*a PositionParam"),
        (lambda: msd.ActuatorTarget.joint(3), "ActuatorTarget.joint is 3.*a text"),
        (lambda: msd.ContactMatch.geom_pair("a", 1), "ContactMatch.geom_pair is 1"),
    ],
)
def test_parts_of_values_are_checked_when_they_are_said(make, words):
    with pytest.raises(InvalidValueError, match=words):
        make()


def test_parts_of_values_may_be_numbers_of_numpy():
    spring = msd.StiffnessDamping(k=np.float32(2))
    assert (spring.k, msd.GeneralParam(actearly=np.True_).actearly) == (2, True)
    assert msd.CollisionMask(np.int64(3), 1).collide_group == 3


def test_links_with_quaternions_of_any_length_in_their_file_are_copied():
    source = msd.from_str("""<mujoco><worldbody><body name="b" quat="1 1 0 0"><geom size=".1"/>
      <inertial pos="0 0 0" quat="0 0 2 0" mass="1" diaginertia="1 2 3"/></body></worldbody>
      </mujoco>""")
    link, copied = source.hierarchy.bodies[0].link, msd.World()
    half = np.sqrt(0.5)
    np.testing.assert_allclose(link.orientation, [half, 0, 0, half], atol=1e-7)
    np.testing.assert_allclose(link.inertial.orientation, [0, 1, 0, 0], atol=1e-7)
    copied.hierarchy.bodies.append(source.hierarchy.bodies[0])
    pose = copied.build().get_link("b").local_pose
    np.testing.assert_allclose(pose[3:], [half, 0, 0, half], atol=1e-6)
