import base64
import json
import struct
import sys
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from usdsim.core.errors import FileError, InvalidValueError, UnsupportedError
from usdsim.math.inertia import box_mass, mesh_mass, sphere_mass
from usdsim.math.meshes.bounds import bounds
from usdsim.math.meshes.operations import (
    bounding_box,
    bounding_sphere,
    convex_hull,
    decompose,
    least_hull_volume,
    load_mesh,
    simplify,
    triangle_corners,
    triangulate,
    volume_properties,
    with_area,
)

BOX_POINTS = np.array([[x, y, z] for x in (-1, 1) for y in (-2, 2) for z in (-3, 3)], float)
BOX_QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
BOX_FACES = np.array([[q[0], q[i], q[i + 1]] for q in BOX_QUADS for i in (1, 2)], np.int32)


def write_stl(file, points, faces, binary):
    if binary:
        body = b"".join(
            struct.pack("<12fH", 0, 0, 0, *points[face].ravel().tolist(), 0) for face in faces
        )
        file.write_bytes(b"made by hand".ljust(80) + struct.pack("<I", len(faces)) + body)
    else:
        facets = "".join(
            "facet normal 0 0 0\nouter loop\n"
            + "".join(f"vertex {x:g} {y:g} {z:g}\n" for x, y, z in points[face])
            + "endloop\nendfacet\n"
            for face in faces
        )
        file.write_text(f"solid box\n{facets}endsolid box\n")


def assert_is_the_box(mesh, scale=1.0):
    got = mesh_mass(1.0, mesh.points, mesh.faces)
    exact = box_mass(1.0, np.array([1, 2, 3]) * scale)
    assert got.mass == pytest.approx(exact.mass, rel=1e-6)
    np.testing.assert_allclose(got.inertia, exact.inertia, atol=1e-6 * np.trace(exact.inertia))


@pytest.mark.parametrize("binary", [True, False])
def test_stl(tmp_path, binary):
    file = tmp_path / "box.STL"
    write_stl(file, BOX_POINTS, BOX_FACES, binary)
    (mesh,) = load_mesh(file)
    assert mesh.name == "box" and mesh.faces.dtype == np.int32
    # Corners that the format repeats are joined, in order of use.
    np.testing.assert_array_equal(mesh.points[mesh.faces], BOX_POINTS[BOX_FACES])
    assert len(mesh.points) == 8
    assert_is_the_box(mesh)


OBJ = """
mtllib looks.mtl  # a comment
o first part
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
vt 0 0
vt 1 0
vt 0 1
vn 0 0 2
usemtl red
f 1//1 2//1 3//1
o second
usemtl wood
f 1/1 2/2 \\
  3/3
f -1/1 -2/3 -3/2
"""
MTL = """
newmtl red
Kd 1 0 0
d 0.5
Ke 0 0.25 0
newmtl wood
Kd 1 1 1
Pr 0.3
Pm 1
map_Kd -s 1 1 1 the wood.png
map_Kd the wood.png
"""


