"""Cloth with an attachment.

A cloth is held at two corners by an attachment to the world, falls under its weight, and comes to
rest against a ball. A surface of triangles stretches and bends like a sheet of
rubber; what it is made of is authored as a material.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pxr import Gf, Sdf

import usdsim
from usdsim.schemas import CollisionBaseCfg, PhysxDeformableBodyPropertiesCfg
from usdsim.sim import EngineReader, Recorder
from usdsim.spawners import (
    MeshSquareCfg,
    PreviewSurfaceCfg,
    SphereCfg,
    SurfaceDeformableBodyMaterialCfg,
)
from usdsim.usd import create_stage, define_prim

OUT = Path("out/examples")
SIDE, CELLS = 0.6, 10  # of the cloth [m], and cells along it
HEIGHT = 1.0  # [m]
BALL = (0.0, -0.3, 0.7)  # its middle [m]
RADIUS = 0.12  # [m]


def author(path: Path) -> list[int]:
    """Write the stage; returns the vertices that are held."""
    stage = create_stage()
    define_prim(stage, "/World", "Xform")
    cloth = MeshSquareCfg(
        size=(SIDE, SIDE),
        resolution=(CELLS, CELLS),
        deformable_props=PhysxDeformableBodyPropertiesCfg(mass=0.2),
        physics_material=SurfaceDeformableBodyMaterialCfg(
            youngs_modulus=1e5, poissons_ratio=0.3, surface_thickness=0.002
        ),
        visual_material=PreviewSurfaceCfg(diffuse_color=(0.3, 0.45, 0.85)),
    )
    cloth.func("/World/cloth", cloth, translation=(0.0, 0.0, HEIGHT), stage=stage)
    ball = SphereCfg(radius=RADIUS, collision_props=CollisionBaseCfg())
    ball.func("/World/ball", ball, translation=BALL, stage=stage)

    mesh = stage.GetPrimAtPath("/World/cloth/sim_mesh")
    points = np.array(mesh.GetAttribute("points").Get())
    corners = (points[:, 1] < -0.499 * SIDE) & (np.abs(points[:, 0]) > 0.499 * SIDE)
    held = np.flatnonzero(corners)
    kinds = Sdf.ValueTypeNames
    hold = stage.DefinePrim("/World/hold", "OmniPhysicsVtxXformAttachment")
    hold.CreateRelationship("omniphysics:src0").SetTargets([mesh.GetPath()])
    hold.CreateRelationship("omniphysics:src1").SetTargets([Sdf.Path("/World")])
    hold.CreateAttribute("omniphysics:vtxIndicesSrc0", kinds.IntArray).Set(held.tolist())
    there = [Gf.Vec3f(*map(float, point)) for point in points[held] + [0.0, 0.0, HEIGHT]]
    hold.CreateAttribute("omniphysics:localPositionsSrc1", kinds.Point3fArray).Set(there)
    stage.GetRootLayer().Export(str(path))
    return held.tolist()


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    held = author(OUT / "cloth_scene.usda")
    model = usdsim.load_model(OUT / "cloth_scene.usda")
    data = usdsim.SceneData(model)
    reader = EngineReader(data.low)
    (first,) = reader.deformable_points()
    with Recorder(
        model.stage, model.description, OUT / "cloth.usd", reader=reader, fps=30
    ) as recorder:
        while data.time < 2.0:
            model.step(data)
            recorder.record()
    (points,) = reader.deformable_points()
    slip = np.linalg.norm(points[held] - first[held], axis=1).max()
    inside = RADIUS - np.linalg.norm(points - np.array(BALL), axis=1).min()
    print(f"{len(points)} vertices, {len(held)} of them held: they moved {1e3 * slip:.2f} mm")
    print(f"the lowest vertex hangs {HEIGHT - points[:, 2].min():.2f} m below the corners")
    print(f"the vertex that is closest to the ball is {-1e3 * inside:.1f} mm off its surface")
    print(f"recorded {OUT / 'cloth.usd'}")


if __name__ == "__main__":
    main()
