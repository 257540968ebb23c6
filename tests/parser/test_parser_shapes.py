import numpy as np
import pytest
from parser_builders import about, body, new_stage, parse, place, shape, stage_from
from pxr import Gf, Sdf, UsdGeom, UsdPhysics, UsdShade

from usdsim.converters.emit import emit_shape
from usdsim.math.rotations import quat_apply
from usdsim.math.transforms import Pose
from usdsim.parser import parse_stage
from usdsim.schemas.validation import validate_stage
from usdsim.usd.draft_layers import write_draft
from usdsim.usd.drafts import LayerDraft

Z = np.array([0.0, 0.0, 1.0])


def only_geom(kind, meters=1.0, **sizes):
    stage = new_stage(meters=meters)
    shape(stage, "/g", kind, **sizes)
    return parse(stage).geoms[0]


@pytest.mark.parametrize(
    ("kind", "sizes", "expected_kind", "expected"),
    [
        ("Cube", {"size": 3.0, "scale": (1, 2, -4)}, "box", [1.5, 3, 6]),
        ("Sphere", {"radius": 0.5, "scale": (2, 2, 2)}, "sphere", [1, 0, 0]),
        ("Sphere", {"radius": 0.5, "scale": (1, 2, 3)}, "ellipsoid", [0.5, 1, 1.5]),
        ("Capsule", {"radius": 0.5, "height": 2.0}, "capsule", [0.5, 1, 0]),
        ("Cylinder", {"radius": 0.5, "height": 2.0, "scale": (2, 2, 3)}, "cylinder", [1, 3, 0]),
        (
            "Cylinder",
            {"radius": 0.5, "height": 2.0, "axis": "X", "scale": (3, 2, 2)},
            "cylinder",
            [1, 3, 0],
        ),
        (
            "Capsule_1",
            {"radiusTop": 0.4, "radiusBottom": 0.4, "height": 1.0},
            "capsule",
            [0.4, 0.5, 0],
        ),
        ("Cylinder_1", {"radiusTop": 1.0, "radiusBottom": 1.0}, "cylinder", [1, 1, 0]),
        ("Plane", {"width": 4.0, "length": 6.0}, "plane", [0, 0, 0]),
    ],
)  # fmt: skip
def test_sizes(kind, sizes, expected_kind, expected):
    geom = only_geom(kind, **sizes)
    assert geom.kind == expected_kind
    np.testing.assert_allclose(geom.size, expected, rtol=1e-12)


def meshed_ellipsoid(stage, path="/b/s", size=(0.1, 0.2, 0.3), turn=None):
    """What converters make of an ellipsoid that collides."""
    pose = Pose(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 0.0, 1.0]) if turn is None else turn)
    draft = LayerDraft()
    emit_shape(draft, path, "ellipsoid", size, pose, collides=True)
    write_draft(draft, stage.GetRootLayer())
    return stage.GetPrimAtPath(path)


def test_a_mesh_that_says_so_is_an_ellipsoid_with_its_mass():
    stage = new_stage()
    body(stage, "/b", mass=None)
    meshed_ellipsoid(stage)
    result = parse_stage(stage, strict=True)
    geom, scene = result.scene.geoms[0], result.scene
    assert (geom.kind, geom.mesh) == ("ellipsoid", None)
    np.testing.assert_array_equal(geom.size, [0.1, 0.2, 0.3])
    assert scene.bodies[0].mass == pytest.approx(1000 * 4 / 3 * np.pi * 0.1 * 0.2 * 0.3, rel=1e-12)
    assert not [finding for finding in validate_stage(stage) if finding.severity == "error"]


def test_a_mesh_whose_points_left_the_ellipsoid_is_a_mesh():
    stage = new_stage()
    body(stage, "/b")
    prim = meshed_ellipsoid(stage)
    points = np.array(prim.GetAttribute("points").Get())
    points[points[:, 0] > 0.5] *= 1.5
    prim.GetAttribute("points").Set(points)
    assert parse(stage).geoms[0].kind == "mesh"