def test_obj_with_all_its_shapes_and_materials(tmp_path):
    (tmp_path / "a.obj").write_text(OBJ)
    (tmp_path / "looks.mtl").write_text(MTL)
    (tmp_path / "the wood.png").write_bytes(b"")
    first, second = load_mesh(tmp_path / "a.obj")
    assert (first.name, second.name) == ("first part", "second")
    np.testing.assert_array_equal(first.points, [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(first.normals, [[0, 0, 1]] * 3)
    assert first.uvs is None and second.normals is None
    np.testing.assert_array_equal(second.points[second.faces[1]], [[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(second.uvs[second.faces[1]], [[0, 0], [0, 1], [1, 0]])
    assert first.material.rgba.tolist() == [1, 0, 0, 0.5]
    assert first.material.emission.tolist() == [0, 0.25, 0]
    assert second.material.texture == tmp_path / "the wood.png"
    assert (second.material.roughness, second.material.metallic) == (0.3, 1.0)


def test_obj_polygons_and_missing_library(tmp_path):
    quads = "".join(f"f {' '.join(str(i + 1) for i in quad)}\n" for quad in BOX_QUADS)
    points = "".join(f"v {x} {y} {z} 0.5 0 1\n" for x, y, z in BOX_POINTS)
    (tmp_path / "box.obj").write_text(f"mtllib gone.mtl\nusemtl paint\n{points}{quads}")
    (mesh,) = load_mesh(tmp_path / "box.obj")
    assert_is_the_box(mesh)
    assert mesh.name == "box" and mesh.material.name == "paint" and mesh.material.rgba is None
    assert mesh.colors[0].tolist() == [0.5, 0, 1, 1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("v 0 0 0\nv 1 0 0\nf 1 2 3\n", "line 3: corner '3' refers to v 3 of 2"),
        ("v 0 0 0\nf 1 1\n", "line 2: a face has 2 corners"),
        ("v 0 0 zero\n", "line 1"),
        ("v 0 0\nv 0 0\nv 0 0\nf 1 2 3\n", "2 numbers"),
        ("v 0 0 0\nf 1 1 -2\n", "line 2"),
        ("v 0 0 0\nf 1 1 0\n", "no position"),
        ("v nan 0 0\nf 1 1 1\n", "not finite"),
        ("v 0 0 0\n", "no triangles"),
        ("", "no triangles"),
    ],
)
def test_broken_obj_names_the_line(tmp_path, text, reason):
    (tmp_path / "a.obj").write_text(text)
    with pytest.raises(FileError, match=reason) as caught:
        load_mesh(tmp_path / "a.obj")
    assert "a.obj" in str(caught.value)


FORMS = ("{a}", "{a}/{b}", "{a}//{c}", "{a}/{b}/{c}")
NUMBERS = st.floats(-10, 10, width=32)
LINES = st.one_of(
    st.tuples(st.just("v"), st.lists(NUMBERS, min_size=3, max_size=4)),
    st.tuples(st.just("vt"), st.lists(NUMBERS, min_size=2, max_size=2)),
    st.tuples(st.just("vn"), st.lists(st.integers(1, 9), min_size=3, max_size=3)),
)
FACES = st.tuples(st.sampled_from(FORMS), st.lists(st.integers(-3, 4), min_size=2, max_size=5))


@given(
    blocks=st.lists(
        st.one_of(
            st.lists(LINES, max_size=4),
            st.lists(FACES, max_size=4),
            st.sampled_from(["usemtl red", "o part", "# words", "v 1 2 3  # words", "f 1 2 x"]),
            st.sampled_from(["v  1\t2 3 ", "f 1 2  3 ", "v ", "f ", "vt \t"]),
        ),
        max_size=8,
    )
)
def test_obj_lines_that_are_read_together_are_read_as_one_by_one(tmp_path_factory, blocks):
    rows = ["v 0 0 0", "v 1 0 0", "v 0 1 0", "vt 0 1", "vn 0 0 1"]
    for block in blocks:
        for row in [block] if isinstance(block, str) else block:
            if isinstance(row, str):
                rows.append(row)
            elif row[0].startswith("v"):
                rows.append(" ".join([row[0], *map(str, row[1])]))
            else:
                rows.append(" ".join(["f", *(row[0].format(a=i, b=1, c=-1) for i in row[1])]))
    file, found = tmp_path_factory.mktemp("obj") / "a.obj", []
    # A line that a backslash continues makes the reader look at every line by itself.
    for ending in ("", "\n# \\\n"):
        file.write_text("\n".join(rows) + ending)
        try:
            found.append(load_mesh(file))
        except FileError as error:
            found.append(str(error))
    together, singly = found
    if isinstance(together, str) or isinstance(singly, str):
        assert together == singly
        return
    for one, other in zip(together, singly, strict=True):
        assert (one.name, one.material.name) == (other.name, other.material.name)
        for name in ("points", "faces", "uvs", "normals", "colors"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name


def test_obj_numbers_that_alternate_with_faces_are_read_in_one_go(tmp_path, monkeypatch):
    from usdsim.math.mesh_files import wavefront

    monkeypatch.setattr(wavefront, "_lines", lambda text, before=0: iter(()))
    rows = "".join(
        f"v {x} {y} {z}\nvn 0 0 1\n" + ("f -1//-1 -2//-2 -3//-3\n" if i > 1 else "")
        for i, (x, y, z) in enumerate(BOX_POINTS.tolist())
    )
    (tmp_path / "a.obj").write_text(rows)
    (mesh,) = load_mesh(tmp_path / "a.obj")
    wanted = BOX_POINTS[[[i, i - 1, i - 2] for i in range(2, 8)]]
    np.testing.assert_array_equal(mesh.points[mesh.faces], wanted)


def collada(unit="0.01", up="Y_UP", node=""):
    numbers = " ".join(f"{v:g}" for v in BOX_POINTS.ravel())
    corners = " ".join(f"{i} 0" for quad in BOX_QUADS for i in quad)
    xyz = "".join(f'<param name="{axis}" type="float"/>' for axis in "XYZ")
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="u" meter="{unit}"/><up_axis>{up}</up_axis></asset>
<library_images><image id="img"><init_from>wood%20a.png</init_from></image></library_images>
<library_effects>
 <effect id="fx-red"><profile_COMMON><technique sid="t"><phong>
  <emission><color>0 0 0.5 1</color></emission><diffuse><color>1 0 0 0.5</color></diffuse>
 </phong></technique></profile_COMMON></effect>
 <effect id="fx-wood"><profile_COMMON>
  <newparam sid="surface"><surface type="2D"><init_from>img</init_from></surface></newparam>
  <newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>
  <technique sid="t"><phong><diffuse><texture texture="sampler" texcoord="UV"/></diffuse></phong>
  </technique></profile_COMMON></effect>
</library_effects>
<library_materials><material id="m-red" name="red"><instance_effect url="#fx-red"/></material>
<material id="m-wood" name="wood"><instance_effect url="#fx-wood"/></material></library_materials>
<library_geometries><geometry id="g" name="geo"><mesh>
 <source id="p"><float_array id="pa" count="24">{numbers}</float_array><technique_common>
  <accessor source="#pa" count="8" stride="3">{xyz}</accessor></technique_common></source>
 <source id="n"><float_array id="na" count="3">0 0 1</float_array><technique_common>
  <accessor source="#na" count="1" stride="3">{xyz}</accessor></technique_common></source>
 <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
 <polylist count="6" material="paint"><input semantic="VERTEX" source="#v" offset="0"/>
  <input semantic="NORMAL" source="#n" offset="1"/>
  <vcount>4 4 4 4 4 4</vcount><p>{corners}</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n1" name="outer">{node}
 <instance_geometry url="#g"><bind_material><technique_common>
  <instance_material symbol="paint" target="#m-red"/></technique_common></bind_material>
 </instance_geometry></node>
 <node id="n2"><translate>100 0 0</translate><instance_geometry url="#g"><bind_material>
  <technique_common><instance_material symbol="paint" target="#m-wood"/></technique_common>
 </bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def test_collada_units_materials_and_instances(tmp_path):
    (tmp_path / "a.dae").write_text(collada())
    (tmp_path / "wood a.png").write_bytes(b"")
    first, second = load_mesh(tmp_path / "a.dae")
    assert_is_the_box(first, 0.01)
    assert_is_the_box(second, 0.01)
    np.testing.assert_allclose(second.points.mean(axis=0), [1, 0, 0])
    assert (first.name, second.name) == ("outer", "geo")
    assert first.material.name == "red" and first.material.rgba.tolist() == [1, 0, 0, 0.5]
    assert first.material.emission.tolist() == [0, 0, 0.5]
    assert second.material.texture == tmp_path / "wood a.png"
    np.testing.assert_allclose(first.normals, [[0, 0, 1]] * len(first.points))


def test_collada_names_what_it_cannot_place(tmp_path, caplog):
    (tmp_path / "a.dae").write_text(collada())
    load_mesh(tmp_path / "a.dae")
    assert not caplog.records
    (tmp_path / "a.dae").write_text(collada().replace('url="#g"', 'url="#gone"', 1))
    assert len(load_mesh(tmp_path / "a.dae")) == 1
    [record] = caplog.records
    assert record.name.startswith("usdsim") and record.levelname == "WARNING"
    assert "a.dae" in record.getMessage() and "'#gone'" in record.getMessage()


def test_collada_transforms_apply_in_order(tmp_path):
    node = (
        "<matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1</matrix><rotate>0 0 1 90</rotate>"
        "<scale>1 1 -2</scale>"
    )
    (tmp_path / "a.dae").write_text(collada("1", "Z_UP", node))
    mesh = load_mesh(tmp_path / "a.dae")[0]
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    np.testing.assert_allclose([low, high], [[3, -1, -6], [7, 1, 6]], atol=1e-12)
    # Mirroring turns triangles over, so that they still face outwards.
    a, b, c = (mesh.points[mesh.faces[:, i]] - [5, 0, 0] for i in range(3))
    assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() > 0
    np.testing.assert_allclose(mesh.normals, [[0, 0, -1]] * len(mesh.points))


def test_up_axes_are_turned_only_on_request(tmp_path):
    for up, extents in (("X_UP", [2, 3, 1]), ("Y_UP", [1, 3, 2]), ("Z_UP", [1, 2, 3])):
        (tmp_path / "a.dae").write_text(collada("1", up))
        np.testing.assert_allclose(load_mesh(tmp_path / "a.dae")[0].points.max(axis=0), [1, 2, 3])
        turned = load_mesh(tmp_path / "a.dae", z_up=True)[0]
        np.testing.assert_allclose(turned.points.max(axis=0), extents, atol=1e-12)
        assert mesh_mass(1.0, turned.points, turned.faces).mass == pytest.approx(48.0)


def gltf(points, faces, material):
    blob = points.astype("<f4").tobytes() + faces.astype("<u4").tobytes()
    blob += np.tile([[0, 0, 1]], (len(points), 1)).astype("<f4").tobytes()
    uri = "data:application/octet-stream;base64," + base64.b64encode(blob).decode()
    n, m = len(points), faces.size
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "moved", "mesh": 0, "translation": [0, 10, 0]}],
        "meshes": [
            {
                "primitives": [
                    {"attributes": {"POSITION": 0, "NORMAL": 2}, "indices": 1, "material": 0}
                ]
            }
        ],
        "materials": [material],
        "buffers": [{"uri": uri, "byteLength": len(blob)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 12 * n},
            {"buffer": 0, "byteOffset": 12 * n, "byteLength": 4 * m},
            {"buffer": 0, "byteOffset": 12 * n + 4 * m, "byteLength": 12 * n},
        ],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": n,
                "type": "VEC3",
                "min": points.min(axis=0).tolist(),
                "max": points.max(axis=0).tolist(),
            },
            {"bufferView": 1, "componentType": 5125, "count": m, "type": "SCALAR"},
            {"bufferView": 2, "componentType": 5126, "count": n, "type": "VEC3"},
        ],
    }


