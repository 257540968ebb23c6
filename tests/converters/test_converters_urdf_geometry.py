"""Shapes, meshes and materials of links."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from converters_urdf_text import codes, converted, described, link, robot, write
from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

from usdsim.converters import convert
from usdsim.core.errors import ConversionError, FileError
from usdsim.math.rotations import quat_apply

TETRA = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def write_stl(path, scale=1.0):
    path.parent.mkdir(parents=True, exist_ok=True)
    corners = scale * TETRA
    body = b"".join(
        struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0) for face in FACES
    )
    path.write_bytes(b"\0" * 80 + struct.pack("<I", len(FACES)) + body)


def shape(geometry, kind="collision", extra=""):
    return f"<{kind}><origin xyz='1 2 3'/><geometry>{geometry}</geometry>{extra}</{kind}>"


@pytest.mark.parametrize(
    ("geometry", "kind", "size"),
    [
        ('<box size="1 2 3"/>', "box", [0.5, 1.0, 1.5]),
        ('<sphere radius="0.3"/>', "sphere", [0.3, 0, 0]),
        ('<cylinder radius="0.2" length="3"/>', "cylinder", [0.2, 1.5, 0]),
        ('<capsule radius="0.2" length="3"/>', "capsule", [0.2, 1.5, 0]),
        ('<capsule radius="0.2" height="3"/>', "capsule", [0.2, 1.5, 0]),
        ('<ellipsoid axes="1 2 3"/>', "ellipsoid", [1, 2, 3]),
        ('<mesh filename="a.obj"/><drake:ellipsoid a="1" b="2" c="3"/>', "ellipsoid", [1, 2, 3]),
    ],
)
def test_primitives(tmp_path, geometry, kind, size):
    stage = converted(tmp_path, robot(link("base", shape(geometry)))).stage
    (geom,) = described(stage).geoms
    assert geom.kind == kind
    np.testing.assert_allclose(geom.size, size, rtol=1e-6)
    np.testing.assert_allclose(geom.pose.pos, [1, 2, 3])
    assert geom.collides


def test_colliders_are_guides_where_something_else_is_visible(tmp_path):
    box = '<box size="1 1 1"/>'
    both = converted(tmp_path, robot(link("base", shape(box) + shape(box, "visual")))).stage
    only = converted(tmp_path, robot(link("base", shape(box)))).stage
    purpose = {
        path: UsdGeom.Imageable(stage.GetPrimAtPath(path)).ComputePurpose()
        for stage, path in ((both, "/bot/base/collision"), (both, "/bot/base/visual"))
    }
    assert purpose == {"/bot/base/collision": "guide", "/bot/base/visual": "default"}
    alone = UsdGeom.Imageable(only.GetPrimAtPath("/bot/base/collision"))
    assert alone.ComputePurpose() == "default"
    assert not both.GetPrimAtPath("/bot/base/visual").HasAPI(UsdPhysics.CollisionAPI)


def test_capsules_in_place_of_cylinders(tmp_path):
    long, flat = '<cylinder radius="0.2" length="3"/>', '<cylinder radius="2" length="3"/>'
    text = robot(link("base", shape(long) + shape(flat) + shape(long, "visual")))
    stage = converted(tmp_path, text, replace_cylinders_with_capsules=True).stage
    geoms = {geom.path.rpartition("/")[2]: geom for geom in described(stage).geoms}
    assert geoms["collision"].kind == "capsule"
    np.testing.assert_allclose(geoms["collision"].size, [0.2, 1.3, 0.0], rtol=1e-6)
    assert geoms["collision_1"].kind == "cylinder"
    assert stage.GetPrimAtPath("/bot/base/visual").GetTypeName() == "Cylinder"


def test_visuals_collide_where_asked(tmp_path):
    text = robot(link("base", shape('<box size="1 1 1"/>', "visual")))
    assert not described(converted(tmp_path, text).stage).geoms
    (geom,) = described(converted(tmp_path, text, collision_from_visuals=True).stage).geoms
    assert geom.collides


def test_a_mesh_used_once_is_written_in_place(tmp_path):
    write_stl(tmp_path / "part.stl")
    mesh = '<mesh filename="part.stl" scale="1 2 -3"/>'
    stage = converted(tmp_path, robot(link("base", shape(mesh)))).stage
    prim = stage.GetPrimAtPath("/bot/base/collision")
    assert prim.GetTypeName() == "Mesh"
    assert UsdPhysics.MeshCollisionAPI(prim).GetApproximationAttr().Get() == "convexHull"
    scene = described(stage)
    points = scene.meshes[scene.geoms[0].mesh].points
    found = {tuple(p) for p in points.round(6) + 0.0}
    assert found == {tuple(p) for p in TETRA.astype(float) * [1, 2, -3] + 0.0}


@pytest.mark.parametrize("instanceable", [True, False])
def test_a_mesh_used_often_is_stored_once(tmp_path, instanceable):
    write_stl(tmp_path / "part.stl")
    mesh = '<mesh filename="part.stl"/>'
    text = robot(link("base", shape(mesh, "visual") * 2 + shape(mesh)))
    stage = converted(tmp_path, text, make_instanceable=instanceable).stage
    assert stage.GetPrimAtPath("/bot/Library").IsAbstract()
    assert stage.GetPrimAtPath("/bot/base/visual").IsInstanceable() is instanceable
    assert len(described(stage).geoms) == 1
    text = stage.GetRootLayer().ExportToString()
    assert text.count("point3f[] points") == 1
    meshes = [p for p in Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies())
              if p.IsA(UsdGeom.Mesh)]  # fmt: skip
    assert len(meshes) == 3


@pytest.mark.parametrize(
    ("choice", "token"), [("convex_decomposition", "convexDecomposition"), ("mesh", "none")]
)
def test_collider_type(tmp_path, choice, token):
    write_stl(tmp_path / "part.stl")
    text = robot(link("base", shape('<mesh filename="part.stl"/>')))
    stage = converted(tmp_path, text, collider_type=choice).stage
    api = UsdPhysics.MeshCollisionAPI(stage.GetPrimAtPath("/bot/base/collision"))
    assert api.GetApproximationAttr().Get() == token


def test_missing_mesh_is_left_out_or_refused(tmp_path):
    text = robot(link("base", shape('<mesh filename="package://a/none.stl"/>')))
    result = converted(tmp_path, text)
    assert codes(result) == ["mesh-missing"]
    assert "package://a/none.stl" in result.report.warnings[0].message
    with pytest.raises(ConversionError, match=r"bot\.urdf:3 .*none\.stl"):
        converted(tmp_path, text, missing_meshes="error")


def test_broken_mesh_is_named(tmp_path):
    (tmp_path / "bad.stl").write_bytes(b"not a mesh")
    result = converted(tmp_path, robot(link("base", shape('<mesh filename="bad.stl"/>'))))
    assert codes(result) == ["mesh-missing"]
    assert "bad.stl" in result.report.warnings[0].message


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("meshes/a.stl", "meshes/a.stl"),
        ("meshes/a.stl", "package://pkg/meshes/a.stl"),
        ("pkg/meshes/a.stl", "package://pkg/meshes/a.stl"),
        ("../pkg/meshes/a.stl", "package://pkg/meshes/a.stl"),
        ("../meshes/a.stl", "../meshes/a.stl"),
        ("meshes/a.stl", "meshes\\a.stl"),
        ("meshes/a b.stl", "package://pkg/meshes/a%20b.stl"),
        ("../meshes/a.stl", "$(find pkg)/meshes/a.stl"),
    ],
)
def test_mesh_lookup(tmp_path, file, name):
    folder = tmp_path / "urdf"
    folder.mkdir()
    write_stl(folder / file)
    text = robot(link("base", shape(f'<mesh filename="{name}"/>')))
    assert codes(converted(folder, text)) == []


def test_mesh_lookup_by_package_folder_manifest_and_environment(tmp_path, monkeypatch):
    text = robot(link("base", shape('<mesh filename="package://pkg/a.stl"/>')))
    (tmp_path / "ws" / "urdf").mkdir(parents=True)
    folder = tmp_path / "ws" / "urdf"
    write_stl(tmp_path / "far" / "renamed" / "a.stl")
    assert codes(converted(folder, text)) == ["mesh-missing"]
    given = {"pkg": str(tmp_path / "far" / "renamed")}
    assert codes(converted(folder, text, packages=given)) == []
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "far" / "renamed"))
    assert codes(converted(folder, text)) == ["mesh-missing"]
    (tmp_path / "far" / "renamed").rename(tmp_path / "far" / "pkg")
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/none:{tmp_path / 'far'}")
    assert codes(converted(folder, text)) == []
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    write_stl(tmp_path / "ws" / "inner" / "a.stl")
    (tmp_path / "ws" / "package.xml").write_text("<package><name>pkg</name></package>")
    inner = text.replace("pkg/a", "pkg/inner/a")
    assert codes(converted(folder, inner)) == []


@pytest.mark.parametrize("root", ["repository/.git", "src"])
def test_packages_anywhere_in_a_repository_or_workspace_are_found(tmp_path, root):
    (tmp_path / root).mkdir(parents=True)
    top = tmp_path / root.removesuffix("/.git")
    meshes = top / "stack" / "common" / "folder"
    write_stl(meshes / "meshes" / "a.stl")
    (meshes / "package.xml").write_text("<package><name>pkg</name></package>")
    folder = top / "robots" / "arm" / "urdf"
    # The arm's own file of the same name is not the one of the package that is named.
    write_stl(folder.parent / "meshes" / "a.stl", scale=2.0)
    folder.mkdir()
    result = converted(
        folder, robot(link("base", shape('<mesh filename="package://pkg/meshes/a.stl"/>')))
    )
    assert codes(result) == []
    (mesh,) = (UsdGeom.Mesh(p) for p in result.stage.TraverseAll() if p.IsA(UsdGeom.Mesh))
    assert np.max(mesh.GetPointsAttr().Get()) == pytest.approx(TETRA.max())


def test_mesh_by_file_url(tmp_path):
    write_stl(tmp_path / "a b.stl")
    url = (tmp_path / "a b.stl").as_uri()
    assert codes(converted(tmp_path, robot(link("base", shape(f'<mesh filename="{url}"/>'))))) == []


def test_materials_are_shared_and_bound(tmp_path):
    red = '<material name="red"><color rgba="1 0 0 0.5"/></material>'
    ref = '<material name="red"/>'
    box = '<box size="1 1 1"/>'
    text = robot(red, link("base", shape(box, "visual", ref) * 2))
    stage = converted(tmp_path, text).stage
    prim = stage.GetPrimAtPath("/bot/base/visual_1")
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    assert str(material.GetPath()) == "/bot/Materials/red"
    surface = UsdShade.Shader(stage.GetPrimAtPath("/bot/Materials/red/Surface"))
    assert tuple(surface.GetInput("diffuseColor").Get()) == (1.0, 0.0, 0.0)
    assert surface.GetInput("opacity").Get() == 0.5
    assert list(UsdGeom.Gprim(prim).GetDisplayOpacityAttr().Get()) == [0.5]


def test_textures_travel_with_the_stage(tmp_path):
    (tmp_path / "wood.png").write_bytes(b"\x89PNG")
    wood = '<material name="wood"><texture filename="wood.png"/></material>'
    source = write(tmp_path, robot(link("base", shape('<box size="1 1 1"/>', "visual", wood))))
    path = convert(source, tmp_path / "out" / "bot.usd")
    copy = tmp_path / "out" / "bot_textures" / "wood.png"
    assert copy.read_bytes() == b"\x89PNG"
    stage = Usd.Stage.Open(str(path))
    shader = UsdShade.Shader(stage.GetPrimAtPath("/bot/Materials/wood/Texture"))
    assert shader.GetInput("file").Get().path == "./bot_textures/wood.png"
    assert shader.GetInput("file").Get().resolvedPath == str(copy)


def test_planes_of_bullet_face_along_their_normal(tmp_path):
    """A plane that faces along x, turned by a quarter about y, faces upwards."""
    plane = '<plane normal="2 0 0"/>'
    place = '<origin xyz="0 0 0.5" rpy="0 -1.5707963267948966 0"/>'
    shape = f"<collision>{place}<geometry>{plane}</geometry></collision>"
    result = converted(tmp_path, robot(f'<link name="ground">{shape}</link>'))
    (geom,) = described(result.stage).geoms
    assert geom.kind == "plane" and geom.pose.pos[2] == 0.5
    np.testing.assert_allclose(quat_apply(geom.pose.quat, [0, 0, 1]), [0, 0, 1], atol=1e-7)
    with pytest.raises(ConversionError, match=r"<plane>: normal is zero"):
        converted(tmp_path, robot(f'<link name="ground">{shape}</link>'.replace("2 0 0", "0 0 0")))


def test_surface_friction_from_foreign_tags(tmp_path):
    box = shape('<box size="1 1 1"/>')
    bullet = link("base", box + '<contact><lateral_friction value="0.9"/></contact>')
    (geom,) = (scene := described(converted(tmp_path, robot(bullet)).stage)).geoms
    assert scene.materials[geom.material].dynamic_friction == pytest.approx(0.9)
    gazebo = '<gazebo reference="base"><mu1>0.2</mu1><mu2>0.3</mu2></gazebo>'
    scene = described(converted(tmp_path, robot(link("base", box), gazebo)).stage)
    assert scene.materials[scene.geoms[0].material].static_friction == pytest.approx(0.2)


def test_a_failed_conversion_leaves_nothing_behind(tmp_path):
    source = write(tmp_path, robot(link("a"), link("a")))
    with pytest.raises(ConversionError):
        convert(source, tmp_path / "out" / "bot.usd")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["bot.urdf"]


def test_destination_may_be_a_folder(tmp_path):
    source = write(tmp_path, robot(link("a")))
    assert convert(source, tmp_path) == tmp_path / "bot.usd"
    with pytest.raises(ConversionError, match=r"\.usda"):
        convert(source, tmp_path / "bot.obj")
    with pytest.raises(FileError):
        convert(tmp_path / "no.urdf", tmp_path)


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "glb", "gltf", "dae"])
def test_mesh_formats_and_their_up_axis(tmp_path, suffix):
    """Coordinates are those of the file, as URDF tools have them; an option turns glTF."""
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    path = tmp_path / f"part.{suffix}"
    if suffix == "dae":
        corners = " ".join(str(v) for v in box.vertices.ravel())
        faces = " ".join(str(i) for i in box.faces.ravel())
        path.write_text(DAE.format(corners=corners, faces=faces, count=len(box.faces)))
    elif suffix == "gltf":
        for name, data in trimesh.Scene(box).export(file_type="gltf").items():
            (tmp_path / name.replace("model.gltf", "part.gltf")).write_bytes(data)
    else:
        box.export(path)
    text = robot(link("base", shape(f'<mesh filename="part.{suffix}"/>')))
    is_gltf = suffix in ("glb", "gltf")
    for axis, expected in (("file", [1.0, 2.0, 3.0]), ("y", [1.0, 3.0, 2.0])):
        result = converted(tmp_path, text, gltf_up_axis=axis)
        scene = described(result.stage)
        extent = np.ptp(scene.meshes[scene.geoms[0].mesh].points, axis=0)
        np.testing.assert_allclose(extent, expected if is_gltf else [1.0, 2.0, 3.0], atol=1e-6)
        assert ("gltf-axis" in {f.code for f in result.report.findings}) == is_gltf


def test_tiny_sizes_stay_as_written(tmp_path):
    result = converted(tmp_path, robot(link("base", shape('<sphere radius="1e-7"/>'))))
    assert described(result.stage).geoms[0].size[0] == pytest.approx(1e-7, rel=1e-6)
    assert "size-zero" not in {f.code for f in result.report.findings}


DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="meter" meter="1"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="24">{corners}</float_array><technique_common>
<accessor source="#a" count="8" stride="3"><param name="X" type="float"/><param name="Y"
 type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="{count}"><input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p>
</triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""


def test_every_shape_of_an_obj_file_is_kept(tmp_path):
    lines = []
    for i, name in enumerate(("one", "two")):
        lines.append(f"o {name}")
        lines += [f"v {x + 2 * i} {y} {z}" for x, y, z in TETRA]
        lines += ["f " + " ".join(str(k + 1 + 4 * i) for k in face) for face in FACES]
    (tmp_path / "two.obj").write_text("\n".join(lines))
    stage = converted(tmp_path, robot(link("base", shape('<mesh filename="two.obj"/>')))).stage
    scene = described(stage)
    lows = sorted(scene.meshes[geom.mesh].points[:, 0].min() for geom in scene.geoms)
    assert lows == [0.0, 2.0]
    assert all(geom.collides for geom in scene.geoms)


def test_textures_are_taken_back_when_the_stage_cannot_be_written(tmp_path):
    (tmp_path / "wood.png").write_bytes(b"\x89PNG")
    wood = '<material name="wood"><texture filename="wood.png"/></material>'
    source = write(tmp_path, robot(link("base", shape('<box size="1 1 1"/>', "visual", wood))))
    (tmp_path / "out" / "bot.usd").mkdir(parents=True)
    with pytest.raises(FileError):
        convert(source, tmp_path / "out" / "bot.usd")
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["bot.usd"]


def test_triangles_without_area_are_dropped(tmp_path):
    """They collide with nothing, and modelling tools refuse or drop them."""
    path = tmp_path / "m.obj"
    points = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 2 0 0\n"
    faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 1 2 2\nf 1 2 5\n"
    path.write_text(points + faces)
    for kind in ("collision", "visual"):
        text = robot(link("base", shape('<mesh filename="m.obj"/>', kind)))
        stage = converted(tmp_path, text).stage
        (mesh,) = (UsdGeom.Mesh(p) for p in stage.Traverse() if p.IsA(UsdGeom.Mesh))
        assert list(mesh.GetFaceVertexCountsAttr().Get()) == [3] * 4


def test_visible_shapes_without_material_have_a_colour(tmp_path):
    stage = converted(tmp_path, robot(link("base", shape('<box size="1 1 1"/>', "visual")))).stage
    (cube,) = (UsdGeom.Cube(p) for p in stage.Traverse() if p.IsA(UsdGeom.Cube))
    assert cube.GetDisplayColorAttr().Get()[0] == (0.5, 0.5, 0.5)
