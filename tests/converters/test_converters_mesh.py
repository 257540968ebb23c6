"""Mesh files to USD."""

from __future__ import annotations

import numpy as np
import pytest
from converters_urdf_text import described
from pxr import UsdGeom, UsdPhysics

from usdsim import schemas
from usdsim.converters import MeshConverter, MeshConverterCfg
from usdsim.converters.conversion import convert_file
from usdsim.core.errors import FileError, InvalidValueError

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)]
SIDES = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]


@pytest.fixture
def box(tmp_path):
    path = tmp_path / "1 box.obj"
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS]
    lines += ["f " + " ".join(map(str, side)) for side in SIDES]
    path.write_text("\n".join(lines))
    return path


def converted(box, **options):
    return convert_file(box, None, MeshConverterCfg(asset_path=str(box), **options)).stage


def test_a_plain_mesh_has_no_physics(box):
    stage = converted(box)
    root = stage.GetDefaultPrim()
    assert root.GetName() == "_1_box"
    (mesh,) = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    assert not mesh.HasAPI(UsdPhysics.CollisionAPI)
    assert not root.HasAPI(UsdPhysics.RigidBodyAPI)
    points = np.array(UsdGeom.Mesh(mesh).GetPointsAttr().Get())
    assert sorted(map(tuple, points.astype(int))) == sorted(CORNERS)


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 1, 0.5), (-1, 1, 1)])
def test_a_body_weighs_what_the_mesh_does(box, scale):
    stage = converted(
        box, scale=scale, rigid_props=True, collision_props=True, mass_props={"density": 100.0}
    )
    scene = described(stage)
    sides = np.abs(np.array([1.0, 2.0, 3.0]) * scale)
    (body,) = scene.bodies
    assert body.mass == pytest.approx(100.0 * sides.prod(), rel=1e-6)
    np.testing.assert_allclose(body.com, np.array([0.5, 1.0, 1.5]) * scale, rtol=1e-6)
    square = sides**2
    np.testing.assert_allclose(body.inertia, body.mass / 12.0 * (square.sum() - square), rtol=1e-6)
    (geom,) = scene.geoms
    assert geom.collides


def test_mass_wins_over_density(box):
    stage = converted(box, rigid_props=True, collision_props=True, mass_props={"mass": 3.0})
    assert described(stage).bodies[0].mass == pytest.approx(3.0)
    with pytest.raises(InvalidValueError, match=r"mass_props\.mass"):
        converted(box, mass_props={"mass": -3.0})


def test_pose_and_approximation(box):
    stage = converted(
        box, translation=(1, 2, 3), rotation=(0, 0, 1, 1), mesh_collision_props="bounding_box",
        rigid_props=True,
    )  # fmt: skip
    (mesh,) = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    assert UsdPhysics.MeshCollisionAPI(mesh).GetApproximationAttr().Get() == "boundingCube"
    pose = described(stage).bodies[0].initial_pose_w
    np.testing.assert_allclose(pose.pos, [1, 2, 3])
    np.testing.assert_allclose(pose.quat, [0, 0, 0.5**0.5, 0.5**0.5], atol=1e-12)


@pytest.mark.parametrize(
    ("option", "match"),
    [({"scale": (1, 0, 1)}, "scale"), ({"mesh_collision_props": "cube"}, "convex_hull")],
)
def test_options_are_checked(box, option, match):
    with pytest.raises(InvalidValueError, match=match):
        converted(box, **option)


def test_converter_class(box, tmp_path):
    cfg = MeshConverterCfg(asset_path=str(box), usd_dir=str(tmp_path / "usd"), collision_props=True)
    assert MeshConverter(cfg).usd_path.endswith("1 box.usd")
    box.write_text("nothing")
    with pytest.raises(FileError, match="1 box"):
        MeshConverter(cfg)


def test_schema_configurations_are_authored_in_full(box):
    stage = converted(
        box,
        mass_props=schemas.MassPropertiesCfg(mass=2.5),
        rigid_props=schemas.PhysxRigidBodyPropertiesCfg(linear_damping=0.25),
        collision_props=schemas.PhysxCollisionPropertiesCfg(contact_offset=0.01),
        mesh_collision_props=schemas.ConvexDecompositionPropertiesCfg(max_convex_hulls=7),
    )
    root = stage.GetDefaultPrim()
    (mesh,) = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    assert root.GetAttribute("physics:mass").Get() == 2.5
    assert root.GetAttribute("physxRigidBody:linearDamping").Get() == 0.25
    assert mesh.GetAttribute("physxCollision:contactOffset").Get() == pytest.approx(0.01)
    assert mesh.GetAttribute("physics:approximation").Get() == "convexDecomposition"
    assert mesh.GetAttribute("physxConvexDecompositionCollision:maxConvexHulls").Get() == 7


SLIVERS = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
v 0.5 0 0
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
f 1 1 2
f 1 5 2
"""
"""A tetrahedron, and two triangles without area."""
SHOWN = {
    "part.obj": "",
    "robot.urdf": """<robot name="robot"><link name="base"><visual><geometry>
<mesh filename="part.obj"/></geometry></visual></link></robot>""",
    "robot.xml": """<mujoco><asset><mesh name="part" file="part.obj"/></asset><worldbody>
<geom type="mesh" mesh="part"/></worldbody></mujoco>""",
}


@pytest.mark.parametrize("name", SHOWN)
def test_triangles_have_an_area_and_what_has_no_material_has_a_colour(name, tmp_path):
    (tmp_path / "part.obj").write_text(SLIVERS)
    if SHOWN[name]:
        (tmp_path / name).write_text(SHOWN[name])
    stage = convert_file(tmp_path / name).stage
    meshes = [UsdGeom.Mesh(p) for p in stage.Traverse() if p.IsA(UsdGeom.Mesh)]
    drawn = [mesh for mesh in meshes if mesh.GetDisplayColorAttr().HasAuthoredValue()]
    assert drawn
    for mesh in meshes:
        assert list(mesh.GetFaceVertexCountsAttr().Get()) == [3] * 4
