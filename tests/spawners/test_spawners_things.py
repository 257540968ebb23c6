"""Materials, lights, cameras, the ground."""

import numpy as np
import pytest
from pxr import UsdGeom, UsdLux, UsdPhysics, UsdShade

from usdsim import spawners
from usdsim.parser import parse_stage
from usdsim.sensors.camera.lenses import lens_of
from usdsim.usd.attributes import authored
from usdsim.usd.schemas import applied_schemas
from usdsim.usd.stage import create_stage
from usdsim.usd.xforms import local_pose


def test_a_preview_surface():
    stage = create_stage()
    cfg = spawners.PreviewSurfaceCfg(
        diffuse_color=(0.1, 0.2, 0.3), emissive_color=(1.0, 0.0, 0.0), roughness=0.7, metallic=0.2,
        opacity=0.5,
    )  # fmt: skip
    prim = cfg.func("/Looks/red", cfg, stage=stage)
    shader, _, _ = UsdShade.Material(prim.GetParent()).ComputeSurfaceSource()
    assert shader.GetPrim() == prim
    assert shader.GetIdAttr().Get() == "UsdPreviewSurface"
    np.testing.assert_allclose(shader.GetInput("diffuseColor").Get(), (0.1, 0.2, 0.3), rtol=1e-6)
    assert shader.GetInput("roughness").Get() == pytest.approx(0.7)
    assert shader.GetInput("opacity").Get() == 0.5
    with pytest.raises(ValueError, match="exists already"):
        cfg.func("/Looks/red", cfg, stage=stage)


def test_an_mdl_material():
    stage = create_stage()
    cfg = spawners.GlassMdlCfg(thin_walled=True)
    prim = cfg.func("/Looks/glass", cfg, stage=stage)
    shader = UsdShade.Shader(prim)
    assert prim.GetPath() == "/Looks/glass/Shader"
    assert shader.GetSourceAsset("mdl").path == "OmniGlass.mdl"
    assert shader.GetSourceAssetSubIdentifier("mdl") == "OmniGlass"
    assert shader.GetInput("thin_walled").Get() is True
    assert UsdShade.Material(prim.GetParent()).GetSurfaceOutput("mdl").HasConnectedSource()


def test_a_physics_material_has_real_defaults():
    stage = create_stage()
    cfg = spawners.RigidBodyMaterialCfg()
    prim = cfg.func("/Looks/rubber", cfg, stage=stage)
    assert prim.IsA(UsdShade.Material)
    for name, value in {
        "physics:staticFriction": 0.5,
        "physics:dynamicFriction": 0.5,
        "physics:restitution": 0.0,
        "physxMaterial:frictionCombineMode": "average",
        "physxMaterial:restitutionCombineMode": "average",
        "physxMaterial:compliantContactStiffness": 0.0,
        "physxMaterial:compliantContactDamping": 0.0,
    }.items():
        assert authored(prim, name) == value, name


def test_a_material_can_be_both_seen_and_physical():
    stage = create_stage()
    look = spawners.PreviewSurfaceCfg()
    look.func("/m", look, stage=stage)
    physical = spawners.NewtonRigidBodyMaterialCfg(torsional_friction=0.01)
    prim = physical.func("/m", physical, stage=stage)
    assert {"PhysicsMaterialAPI", "NewtonMaterialAPI"} <= set(applied_schemas(prim))
    assert UsdShade.Material(prim).ComputeSurfaceSource()[0]


def test_materials_bind_to_what_they_are_for():
    stage = create_stage()
    cfg = spawners.RigidBodyMaterialCfg()
    cfg.func("/m", cfg, stage=stage)
    UsdGeom.Xform.Define(stage, "/a")
    UsdGeom.Cube.Define(stage, "/a/visual")
    assert not spawners.bind_physics_material("/a", "/m", stage)
    collider = UsdGeom.Cube.Define(stage, "/a/collider").GetPrim()
    UsdPhysics.CollisionAPI.Apply(collider)
    assert spawners.bind_physics_material("/a", "/m", stage)
    bound = UsdShade.MaterialBindingAPI(collider).ComputeBoundMaterial("physics")[0]
    assert str(bound.GetPath()) == "/m"
    assert (
        not UsdShade.MaterialBindingAPI(stage.GetPrimAtPath("/a/visual"))
        .GetDirectBinding("physics")
        .GetMaterialPath()
    )
    with pytest.raises(ValueError):
        spawners.bind_visual_material("/a", "/missing", stage)
    with pytest.raises(ValueError, match="not a Material"):
        spawners.bind_visual_material("/a", "/a/visual", stage)