def test_gltf(tmp_path):
    material = {
        "name": "steel",
        "pbrMetallicRoughness": {
            "baseColorFactor": [0.2, 0.4, 0.6, 1.0],
            "metallicFactor": 0.75,
            "roughnessFactor": 0.25,
        },
        "emissiveFactor": [0, 1, 0],
    }
    (tmp_path / "a.gltf").write_text(json.dumps(gltf(BOX_POINTS, BOX_FACES, material)))
    (mesh,) = load_mesh(tmp_path / "a.gltf")
    assert_is_the_box(mesh)
    assert mesh.name == "moved"
    np.testing.assert_allclose(mesh.points.mean(axis=0), [0, 10, 0], atol=1e-6)
    np.testing.assert_allclose(mesh.normals, [[0, 0, 1]] * 8)
    assert mesh.material.name == "steel"
    np.testing.assert_allclose(mesh.material.rgba, [0.2, 0.4, 0.6, 1.0], atol=3e-3)
    assert (mesh.material.metallic, mesh.material.roughness) == (0.75, 0.25)
    np.testing.assert_allclose(mesh.material.emission, [0, 1, 0])
    (turned,) = load_mesh(tmp_path / "a.gltf", z_up=True)
    np.testing.assert_allclose(turned.points.mean(axis=0), [0, 0, 10], atol=1e-6)
    np.testing.assert_allclose(turned.normals, [[0, -1, 0]] * 8)
    assert_is_the_box(type(mesh)(name="", points=mesh.points, faces=mesh.faces))


