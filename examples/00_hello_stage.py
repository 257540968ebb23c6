"""Hello stage.

Author a stage with plain OpenUSD, simulate it, and record what falls: a box, dropped from one metre
onto the ground. Nothing here knows a robot format, and any USD viewer plays the recording.
"""

from __future__ import annotations

from pathlib import Path

from pxr import Gf, UsdGeom, UsdPhysics

import usdsim
from usdsim.sim import Recorder
from usdsim.usd import create_stage

OUT = Path("out/examples")


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    stage = create_stage()
    UsdPhysics.Scene.Define(stage, "/PhysicsScene")

    ground = UsdGeom.Plane.Define(stage, "/Ground")
    ground.CreateDisplayColorAttr([(0.5, 0.54, 0.6)])
    UsdPhysics.CollisionAPI.Apply(ground.GetPrim())

    box = UsdGeom.Cube.Define(stage, "/Box")
    box.CreateSizeAttr(0.2)
    box.CreateDisplayColorAttr([(0.93, 0.55, 0.2)])
    box.AddTranslateOp().Set(Gf.Vec3d(0.0, 0.0, 1.0))
    UsdPhysics.RigidBodyAPI.Apply(box.GetPrim())
    UsdPhysics.CollisionAPI.Apply(box.GetPrim())
    UsdPhysics.MassAPI.Apply(box.GetPrim()).CreateMassAttr(2.0)

    model = usdsim.load_model(stage)
    data = usdsim.SceneData(model)
    link = model.get_link("/Box")
    with Recorder(stage, model.description, OUT / "hello.usd") as recorder:
        for step in range(501):
            recorder.record(data.time, model.get_link_poses(data))
            if step % 100 == 0:
                print(f"{data.time:4.1f} s  height {link.get_position(data)[2]:.3f} m")
            model.step(data)
    print(f"recorded {OUT / 'hello.usd'}")


if __name__ == "__main__":
    main()
