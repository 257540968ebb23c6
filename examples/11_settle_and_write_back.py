"""Settle and write back.

What artists want from physics: throw things into a scene, let them come to rest, and keep the
result as an ordinary stage. A ball hits a stack of boxes; the fall is recorded as an animation, and
where everything ends is written into a layer of its own over the untouched original. Simulated
again from there, nothing moves.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics

import usdsim
from usdsim.sim import Recorder, write_poses
from usdsim.usd import create_stage, save_stage

BOXES = Path(__file__).resolve().parent.parent / "assets" / "boxes" / "boxes.usda"
OUT = Path("out/examples")


def add_ball(stage: Usd.Stage) -> None:
    """A heavy ball on its way to the stack, with plain OpenUSD."""
    ball = UsdGeom.Sphere.Define(stage, "/Ball")
    ball.CreateRadiusAttr(0.15)
    ball.AddTranslateOp().Set(Gf.Vec3d(0.05, -2.0, 0.5))
    UsdPhysics.CollisionAPI.Apply(ball.GetPrim())
    UsdPhysics.MassAPI.Apply(ball.GetPrim()).CreateMassAttr(8.0)
    body = UsdPhysics.RigidBodyAPI.Apply(ball.GetPrim())
    body.CreateVelocityAttr(Gf.Vec3f(0.0, 6.0, 0.5))


def stage_over_boxes() -> Usd.Stage:
    """A stage in memory with the boxes as its sublayer."""
    # Units and up axis are those of the root layer: `create_stage` says metres and z up.
    stage = create_stage()
    stage.GetRootLayer().subLayerPaths.append(str(BOXES))
    return stage


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    stage = stage_over_boxes()
    add_ball(stage)

    model = usdsim.load_model(stage)
    data = usdsim.SceneData(model)
    before = model.get_link_positions(data).copy()
    with Recorder(model.stage, model.description, OUT / "boxes_fall.usd") as recorder:
        while data.time < 6.0:
            recorder.record(data.time, model.get_link_poses(data))
            model.step(data)
    moved = np.linalg.norm(model.get_link_positions(data) - before, axis=1)
    print(f"{(moved[:-1] > 0.1).sum()} of {model.num_links} bodies moved by more than 0.1 m")

    settled = stage_over_boxes()
    add_ball(settled)
    UsdPhysics.RigidBodyAPI(settled.GetPrimAtPath("/Ball")).GetVelocityAttr().Clear()
    write_poses(settled, model.description, model.get_link_poses(data))
    save_stage(settled, OUT / "boxes_settled.usda")

    again = usdsim.load_model(OUT / "boxes_settled.usda")
    data = usdsim.SceneData(again)
    start = again.get_link_positions(data).copy()
    again.step_n(data, 500)
    drift = np.linalg.norm(again.get_link_positions(data) - start, axis=1).max()
    print(f"simulated again from there, nothing moves by more than {1e3 * drift:.1f} mm")
    print(f"recorded {OUT / 'boxes_fall.usd'}, settled {OUT / 'boxes_settled.usda'}")


if __name__ == "__main__":
    main()
