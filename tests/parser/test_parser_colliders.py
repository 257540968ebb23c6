"""The collision schema on a prim that is no shape holds for the shapes below it, as in PhysX."""

import numpy as np
import pytest
from parser_builders import body, new_stage, parse, place, shape
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

import usdsim
from usdsim.parser import parse_stage
from usdsim.schemas.validation import validate_stage

CUBE_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def cube_mesh(stage, path, half=0.5, pos=(0, 0, 0)):
    mesh = UsdGeom.Mesh.Define(stage, path)
    corners = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    mesh.CreatePointsAttr([Gf.Vec3f(*corner) for corner in corners])
    mesh.CreateFaceVertexCountsAttr([4] * 6)
    mesh.CreateFaceVertexIndicesAttr([i for face in CUBE_FACES for i in face])
    return place(mesh.GetPrim(), pos)


def room(kind="Scope"):
    """A floor whose collision schema is on the prim above it, and a box that falls on it."""
    stage = new_stage()
    group = stage.DefinePrim("/room", kind)
    UsdPhysics.CollisionAPI.Apply(group)
    shape(stage, "/room/floor", pos=(0, 0, -0.5), scale=(10, 10, 1), collides=False, size=1.0)
    shape(stage, "/room/deep/wall", pos=(5, 0, 0.5), collides=False, size=1.0)
    body(stage, "/box", (0, 0, 0.6))
    shape(stage, "/box/shape", size=1.0)
    return stage


@pytest.mark.parametrize("kind", ["Scope", "Xform", ""])
def test_all_shapes_below_collide(kind):
    result = parse_stage(room(kind))
    found = {geom.path: geom for geom in result.scene.geoms}
    assert set(found) == {"/room/floor", "/room/deep/wall", "/box/shape"}
    assert all(geom.collides for geom in found.values())
    assert not result.report.warnings


def test_a_box_rests_on_a_floor_whose_group_collides():
    model = usdsim.load_model(room(), strict=True)
    data = usdsim.SceneData(model)
    model.step_n(data, round(1.0 / model.low.opt.timestep))
    assert model.get_link("box").get_position(data)[2] == pytest.approx(0.5, abs=2e-3)


def test_what_the_group_disables_is_disabled_and_what_a_shape_states_itself_wins():
    stage = room()
    UsdPhysics.CollisionAPI(stage.GetPrimAtPath("/room")).CreateCollisionEnabledAttr(False)
    UsdPhysics.CollisionAPI.Apply(stage.GetPrimAtPath("/room/floor"))
    collides = {geom.path: geom.collides for geom in parse(stage).geoms}
    assert collides == {"/room/floor": True, "/room/deep/wall": False, "/box/shape": True}


def test_shapes_of_instances_collide_by_the_schema_on_the_instance():
    stage = new_stage()
    stage.CreateClassPrim("/Library")
    cube_mesh(stage, "/Library/collisions/mesh", 0.5)
    body(stage, "/link", (0, 0, 1), mass=None)
    group = UsdGeom.Xform.Define(stage, "/link/collisions").GetPrim()
    UsdPhysics.CollisionAPI.Apply(group)
    group.GetReferences().AddInternalReference("/Library/collisions")
    group.SetInstanceable(True)
    assert stage.GetPrimAtPath("/link/collisions/mesh").IsInstanceProxy()
    scene = parse_stage(stage, strict=True).scene
    assert [(geom.path, geom.body) for geom in scene.geoms] == [("/link/collisions/mesh", 0)]
    assert scene.bodies[0].mass == pytest.approx(1000.0)


def test_the_schema_on_the_body_itself_makes_its_shapes_collide():
    stage = new_stage()
    prim = body(stage, "/link", (0, 0, 1), mass=None)
    UsdPhysics.CollisionAPI.Apply(prim)
    shape(stage, "/link/visual", size=2.0, collides=False)
    scene = parse(stage)
    assert scene.bodies[0].mass == pytest.approx(8000.0)


def test_materials_groups_and_filters_reach_the_shapes_of_a_group():
    stage = room()
    material = UsdShade.Material.Define(stage, "/ice")
    UsdPhysics.MaterialAPI.Apply(material.GetPrim()).CreateDynamicFrictionAttr(0.25)
    binding = UsdShade.MaterialBindingAPI.Apply(stage.GetPrimAtPath("/room"))
    binding.Bind(material, UsdShade.Tokens.weakerThanDescendants, "physics")
    group = UsdPhysics.CollisionGroup.Define(stage, "/group")
    group.GetCollidersCollectionAPI().IncludePath("/room")
    group.CreateFilteredGroupsRel().AddTarget("/group")
    pairs = UsdPhysics.FilteredPairsAPI.Apply(stage.GetPrimAtPath("/room"))
    pairs.CreateFilteredPairsRel().AddTarget("/box")
    scene = parse(stage)
    number = {geom.path: i for i, geom in enumerate(scene.geoms)}
    floor, box = number["/room/floor"], number["/box/shape"]
    assert scene.materials[scene.geoms[floor].material].dynamic_friction == 0.25
    assert scene.groups[0].geoms == tuple(sorted({floor, number["/room/deep/wall"]}))
    assert (min(floor, box), max(floor, box)) in scene.geom_filters