def test_gltf_without_its_buffer_is_named(tmp_path):
    broken = gltf(BOX_POINTS, BOX_FACES, {})
    broken["buffers"][0]["uri"] = "gone.bin"
    (tmp_path / "a.gltf").write_text(json.dumps(broken))
    with pytest.raises(FileError, match=r"a\.gltf.*gone\.bin"):
        load_mesh(tmp_path / "a.gltf")


def test_ply_and_off(tmp_path):
    points = "\n".join(f"{x} {y} {z}" for x, y, z in BOX_POINTS)
    faces = "\n".join(f"3 {a} {b} {c}" for a, b, c in BOX_FACES)
    header = (
        "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\n"
        "property float z\nelement face 12\nproperty list uchar int vertex_indices\nend_header\n"
    )
    (tmp_path / "a.ply").write_text(f"{header}{points}\n{faces}\n")
    (tmp_path / "a.off").write_text(f"OFF\n8 12 0\n{points}\n{faces}\n")
    for suffix in ("ply", "off"):
        (mesh,) = load_mesh(tmp_path / f"a.{suffix}")
        assert_is_the_box(mesh)
        assert mesh.name == "a"


def test_files_that_are_no_meshes(tmp_path):
    with pytest.raises(FileError, match=r"No such mesh file.*gone\.stl"):
        load_mesh(tmp_path / "gone.stl")
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(FileError, match=r"\.stl, \.obj"):
        load_mesh(tmp_path / "a.txt")
    for suffix in ("stl", "glb", "gltf", "ply", "dae"):
        (tmp_path / f"a.{suffix}").write_bytes(b"nothing of the kind" * 20)
        with pytest.raises(FileError, match=rf"a\.{suffix}"):
            load_mesh(tmp_path / f"a.{suffix}")
    (tmp_path / "a.dae").write_text("<robot/>")
    with pytest.raises(FileError, match="robot"):
        load_mesh(tmp_path / "a.dae")


