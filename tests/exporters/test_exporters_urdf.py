"""URDF exports read back as the robot of their stage, here and in Pinocchio."""

from __future__ import annotations

import math
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from corpus_files import corpus_models
from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

import usdsim
from usdsim.converters.conversion import convert_file
from usdsim.converters.report import ConversionReport
from usdsim.core.errors import ConversionError, ParseError
from usdsim.engine import compile_scene
from usdsim.exporters import export_urdf
from usdsim.exporters.urdf.robot import build_robot
from usdsim.parser import parse_stage
from usdsim.testing import check_export

ASSETS = Path(__file__).resolve().parents[2] / "assets"

# Joints that stack, turn about other points and count from elsewhere.
TEXT = """<mujoco model="bot"><compiler angle="radian" autolimits="true"/>
<asset><texture name="check" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="4"
 height="4"/><material name="tiles" texture="check" rgba="0.5 1 1 1"/>
<mesh name="wedge" vertex="0 0 0 1 0 0 0 0.3333333333 0 0 0 1" scale="0.1 0.1 0.1"/></asset>
<worldbody>
<body name="base" pos="0.1 0.2 0.3" quat="1 2 3 4"><geom size="0.1" mass="2"/>
<site name="grip" pos="0.05 0 0.01" quat="1 0.1 0 0"/>
<body name="arm" pos="0 0 0.3" quat="1 0.5 0 0">
<joint name="pan" axis="1 2 3" pos="0.1 0.02 -0.03" ref="0.4" range="-1 2" damping="0.1"
 frictionloss="0.3" armature="0.01"/>
<joint name="rail" type="slide" axis="0 1 1" pos="1 2 3" ref="-0.1" range="-0.5 0.5"/>
<joint name="tilt" axis="0 0 1" pos="-0.1 0 0" stiffness="5" springref="0.25"/>
<geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0" euler="0.1 0.2 0.3" mass="1.5" material="tiles"/>
<geom name="part" type="mesh" mesh="wedge" pos="0 0.1 0" mass="0.2"/>
<geom type="cylinder" size="0.05 0.1" mass="0" contype="0" conaffinity="0" rgba="1 0 0 1"/>
<body name="hand" pos="0 0.2 0"><joint name="follow" axis="1 0 0" ref="0.2"/>
<geom type="capsule" size="0.03 0.1" mass="0.3"/>
<geom type="ellipsoid" size="0.1 0.05 0.02" mass="0.1"/></body></body></body>
</worldbody>
<equality><joint joint1="follow" joint2="pan" polycoef="0.1 -2 0 0 0"/></equality>
<actuator><position name="p" joint="pan" kp="30" kv="2" forcerange="-7 7"/>
<motor name="m" joint="tilt" gear="3" ctrllimited="true" ctrlrange="-2 2"/>
<velocity name="v" joint="rail" kv="4"/></actuator>
<sensor><gyro name="imu" site="grip"/><jointpos joint="pan"/></sensor></mujoco>"""


def compiled(source):
    stage = convert_file(source).stage if isinstance(source, Path) else source
    return compile_scene(parse_stage(stage, exact=True).scene, exact=True)


def by_name(model, kind):
    names = model.names.names(kind)
    return {name.rpartition("/")[2]: i for i, name in enumerate(names) if name}


def in_file(model):
    """Engine joints and bodies of a stage by the names its file gives them, unnamed ones too."""
    robot = build_robot(model, ConversionReport(source="here"))
    joints = {step.name: step.joint for step in robot.joints if step.joint is not None}
    return joints, {name: body for body, name in robot.link_of.items() if body}


