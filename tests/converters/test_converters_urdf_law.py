"""The law for URDF: what was converted equals an independent reading of the file."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import mujoco
import numpy as np
import pytest
from converters_urdf_text import converted, described, joint, link, robot, write
from corpus_files import CORPUS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pxr import UsdValidation

from usdsim.converters import convert
from usdsim.engine import compile_scene
from usdsim.math.rotations import quat_to_matrix
from usdsim.testing import check_conversion
from usdsim.testing.urdf_law import body_poses, compare_urdf

FILES = sorted(CORPUS.glob("urdf/**/*.urdf")) if CORPUS else []


@pytest.mark.corpus
@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_real_robots(path):
    assert check_conversion(path) == []


ROBOT = robot(
    link("base"),
    joint("shoulder"),
    link("arm", mass=2.0, com="0.1 0.2 0.3"),
    joint("slide", "prismatic", "arm", "tip", '<axis xyz="1 2 0"/><limit lower="0" upper="1"/>'),
    link("tip"),
    joint("copy", parent="arm", child="twin",
          inner='<axis xyz="1 0 0"/><limit lower="-1" upper="1"/>'
          '<mimic joint="shoulder" multiplier="2" offset="0.1"/>'),
    link("twin"),
)  # fmt: skip

CHANGES = [
    ('xyz="0.1 0.2 0.3" rpy', 'xyz="0.1 0.2 0.3001" rpy', "off its pose"),
    ('rpy="0.1 -0.2 0.3"', 'rpy="0.1 -0.2 0.301"', "off its pose"),
    ('<axis xyz="1 2 0"/>', '<axis xyz="1 2.01 0"/>', "off its pose"),
    ('<mass value="2.0"/>', '<mass value="2.001"/>', "kg"),
    ('<origin xyz="0.1 0.2 0.3"/><mass', '<origin xyz="0.1 0.2 0.31"/><mass', "centre of mass"),
    ('iyy="0.03"', 'iyy="0.0301"', "inertia"),
    ('upper="2"', 'upper="2.1"', "upper limit"),
    ('effort="5"', 'effort="6"', "effort limit"),
    ('velocity="3"', 'velocity="4"', "velocity limit"),
    ('multiplier="2"', 'multiplier="3"', "mimic"),
    ('<parent link="arm"/><child link="twin"/>', '<parent link="tip"/><child link="twin"/>',
     "hangs"),
    ('name="slide"', 'name="other"', "missing"),
]  # fmt: skip


def test_law_reads_files_with_blank_lines_before_their_declaration(tmp_path):
    text = ROBOT[ROBOT.index("<robot") :]
    (tmp_path / "r.urdf").write_text(f'\n\n<?xml version="1.0"?>\n{text}\0')
    assert check_conversion(tmp_path / "r.urdf") == []


def test_law_reads_files_with_a_misspelt_declaration(tmp_path):
    text = ROBOT[ROBOT.index("<robot") :]
    assert check_conversion(write(tmp_path, f'<?xml verison="1.0"?>{text}')) == []


def test_law_reads_files_with_prefixes_that_nobody_declared(tmp_path):
    text = ROBOT.replace("</robot>", "<sensor:camera name='eye'/></robot>")
    assert check_conversion(write(tmp_path, text)) == []


def test_law_takes_what_mimics_no_joint_as_free(tmp_path):
    for leader in ("mimic", 'mimic joint="copy"'):
        text = ROBOT.replace('mimic joint="shoulder"', leader)
        assert check_conversion(write(tmp_path, text)) == []


def test_law_takes_a_link_of_the_environment_that_carries_nothing_as_no_body(tmp_path):
    text = ROBOT.replace("</robot>", '<link name="odom"/></robot>')
    assert check_conversion(write(tmp_path, text)) == []


def test_law_holds(tmp_path):
    source = write(tmp_path, ROBOT)
    assert check_conversion(source) == []
    assert check_conversion(source, convert(source, tmp_path / "bot.usd")) == []


@pytest.mark.parametrize(("old", "new", "word"), CHANGES, ids=[new for _, new, _ in CHANGES])
def test_law_notices_every_change(tmp_path, old, new, word):
    assert old in ROBOT
    scene = described(converted(tmp_path, ROBOT).stage)
    changed = write(tmp_path, ROBOT.replace(old, new), "changed.urdf")
    differences = compare_urdf(changed, scene)
    assert differences
    assert any(word in difference for difference in differences), differences


numbers = st.floats(-1.0, 1.0).map(lambda x: round(x, 4))
vectors = st.tuples(numbers, numbers, numbers)
KINDS = ("revolute", "continuous", "prismatic", "fixed")


GEOM_TYPES = {
    int(mujoco.mjtGeom.mjGEOM_BOX): "box",
    int(mujoco.mjtGeom.mjGEOM_SPHERE): "sphere",
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): "cylinder",
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): "capsule",
}
SHAPES = (
    '<box size="{0} {1} {2}"/>',
    '<sphere radius="{0}"/>',
    '<cylinder radius="{0}" length="{1}"/>',
    '<capsule radius="{0}" length="{1}"/>',
)


@st.composite
def shapes(draw):
    found = []
    for _ in range(draw(st.integers(0, 2))):
        sizes = [draw(st.floats(0.01, 1.0)) for _ in range(3)]
        xyz, rpy = draw(vectors), draw(vectors)
        found.append(
            f'<collision><origin xyz="{xyz[0]} {xyz[1]} {xyz[2]}" '
            f'rpy="{rpy[0]} {rpy[1]} {rpy[2]}"/>'
            f"<geometry>{draw(st.sampled_from(SHAPES)).format(*sizes)}</geometry></collision>"
        )
    return "".join(found)


@st.composite
def trees(draw):
    count = draw(st.integers(2, 7))
    parts = [link("base", draw(shapes()), mass=draw(st.floats(0.1, 5.0)))]
    for i in range(count):
        parent = draw(st.sampled_from(["base", *(f"l{k}" for k in range(i))]))
        kind = draw(st.sampled_from(KINDS))
        axis = draw(vectors.filter(lambda v: np.linalg.norm(v) > 0.1))
        low, span = draw(numbers), draw(st.floats(0.1, 2.0))
        inner = "" if kind == "fixed" else (
            f'<axis xyz="{axis[0]} {axis[1]} {axis[2]}"/>'
            f'<limit lower="{low}" upper="{low + span}" effort="{draw(st.floats(0.1, 9.0))}" '
            f'velocity="{draw(st.floats(0.1, 9.0))}"/><dynamics damping="{abs(low)}"/>'
        )  # fmt: skip
        xyz, rpy = draw(vectors), draw(vectors)
        origin = (
            f'<origin xyz="{xyz[0]} {xyz[1]} {xyz[2]}" '
            f'rpy="{3 * rpy[0]} {3 * rpy[1]} {3 * rpy[2]}"/>'
        )
        parts.append(joint(f"j{i}", kind, parent, f"l{i}", inner, origin))
        com = draw(vectors)
        parts.append(
            link(f"l{i}", draw(shapes()), mass=draw(st.floats(0.1, 5.0)),
                 com=f"{com[0]} {com[1]} {com[2]}")
        )  # fmt: skip
    order = draw(st.permutations(parts))
    return robot(*order)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=trees(), layout=st.sampled_from(["nested", "flat"]))
def test_random_trees(tmp_path, text, layout):
    source = write(tmp_path, text)
    stage = converted(tmp_path, text, layout=layout).stage
    assert check_conversion(source, stage) == []


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=trees())
def test_poses_and_shapes_agree_with_mujocos_own_urdf_reader(tmp_path, text):
    """An oracle that shares nothing with this package."""
    whole = '<mujoco><compiler fusestatic="false"/></mujoco></robot>'
    model = mujoco.MjModel.from_xml_string(text.replace("</robot>", whole))
    scene = described(converted(tmp_path, text).stage)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(1)
    data.qpos[:] = rng.uniform(-1.0, 1.0, model.nq)
    mujoco.mj_kinematics(model, data)
    positions = {
        mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j): data.qpos[model.jnt_qposadr[j]]
        for j in range(model.njnt)
    }
    found = dict(
        zip([body.name for body in scene.bodies], body_poses(scene, positions), strict=True)
    )
    for i in range(1, model.nbody):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, i)
        np.testing.assert_allclose(found[name].pos, data.xpos[i], atol=1e-6)
        assert model.body_mass[i] == pytest.approx(
            next(b.mass for b in scene.bodies if b.name == name), rel=1e-6
        )
        number = next(k for k, body in enumerate(scene.bodies) if body.name == name)
        geoms = [geom for geom in scene.geoms if geom.body == number]
        ids = np.flatnonzero(model.geom_bodyid == i)
        assert len(geoms) == len(ids)
        for geom, k in zip(geoms, ids, strict=True):
            assert GEOM_TYPES[int(model.geom_type[k])] == geom.kind
            np.testing.assert_allclose(geom.pose.pos, model.geom_pos[k], atol=1e-7)
            turn = np.roll(model.geom_quat[k], -1)
            np.testing.assert_allclose(abs(geom.pose.quat @ turn), 1.0, atol=1e-7)
            np.testing.assert_allclose(geom.size, model.geom_size[k], rtol=1e-6)


@pytest.mark.parametrize("layout", ["nested", "flat"])
def test_result_is_valid_usd(tmp_path, layout):
    box = '<visual><geometry><box size="1 1 1"/></geometry></visual>'
    text = ROBOT.replace('<link name="base">', f'<link name="base">{box}')
    path = convert(write(tmp_path, text), tmp_path / "bot.usda", layout=layout)
    from usdsim.usd.stage import open_stage

    stage = open_stage(path)
    registry = UsdValidation.ValidationRegistry()
    context = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators())
    errors = [
        f"{e.GetName()} {[str(s.GetPrim().GetPath()) for s in e.GetSites() if s.IsPrim()]} "
        f"{e.GetMessage()}"
        for e in context.Validate(stage)
        if e.GetType() == UsdValidation.ValidationErrorType.Error
    ]
    assert errors == []


def test_converting_twice_gives_the_same_file(tmp_path):
    source = write(tmp_path, ROBOT)
    one = convert(source, tmp_path / "a.usda").read_text()
    assert one == convert(source, tmp_path / "b.usda").read_text()
    assert not re.search(r"/tmp/|pytest", one)
    assert ElementTree.parse(source)


def _whole(bodies, poses):
    """Mass, first moment and inertia about the root's origin of everything together."""
    mass, moment, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
    for body, pose in zip(bodies, poses, strict=True):
        turn = quat_to_matrix(pose.quat) @ quat_to_matrix(body.inertia_quat)
        at = pose.apply(body.com)
        mass += body.mass
        moment += body.mass * at
        inertia += turn @ np.diag(body.inertia) @ turn.T
        inertia += body.mass * (at @ at * np.eye(3) - np.outer(at, at))
    return mass, moment, inertia


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=trees(), data=st.data())
def test_merging_changes_neither_motion_nor_mass(tmp_path, text, data):
    whole = described(converted(tmp_path, text).stage)
    merged = described(converted(tmp_path, text, merge_fixed_joints=True).stage)
    moving = [j.name for j in whole.joints if j.dofs]
    assert sorted(j.name for j in merged.joints if j.dofs) == sorted(moving)
    positions = {name: data.draw(st.floats(-1.0, 1.0)) for name in moving}
    poses = body_poses(whole, positions)
    by_name = dict(zip([body.name for body in whole.bodies], poses, strict=True))
    found = body_poses(merged, positions)
    for body, pose in zip(merged.bodies, found, strict=True):
        np.testing.assert_allclose(pose.pos, by_name[body.name].pos, atol=1e-6)
    for one, other in zip(_whole(whole.bodies, poses), _whole(merged.bodies, found), strict=True):
        np.testing.assert_allclose(other, one, atol=2e-5)


