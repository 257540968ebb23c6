"""Hello stage.

Author a stage with plain OpenUSD, simulate it, and look at what fell: a box dropped from one metre
onto the ground. Nothing here knows a robot format.
"""

from __future__ import annotations

from pxr import Gf, UsdGeom, UsdPhysics

import usdsim
from usdsim.usd import create_stage


def main() -> None:
    stage = create_stage()
    UsdPhysics.Scene.Define(stage, "/PhysicsScene")

    ground = UsdGeom.Plane.Define(stage, "/Ground")
    UsdPhysics.CollisionAPI.Apply(ground.GetPrim())

    box = UsdGeom.Cube.Define(stage, "/Box")
    box.CreateSizeAttr(0.2)
    box.AddTranslateOp().Set(Gf.Vec3d(0.0, 0.0, 1.0))
    UsdPhysics.RigidBodyAPI.Apply(box.GetPrim())
    UsdPhysics.CollisionAPI.Apply(box.GetPrim())
    UsdPhysics.MassAPI.Apply(box.GetPrim()).CreateMassAttr(2.0)

    model = usdsim.load_model(stage)
    data = usdsim.SceneData(model)
    link = model.get_link("/Box")
    for step in range(1001):
        if step % 200 == 0:
            time = step * model.options.timestep
            print(f"{time:4.1f} s  height {link.get_position(data)[2]:.3f} m")
        model.step(data)


if __name__ == "__main__":
    main()