def test_a_sheared_ellipsoid_is_the_hull_of_the_sheared_points():
    stage = new_stage()
    body(stage, "/b", mass=None)
    shape_above = place(UsdGeom.Xform.Define(stage, "/b/x").GetPrim(), scale=(1, 1, 2))
    meshed_ellipsoid(stage, f"{shape_above.GetPath()}/s", turn=about((1, 0, 0), 30))
    scene = parse(stage)
    assert scene.geoms[0].kind == "mesh"
    volume = 4 / 3 * np.pi * 0.1 * 0.2 * 0.3
    assert scene.bodies[0].mass == pytest.approx(2000 * volume, rel=1e-6)


@pytest.mark.parametrize("kind", ["Capsule", "Cylinder", "Plane"])
@pytest.mark.parametrize(("axis", "expected"), [("X", [1, 0, 0]), ("Y", [0, 1, 0]), ("Z", Z)])
def test_axes(kind, axis, expected):
    geom = only_geom(kind, axis=axis)
    np.testing.assert_allclose(quat_apply(geom.pose.quat, Z), expected, atol=1e-12)


def test_a_rotated_shape_keeps_its_rotation():
    geom = only_geom("Capsule", axis="X", turn=about(Z, 90), pos=(1, 2, 3))
    np.testing.assert_allclose(quat_apply(geom.pose.quat, Z), [0, 1, 0], atol=1e-12)
    np.testing.assert_allclose(geom.pose.pos, [1, 2, 3])


def test_a_plane_turned_over_by_a_negative_scale_looks_down():
    geom = only_geom("Plane", scale=(1, 1, -1))
    np.testing.assert_allclose(quat_apply(geom.pose.quat, Z), -Z, atol=1e-12)
    geom = only_geom("Plane", scale=(-1, 1, 1))
    np.testing.assert_allclose(quat_apply(geom.pose.quat, Z), Z, atol=1e-12)


def test_uneven_radii_are_reported():
    stage = new_stage()
    shape(stage, "/g", "Cylinder", scale=(1, 2, 1))
    result = parse_stage(stage)
    np.testing.assert_allclose(result.scene.geoms[0].size, [2, 1, 0])
    assert [f.path for f in result.report.by_code("approximated")] == ["/g"]


def test_units_and_body_frames():
    stage = new_stage(meters=0.01)
    body(stage, "/b", (100, 0, 0), about(Z, 90), (2, 2, 2))
    shape(stage, "/b/g", "Cube", (10, 20, 30), size=50.0)
    (geom,) = parse(stage).geoms
    np.testing.assert_allclose(geom.pose.pos, [0.2, 0.4, 0.6])
    np.testing.assert_allclose(geom.size, [0.5, 0.5, 0.5])


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
def test_a_cone_becomes_a_convex_mesh(axis):
    stage = new_stage()
    shape(stage, "/g", "Cone", axis=axis, radius=1.0, height=2.0, scale=(2, 2, 2))
    scene = parse(stage)
    (geom,) = scene.geoms
    points = geom.pose.apply(scene.meshes[geom.mesh].points)
    apex = points[np.argmax(points @ np.eye(3)["XYZ".index(axis)])]
    np.testing.assert_allclose(apex, 2 * np.eye(3)["XYZ".index(axis)], atol=1e-12)
    base = np.delete(points, "XYZ".index(axis), axis=1)
    np.testing.assert_allclose(np.linalg.norm(base, axis=1).max(), 2.0)


def test_tapered_solids_lie_between_their_spheres():
    stage = new_stage()
    shape(stage, "/g", "Capsule_1", radiusTop=0.2, radiusBottom=0.5, height=2.0)
    scene = parse(stage)
    points = scene.meshes[scene.geoms[0].mesh].points
    np.testing.assert_allclose([points[:, 2].min(), points[:, 2].max()], [-1.5, 1.2], rtol=1e-3)


