"""What elements of other tools in a URDF mean physically: Gazebo, transmissions, ros2_control."""

from __future__ import annotations

import numpy as np
import pytest
from converters_urdf_text import arm, codes, converted, described, joint, link, robot

import usdsim
from usdsim.converters.cfg import JointDriveCfg, PDGainsCfg
from usdsim.scene.model.dynamics import mass_matrix

BOX = '<collision><geometry><box size=".1 .1 .1"/></geometry></collision>'
FREE = '<joint name="root" type="floating"><parent link="world"/><child link="base"/></joint>'


def gazebo(reference, inner):
    return f'<gazebo reference="{reference}">{inner}</gazebo>'


def single(folder, inner, **options):
    """One free box with Gazebo's elements."""
    parts = ('<link name="world"/>', link("base", BOX), FREE, gazebo("base", inner))
    return converted(folder, robot(*parts), **options)


def test_friction_and_compliance_of_surfaces(tmp_path):
    found = single(tmp_path, "<mu1>0.7</mu1><mu2>0.7</mu2><kp>2e4</kp><kd value='30'/>")
    scene = described(found.stage)
    material = scene.materials[scene.geoms[0].material]
    assert material.dynamic_friction == pytest.approx(0.7)
    assert (material.contact_stiffness, material.contact_damping) == (2e4, 30.0)
    assert not found.report.warnings


def test_surfaces_of_bullet(tmp_path):
    contact = """<contact><lateral_friction value="0.9"/><rolling_friction value="0.01"/>
      <spinning_friction value="0.02"/><restitution value="0.3"/><stiffness value="3e4"/>
      <damping value="1e3"/><contact_cfm value="0"/><inertia_scaling value="3"/></contact>"""
    found = converted(tmp_path, robot(link("base", BOX + contact)))
    scene = described(found.stage)
    material = scene.materials[scene.geoms[0].material]
    assert (material.static_friction, material.dynamic_friction) == pytest.approx((0.9, 0.9))
    assert (material.rolling_friction, material.torsional_friction) == pytest.approx((0.01, 0.02))
    assert material.restitution == pytest.approx(0.3)
    assert (material.contact_stiffness, material.contact_damping) == (3e4, 1e3)
    told = [finding.message for finding in found.report.findings if finding.code == "contact"]
    assert told == ["kept as data, without effect: contact_cfm, inertia_scaling"]


def test_a_surface_may_state_its_turning_friction_alone(tmp_path):
    contact = '<contact><spinning_friction value="0.02"/><damping value="-1"/></contact>'
    found = converted(tmp_path, robot(link("base", BOX + contact)))
    scene = described(found.stage)
    assert scene.materials[scene.geoms[0].material].torsional_friction == pytest.approx(0.02)
    assert codes(found) == ["annotation"]


@pytest.mark.parametrize("stiffness", ["1e12", "0", "-5"])
def test_stiffness_that_is_no_spring_is_rigid(tmp_path, stiffness):
    found = single(tmp_path, f"<mu1>1</mu1><kp>{stiffness}</kp><kd>1</kd>")
    scene = described(found.stage)
    material = scene.materials[scene.geoms[0].material]
    assert (material.contact_stiffness, material.contact_damping) == (None, None)
    negative = [w for w in found.report.warnings if "is negative" in w.message]
    assert len(negative) == (stiffness == "-5")


def test_a_surface_gives_way_as_its_stiffness_says(tmp_path):
    found = single(tmp_path, "<kp>2000</kp><kd>100</kd>")
    from pxr import UsdGeom, UsdPhysics

    floor = UsdGeom.Plane.Define(found.stage, "/floor")
    UsdPhysics.CollisionAPI.Apply(floor.GetPrim())
    model = usdsim.load_model(found.stage)
    data = usdsim.SceneData(model)
    model.step_n(data, 2000)
    height = float(model.get_link("base").get_pose(data)[..., 2])
    # Four corners carry 1 kg.
    assert height == pytest.approx(0.05 - 9.81 / (4 * 2000.0), abs=2e-4)


def test_two_coefficients_are_noted(tmp_path):
    found = single(tmp_path, "<mu1>0.7</mu1><mu2>0.2</mu2>")
    assert [f.code for f in found.report.findings if "mu2" in f.message] == ["friction-directions"]


@pytest.mark.parametrize(
    ("inner", "share"),
    [
        ("<turnGravityOff>true</turnGravityOff>", 1.0),
        ("<turnGravityOff>false</turnGravityOff>", 0.0),
        ("<gravity>0</gravity>", 1.0),
        ("<gravity value='true'/>", 0.0),
        ("<gravity>perhaps</gravity>", 0.0),
    ],
)
def test_gravity(tmp_path, inner, share):
    found = single(tmp_path, inner)
    assert described(found.stage).bodies[0].gravity_compensation == share
    assert ("annotation" in [f.code for f in found.report.warnings]) == ("perhaps" in inner)