def test_a_group_without_shapes_is_reported():
    stage = room()
    stage.RemovePrim("/room/floor")
    stage.RemovePrim("/room/deep")
    findings = parse_stage(stage).report.warnings
    assert [(f.code, f.path) for f in findings] == [("unsupported", "/room")]
    assert "below it" in findings[0].message


def test_the_validator_accepts_a_group_with_shapes():
    stage = room()
    UsdPhysics.Scene.Define(stage, "/scene")
    assert not [f for f in validate_stage(stage) if f.code == "collider-without-shape"]
    stage.RemovePrim("/room/floor")
    stage.RemovePrim("/room/deep")
    assert [f.path for f in validate_stage(stage) if f.code == "collider-without-shape"] == [
        "/room"
    ]


def merging(collection=()):
    stage = new_stage()
    prim = body(stage, "/link", (0, 0, 1), mass=None, scale=(1, 1, 2))
    for api in ("PhysicsCollisionAPI", "PhysxMeshMergeCollisionAPI", "PhysicsMeshCollisionAPI"):
        prim.AddAppliedSchema(api)
    prim.CreateAttribute("physics:approximation", Sdf.ValueTypeNames.Token).Set("convexHull")
    cube_mesh(stage, "/link/left", 0.5, (-1, 0, 0))
    cube_mesh(stage, "/link/right", 0.5, (1, 0, 0))
    if collection:
        Usd.CollectionAPI.Apply(prim, "collisionmeshes")
        relationship = prim.CreateRelationship("collection:collisionmeshes:includes")
        relationship.SetTargets([Sdf.Path(path) for path in collection])
    return stage


def test_merged_meshes_collide_as_one():
    scene = parse_stage(merging(), strict=True).scene
    assert [geom.path for geom in scene.geoms] == ["/link"]
    points = scene.meshes[scene.geoms[0].mesh].points
    np.testing.assert_allclose(np.ptp(points, axis=0), [3, 1, 2])
    assert scene.bodies[0].mass == pytest.approx(6000.0)  # The hull fills the gap.


def test_merged_meshes_are_those_of_the_collection():
    scene = parse_stage(merging(["/link/right"]), strict=True).scene
    points = scene.meshes[scene.geoms[0].mesh].points
    np.testing.assert_allclose(
        [points.min(axis=0), points.max(axis=0)], [(0.5, -0.5, -1), (1.5, 0.5, 1)]
    )


def test_shapes_beside_a_group_stay_visual():
    stage = room()
    shape(stage, "/visual", collides=False)
    assert "/visual" not in {geom.path for geom in parse(stage).geoms}


def triggers(kind, approximation=None):
    """A ball above a trigger and a floor."""
    stage = new_stage()
    shape(stage, "/floor", "Plane")
    body(stage, "/ball", pos=(0, 0, 2))
    shape(stage, "/ball/shape", "Sphere", radius=0.25)
    if kind == "Mesh":
        prim = cube_mesh(stage, "/zone").GetPrim()
        UsdPhysics.CollisionAPI.Apply(prim)
        if approximation:
            UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr(approximation)
    else:
        prim = shape(stage, "/zone", kind)
    prim.AddAppliedSchema("PhysxTriggerAPI")
    return stage


@pytest.mark.parametrize(
    ("kind", "approximation", "passes"),
    [("Cube", None, True), ("Mesh", "convexHull", True), ("Mesh", None, False)],
)
def test_triggers_let_others_through_unless_they_are_surfaces(kind, approximation, passes):
    model = usdsim.load_model(triggers(kind, approximation))
    data = usdsim.SceneData(model)
    model.step_n(data, round(2.0 / model.low.opt.timestep))
    height = model.get_link("ball").get_position(data)[2]
    assert height == pytest.approx(0.25 if passes else 0.75, abs=0.01)


def test_triggers_have_no_mass():
    stage = new_stage()
    body(stage, "/ball", mass=None)
    shape(stage, "/ball/shape", "Sphere", radius=0.5)
    alone = parse(stage).bodies[0].mass
    shape(stage, "/ball/zone", "Cube").AddAppliedSchema("PhysxTriggerAPI")
    assert parse(stage).bodies[0].mass == alone


def test_faces_with_other_physics_materials_are_told():
    stage = new_stage()
    prim = cube_mesh(stage, "/floor")
    UsdPhysics.CollisionAPI.Apply(prim)
    for i in range(2):
        material = UsdShade.Material.Define(stage, f"/rubber{i}")
        UsdPhysics.MaterialAPI.Apply(material.GetPrim()).CreateRestitutionAttr(0.3 * i)
        subset = UsdGeom.Subset.CreateGeomSubset(
            UsdGeom.Imageable(prim), f"part{i}", "face", [i], "materialBind"
        )
        UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(material)
    result = parse_stage(stage)
    told = [finding for finding in result.report.findings if finding.code == "face-materials"]
    assert [finding.path for finding in told] == ["/floor"]
    assert "/rubber0 holds on all" in str(told[0])
