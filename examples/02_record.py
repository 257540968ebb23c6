"""Record.

Swing the shipped pendulum to its drive's target and record it: a small USD layer with time samples
over the stage, which plays in usdview, Blender and Omniverse.
"""

from __future__ import annotations

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
    print(f"hinge at {hinge.get_dof_pos(data)[0]:.3f} rad")


if __name__ == "__main__":
    main()