@pytest.mark.parametrize(
    ("cfg", "schema", "attributes"),
    [
        (spawners.DistantLightCfg(angle=1.5), UsdLux.DistantLight, {"inputs:angle": 1.5}),
        (
            spawners.DomeLightCfg(texture_format="latlong", intensity=500.0),
            UsdLux.DomeLight,
            {"inputs:texture:format": "latlong", "inputs:intensity": 500.0},
        ),
        (spawners.DiskLightCfg(radius=2.0), UsdLux.DiskLight, {"inputs:radius": 2.0}),
        (
            spawners.CylinderLightCfg(length=3.0, treat_as_line=True),
            UsdLux.CylinderLight,
            {"inputs:length": 3.0, "treatAsLine": True},
        ),
        (
            spawners.SphereLightCfg(radius=0.25, color=(1.0, 0.5, 0.25), color_temperature=3000.0,
                                    enable_color_temperature=True, exposure=1.0, normalize=True),
            UsdLux.SphereLight,
            {"inputs:radius": 0.25, "inputs:colorTemperature": 3000.0, "inputs:exposure": 1.0,
             "inputs:enableColorTemperature": True, "inputs:normalize": True},
        ),
    ],
    ids=lambda v: type(v).__name__,
)  # fmt: skip
def test_lights(cfg, schema, attributes):
    stage = create_stage()
    prim = cfg.func("/light", cfg, (0.0, 0.0, 3.0), stage=stage)
    assert schema(prim)
    for name, value in attributes.items():
        assert authored(prim, name) == value
    np.testing.assert_allclose(authored(prim, "inputs:color"), cfg.color)
    np.testing.assert_allclose(local_pose(prim)[0].pos, [0.0, 0.0, 3.0])


def test_a_pinhole_camera():
    stage = create_stage()
    cfg = spawners.PinholeCameraCfg(focal_length=35.0, clipping_range=(0.1, 50.0))
    camera = UsdGeom.Camera(cfg.func("/camera", cfg, stage=stage))
    assert camera.GetFocalLengthAttr().Get() == 35.0
    np.testing.assert_allclose(camera.GetClippingRangeAttr().Get(), (0.1, 50.0))
    assert camera.GetHorizontalApertureAttr().Get() == pytest.approx(20.955)
    assert authored(camera.GetPrim(), "omni:kit:cameraLock") is True


@pytest.mark.parametrize("focal_length", [None, 24.0])
def test_a_camera_from_its_intrinsic_matrix_sees_what_the_matrix_says(focal_length):
    fx, cx, cy, width, height = 600.0, 330.0, 250.0, 640, 480
    cfg = spawners.PinholeCameraCfg.from_intrinsic_matrix(
        [fx, 0.0, cx, 0.0, fx, cy, 0.0, 0.0, 1.0], width, height, focal_length=focal_length
    )
    assert cfg.focal_length / cfg.horizontal_aperture == pytest.approx(fx / width)
    assert cfg.focal_length / cfg.vertical_aperture == pytest.approx(fx / height)
    stage = create_stage()
    prim = cfg.func("/camera", cfg, stage=stage)
    across, up = UsdGeom.Camera(prim).GetCamera().frustum.window.GetMin()
    # OpenUSD's own frustum: what is seen from the pixel in the lower left corner on.
    assert across == pytest.approx(-cx / fx, rel=1e-5)
    assert up == pytest.approx((cy - height) / fx, rel=1e-5)
    lens = lens_of(prim, (width, height), 1.0)
    assert lens.focal == pytest.approx((fx, fx)) and lens.centre == pytest.approx((cx, cy))


def test_matrices_no_camera_has():
    make = spawners.PinholeCameraCfg.from_intrinsic_matrix
    with pytest.raises(ValueError, match="shape"):
        make([1.0, 2.0], 640, 480)
    with pytest.raises(ValueError, match="square pixels"):
        make([600.0, 0.0, 320.0, 0.0, 500.0, 240.0, 0.0, 0.0, 1.0], 640, 480)


def test_a_fisheye_camera():
    stage = create_stage()
    cfg = spawners.FisheyeCameraCfg(fisheye_max_fov=180.0)
    prim = cfg.func("/camera", cfg, stage=stage)
    assert authored(prim, "cameraProjectionType") == "fisheyePolynomial"
    assert authored(prim, "fthetaMaxFov") == 180.0
    with pytest.raises(ValueError, match="projection_type"):
        bad = spawners.FisheyeCameraCfg(projection_type="fishy")
        bad.func("/other", bad, stage=stage)


def test_the_ground_is_an_infinite_plane_with_friction():
    stage = create_stage()
    cfg = spawners.GroundPlaneCfg(
        size=(10.0, 20.0), color=(0.2, 0.3, 0.4),
        physics_material=spawners.RigidBodyMaterialCfg(static_friction=1.0),
    )  # fmt: skip
    cfg.func("/World/ground", cfg, (0.0, 0.0, -0.5), stage=stage)
    scene = parse_stage(stage).scene
    (geom,) = scene.geoms
    assert geom.kind == "plane"
    np.testing.assert_allclose(geom.pose.pos, [0.0, 0.0, -0.5])
    assert scene.materials[geom.material].static_friction == 1.0
    plane = stage.GetPrimAtPath("/World/ground/GroundPlane/CollisionPlane")
    assert (authored(plane, "width"), authored(plane, "length")) == (10.0, 20.0)
    np.testing.assert_allclose(authored(plane, "primvars:displayColor"), [[0.2, 0.3, 0.4]])
