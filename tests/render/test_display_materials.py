"""Display materials of stages of other tools: pictures lie where OpenUSD says that they lie."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from pxr import Gf, Sdf, UsdGeom, UsdPhysics, UsdShade, UsdUtils
from textured_card import (
    FACES,
    FRONT,
    bind,
    card_stage,
    four_colours,
    link,
    map_card,
    preview_material,
)

import usdsim
from usdsim.render import DrawableScene, look_at, render_picture
from usdsim.usd.stage import open_stage

SIZE = (60, 60)
FACING = look_at([2.0, 0.0, 1.0], [0.0, 0.0, 1.0])
SPOTS = ((22, 22), (22, 38), (38, 22), (38, 38))
AS_AUTHORED = "GRBB"


def seen(source) -> str:
    """Main colours of the four quarters of the card; a dash where there is hardly any."""
    image = render_picture(source, camera=FACING, size=SIZE).astype(int)
    pixels = [image[spot] for spot in SPOTS]
    return "".join("RGB"[int(np.argmax(p))] if np.ptp(p) > 25 else "-" for p in pixels)


@pytest.fixture
def stage(tmp_path):
    return card_stage(tmp_path)


def test_a_texture_lies_as_its_coordinates_say(stage):
    assert seen(stage) == "----"
    preview_material(stage)
    assert seen(stage) == AS_AUTHORED


@pytest.mark.parametrize("left_handed", [False, True])
def test_coordinates_of_points_and_other_windings(stage, left_handed):
    preview_material(stage)
    map_card(stage, "vertex", [*FRONT, (0, 0)])
    card = UsdGeom.Mesh(stage.GetPrimAtPath("/card"))
    if left_handed:
        card.CreateOrientationAttr("leftHanded")
        card.CreateFaceVertexIndicesAttr([3, 2, 1, 0, 4, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0])
    assert seen(stage) == AS_AUTHORED


def test_a_mirrored_prim_shows_a_mirrored_picture(stage):
    preview_material(stage)
    UsdGeom.Xformable(stage.GetPrimAtPath("/card")).AddScaleOp().Set(Gf.Vec3f(1, -1, 1))
    assert seen(stage) == "RGBB"


def test_the_primvar_is_the_one_that_the_material_reads(stage):
    preview_material(stage, name="map1")
    # Without coordinates, there is the mean colour of the picture alone.
    assert seen(stage) == "BBBB"
    map_card(stage, "faceVarying", [(1 - u, v) for u, v in FRONT] + [(0, 0)] * 12, "map1")
    assert seen(stage) == "RGBB"


def test_coordinates_are_transformed_by_nodes_before_the_texture(stage):
    nodes = preview_material(stage)
    node = UsdShade.Shader.Define(stage, "/look/turn")
    node.CreateIdAttr("UsdTransform2d")
    link(node, "in", nodes["reader"], "result", Sdf.ValueTypeNames.Float2)
    link(nodes["picture"], "st", node, "result", Sdf.ValueTypeNames.Float2)
    node.CreateInput("rotation", Sdf.ValueTypeNames.Float).Set(180.0)
    node.CreateInput("translation", Sdf.ValueTypeNames.Float2).Set((1.0, 1.0))
    assert seen(stage) == "BBRG"
    node.CreateInput("scale", Sdf.ValueTypeNames.Float2).Set((-1.0, 1.0))
    node.CreateInput("translation", Sdf.ValueTypeNames.Float2).Set((0.0, 1.0))
    assert seen(stage) == "BBGR"


def test_pictures_of_omnipbr(stage):
    shader = UsdShade.Shader.Define(stage, "/look/shader")
    shader.SetSourceAsset(Sdf.AssetPath("OmniPBR.mdl"), "mdl")
    shader.CreateInput("diffuse_texture", Sdf.ValueTypeNames.Asset).Set("picture.png")
    look = UsdShade.Material.Define(stage, "/look")
    look.CreateSurfaceOutput("mdl").ConnectToSource(shader.ConnectableAPI(), "out")
    bind(stage, look)
    assert seen(stage) == AS_AUTHORED
    shader.GetInput("diffuse_texture").GetAttr().Clear()
    shader.CreateInput("diffuse_color_constant", Sdf.ValueTypeNames.Color3f).Set((0.9, 0, 0))
    assert seen(stage) == "RRRR"


def test_colours_come_through_interfaces_of_materials(stage):
    nodes = preview_material(stage)
    nodes["s"].GetInput("diffuseColor").ClearSources()
    outer = UsdShade.Material(stage.GetPrimAtPath("/look")).CreateInput(
        "tint", Sdf.ValueTypeNames.Color3f
    )
    outer.Set((0.0, 0.9, 0.0))
    nodes["s"].GetInput("diffuseColor").ConnectToSource(outer)
    assert seen(stage) == "GGGG"


def test_faces_of_several_materials_look_as_each_says(stage):
    preview_material(stage)
    card = UsdGeom.Mesh(stage.GetPrimAtPath("/card"))
    card.CreatePointsAttr([*card.GetPointsAttr().Get(), (0, 0, -0.5), (0, 0, 0.5)])
    card.CreateFaceVertexCountsAttr([4, 4, 3, 3, 3, 3])
    card.CreateFaceVertexIndicesAttr([0, 5, 6, 3, 5, 1, 2, 6, *FACES[4:]])
    map_card(stage, "faceVarying", [(0, 0), (0.5, 0), (0.5, 1), (0, 1)] + [(0, 0)] * 16)
    plain = UsdShade.Material.Define(stage, "/plain")
    shader = UsdShade.Shader.Define(stage, "/plain/shader")
    shader.CreateIdAttr("UsdPreviewSurface")
    shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f).Set((0.9, 0.0, 0.0))
    plain.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
    subset = UsdShade.MaterialBindingAPI(card.GetPrim()).CreateMaterialBindSubset("right", [1])
    UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(plain)
    assert seen(stage) == "GRBR"
    scene = DrawableScene(stage, colliders=True)
    assert [path for path in scene.parts.paths if path.startswith("/card")] == ["/card"]


def test_shapes_without_coordinates_have_the_mean_colour(stage, tmp_path):
    preview_material(stage)
    stage.RemovePrim("/card")
    ball = UsdGeom.Sphere.Define(stage, "/card")
    ball.AddTranslateOp().Set(Gf.Vec3d(0, 0, 1))
    UsdPhysics.RigidBodyAPI.Apply(ball.GetPrim())
    UsdPhysics.CollisionAPI.Apply(ball.GetPrim())
    bind(stage, UsdShade.Material(stage.GetPrimAtPath("/look")))
    assert seen(stage) == "BBBB"


@pytest.mark.parametrize("form", ["jpg", "usdz"])
def test_pictures_of_other_forms_and_in_packages(stage, tmp_path, form):
    file = "picture.png"
    if form == "jpg":
        image = pytest.importorskip("PIL.Image")
        file = "picture.jpg"
        image.fromarray(four_colours()).save(tmp_path / file, quality=95)
    preview_material(stage, file)
    stage.Save()
    path = tmp_path / "card.usda"
    if form == "usdz":
        path = tmp_path / "card.usdz"
        assert UsdUtils.CreateNewUsdzPackage(str(tmp_path / "card.usda"), str(path))
    assert seen(open_stage(path)) == AS_AUTHORED


@pytest.mark.parametrize("file", ["absent.png", "damaged.png"])
def test_pictures_that_cannot_be_read_are_told(stage, tmp_path, file, caplog):
    (tmp_path / "damaged.png").write_bytes(b"\x89PNG\r\n")
    preview_material(stage, file)
    with caplog.at_level(logging.WARNING, "usdsim"):
        assert seen(stage) == "----"
    assert file in caplog.text


def test_cameras_of_environments_see_textures(stage):
    preview_material(stage)
    model = usdsim.load_model(stage)
    image = usdsim.sim.Renderer(model, usdsim.SceneData(model), size=SIZE).render(FACING)
    assert "RGB"[int(np.argmax(image[SPOTS[0]]))] == "G"