def test_endless_collada_nodes_end(tmp_path):
    text = collada(node='<instance_node url="#n1"/>')
    (tmp_path / "a.dae").write_text(text)
    with pytest.raises(FileError, match="#n1"):
        load_mesh(tmp_path / "a.dae")


def test_collada_in_the_wild(tmp_path):
    file = tmp_path / "a.dae"
    text = collada("1", "Z_UP")
    geometry = text[text.index("<geometry ") : text.index("</library_geometries>")]
    # Every geometry with the same ids inside: they are looked up within their geometry.
    other = geometry.replace('id="g"', 'id="h"').replace(">-1 -2 -3 ", ">-1 -2 -9 ")
    twice = text.replace(geometry, geometry + other).replace('url="#g"', 'url="#h"', 1)
    file.write_text(twice)
    assert [mesh.points.min() for mesh in load_mesh(file)] == [-9, -3]
    for old, new in (
        (' xmlns="http://www.collada.org/2005/11/COLLADASchema"', ""),
        ('target="#m-red"', 'target="#gone"'),
        ('url="#fx-red"', 'url="#gone"'),
        ("<init_from>img<", "<init_from>gone<"),
        ("<library_effects>", '<library_lights><light id="l"/></library_lights><library_effects>'),
    ):
        assert old in text
        file.write_text(text.replace(old, new))
        for mesh in load_mesh(file):
            assert len(mesh.points) == 8 and len(mesh.faces) == 12


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (">-1 -2 -3 ", ">-1 -2 x "),
        ("<p>0 0", "<p>99 0"),
        ("<p>0 0", "<p>-1 0"),
        ("<p>0 0", "<p>x 0"),
        ('<input semantic="POSITION" source="#p"/>', ""),
        ("<translate>100 0 0<", "<translate>100 0<"),
        ("</polylist>", "</polylist><spline/>"),
        ('id="n2">', 'id="n2"><instance_node url="#gone"/>'),
    ],
)
def test_collada_never_loses_geometry_silently(tmp_path, old, new):
    assert old in collada()
    (tmp_path / "a.dae").write_text(collada().replace(old, new))
    with pytest.raises(FileError, match=r"a\.dae"):
        load_mesh(tmp_path / "a.dae")


def test_collada_strips(tmp_path):
    text = collada("1", "Z_UP")
    start, end = text.index("<polylist"), text.index("</mesh>")
    strip = (
        '<tristrips count="1"><input semantic="VERTEX" source="#v" offset="0"/>'
        "<p>0 1 2 3</p></tristrips>"
    )
    (tmp_path / "a.dae").write_text(text[:start] + strip + text[end:])
    mesh = load_mesh(tmp_path / "a.dae")[0]
    assert len(mesh.points) == 4 and len(mesh.faces) == 2


@given(st.lists(st.integers(3, 7), max_size=12))
def test_polygons_become_fans(counts):
    corners = triangle_corners(counts)
    expected = []
    start = 0
    for count in counts:
        expected += [[start, start + i, start + i + 1] for i in range(1, count - 1)]
        start += count
    assert corners.tolist() == expected


