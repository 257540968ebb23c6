"""Pictures for the pages of the examples: moments of what each has recorded, side by side."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd

from usdsim.render.framing import VIEW_DIRECTION
from usdsim.sim import Renderer

__all__ = ["PLOTS", "RUNS", "Run", "run_example", "take_run"]

ROOT = Path(__file__).resolve().parent.parent
FRAME = (240, 200)
GAP = 6


@dataclass(frozen=True)
class Run:
    """How the recording of an example is shown."""

    recording: str
    """File in ``out/examples``."""
    times: tuple[float, ...]
    """Moments of the recording [s], from left to right."""
    direction: tuple[float, float, float] = VIEW_DIRECTION
    focus: int | None = -1
    """Index of the moment that the camera, which stands still, frames; None: it goes along."""
    margin: float = 0.12
    """Part of the picture that stays free."""
    only: str = ""
    """Prim path of the environment that is shown; the others are left out."""
    arguments: tuple[str, ...] = ()
    """Of the example."""


ENV = "/World/envs/env_{}"
RUNS = {
    "00_hello_stage": Run("hello.usd", (0.0, 0.34, 0.8), (-0.6, 0.75, -0.2), 1, 0.86),
    "01_convert_and_simulate": Run("standing.usd", (0.0, 0.48)),
    "02_record": Run("pendulum.usd", (0.0, 0.24, 4.0), (-0.45, 0.8, -0.25)),
    "03_quadruped_environments": Run(
        "quadruped.usd", (0.05, 0.63, 0.79), focus=None, only=ENV.format(0), arguments=("4",)
    ),
    "04_quadrotor_hover": Run(
        "quadrotor.usd", (0.0, 0.5, 4.0), VIEW_DIRECTION, 1, 0.8, ENV.format(3), ("4",)
    ),
    "05_tendon_finger": Run("finger.usd", (0.0, 0.5, 1.0), (-0.45, 0.8, -0.3), 0, 0.2),
    "06_domain_randomisation": Run(
        "carts.usd", (0.0, 0.3, 0.49), (-0.45, 0.8, -0.3), 1, 0.05, ENV.format(0)
    ),
    "07_contact_sensing": Run("contacts.usd", (1.0, 1.16, 1.32), focus=0, only=ENV.format(0)),
    "08_height_scan": Run("height_scan.usd", (0.0, 0.5, 1.1), (-0.55, 0.55, -0.5)),
    "09_inverse_kinematics": Run(
        "inverse_kinematics.usd", (1.65, 2.0, 2.45), (-0.35, 0.85, -0.3), 0, 0.2
    ),
    "10_policy_in_the_loop": Run(
        "cartpole.usd", (0.0, 0.3, 4.0), (-0.62, 0.65, -0.32), 0, 0.05, ENV.format(0)
    ),
    "11_settle_and_write_back": Run("boxes_fall.usd", (0.0, 0.4, 5.9), (-0.4, 0.85, -0.3), -1, 0.4),
    "12_check_a_robot": Run("checked_arm.usda", (0.0,), (-0.35, 0.85, -0.3)),
    "13_soft_body": Run(
        "soft_cubes.usd",
        (0.0, 0.18, 1.6, 2.2),
        focus=1,
        margin=0.68,
        only=ENV.format(0),
        arguments=("4",),
    ),
    "14_pick_and_place": Run(
        "pick_and_place.usd",
        (1.8, 5.5, 8.0, 12.0),
        (-0.7, 0.45, -0.4),
        0,
        0.05,
        ENV.format(0),
        ("1",),
    ),
    "15_urdf_to_training": Run(
        "random_actions.usd", (0.0, 0.7, 1.5), (-0.35, 0.85, -0.3), 0, 0.2, ENV.format(0), ("1",)
    ),
    "16_randomised_walking": Run(
        "randomised_walking.usd", (0.0, 1.4, 1.8), only=ENV.format(0), arguments=("4",)
    ),
    "17_cloth": Run("cloth.usd", (0.0, 0.2, 2.0), (-0.7, 0.5, -0.35), -1, 0.25),
    "18_train_a_policy": Run(
        "trained.usd", (0.0, 0.4, 4.0), (-0.62, 0.65, -0.32), 0, 0.05, ENV.format(0), ("256",)
    ),
    "19_sensors_of_a_robot": Run(
        "sensors.usd", (2.05, 2.6, 3.2), focus=None, only=ENV.format(0), arguments=("4",)
    ),
    "20_author_a_robot": Run("gripper_closes.usd", (0.0, 0.06, 1.9), (-0.35, 0.85, -0.3), 1, 0.35),
    "21_scatter_props": Run("props_fall.usd", (0.0, 0.45, 4.9), (-0.5, 0.6, -0.6), -1, 0.1),
}
"""By name of the example."""

PLOTS = {"05_tendon_finger": "finger.png", "08_height_scan": "height_scan.png"}
"""What examples plot themselves, in ``out/examples``."""


@cache
def run_example(name: str, folder: Path) -> Path:
    """Run an example in a folder, and give the folder of its results."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    subprocess.run(
        [sys.executable, str(ROOT / "examples" / f"{name}.py"), *RUNS[name].arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return folder / "out" / "examples"


def take_run(name: str, folder: Path, finer: int) -> list[NDArray[np.uint8]]:
    """Pictures of the moments of an example, `finer` times as large as they are shown."""
    run = RUNS[name]
    recording = run_example(name, folder) / run.recording
    size = (finer * FRAME[0], finer * FRAME[1])
    stages = [_frozen(recording, time, run.only) for time in run.times]
    cameras, pictures = [], []
    for stage in stages:
        with Renderer(stage, size=size) as renderer:
            cameras.append(renderer.frame(run.direction, margin=run.margin))
    for stage, own in zip(stages, cameras, strict=True):
        with Renderer(stage, size=size) as renderer:
            pictures.append(renderer.render(own if run.focus is None else cameras[run.focus]))
    return pictures


def _frozen(recording: Path, time: float, only: str) -> Usd.Stage:
    """The stage as it is at one moment of a recording, without other environments than one."""
    played = Usd.Stage.Open(str(recording))
    code = time * played.GetTimeCodesPerSecond()
    stage = Usd.Stage.Open(played.Flatten())
    for prim in stage.TraverseAll():
        for attribute in prim.GetAttributes():
            if attribute.GetNumTimeSamples():
                value = attribute.Get(code)
                attribute.Clear()
                attribute.Set(value)
    if only:
        for prim in stage.GetPrimAtPath(Sdf.Path(only).GetParentPath()).GetChildren():
            prim.SetActive(str(prim.GetPath()) == only)
    return stage
