"""Record.

The drive of the shipped pendulum pulls it towards 60 degrees, and where its spring and gravity are
in balance it comes to rest. The swing is recorded: a small USD layer with time samples over the
stage, which plays in usdview, Blender and Omniverse.
"""

from __future__ import annotations

import math
from pathlib import Path

import usdsim
from usdsim.sim import Recorder

ASSETS = Path(__file__).resolve().parent.parent / "assets"
OUT = Path("out/examples")


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    model = usdsim.load_model(ASSETS / "pendulum" / "pendulum.usda")
    data = usdsim.SceneData(model)
    hinge = model.get_joint("/Pendulum/Hinge")

    with Recorder(model.stage, model.description, OUT / "pendulum.usd", fps=60) as recorder:
        while data.time < 4.0:
            recorder.record(data.time, model.get_link_poses(data))
            model.step(data)

    print(f"{recorder.num_frames} frames in {OUT / 'pendulum.usd'}")
    angle = hinge.get_dof_pos(data)[0]
    spring = math.degrees(0.2) * (math.radians(60.0) - angle)
    weight = 9.81 * (1.0 * 0.5 + 0.4 * 0.25) * math.sin(angle)
    print(f"at rest at {angle:.3f} rad: spring {spring:.3f} N m, weight {weight:.3f} N m")


if __name__ == "__main__":
    main()
