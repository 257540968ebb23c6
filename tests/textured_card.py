"""A card with a picture, as stages of other tools have it: green and red above, blue below."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

from usdsim.render import write_png

__all__ = ["card_stage", "four_colours", "preview_material"]

CORNERS = [(0, -0.5, -0.5), (0, 0.5, -0.5), (0, 0.5, 0.5), (0, -0.5, 0.5), (-0.05, 0, 0)]
FACES = [0, 1, 2, 3, 1, 0, 4, 2, 1, 4, 3, 2, 4, 0, 3, 4]
COUNTS = [4, 3, 3, 3, 3]
FRONT = [(0, 0), (1, 0), (1, 1), (0, 1)]


def four_colours() -> np.ndarray:
    """Green and red above, blue below, top row first."""
    pixels = np.zeros((32, 32, 3), np.uint8)
    pixels[:16, :16, 1] = pixels[:16, 16:, 0] = pixels[16:, :, 2] = 230
    return pixels


def card_stage(folder: Path) -> Usd.Stage:
    """A stage file with a card of 1 m at a height of 1 m that faces along x, without material."""
    write_png(folder / "picture.png", four_colours())
    stage = Usd.Stage.CreateNew(str(folder / "card.usda"))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.Scene.Define(stage, "/scene").CreateGravityMagnitudeAttr(0.0)
    card = UsdGeom.Mesh.Define(stage, "/card")
    card.AddTranslateOp().Set(Gf.Vec3d(0, 0, 1))
    card.CreatePointsAttr(CORNERS)
    card.CreateFaceVertexCountsAttr(COUNTS)
    card.CreateFaceVertexIndicesAttr(FACES)
    UsdPhysics.RigidBodyAPI.Apply(card.GetPrim())
    UsdPhysics.CollisionAPI.Apply(card.GetPrim())
    hull = UsdPhysics.MeshCollisionAPI.Apply(card.GetPrim())
    hull.CreateApproximationAttr(UsdPhysics.Tokens.convexHull)
    map_card(stage, "faceVarying", FRONT + [(0, 0)] * 12)
    return stage


def map_card(stage: Usd.Stage, interpolation: str, values, name: str = "st") -> None:
    """Give the card texture coordinates."""
    api = UsdGeom.PrimvarsAPI(stage.GetPrimAtPath("/card"))
    api.CreatePrimvar(name, Sdf.ValueTypeNames.TexCoord2fArray, interpolation).Set(values)


def preview_material(stage: Usd.Stage, file: str = "picture.png", name: str = "st"):
    """Bind a preview surface with a picture to the card; its reader of coordinates comes back."""
    nodes = {
        node: UsdShade.Shader.Define(stage, f"/look/{node}") for node in ("s", "picture", "reader")
    }
    for node, kind in (("s", "UsdPreviewSurface"), ("picture", "UsdUVTexture"),
                       ("reader", "UsdPrimvarReader_float2")):  # fmt: skip
        nodes[node].CreateIdAttr(kind)
    nodes["reader"].CreateInput("varname", Sdf.ValueTypeNames.String).Set(name)
    nodes["picture"].CreateInput("file", Sdf.ValueTypeNames.Asset).Set(file)
    link(nodes["picture"], "st", nodes["reader"], "result", Sdf.ValueTypeNames.Float2)
    link(nodes["s"], "diffuseColor", nodes["picture"], "rgb", Sdf.ValueTypeNames.Color3f)
    look = UsdShade.Material.Define(stage, "/look")
    look.CreateSurfaceOutput().ConnectToSource(nodes["s"].ConnectableAPI(), "surface")
    bind(stage, look)
    return nodes


def link(node: UsdShade.Shader, name: str, source: UsdShade.Shader, output: str, kind) -> None:
    """Let an input of a node come from an output of another."""
    node.CreateInput(name, kind).ConnectToSource(source.ConnectableAPI(), output)


def bind(stage: Usd.Stage, look: UsdShade.Material) -> None:
    """Bind a material to the card."""
    UsdShade.MaterialBindingAPI.Apply(stage.GetPrimAtPath("/card")).Bind(look)