def test_damping_factors_are_rates_at_a_millisecond(tmp_path):
    body = described(single(tmp_path, "<dampingFactor>0.002</dampingFactor>").stage).bodies[0]
    assert (body.linear_damping, body.angular_damping) == (2.0, 2.0)
    found = single(tmp_path, "<dampingFactor>1.5</dampingFactor>")
    assert described(found.stage).bodies[0].linear_damping == 0.0
    assert "no share of velocity" in str(found.report.warnings[0])


def test_links_merged_into_a_body_bring_their_gravity(tmp_path):
    text = robot(
        '<link name="world"/>', link("base", BOX), FREE, joint("weld", "fixed"),
        link("arm", BOX), gazebo("arm", "<turnGravityOff>1</turnGravityOff>"),
    )  # fmt: skip
    bodies = described(converted(tmp_path, text, merge_fixed_joints=True).stage).bodies
    assert [body.gravity_compensation for body in bodies] == [1.0]


@pytest.mark.parametrize("stated", ["gazebo", "attribute", "not"])
def test_fixed_joints_may_be_preserved(tmp_path, stated):
    weld = joint("weld", "fixed")
    if stated == "attribute":
        weld = weld.replace("<joint ", '<joint dont_collapse="true" ')
    text = robot(
        link("base", BOX), weld, link("arm", BOX),
        *[gazebo("weld", "<preserveFixedJoint>true</preserveFixedJoint>")] * (stated == "gazebo"),
    )  # fmt: skip
    stage = converted(tmp_path, text, merge_fixed_joints=True).stage
    expected = ["/bot/base"] if stated == "not" else ["/bot/base", "/bot/base/arm"]
    assert [b.path for b in described(stage).bodies] == expected


def test_springs_of_joints(tmp_path):
    spring = "<springStiffness>3</springStiffness><springReference>0.5</springReference>"
    more = "<implicitSpringDamper>1</implicitSpringDamper>"
    text = arm().replace("</robot>", gazebo("shoulder", spring + more) + "</robot>")
    found = converted(tmp_path, text)
    dof = next(j for j in described(found.stage).joints if j.dofs).dofs[0]
    assert dof.overrides["stiffness[0]"] == 3.0
    assert dof.overrides["springref"] == pytest.approx(0.5)
    assert not [f for f in found.report.findings if f.code == "gazebo"]


def test_springs_that_cannot_be_are_named(tmp_path):
    text = arm().replace(
        "</robot>", gazebo("shoulder", "<springStiffness>-3</springStiffness>") + "</robot>"
    )
    assert "-3 is negative" in str(converted(tmp_path, text).report.warnings[0])
    welded = (link("a", BOX), joint("weld", "fixed", parent="a", child="b"), link("b", BOX))
    spring = gazebo("weld", "<springStiffness>3</springStiffness>")
    found = converted(tmp_path, robot(*welded, spring))
    (note,) = (f for f in found.report.findings if f.code == "gazebo")
    assert note.message.endswith("without effect: springStiffness")


CHAIN = (
    link("base", BOX), joint("a", parent="base", child="one"), link("one", BOX),
    joint("b", parent="one", child="two"), link("two", BOX),
    joint("c", parent="two", child="three"), link("three", BOX),
)  # fmt: skip
WHOLE = "<gazebo><self_collide>true</self_collide></gazebo>"


def filtered(stage):
    scene = described(stage)
    names = [body.path.rpartition("/")[2] for body in scene.bodies]
    pairs = {tuple(sorted((names[a], names[b]))) for a, b in scene.body_filters if a >= 0}
    return scene.articulations[0].self_collision, pairs


def test_self_collision_of_the_robot(tmp_path):
    assert filtered(converted(tmp_path, robot(*CHAIN)).stage)[0] is False
    assert filtered(converted(tmp_path, robot(*CHAIN, WHOLE)).stage)[0] is True
    refused = converted(tmp_path, robot(*CHAIN, WHOLE), self_collision=False)
    assert filtered(refused.stage)[0] is False
    asked = converted(tmp_path, robot(*CHAIN), self_collision=True)
    assert filtered(asked.stage)[0] is True


def test_self_collision_of_links(tmp_path):
    yes, no = (f"<selfCollide>{word}</selfCollide>" for word in ("true", "false"))
    some = robot(*CHAIN, gazebo("base", yes), gazebo("three", yes))
    enabled, pairs = filtered(converted(tmp_path, some).stage)
    assert enabled is True
    assert ("base", "three") not in pairs
    assert {("base", "two"), ("one", "three")} <= pairs
    enabled, pairs = filtered(converted(tmp_path, robot(*CHAIN, WHOLE, gazebo("one", no))).stage)
    assert enabled is True
    assert ("one", "three") in pairs
    assert ("base", "three") not in pairs