def pose_at_random(models, tables, rng):
    """States of several models in which joints of one name are alike."""
    states = [mujoco.MjData(model.mj) for model in models]
    for name in tables[0]:
        width = 7 if models[0].mj.jnt_type[tables[0][name]] == mujoco.mjtJoint.mjJNT_FREE else 1
        value = rng.uniform(-1.0, 1.0, width)
        if width == 7:
            value[3:] /= np.linalg.norm(value[3:])
        for model, state, table in zip(models, states, tables, strict=True):
            start = model.mj.jnt_qposadr[table[name]]
            state.qpos[start : start + width] = value
    for model, state in zip(models, states, strict=True):
        mujoco.mj_forward(model.mj, state)
    return states


def dynamics(model, table, state, joints):
    """Mass matrix and bias forces of joints in their order."""
    columns = []
    for name in joints:
        joint, start = table[name], model.mj.jnt_dofadr[table[name]]
        free = model.mj.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE
        columns += range(start, start + (6 if free else 1))
    full = np.zeros((model.mj.nv, model.mj.nv))
    mujoco.mj_fullM(model.mj, state, full)
    return full[np.ix_(columns, columns)], state.qfrc_bias[columns], columns


def assert_same_dynamics(one, other, samples=4):
    rng = np.random.default_rng(0)
    table, bodies = in_file(one)
    tables, others = (table, by_name(other, "joint")), by_name(other, "body")
    assert set(table) <= set(tables[1]) and set(bodies) <= set(others)
    for _ in range(samples):
        states = first, second = pose_at_random([one, other], tables, rng)
        (mass, bias, columns), (mass2, bias2, columns2) = (
            dynamics(*pair, list(table)) for pair in zip((one, other), tables, states, strict=True)
        )
        # A file says of links, not of the world, that they have no weight.
        bias = bias - first.qfrc_gravcomp[columns]
        bias2 = bias2 - second.qfrc_gravcomp[columns2]
        scale = np.sqrt(np.outer(np.diag(mass), np.diag(mass))) + 1e-12
        assert (np.abs(mass - mass2) / scale).max(initial=0.0) < 1e-6
        assert np.abs(bias - bias2).max(initial=0.0) < 1e-6 * max(np.abs(bias).max(initial=0.0), 1)
        for name in bodies:
            np.testing.assert_allclose(
                first.xpos[bodies[name]], second.xpos[others[name]], atol=1e-6
            )
            np.testing.assert_allclose(
                first.xmat[bodies[name]], second.xmat[others[name]], atol=1e-6
            )


@pytest.fixture
def bot(tmp_path):
    source = tmp_path / "bot.xml"
    source.write_text(TEXT)
    return source


def test_round_trip_keeps_motion_and_mass(bot, tmp_path):
    written = usdsim.convert(usdsim.convert(bot), tmp_path / "back" / "bot.urdf")
    one, other = compiled(bot), compiled(written)
    assert_same_dynamics(one, other)
    a, b = by_name(one, "joint"), by_name(other, "joint")
    for name, array in (("pan", "range"), ("rail", "range"), ("tilt", "stiffness")):
        values = getattr(one.mj, f"jnt_{array}")[a[name]]
        np.testing.assert_allclose(getattr(other.mj, f"jnt_{array}")[b[name]], values, atol=1e-6)
    assert not other.mj.jnt_limited[b["tilt"]]
    spring = other.mj.qpos_spring[other.mj.jnt_qposadr[b["tilt"]]]
    assert spring == pytest.approx(0.25)
    dofs = one.mj.jnt_dofadr[a["pan"]], other.mj.jnt_dofadr[b["pan"]]
    for array in ("damping", "frictionloss", "armature"):
        pairs = zip((one, other), dofs, strict=True)
        first, second = (getattr(model.mj, f"dof_{array}")[dof] for model, dof in pairs)
        assert second == pytest.approx(first, rel=1e-6)


