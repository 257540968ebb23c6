"""Convert and simulate.

Convert the shipped quadruped from MJCF to USD, load the stage, and run 64 worlds of it in which the
robots stand with slightly different commands. The stage and the recording of one world open in any
USD viewer.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import usdsim
from usdsim.sim import EngineReader, Recorder

ASSETS = Path(__file__).resolve().parent.parent / "assets"
OUT = Path("out/examples")


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    stage = OUT / "quadruped.usda"
    usdsim.convert(ASSETS / "quadruped" / "scene.xml", stage)
    print(f"written {stage}")

    model = usdsim.load_model(stage)
    data = usdsim.SceneData(model, batch=(64,))
    home = model.get_keyframe("home")
    home.apply(data)

    noise = 0.05 * np.random.default_rng(0).standard_normal((64, model.num_ctrls))
    data.actuator_ctrls = home.ctrl + noise
    reader = EngineReader(data.low, world=0)
    recording = OUT / "standing.usd"
    with Recorder(model.stage, model.description, recording, reader=reader) as recorder:
        for _ in range(250):
            model.step(data)
            recorder.record()

    heights = model.get_link("trunk").get_position(data)[:, 2]
    print(f"{model.num_links} links, {model.num_actuators} actuators")
    print(f"trunk height {heights.mean():.3f} m, from {heights.min():.3f} to {heights.max():.3f} m")
    print(f"recorded {recording}")


if __name__ == "__main__":
    main()