def test_what_has_no_effect_is_named(tmp_path):
    found = single(tmp_path, "<maxContacts>8</maxContacts><laserRetro>1</laserRetro><mu1>1</mu1>")
    (note,) = (f for f in found.report.findings if f.code == "gazebo")
    assert note.message.endswith("without effect: maxContacts, laserRetro")
    root = found.stage.GetDefaultPrim()
    assert "maxContacts" in root.GetAttribute("urdf:gazebo").Get()[0]


def test_references_to_nothing_are_noted(tmp_path):
    found = converted(
        tmp_path, arm().replace("</robot>", gazebo("leg", "<mu1>1</mu1>") + "</robot>")
    )
    assert "'leg'" in str(found.report.warnings[0])


def transmission(joint_inner="", actuator_inner="", joint_name="shoulder", extra=""):
    return (
        f'<transmission name="t" {extra}><type>SimpleTransmission</type><joint name="{joint_name}">'
        f'{joint_inner}</joint><actuator name="motor">{actuator_inner}</actuator></transmission>'
    )


@pytest.mark.parametrize(
    "made",
    [
        transmission("", "<mechanicalReduction>50</mechanicalReduction>"
                     "<motorInertia>1e-5</motorInertia>"),
        transmission("<mechanical_reduction>50</mechanical_reduction>",
                     "<rotorInertia>1e-5</rotorInertia>"),
        transmission("", '<drake:gear_ratio value="50"/><drake:rotor_inertia value="1e-5"/>',
                     extra='xmlns:drake="http://drake.mit.edu"'),
    ],
)  # fmt: skip
def test_rotors_add_their_inertia_through_the_gear(tmp_path, made):
    found = converted(tmp_path, arm().replace("</robot>", made + "</robot>"))
    moving = next(j for j in described(found.stage).joints if j.dofs)
    assert moving.dofs[0].armature == pytest.approx(1e-5 * 50**2)
    prim = found.stage.GetPrimAtPath(moving.path)
    assert list(prim.GetAttribute("urdf:actuators").Get()) == ["motor"]
    assert list(prim.GetAttribute("urdf:reductions").Get()) == [50.0]


def test_the_reflected_inertia_is_felt_at_the_joint(tmp_path):
    heavy = transmission("", "<mechanicalReduction>10</mechanicalReduction>"
                         "<rotorInertia>0.001</rotorInertia>")  # fmt: skip
    inertias = []
    for extra in ("", heavy):
        text = arm().replace("</robot>", extra + "</robot>")
        model = usdsim.load_model(converted(tmp_path, text).stage)
        data = usdsim.SceneData(model)
        inertias.append(float(mass_matrix(model, data)[..., 0, 0].squeeze()))
    assert inertias[1] - inertias[0] == pytest.approx(0.1)


def test_transmissions_that_couple_joints_stay_data(tmp_path):
    made = transmission().replace("</joint>", '</joint><joint name="shoulder"/>', 1)
    found = converted(tmp_path, arm().replace("</robot>", made + "</robot>"))
    assert [f.code for f in found.report.findings if f.code == "transmission"] == ["transmission"]


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (transmission(joint_name="none"), "no joint 'none'"),
        (transmission("", "<mechanicalReduction>0</mechanicalReduction>"), "reduction 0"),
        (transmission("", "<rotorInertia>-1</rotorInertia>"), "rotor inertia -1"),
        (transmission("", "<mechanicalReduction>fast</mechanicalReduction>"), "'fast'"),
    ],
)
def test_unusable_transmissions_are_noted(tmp_path, made, words):
    found = converted(tmp_path, arm().replace("</robot>", made + "</robot>"))
    assert words in str(found.report.warnings[0])
    assert next(j for j in described(found.stage).joints if j.dofs).dofs[0].armature == 0.0


def control(inner, name="shoulder"):
    return (
        f'<ros2_control name="c" type="system"><joint name="{name}">{inner}</joint></ros2_control>'
    )


def test_controllers_say_where_joints_start(tmp_path):
    made = control(
        '<state_interface name="position"><param name="initial_value">0.5</param></state_interface>'
        '<state_interface name="velocity"><param name="initial_value">-2</param></state_interface>'
    )
    stage = converted(tmp_path, arm().replace("</robot>", made + "</robot>")).stage
    dof = next(j for j in described(stage).joints if j.dofs).dofs[0]
    assert dof.position == pytest.approx(0.5)
    assert dof.velocity == pytest.approx(-2.0)
    model = usdsim.load_model(stage)
    data = usdsim.SceneData(model)
    np.testing.assert_allclose(np.ravel(data.dof_pos)[-1], 0.5, atol=1e-6)