def test_drives_and_couplings_come_back(bot, tmp_path):
    written = export_urdf(bot, tmp_path / "bot.urdf").path
    scene = parse_stage(convert_file(written).stage).scene
    joints = {joint.name: joint for joint in scene.joints if joint.dofs}
    pan, tilt, rail = (joints[name].dofs[0].drive for name in ("pan", "tilt", "rail"))
    assert (pan.stiffness, pan.damping, pan.max_force) == tuple(map(pytest.approx, (30, 2, 7)))
    assert (tilt.stiffness, tilt.damping, tilt.max_force) == (0.0, 0.0, pytest.approx(6.0))
    assert (rail.stiffness, rail.damping) == (0.0, pytest.approx(4.0))
    # follow - 0.2 = 0.1 - 2 (pan - 0.4)
    mimic = joints["follow"].mimic
    assert mimic.joint == joints["pan"].path
    assert (mimic.gearing, mimic.offset) == (-2.0, pytest.approx(0.2 + 0.1 + 0.8))
    control = ET.parse(written).getroot().find("ros2_control")
    sensor = control.find("sensor")
    assert [s.get("name") for s in sensor.findall("state_interface")] == [
        f"angular_velocity.{axis}" for axis in "xyz"
    ]
    assert sensor.find("param").text == "grip"


def test_shapes_materials_and_files(bot, tmp_path):
    export_urdf(bot, tmp_path / "out" / "bot.urdf")
    shutil.move(tmp_path / "out", tmp_path / "moved")
    root = ET.parse(tmp_path / "moved" / "bot.urdf").getroot()
    for name in {element.get("filename") for element in root.iter() if element.get("filename")}:
        assert (tmp_path / "moved" / name).is_file()
    assert {m.get("name") for m in root.findall("material")} >= {"tiles"}
    arm = next(link for link in root.findall("link") if link.get("name") == "arm")
    assert (len(arm.findall("visual")), len(arm.findall("collision"))) == (3, 2)
    one, other = compiled(bot), compiled(tmp_path / "moved" / "bot.urdf")
    kinds = [
        sorted(int(k) for k, t in zip(m.mj.geom_type, m.mj.geom_contype, strict=True) if t)
        for m in (one, other)
    ]
    assert kinds[0] == kinds[1]
    ball = int(mujoco.mjtGeom.mjGEOM_ELLIPSOID)
    sizes = [m.mj.geom_size[m.mj.geom_type == ball] for m in (one, other)]
    # To be seen and to collide are two shapes there.
    np.testing.assert_allclose(sizes[1], np.repeat(sizes[0], 2, axis=0), rtol=1e-7)
    text = (export_urdf(bot, tmp_path / "p.urdf", package="my_bot").path).read_text()
    assert 'filename="package://my_bot/p_assets/' in text


@pytest.mark.parametrize("suffix", [".urdf", ".xml"])
def test_meshes_keep_the_colours_of_their_materials(tmp_path, suffix):
    """On the stage a mesh that links share has the material that each link is bound to."""
    trimesh.creation.cone(0.1, 0.2).export(tmp_path / "cone.stl")
    looks = {"red": "1 0 0 1", "glass": "0 0 1 0.25"}
    visuals = "".join(
        f'<visual><geometry><mesh filename="cone.stl"/></geometry><material name="{name}">'
        f'<color rgba="{rgba}"/></material></visual>'
        for name, rgba in looks.items()
    )
    source = tmp_path / "robot.urdf"
    source.write_text(f'<robot name="r"><link name="base">{visuals}</link></robot>')
    stage = usdsim.convert(source, tmp_path / "robot.usda")
    written = Path(usdsim.convert(stage, tmp_path / f"back{suffix}")).read_text()
    for rgba in looks.values():
        assert f'rgba="{rgba}"' in written


