"""What the engine would take long to hand out or make: read and left out with the same result."""

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import usdsim
from usdsim.converters.mjcf.shapes.mesh_files import read_stl
from usdsim.core.errors import ConversionError
from usdsim.core.png import encode_png
from usdsim.math.meshes import welding
from usdsim.testing import check_conversion

SKY = """<mujoco><asset>
  <texture name="sky" type="skybox" builtin="gradient" rgb1=".2 .4 .6" width="64" height="64"
    mark="random" random=".1"/>
  <texture name="cube" type="cube" builtin="checker" width="32" height="32"/>
  <texture name="floor" type="2d" builtin="checker" width="16" height="16" mark="edge"/>
  <material name="m" texture="floor"/><material name="n" texture="cube"/></asset>
  <worldbody><geom size=".1" material="m"/><geom size=".2" material="n"/></worldbody></mujoco>"""


def stl_bytes(corners):
    triangles = np.zeros(
        len(corners), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")]
    )
    triangles["corners"] = corners
    return b"\0" * 80 + np.uint32(len(corners)).tobytes() + triangles.tobytes()


def decoded(path):
    spec = mujoco.MjSpec.from_file(str(path))
    mesh = spec.meshes[0]
    return np.array(list(mesh.uservert), np.float32), np.array(list(mesh.userface), np.int32)


@settings(max_examples=40)
@given(st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=3, max_size=60))
def test_stl_files_are_read_as_the_engine_decodes_them(tmp_path_factory, cells):
    corners = np.array(cells[: len(cells) // 3 * 3], np.float32).reshape(-1, 3, 3) / 3.0
    corners[corners == 0.0] = np.resize([0.0, -0.0], (corners == 0.0).sum())
    file = tmp_path_factory.mktemp("stl") / "part.stl"
    file.write_bytes(stl_bytes(corners))
    points, faces = decoded(file)
    found = read_stl(file.read_bytes(), faces.reshape(-1, 3))
    assert found is not None
    assert found.uservert.tobytes() == points.tobytes()
    assert np.array_equal(found.userface, faces)


def test_what_the_engine_reads_otherwise_is_left_to_it():
    corners = np.arange(18, dtype=np.float32).reshape(2, 3, 3)
    content = stl_bytes(corners)
    assert read_stl(content, np.arange(6, dtype=np.int32).reshape(2, 3)) is not None
    assert read_stl(content, np.array([[0, 1, 2], [3, 5, 4]], np.int32)) is None
    assert read_stl(content, np.arange(3, dtype=np.int32).reshape(1, 3)) is None
    corners[0, 0, 0] = np.nan
    assert read_stl(stl_bytes(corners), np.arange(6, dtype=np.int32).reshape(2, 3)) is None


@pytest.mark.parametrize("mix", [welding._MIX, (0, 0, 0)])
def test_points_are_numbered_as_they_come(monkeypatch, mix):
    monkeypatch.setattr(welding, "_MIX", mix)
    points = np.random.default_rng(3).integers(-2, 3, (200, 3)).astype(np.float32)
    points[::3] *= np.float32(-1.0)  # Zeros have signs.
    first, place = welding.number(points)
    seen = {}
    expected = [seen.setdefault(point.tobytes(), len(seen)) for point in points]
    assert place.tolist() == expected
    assert first.tolist() == [expected.index(i) for i in range(len(seen))]


def test_procedural_skies_keep_their_size(tmp_path):
    file = tmp_path / "sky.xml"
    file.write_text(SKY)
    source = mujoco.MjModel.from_xml_string(SKY)
    exact = usdsim.load_model(file, exact=True, cache=False).low
    for name in ("tex_width", "tex_height", "tex_adr", "tex_type", "tex_data"):
        assert np.array_equal(getattr(exact, name), getattr(source, name)), name


def test_a_spec_has_its_skies_back(tmp_path):
    spec = mujoco.MjSpec.from_string(SKY)
    usdsim.load_model(spec)
    assert [(each.width, each.height) for each in spec.textures] == [(64, 64), (32, 32), (16, 16)]


def test_impossible_skies_are_refused():
    with pytest.raises(ConversionError, match=r"[Tt]exture"):
        usdsim.load_mjcf_str(SKY.replace('width="64"', 'width="-3"'))


@pytest.mark.parametrize("normal", ["nan nan nan", "0 nan 1"])
def test_numbers_that_exporters_failed_to_compute_are_replaced_and_told(tmp_path, normal):
    (tmp_path / "part.obj").write_text(
        f"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 1 0 0\nvn {normal}\nvt 1 0\nvt nan 0\n"
        "f 1/1/1 3/2/2 2/1/1\nf 1/1/1 2/1/2 4/1/1\nf 1/1/1 4/1/1 3/1/1\nf 2/1/1 3/1/1 4/1/1\n"
    )
    file = tmp_path / "model.xml"
    file.write_text(
        '<mujoco><asset><mesh name="m" file="part.obj"/></asset><worldbody>'
        '<geom type="mesh" mesh="m"/></worldbody></mujoco>'
    )
    source = mujoco.MjModel.from_xml_path(str(file))
    model = usdsim.load_model(file, exact=True, cache=False)
    assert np.array_equal(model.low.mesh_normal, source.mesh_normal)
    broken = np.isnan(source.mesh_texcoord).any(axis=1)
    assert broken.tolist() == [False, True]
    assert model.low.mesh_texcoord.tolist() == [source.mesh_texcoord[0].tolist(), [0.0, 0.0]]
    assert [finding.code for finding in model.conversion.warnings] == ["not-a-number"] * 2
    with pytest.raises(ConversionError, match="1 of 2 normals are no numbers"):
        usdsim.load_model(file, strict=True, cache=False)


def test_pictures_are_where_stripped_paths_are(tmp_path):
    pixels = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "wood.png").write_bytes(encode_png(pixels))
    source = tmp_path / "box.xml"
    source.write_text(
        """<mujoco><compiler assetdir="assets" strippath="true"/><asset>
        <texture name="wood" type="2d" file="../elsewhere/wood.png"/>
        <material name="wood" texture="wood"/></asset>
        <worldbody><geom size=".1" material="wood"/></worldbody></mujoco>"""
    )
    assert check_conversion(source) == []
