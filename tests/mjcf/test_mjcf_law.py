"""A converted stage compiles to the model of its source."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import mujoco
import numpy as np
import pytest
from corpus_files import corpus_models
from mjcf_features import FEATURES
from mjcf_law import check_law, compile_source, convert, round_trip

from usdsim.converters.mjcf import convert_mjcf
from usdsim.engine.compile.mjc import compare_models
from usdsim.usd.stage import create_stage

GYMNASIUM = sorted((Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets").glob("*.xml"))


@pytest.mark.parametrize("name", FEATURES)
def test_feature_survives(name, tmp_path):
    check_law(FEATURES[name], tmp_path, steps=100)


@pytest.mark.parametrize("path", GYMNASIUM, ids=lambda path: path.stem)
def test_gymnasium_survives(path, tmp_path):
    check_law(path, tmp_path)


@pytest.mark.corpus
@pytest.mark.parametrize("path", corpus_models("mjcf"), ids=lambda path: path.parent.name)
def test_corpus_survives(path, tmp_path):
    check_law(path, tmp_path, steps=50)


def test_spec_is_a_source():
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="a", pos=[1, 2, 3])
    body.add_joint(name="j", axis=[1, 1, 0])
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.2, 0.3])
    stage = create_stage()
    convert_mjcf(spec, stage)
    second, _ = round_trip(stage)
    assert compare_models(spec.compile(), second, tolerance=1e-12) == []


def test_assets_in_memory_survive():
    mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    spec = mujoco.MjSpec.from_string(
        """<mujoco><asset><mesh name="m" file="m.obj" scale="2 1 1"/></asset><worldbody><body>
        <freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>""",
        assets={"m.obj": mesh},
    )
    stage = create_stage()
    convert_mjcf(spec, stage)
    second, _ = round_trip(stage)
    assert compare_models(spec.compile(), second, tolerance=1e-12) == []


@pytest.mark.parametrize("flips", ["", 'hflip="true" vflip="true"'])
@pytest.mark.parametrize(
    "faces",
    [
        'fileright="a" fileleft="b" fileup="c" filedown="a" filefront="b" fileback="c"',
        'fileright="a" fileup="b" rgb1="1 0 0"',
    ],
)
def test_cubes_in_memory_survive(faces, flips):
    from usdsim.core.png import encode_png

    rng = np.random.default_rng(0)
    images = {f"{n}.png": encode_png(rng.integers(0, 255, (4, 4, 3), np.uint8)) for n in "abc"}
    for name in "abc":
        faces = faces.replace(f'"{name}"', f'"{name}.png"')
    spec = mujoco.MjSpec.from_string(
        f"""<mujoco><asset><texture name="t" type="cube" {faces} {flips}/>
        <material name="m" texture="t"/></asset><worldbody><geom size=".1" material="m"/>
        </worldbody></mujoco>""",
        assets=images,
    )
    stage = create_stage()
    report = convert_mjcf(spec, stage)
    second, _ = round_trip(stage)
    assert compare_models(spec.compile(), second, tolerance=1e-12) == []
    assert not report.warnings


def test_attached_models_survive():
    child = mujoco.MjSpec.from_string(
        '<mujoco><worldbody><body name="b"><joint name="j"/><geom size=".1"/></body></worldbody>'
        '<actuator><motor joint="j"/></actuator></mujoco>'
    )
    parent = mujoco.MjSpec()
    for i in range(2):
        frame = parent.worldbody.add_frame(pos=[i, 0, 0], quat=[1, i, 0, 0])
        parent.attach(child.copy(), prefix=f"r{i}/", frame=frame)
    stage = create_stage()
    convert_mjcf(parent, stage)
    second, _ = round_trip(stage)
    assert compare_models(parent.compile(), second, tolerance=1e-12) == []


def test_files_in_other_folders_survive(tmp_path):
    from usdsim.core.png import encode_png

    (tmp_path / "meshes").mkdir()
    (tmp_path / "pictures").mkdir()
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.3, 1]], np.float32)
    faces = points[[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]]
    triangles = b"".join(b"\0" * 12 + face.tobytes() + b"\0\0" for face in faces)
    stl = b"\0" * 80 + np.uint32(len(faces)).tobytes() + triangles
    (tmp_path / "meshes" / "part.stl").write_bytes(stl)
    pixels = np.arange(8 * 4 * 3, dtype=np.uint8).reshape(8, 4, 3)
    (tmp_path / "pictures" / "wood.png").write_bytes(encode_png(pixels))
    (tmp_path / "common.xml").write_text(
        '<mujoco><asset><mesh name="part" file="part.stl"/><texture name="wood" type="2d" '
        'file="wood.png" vflip="true"/><material name="wood" texture="wood"/></asset></mujoco>'
    )
    model = tmp_path / "robot.xml"
    model.write_text(
        '<mujoco><compiler meshdir="meshes" texturedir="pictures"/><include file="common.xml"/>'
        '<worldbody><body><freejoint/><geom type="mesh" mesh="part" material="wood"/></body>'
        "</worldbody></mujoco>"
    )
    out = tmp_path / "out"
    out.mkdir()
    check_law(model, out)
    assert (out / "model_textures").is_dir()


def test_converting_twice_gives_the_same_text():
    stages = [convert(FEATURES["spatial_tendon"]) for _ in range(2)]
    first, second = (stage.GetRootLayer().ExportToString() for stage in stages)
    assert first == second


def test_nothing_physical_is_lost_without_exact():
    # Visual shapes may go; every number the dynamics use must stay.
    source = FEATURES["weld"]
    from usdsim.engine import compile_scene
    from usdsim.parser import parse_stage

    first = compile_source(source)
    second = compile_scene(parse_stage(convert(source)).scene).mj
    for field in ("body_mass", "body_inertia", "eq_data", "jnt_range", "dof_damping"):
        np.testing.assert_array_equal(getattr(first, field), getattr(second, field))


OBJ = """v 0 0 0
v 1 0 0
v 0 1 0
v .2 .3 1.1
vn 0 0 -1
vn 0 -1 0
vn 1 1 1
vn -1 0 0
{more}vt 0 0
vt 1 0
vt 0 1
f 1/1/1 3/2/1 2/3/1
f 1/1/2 2/2/2 4/3/2
f 2/1/3 3/2/3 4/3/3
f 3/1/4 1/2/4 4/3/4
"""


@pytest.mark.parametrize("more", ["", "vn 1 0 0\nvn 0 1 0\n"], ids=["few", "many"])
def test_normals_of_corners_survive(tmp_path, more):
    (tmp_path / "part.obj").write_text(OBJ.format(more=more))
    model = tmp_path / "model.xml"
    model.write_text(
        '<mujoco><asset><mesh name="m" file="part.obj" scale="1 2 -1"/></asset><worldbody>'
        '<geom type="mesh" mesh="m"/></worldbody></mujoco>'
    )
    check_law(model, tmp_path)


@pytest.mark.parametrize("normals", [False, True])
def test_binary_mesh_files_survive(tmp_path, normals):
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.3, 1]], "<f4")
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], "<i4")
    counts = np.array([4, 4 * normals, 0, 4], "<i4")
    parts = [counts, points, *([points + 1] if normals else []), faces]
    (tmp_path / "part.msh").write_bytes(b"".join(part.tobytes() for part in parts))
    model = tmp_path / "model.xml"
    model.write_text(
        '<mujoco><asset><mesh name="m" file="part.msh"/></asset><worldbody>'
        '<geom type="mesh" mesh="m"/></worldbody></mujoco>'
    )
    check_law(model, tmp_path)


def test_orientations_of_shapes_fitted_to_meshes_keep_every_digit():
    """Products of quaternions miss unit length by some last digits, which are theirs."""
    points = np.random.default_rng(0).normal(size=(40, 90)).round(3)
    meshes = "".join(
        f'<mesh name="m{i}" vertex="{" ".join(map(str, row))}"/>' for i, row in enumerate(points)
    )
    geoms = "".join(
        f'<geom type="capsule" mesh="m{i}" quat="1 .{i} .2 .3"/>' for i in range(len(points))
    )
    source = f"<mujoco><asset>{meshes}</asset><worldbody>{geoms}</worldbody></mujoco>"
    second, _ = round_trip(convert(source))
    np.testing.assert_array_equal(second.geom_quat, compile_source(source).geom_quat)