def test_texture_coordinates_near_the_top_of_a_picture_keep_their_digits(tmp_path):
    given = np.float32([0.25, 1.2345679e-6, 0.1, 3.4567891e-5, 0.9, 0.7654321])
    (tmp_path / "bot.xml").write_text(
        '<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 1 2 3 '
        f'0 3 2" texcoord="{" ".join(map(repr, given.tolist()))} 0 0"/></asset><worldbody><body>'
        '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    export_urdf(tmp_path / "bot.xml", tmp_path / "bot.urdf")
    lines = next((tmp_path / "bot_assets").glob("*.obj")).read_text().splitlines()
    rows = np.array([line.split()[1:] for line in lines if line.startswith("vt ")], float)
    back = np.column_stack([rows[:, 0], 1.0 - rows[:, 1]]).astype(np.float32)
    assert set(map(tuple, given.reshape(-1, 2).tolist())) <= set(map(tuple, back.tolist()))


LOSSES = {
    "loop": '<equality><connect body1="b" body2="world" anchor="0 0 0"/></equality>',
    "tendon": '<tendon><fixed name="t"><joint joint="h" coef="1"/></fixed></tendon>',
    "ball-joint": '<worldbody><body><joint name="round" type="ball"/><geom size="0.1"/></body>'
    "</worldbody>",
    "environment": '<worldbody><geom name="floor" type="plane" size="1 1 1"/></worldbody>',
    "key": '<keyframe><key name="up" qpos="1"/></keyframe>',
    "actuator": '<actuator><general joint="h" dyntype="filter" dynprm=".1"/></actuator>',
    "actuator gains": '<actuator><general joint="h" biastype="affine" biasprm="0 3"/></actuator>',
    "sensor": '<sensor><clock name="now"/></sensor>',
    "coupling": '<equality><joint joint1="h" polycoef="0 0 1 0 0"/></equality>',
    "gravity": '<option gravity="0 0 -1.6"/>',
    "damping": '<worldbody><body><joint type="free" damping=".1"/><geom size=".1"/></body>'
    "</worldbody>",
    "spring": '<worldbody><body><joint type="ball" stiffness="3"/><geom size=".1"/></body>'
    "</worldbody>",
    "filter": '<worldbody><body><joint/><geom size=".1" contype="2" conaffinity="2"/></body>'
    "</worldbody>",
    "gravity share": '<worldbody><body gravcomp="0.5"><joint/><geom size=".1"/></body></worldbody>',
}


@pytest.mark.parametrize("code", LOSSES)
def test_what_urdf_cannot_say_is_listed_and_refused(tmp_path, code):
    source = tmp_path / "bot.xml"
    body = '<body name="b"><joint name="h"/><geom size="0.1" pos="0 0 1"/></body>'
    source.write_text(f"<mujoco><worldbody>{body}</worldbody>{LOSSES[code]}</mujoco>")
    report = export_urdf(source, tmp_path / "bot.urdf").report
    assert code.split()[0] in {finding.code for finding in report.warnings}
    assert usdsim.load_model(tmp_path / "bot.urdf").low.nbody >= 2
    before = (tmp_path / "bot.urdf").read_bytes()
    with pytest.raises(ConversionError, match="nothing was written"):
        export_urdf(source, tmp_path / "bot.urdf", strict=True)
    with pytest.raises(ConversionError, match="nothing was written"):
        usdsim.convert(source, tmp_path / "other.urdf", strict=True)
    assert (tmp_path / "bot.urdf").read_bytes() == before
    assert not (tmp_path / "other.urdf").exists()


def masked(masks):
    """Three bodies in a row whose shapes have the given contypes, and a conaffinity of 1."""
    bodies = [
        f'<body name="b{i}" pos="0 0 {i}"><joint axis="0 1 0"/>'
        f'<geom size="0.1" contype="{mask}" conaffinity="1"/></body>'
        for i, mask in enumerate(masks)
    ]
    return f"<mujoco><worldbody><body name='root'><geom size='.05' contype='0' conaffinity='0'/>\
{''.join(bodies)}</body></worldbody></mujoco>"


@pytest.mark.parametrize(
    ("masks", "apart"),
    [((1, 1, 1), set()), ((1, 0, 0), {("b1", "b2")})],
)
def test_masks_of_shapes_are_filters_of_links(tmp_path, masks, apart):
    (tmp_path / "bot.xml").write_text(masked(masks))
    export = export_urdf(tmp_path / "bot.xml", tmp_path / "bot.urdf")
    assert not [finding for finding in export.report.warnings if finding.code == "filter"]
    scene = compiled(export.path).scene
    names = [body.name for body in scene.bodies]
    own = {tuple(sorted((names[a], names[b]))) for a, b in scene.body_filters if a >= 0}
    assert {pair for pair in own if "root" not in pair} == apart


def test_links_that_meet_the_world_alone_do_not_meet_one_another(tmp_path):
    (tmp_path / "bot.xml").write_text(masked((0, 0, 0)))
    export = export_urdf(tmp_path / "bot.xml", tmp_path / "bot.urdf")
    assert not [finding for finding in export.report.warnings if finding.code == "filter"]
    scene = compiled(export.path).scene
    assert not any(articulation.self_collision for articulation in scene.articulations)


FAITHFUL = {
    "two joints of one body": '<body><joint axis="1 0 0"/><joint axis="0 1 0"/><geom size=".1"/>'
    "</body>",
    "masks": '<body><joint/><geom size=".1" contype="0" conaffinity="1"/></body>',
    "a motor with bounded commands": '<body><joint name="h"/><geom size=".1" pos="1 0 0"/></body>'
    "</worldbody><actuator><motor joint='h' gear='5' ctrlrange='-2 2'/></actuator><worldbody>",
    "a motor whose commands nothing bounds": '<body><joint name="h"/><geom size=".1"/></body>'
    "</worldbody><actuator><motor joint='h'/></actuator><worldbody>",
    "a motor with a bias of zeros": '<body><joint name="h"/><geom size=".1"/></body></worldbody>'
    "<actuator><general joint='h' gear='-5' ctrlrange='-2 2' biastype='affine' biasprm='0'/>"
    "</actuator><worldbody>",
    "a motor of a joint that bears so much": '<body><joint name="h" actuatorfrcrange="-3 3"/>'
    "<geom size='.1'/></body></worldbody><actuator><motor joint='h'/></actuator><worldbody>",
    "a spring of a joint that a body shares its name with": '<body name="h"><geom size=".1"/>'
    '<joint name="h" stiffness="3" springref="20"/></body>',
    "a frame that floats with what it carries": '<body name="b" pos="1 2 3"><freejoint/>'
    '<body pos="0 0 1"><geom size=".1"/></body></body>',
    "gravity that is switched off": '</worldbody><option><flag gravity="disable"/></option>'
    '<worldbody><body><joint axis="0 1 0"/><geom size=".1" pos="1 0 0"/></body>',
    "no gravity": '</worldbody><option gravity="0 0 0"/><worldbody><body><joint axis="0 1 0"/>'
    '<geom size=".1" pos="1 0 0"/></body>',
}


@pytest.mark.parametrize("case", FAITHFUL)
def test_the_check_finds_no_difference_where_only_the_words_differ(tmp_path, case):
    (tmp_path / "bot.xml").write_text(f"<mujoco><worldbody>{FAITHFUL[case]}</worldbody></mujoco>")
    export = export_urdf(tmp_path / "bot.xml", tmp_path / "bot.urdf")
    assert not export.report.warnings
    assert not check_export(tmp_path / "bot.xml", export.path)


def test_a_base_may_have_the_name_of_the_world(tmp_path):
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"'
    link = f'<link name="%s">{inertial} iyz="0"/></inertial></link>'
    joint = '<joint name="j" type="continuous"><parent link="world"/><child link="arm"/></joint>'
    source, written = tmp_path / "bot.urdf", tmp_path / "back" / "bot.urdf"
    source.write_text(f'<robot name="b">{link % "world"}{link % "arm"}{joint}</robot>')
    export_urdf(source, written)
    assert [e.get("name") for e in ET.parse(written).iter("link")] == ["world", "arm"]
    assert not check_export(source, written)


def test_scenery_alone_is_no_robot(tmp_path):
    (tmp_path / "scene.xml").write_text(
        '<mujoco><worldbody><geom type="plane" size="1 1 1"/></worldbody></mujoco>'
    )
    with pytest.raises(ConversionError, match="no rigid body"):
        export_urdf(tmp_path / "scene.xml", tmp_path / "bot.urdf")
    assert not (tmp_path / "bot.urdf").exists()


def test_bases_stay_free_or_fixed(tmp_path):
    source = tmp_path / "bot.xml"
    source.write_text(
        '<mujoco><worldbody><body name="b" pos="1 2 3" quat="1 1 0 0"><freejoint name="root"/>'
        '<geom size="0.1"/></body></worldbody></mujoco>'
    )
    written = export_urdf(source, tmp_path / "free.urdf", strict=True).path
    assert_same_dynamics(compiled(source), compiled(written))
    np.testing.assert_allclose(compiled(written).initial.qpos[:3], [1, 2, 3], atol=1e-6)
    source.write_text(source.read_text().replace('<freejoint name="root"/>', ""))
    held = compiled(export_urdf(source, tmp_path / "held.urdf", strict=True).path)
    assert held.mj.nv == 0
    np.testing.assert_allclose(held.mj.body("b").pos, [1, 2, 3], atol=1e-6)


def test_angles_near_the_pole_keep_their_rotation(tmp_path):
    for pitch in (math.pi / 2, math.pi / 2 - 1e-7, -math.pi / 2 + 1e-5):
        source = tmp_path / "bot.xml"
        source.write_text(
            f'<mujoco><compiler angle="radian" eulerseq="XYZ"/><worldbody><body name="b">'
            f'<geom size="0.1"/><body name="c" euler="0.3 {pitch!r} -1.1"><joint name="j"/>'
            '<geom size="0.1" pos="0.1 0.2 0.3"/></body></body></worldbody></mujoco>'
        )
        assert_same_dynamics(
            compiled(source), compiled(export_urdf(source, tmp_path / "b.urdf").path)
        )


def pinocchio():
    module = pytest.importorskip("pinocchio")
    if not hasattr(module, "buildModelFromUrdf"):
        pytest.skip("another package is called pinocchio here")
    return module


@pytest.mark.parametrize("source", ["bot", "arm"])
def test_pinocchio_reads_the_same_robot(bot, tmp_path, source):
    file = bot if source == "bot" else ASSETS / "arm" / "arm.urdf"
    assert_same_in_pinocchio(compiled(file), export_urdf(file, tmp_path / "robot.urdf").path)


@pytest.mark.corpus
@pytest.mark.nightly
@pytest.mark.parametrize("path", corpus_models("urdf"), ids=lambda path: path.parent.name)
def test_pinocchio_reads_every_robot(path, tmp_path):
    assert_same_in_pinocchio(compiled(path), export_urdf(path, tmp_path / "robot.urdf").path)


def assert_same_in_pinocchio(ours, written):
    """Masses, weights and places of a stage's robot are those of Pinocchio's for its file."""
    pin = pinocchio()
    model = pin.buildModelFromUrdf(str(written))
    data, rng = model.createData(), np.random.default_rng(1)
    joints, bodies = in_file(ours)
    assert set(model.names[1:]) == set(joints)
    moving = {name: model.joints[model.getJointId(name)] for name in joints}
    # The velocity of a body that floats is in its own frame there.
    names = [name for name, joint in moving.items() if joint.nv == 1]
    columns = [moving[name].idx_v for name in names]
    for _ in range(4):
        (state,) = pose_at_random([ours], [joints], rng)
        q = pin.neutral(model)
        for name, joint in moving.items():
            start = ours.mj.jnt_qposadr[joints[name]]
            value = state.qpos[start : start + (7 if joint.nv == 6 else 1)]
            if joint.nv == 6:
                value = value[[0, 1, 2, 4, 5, 6, 3]]
            elif joint.nq == 2:
                value = [math.cos(value[0]), math.sin(value[0])]
            q[joint.idx_q : joint.idx_q + joint.nq] = value
        mass, bias, _ = dynamics(ours, joints, state, names)
        theirs = pin.crba(model, data, q)
        theirs = np.triu(theirs) + np.triu(theirs, 1).T
        rotors = np.diag([ours.mj.dof_armature[ours.mj.jnt_dofadr[joints[n]]] for n in names])
        scale = np.sqrt(np.outer(np.diag(mass), np.diag(mass))) + 1e-12
        assert (np.abs(theirs[np.ix_(columns, columns)] - mass + rotors) / scale).max(
            initial=0.0
        ) < 1e-6
        gravity = pin.computeGeneralizedGravity(model, data, q)
        np.testing.assert_allclose(
            gravity[columns], bias, atol=1e-6 * max(np.abs(bias).max(initial=0.0), 1.0)
        )
        pin.framesForwardKinematics(model, data, q)
        for name, body in bodies.items():
            place = data.oMf[model.getFrameId(name, pin.FrameType.BODY)].translation
            np.testing.assert_allclose(place, state.xpos[body], atol=1e-6)


@pytest.mark.corpus
@pytest.mark.parametrize("path", corpus_models("urdf")[::4], ids=lambda path: path.stem)
def test_real_robots_come_back(path, tmp_path):
    stage = convert_file(path).stage
    written = export_urdf(stage, tmp_path / "robot.urdf").path
    assert_same_dynamics(compiled(stage), compiled(written), samples=2)


@pytest.mark.corpus
@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["mjcf", "urdf"])
def test_the_whole_corpus_comes_back(kind, tmp_path):
    came_back = []
    for path in corpus_models(kind):
        one = compiled(path)
        if not len(one.body_ids):
            continue  # scenery
        export = export_urdf(path, tmp_path / f"{path.stem}.urdf")
        if "ball-joint" in {finding.code for finding in export.report.warnings}:
            continue
        assert_same_dynamics(one, compiled(export.path), samples=2)
        came_back.append(path)
    assert len(came_back) >= len(corpus_models(kind)) - 4


