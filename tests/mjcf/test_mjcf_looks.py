"""Meshes of converted models look in other tools as their files say."""

import mujoco
import numpy as np
import pytest
from pxr import Usd, UsdGeom, Vt

import usdsim

CORNERS = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
vt .1 .2
vt .7 .3
vt 0 1
vn 0 0 -1
vn 0 -1 0
vn -1 0 0
vn .577 .577 .577
f 1/1/1 3/2/1 2/3/1
f 1/1/2 2/3/2 4/2/2
f 1/1/3 4/2/3 3/3/3
f 2/1/4 3/2/4 4/3/4
"""
POINTS = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
vt 0 0
vt 1 0
vt 0 1
vt .5 .25
vn -.577 -.577 -.577
vn 1 0 0
vn 0 1 0
vn 0 0 1
f 1/1/1 3/3/3 2/2/2
f 1/1/1 2/2/2 4/4/4
f 1/1/1 4/4/4 3/3/3
f 2/2/2 3/3/3 4/4/4
"""
COMPILED = "mesh_vert", "mesh_normal", "mesh_facenormal", "mesh_texcoord", "mesh_facetexcoord"


@pytest.fixture
def convert_mesh(tmp_path):
    def convert(content, attributes="", suffix="obj"):
        (tmp_path / f"part.{suffix}").write_text(content)
        text = f"""<mujoco><asset><mesh name="m" file="{tmp_path}/part.{suffix}" {attributes}/>
          </asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>"""
        (tmp_path / "model.xml").write_text(text)
        usdsim.convert(tmp_path / "model.xml", tmp_path / "model.usda")
        return Usd.Stage.Open(str(tmp_path / "model.usda")), mujoco.MjModel.from_xml_string(text)

    return convert


def seen(stage):
    """The mesh that is drawn, its corners in the world, and which way its faces look."""
    prim = next(prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh))
    mesh = UsdGeom.Mesh(prim)
    corners = np.array(mesh.GetPointsAttr().Get())[mesh.GetFaceVertexIndicesAttr().Get()]
    corners = corners.reshape(-1, 3, 3).astype(np.float64)
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sign = -1.0 if mesh.GetOrientationAttr().Get() == "leftHanded" else 1.0
    return prim, corners, sign * facing / np.linalg.norm(facing, axis=1, keepdims=True)


MOVED = ["", 'scale="2 1 .5"', 'scale="-1 2 1"', 'refpos=".1 .2 .3" refquat=".1 .7 .3 .6"']


@pytest.mark.parametrize("attributes", MOVED)
def test_normals_and_texture_coordinates_of_corners_are_the_files(convert_mesh, attributes):
    stage, source = convert_mesh(CORNERS, attributes)
    prim, corners, facing = seen(stage)
    # Faces look outwards, and so do their normals.
    assert np.einsum("fi,fi->f", corners[:, 0] - corners.mean((0, 1)), facing).min() > 0.0
    primvars = UsdGeom.PrimvarsAPI(prim)
    normals = np.reshape(primvars.GetPrimvar("normals").ComputeFlattened(), (-1, 3, 3))
    np.testing.assert_allclose(np.vecdot(normals, facing[:, None]), 1.0, atol=1e-3)
    coordinates = np.reshape(primvars.GetPrimvar("st").ComputeFlattened(), (-1, 3, 2))
    np.testing.assert_allclose(coordinates[0], [[0.1, 0.2], [0.7, 0.3], [0.0, 1.0]], atol=1e-7)
    model = usdsim.load_model(stage.GetRootLayer().realPath, exact=True).low
    for name in COMPILED:
        np.testing.assert_array_equal(getattr(model, name), getattr(source, name))


def test_values_are_kept_once_where_the_standards_say_them(convert_mesh):
    stage, _ = convert_mesh(CORNERS)
    assert "mjc:normals" not in stage.ExportToString()
    assert "mjc:texcoords" not in stage.ExportToString()


def test_faces_without_area_take_their_corners_along(convert_mesh):
    stage, source = convert_mesh(CORNERS + "f 1/1/1 1/2/2 2/3/3\n")
    prim, corners, _ = seen(stage)
    assert len(corners) == 4
    for name in ("normals", "st"):
        primvar = UsdGeom.PrimvarsAPI(prim).GetPrimvar(name)
        assert len(primvar.ComputeFlattened()) == 12
    model = usdsim.load_model(stage.GetRootLayer().realPath, exact=True).low
    np.testing.assert_array_equal(model.mesh_normal, source.mesh_normal)


def library(stage):
    path = f"{stage.GetDefaultPrim().GetPath()}/Library/Meshes/m"
    return UsdGeom.PrimvarsAPI(stage.GetPrimAtPath(path))


def test_edited_texture_coordinates_act(convert_mesh, tmp_path):
    stage, source = convert_mesh(POINTS)
    primvar = library(stage).GetPrimvar("st")
    primvar.Set(Vt.Vec2fArray.FromNumpy(np.array(primvar.Get(), np.float32) * 0.5))
    stage.GetRootLayer().Export(str(tmp_path / "edited.usda"))
    found = usdsim.load_model(tmp_path / "edited.usda", exact=True).low.mesh_texcoord
    np.testing.assert_allclose(1.0 - found[:, 1], 0.5 * (1.0 - source.mesh_texcoord[:, 1]))
    np.testing.assert_allclose(found[:, 0], 0.5 * source.mesh_texcoord[:, 0])


def test_normals_that_do_not_fit_an_edited_mesh_are_left_out(convert_mesh, tmp_path):
    stage, _ = convert_mesh(CORNERS)
    mesh = UsdGeom.Mesh(library(stage).GetPrim())
    mesh.GetFaceVertexCountsAttr().Set([3, 3, 3, 3, 3])
    mesh.GetFaceVertexIndicesAttr().Set([*mesh.GetFaceVertexIndicesAttr().Get(), 0, 1, 2])
    stage.GetRootLayer().Export(str(tmp_path / "edited.usda"))
    assert usdsim.load_model(tmp_path / "edited.usda").low.mesh_facenum.tolist() == [5]
