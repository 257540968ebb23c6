"""Shapes, frames and cameras of Isaac Lab's names: triangles, rectangles, intrinsics, images."""

import numpy as np
import pytest
from pxr import UsdGeom

from usdsim.compat.prims.intrinsics import convert_camera_intrinsics_to_usd
from usdsim.compat.prims.sensor_frames import MeshRectangleCfg, SensorFrameCfg
from usdsim.compat.prims.solids import (
    PRIMITIVE_MESH_TYPES,
    convert_faces_to_triangles,
    create_trimesh_from_geom_mesh,
    create_trimesh_from_geom_shape,
)
from usdsim.core.errors import UnknownNameError
from usdsim.usd.stage import create_stage, use_stage


@pytest.fixture
def stage():
    with use_stage(create_stage()) as stage:
        yield stage


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
@pytest.mark.parametrize(("kind", "length"), [("Cylinder", 3.0), ("Cone", 3.0), ("Capsule", 4.0)])
def test_shapes_along_an_axis_are_as_long_there(stage, kind, length, axis):
    prim = stage.DefinePrim("/A", kind)
    for name, value in (("radius", 0.5), ("height", 3.0), ("axis", axis)):
        prim.GetAttribute(name).Set(value)
    sides = np.ptp(create_trimesh_from_geom_shape(prim).vertices, axis=0)
    expected = np.where(np.array(["X", "Y", "Z"]) == axis, length, 1.0)
    assert np.allclose(sides, expected, atol=0.03)


def test_the_top_of_a_cone_is_towards_its_axis(stage):
    prim = stage.DefinePrim("/A", "Cone")
    prim.GetAttribute("axis").Set("X")
    points = create_trimesh_from_geom_shape(prim).vertices
    top = points[points[:, 0].argmax()]
    assert np.allclose(top[1:], 0.0)
    assert create_trimesh_from_geom_shape(prim).volume > 0.0  # faces look outwards


def test_boxes_balls_and_planes_are_shapes_too(stage):
    box = create_trimesh_from_geom_shape(stage.DefinePrim("/A", "Cube"))
    assert box.volume == pytest.approx(8.0)
    ball = create_trimesh_from_geom_shape(stage.DefinePrim("/B", "Sphere"))
    assert ball.volume == pytest.approx(4.0 / 3.0 * np.pi, rel=0.05)
    plane = create_trimesh_from_geom_shape(stage.DefinePrim("/C", "Plane"))
    assert np.ptp(plane.vertices, axis=0).tolist() == [2e6, 2e6, 0.0]
    with pytest.raises(UnknownNameError, match="Available: Plane, Cube"):
        create_trimesh_from_geom_shape(stage.DefinePrim("/D", "Xform"))
    assert "Capsule" in PRIMITIVE_MESH_TYPES


def test_faces_become_fans(stage):
    found = convert_faces_to_triangles(np.array([4, 5, 6, 7, 0, 1, 2]), np.array([4, 3]))
    assert found.tolist() == [[4, 5, 6], [4, 6, 7], [0, 1, 2]]
    mesh = UsdGeom.Mesh.Define(stage, "/M")
    mesh.GetPointsAttr().Set([(0, 0, 0), (1, 0, 0), (1, 2, 0), (0, 2, 0)])
    mesh.GetFaceVertexCountsAttr().Set([4])
    mesh.GetFaceVertexIndicesAttr().Set([0, 1, 2, 3])
    assert create_trimesh_from_geom_mesh(mesh.GetPrim()).area == pytest.approx(2.0)
    with pytest.raises(UnknownNameError):
        create_trimesh_from_geom_mesh(stage.DefinePrim("/X", "Xform"))


def test_frames_of_sensors_have_a_pose_and_nothing_else(stage):
    cfg = SensorFrameCfg()
    prim = cfg.func("/Sensor", cfg, translation=(0.0, 0.0, 0.3))
    assert (prim.GetTypeName(), prim.GetAppliedSchemas()) == ("Xform", [])
    assert list(prim.GetAttribute("xformOp:translate").Get()) == [0.0, 0.0, 0.3]


def test_rectangles_have_five_cells_along_a_side(stage):
    cfg = MeshRectangleCfg(size=(1.0, 2.0))
    prim = cfg.func("/R", cfg)
    meshes = [p for p in stage.Traverse() if p.IsA(UsdGeom.Mesh) and p.GetPath().HasPrefix("/R")]
    assert prim.IsValid()
    assert len(UsdGeom.Mesh(meshes[0]).GetPointsAttr().Get()) == 36


def test_intrinsics_are_lengths_in_one_unit():
    found = convert_camera_intrinsics_to_usd([400.0, 0, 320, 0, 400.0, 240, 0, 0, 1], 640, 480)
    assert found["horizontal_aperture"] == pytest.approx(1.0)
    assert found["vertical_aperture"] == pytest.approx(0.75)
    assert found["focal_length"] == pytest.approx(400.0 / 640.0)
    found = convert_camera_intrinsics_to_usd([400.0, 0, 0, 0, 400.0, 0, 0, 0, 1], 640, 480, 2.0)
    assert found["focal_length"] == pytest.approx(2.0)
    assert found["horizontal_aperture"] == pytest.approx(2.0 * 640.0 / 400.0)