@pytest.mark.corpus
@pytest.mark.nightly
@pytest.mark.parametrize("path", corpus_models("usd"), ids=lambda path: path.stem)
def test_stages_of_others_come_back_as_robots(path, tmp_path):
    try:
        export = export_urdf(path, tmp_path / "robot.urdf")
    except ParseError:
        pytest.skip("nothing to simulate")
    if {"loop", "ball-joint"} & {finding.code for finding in export.report.warnings}:
        pytest.skip("URDF has no such joints, as the report says")
    one, other = compiled(convert_file(path).stage), compiled(export.path)
    other.mj.opt.gravity[:] = one.mj.opt.gravity
    assert_same_dynamics(one, other, samples=2)


def test_the_default_prim_may_be_missing(tmp_path):
    stage = convert_file(ASSETS / "arm" / "arm.urdf").stage
    stage.GetRootLayer().defaultPrim = "nowhere"
    assert export_urdf(stage, tmp_path / "named.urdf").path.is_file()


@pytest.mark.parametrize(("static", "told"), [(0.9, 1), (0.1, 0)])
def test_static_friction_above_the_dynamic_one_is_a_warning(tmp_path, static, told):
    stage = Usd.Stage.CreateInMemory()
    cube = UsdGeom.Cube.Define(stage, "/box").GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(cube)
    UsdPhysics.CollisionAPI.Apply(cube)
    look = UsdShade.Material.Define(stage, "/look")
    surface = UsdPhysics.MaterialAPI.Apply(look.GetPrim())
    surface.CreateStaticFrictionAttr(static)
    surface.CreateDynamicFrictionAttr(0.1)
    UsdShade.MaterialBindingAPI.Apply(cube).Bind(look)
    found = export_urdf(stage, tmp_path / "box.urdf").report.warnings
    assert [f.where for f in found if f.code == "static-friction"] == ["/box"] * told