def test_triangulation_of_a_mesh():
    counts, indices = [4] * 6, np.ravel(BOX_QUADS)
    np.testing.assert_array_equal(triangulate(counts, indices), BOX_FACES)
    turned = triangulate(counts, np.array(BOX_QUADS)[:, ::-1].ravel(), left_handed=True)
    a, b, c = (BOX_POINTS[turned[:, i]] for i in range(3))
    assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() == pytest.approx(6 * 48)
    assert len(triangulate(counts, indices, holes=[0, 3])) == 8
    assert triangulate([], []).shape == (0, 3)
    with pytest.raises(InvalidValueError, match="sum"):
        triangulate([4], [0, 1, 2])
    with pytest.raises(InvalidValueError, match="face 1"):
        triangulate([3, 2], [0, 1, 2, 3, 4])


def test_concave_polygons_keep_their_volume():
    outline = np.array([[0, 0], [2, 0], [2, 2], [1, 0.5], [0, 2]], float)
    bottom, top = (np.column_stack([outline, np.full(5, z)]) for z in (0, 1))
    sides = [[i, (i + 1) % 5, (i + 1) % 5 + 5, i + 5] for i in range(5)]
    polygons = [[4, 3, 2, 1, 0], [5, 6, 7, 8, 9], *sides]
    faces = triangulate([len(p) for p in polygons], np.concatenate(polygons))
    # Two trapezoids, 2 to 0.5 high.
    assert mesh_mass(1.0, np.vstack([bottom, top]), faces).mass == pytest.approx(2.5)


def test_volume_of_mesh_and_hull():
    assert volume_properties(BOX_POINTS, BOX_FACES, 2.0).mass == pytest.approx(96.0)
    assert volume_properties(BOX_POINTS, BOX_FACES[:4], 1.0, hull=True).mass == pytest.approx(48.0)


def test_bounding_box():
    centre, half = bounding_box(BOX_POINTS + np.array([5, 0, 0]))
    assert centre.tolist() == [5, 0, 0] and half.tolist() == [1, 2, 3]


def test_bounding_sphere_is_the_smallest():
    centre, radius = bounding_sphere(BOX_POINTS + 7.0)
    np.testing.assert_allclose(centre, [7, 7, 7])
    assert radius == pytest.approx(np.sqrt(14))
    rng = np.random.default_rng(0)
    ball = rng.normal(size=(500, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    centre, radius = bounding_sphere(ball * 2.0 + [1, 2, 3])
    np.testing.assert_allclose(centre, [1, 2, 3], atol=1e-2)
    assert radius <= 2.0 + 1e-12
    assert bounding_sphere(np.ones((4, 3)))[1] == 0.0
    assert bounding_sphere([[0, 0, 0], [2, 0, 0]])[1] == pytest.approx(1.0)
    # An obtuse triangle rests on its longest side.
    assert bounding_sphere([[0, 0, 0], [2, 0, 0], [1, 0.1, 0]])[1] == pytest.approx(1.0)


@given(st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=1, max_size=25))
def test_bounding_spheres_hold_everything_and_nothing_is_smaller(points):
    cloud = np.array(points)
    centre, radius = bounding_sphere(cloud)
    assert np.linalg.norm(cloud - centre, axis=1).max() <= radius * (1 + 1e-9) + 1e-12
    farthest = max(np.linalg.norm(a - b) for a in cloud for b in cloud)
    assert farthest / 2 - 1e-9 <= radius <= farthest * np.sqrt(3 / 8) + 1e-6


def test_simplified_meshes_keep_their_shape():
    import trimesh

    ball = trimesh.creation.icosphere(4, 1.0)
    points, faces = simplify(ball.vertices, ball.faces, 500)
    assert 100 < len(faces) <= 500
    solid = mesh_mass(1.0, points, faces)
    assert solid.mass == pytest.approx(sphere_mass(1.0, 1.0).mass, rel=0.2)
    same, unchanged = simplify(ball.vertices, ball.faces, 10**6)
    assert len(same) == len(ball.vertices) and len(unchanged) == len(ball.faces)
    with pytest.raises(InvalidValueError, match="max_faces"):
        simplify(ball.vertices, ball.faces, 3)


def test_decomposition_needs_its_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(UnsupportedError, match=r"usdsim\[decomposition\]"):
        decompose(BOX_POINTS, BOX_FACES)


def test_decomposition_hands_over(monkeypatch):
    """The optional package is replaced by one that finds a single part."""
    import trimesh

    given_options = {}
    fake = types.SimpleNamespace(
        set_log_level=lambda level: None,
        Mesh=lambda points, faces: (points, faces),
        run_coacd=lambda mesh, **options: given_options.update(options) or [convex_hull(mesh[0])],
    )
    monkeypatch.setitem(sys.modules, "coacd", fake)
    ((points, faces),) = decompose(BOX_POINTS, BOX_FACES, max_hulls=5, threshold=0.1)
    assert given_options["threshold"] == 0.1 and given_options["max_convex_hull"] == 5
    assert mesh_mass(1.0, points, faces).mass == pytest.approx(48.0)
    # What would be searched for minutes is remeshed coarsely.
    assert given_options["preprocess_mode"] == "auto"
    ball = trimesh.creation.icosphere(6, 1.0)
    decompose(ball.vertices, ball.faces)
    assert given_options["preprocess_mode"] == "on"
    assert given_options["preprocess_resolution"] < 50 and given_options["mcts_iterations"] < 150


def test_decompositions_are_kept_on_disk(monkeypatch, tmp_path):
    runs = []
    fake = types.SimpleNamespace(
        set_log_level=lambda level: None,
        Mesh=lambda points, faces: (points, faces),
        run_coacd=lambda mesh, **options: runs.append(1) or [convex_hull(mesh[0])],
    )
    monkeypatch.setitem(sys.modules, "coacd", fake)
    monkeypatch.setenv("USDSIM_CACHE_DIR", str(tmp_path))
    ((first, _),), ((second, _),) = (decompose(BOX_POINTS, BOX_FACES) for _ in range(2))
    np.testing.assert_array_equal(second, first)
    assert len(runs) == 1
    decompose(2.0 * BOX_POINTS, BOX_FACES)
    decompose(BOX_POINTS, BOX_FACES, max_hulls=3)
    assert len(runs) == 3


def test_binary_stl_of_another_size_is_left_to_the_other_reader(tmp_path):
    file = tmp_path / "part.stl"
    write_stl(file, BOX_POINTS, BOX_FACES, True)
    whole = load_mesh(file)[0]
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(FileError, match=r"part\.stl"):
        load_mesh(file)
    assert whole.name == "part"
    assert whole.normals is None


def test_corners_of_stl_with_zeros_of_either_sign_are_one_point(tmp_path):
    file = tmp_path / "part.stl"
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.0, -0.0, 0.0]])
    write_stl(file, np.vstack([points, [[0.0, 0.0, 1.0]]]), np.array([(0, 1, 2), (3, 4, 1)]), True)
    mesh = load_mesh(file)[0]
    assert len(mesh.points) == 4
    assert mesh.faces.tolist() == [[0, 1, 2], [0, 3, 1]]