def test_points_are_spheres():
    stage = new_stage()
    prim = shape(stage, "/g", "Points", scale=(2, 2, 2))
    prim.GetAttribute("points").Set([Gf.Vec3f(0, 0, 0), Gf.Vec3f(1, 0, 0)])
    prim.GetAttribute("widths").Set([1.0, 3.0])
    geoms = parse(stage).geoms
    assert [g.size[0] for g in geoms] == [1.0, 3.0]
    np.testing.assert_allclose(geoms[1].pose.pos, [2, 0, 0])
    assert len({g.path for g in geoms}) == 2


def test_visuals_only_come_when_exact():
    stage = new_stage()
    body(stage, "/b")
    shape(stage, "/b/collider")
    shape(stage, "/b/visual", "Sphere", collides=False)
    off = shape(stage, "/b/off", "Sphere")
    UsdPhysics.CollisionAPI(off).CreateCollisionEnabledAttr(False)
    assert [(g.path, g.collides) for g in parse(stage).geoms] == [
        ("/b/collider", True),
        ("/b/off", False),
    ]
    exact = parse(stage, exact=True).geoms
    assert [g.path for g in exact] == ["/b/collider", "/b/visual", "/b/off"]


def test_exact_shapes_without_a_colour_have_that_of_the_material_above():
    stage = new_stage()
    material = UsdShade.Material.Define(stage, "/look")
    shader = UsdShade.Shader.Define(stage, "/look/surface")
    shader.CreateIdAttr("UsdPreviewSurface")
    shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f).Set(Gf.Vec3f(0.25, 0.5, 1))
    shader.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(0.5)
    material.CreateSurfaceOutput().ConnectToSource(
        shader.CreateOutput("surface", Sdf.ValueTypeNames.Token)
    )
    group = UsdGeom.Xform.Define(stage, "/group").GetPrim()
    UsdShade.MaterialBindingAPI.Apply(group).Bind(material)
    shape(stage, "/group/plain")
    own = shape(stage, "/group/own")
    own.GetAttribute("primvars:displayColor").Set([Gf.Vec3f(1, 0, 0)])
    plain, other = parse(stage, exact=True).geoms
    np.testing.assert_allclose(plain.rgba, [0.25, 0.5, 1, 0.5])
    np.testing.assert_allclose(other.rgba, [1, 0, 0, 1])
    assert [geom.rgba is None for geom in parse(stage).geoms] == [True, False]


def test_colours_and_offsets():
    stage = new_stage(meters=0.01)
    prim = shape(stage, "/g")
    prim.GetAttribute("primvars:displayColor").Set([Gf.Vec3f(1, 0, 0.5)])
    prim.CreateAttribute("physxCollision:restOffset", Sdf.ValueTypeNames.Float).Set(1.0)
    prim.CreateAttribute("physxCollision:contactOffset", Sdf.ValueTypeNames.Float).Set(3.0)
    (geom,) = parse(stage).geoms
    np.testing.assert_allclose(geom.rgba, [1, 0, 0.5, 1])
    assert geom.rest_offset == pytest.approx(0.01)
    assert geom.contact_gap == pytest.approx(0.02)
    prim.CreateAttribute("newton:contactMargin", Sdf.ValueTypeNames.Float).Set(2.0)
    assert parse(stage).geoms[0].rest_offset == pytest.approx(0.02)


def test_a_collider_without_shape_is_reported():
    stage = new_stage()
    body(stage, "/b")
    UsdPhysics.CollisionAPI.Apply(stage.DefinePrim("/b/x", "Xform"))
    shape(stage, "/b/c")
    report = parse_stage(stage).report
    assert "/b/x" in [f.path for f in report.warnings]


def test_colours_of_four_numbers_are_their_first_three():
    layer = stage_from("""
        def Sphere "ball" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsRigidBodyAPI"]) {
            color4f[] primvars:displayColor = [(0.1, 0.2, 0.3, 0.4)]
        }
    """)
    (geom,) = parse(layer).geoms
    assert np.allclose(geom.rgba, [0.1, 0.2, 0.3, 1.0])