@pytest.mark.parametrize("fixed", [True, False])
def test_converted_robots_simulate(tmp_path, fixed):
    box = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
    text = robot(link("base", box), joint("shoulder"), link("arm", box, mass=2.0),
                 joint("mount", "fixed", "arm", "tool", ""), '<link name="tool"/>')  # fmt: skip
    model = compile_scene(described(converted(tmp_path, text, fix_base=fixed).stage)).mj
    assert model.nv == (1 if fixed else 7)
    assert model.body_mass.sum() == pytest.approx(3.0)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    acceleration = data.qacc[:3] if not fixed else np.array([0.0, 0.0, -9.81])
    np.testing.assert_allclose(acceleration, [0.0, 0.0, -9.81], atol=1e-5)
    for _ in range(200):
        mujoco.mj_step(model, data)
    assert np.isfinite(data.qpos).all()


def test_moments_of_marks_are_kept_and_dust_is_none(tmp_path):
    """CAD programs export balls of a micrometre for marks, others what rounding leaves of zeros."""
    text = robot(
        link("base"),
        '<link name="mark"><inertial><mass value="4.19e-15"/><inertia ixx="1.68e-27" '
        'iyy="1.68e-27" izz="1.68e-27" ixy="-3.2e-45" ixz="0" iyz="0"/></inertial>'
        '<collision><geometry><sphere radius=".1"/></geometry></collision></link>',
        '<link name="dusty"><inertial><mass value="2"/><inertia ixx="4e-18" '
        'iyy="4e-18" izz="4e-18" ixy="0" ixz="0" iyz="0"/></inertial></link>',
        joint("m", "fixed", child="mark"),
        joint("d", child="dusty"),
    )
    source = write(tmp_path, text)
    assert check_conversion(source) == []
    found = {
        body.name: body.inertia for body in described(convert(source, tmp_path / "a.usda")).bodies
    }
    np.testing.assert_allclose(found["mark"], 1.68e-27)
    assert found["dusty"].min() > 1e-3