CLOUDS = st.lists(
    st.tuples(*[st.floats(-1e6, 1e6, width=32, allow_subnormal=False)] * 3), min_size=1
)


@given(CLOUDS)
def test_bounds_are_the_lowest_and_highest_numbers(cloud):
    points = np.array(cloud, np.float32)
    low, high = bounds(points)
    assert low.dtype == high.dtype == np.float32
    assert low.tolist() == [min(column) for column in points.T.tolist()]
    assert high.tolist() == [max(column) for column in points.T.tolist()]


def test_bounds_of_points_that_are_no_numbers_are_none():
    assert np.isnan(bounds(np.array([[0.0, 1.0, 2.0], [np.nan, 0.0, 0.0]]))[:, 0]).all()


def test_triangles_without_area_are_left_out_unless_all_are():
    points = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1]]
    wide = [[0, 1, 3], [0, 1, 4], [0, 3, 4], [1, 3, 4]]
    narrow = [[0, 1, 2], [3, 3, 4]]
    assert with_area(points, np.array([*narrow, *wide], np.int32)).tolist() == wide
    assert with_area(points, np.array(wide, np.int32)).tolist() == wide
    assert with_area(points, np.array(narrow, np.int32)).tolist() == narrow


@pytest.mark.parametrize("seed", range(5))
def test_hulls_have_their_least_volume(seed):
    rng = np.random.default_rng(seed)
    cloud = rng.normal(size=(4 + 9 * seed, 3)) * [1.0, 0.1, 3.0]
    volume = mesh_mass(1.0, *convex_hull(cloud)).mass
    assert 0.0 < least_hull_volume(cloud) <= volume * (1.0 + 1e-9)


def test_the_least_volume_is_that_of_a_simplex():
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)])
    assert least_hull_volume(corners) == pytest.approx(1.0)
    assert least_hull_volume(corners[:3]) == 0.0