def test_gains_that_drive_away_are_named_and_none(tmp_path):
    made = control(
        '<command_interface name="position"><param name="stiffness">-3</param>'
        '<param name="damping">2</param></command_interface>'
    )
    result = converted(tmp_path, arm().replace("</robot>", made + "</robot>"))
    assert "gain-negative" in {finding.code for finding in result.report.warnings}
    drive = next(j for j in described(result.stage).joints if j.dofs).dofs[0].drive
    assert (drive.stiffness, drive.damping) == (0.0, pytest.approx(2.0))


@pytest.mark.parametrize(("most", "expected"), [("2", 2.0), ("90", 5.0), ("0", 5.0)])
def test_controllers_limit_efforts(tmp_path, most, expected):
    made = control(f'<command_interface name="effort"><param name="max">{most}</param>'
                   "</command_interface>")  # fmt: skip
    stage = converted(tmp_path, arm().replace("</robot>", made + "</robot>")).stage
    dof = next(j for j in described(stage).joints if j.dofs).dofs[0]
    assert dof.drive.max_force == pytest.approx(expected)


@pytest.mark.parametrize("zero", [False, True])
def test_joints_with_position_commands_hold_where_they_start(tmp_path, zero):
    made = control(
        '<command_interface name="velocity"/><command_interface name="position"/>'
        '<state_interface name="position"><param name="initial_value">0.5</param></state_interface>'
    )
    effort = "0" if zero else "50"
    text = arm(inner=f'<axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="{effort}"/>')
    found = converted(tmp_path, text.replace("</robot>", made + "</robot>"))
    assert "gains-assumed" in codes(found)
    model = usdsim.load_model(found.stage)
    data = usdsim.SceneData(model)
    for _ in range(500):
        model.step(data)
    np.testing.assert_allclose(np.ravel(data.dof_pos)[-1], 0.5, atol=np.deg2rad(1.0))
    np.testing.assert_allclose(np.ravel(data.dof_vel)[-1], 0.0, atol=1e-3)


def drive_of(folder, made, **options):
    text = arm(inner='<axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="50"/>')
    stage = converted(folder, text.replace("</robot>", made + "</robot>"), **options).stage
    return next(j for j in described(stage).joints if j.dofs).dofs[0].drive


def test_gains_follow_from_what_a_joint_carries(tmp_path):
    speed = 2.0 * np.pi * 10.0
    # The widest moment of the arm's own inertia, whose centre is on the axis.
    drive = drive_of(tmp_path, control('<command_interface name="position"/>'))
    assert drive.stiffness == pytest.approx(0.04 * speed**2)
    assert drive.damping == pytest.approx(2.0 * 0.04 * speed)
    drive = drive_of(tmp_path, control('<command_interface name="velocity"/>'))
    assert (drive.stiffness, drive.damping) == (0.0, pytest.approx(2.0 * 0.04 * speed))
    drive = drive_of(tmp_path, control('<command_interface name="effort"/>'))
    assert (drive.stiffness, drive.damping, drive.max_force) == (0.0, 0.0, 50.0)
    word = "<hardwareInterface>hardware_interface/PositionJointInterface</hardwareInterface>"
    drive = drive_of(tmp_path, transmission(word))
    assert drive.stiffness == pytest.approx(0.04 * speed**2)
    gains = JointDriveCfg(gains=PDGainsCfg(stiffness=7.0, damping=0.5))
    made = control('<command_interface name="position"/>')
    drive = drive_of(tmp_path, made, joint_drive=gains)
    assert (drive.stiffness, drive.damping) == (pytest.approx(7.0), pytest.approx(0.5))
    stated = JointDriveCfg(gains=PDGainsCfg(stiffness=None, damping=0.5))
    drive = drive_of(tmp_path, made, joint_drive=stated)
    assert drive.stiffness == pytest.approx(0.04 * speed**2)
    assert drive.damping == pytest.approx(0.5)


def test_controllers_couple_joints(tmp_path):
    made = control('<param name="mimic">a</param><param name="multiplier">-2</param>'
                   '<param name="offset">0.1</param>', "c")  # fmt: skip
    scene = described(converted(tmp_path, robot(*CHAIN, made)).stage)
    mimic = next(j.mimic for j in scene.joints if j.mimic is not None)
    assert mimic.joint.endswith("/a")
    assert (mimic.gearing, mimic.offset) == (-2.0, pytest.approx(0.1))
    found = converted(tmp_path, robot(*CHAIN, made.replace(">a<", ">none<")))
    assert "'none'" in str(found.report.warnings[0])
