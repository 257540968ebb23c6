"""A cart on a rail, jobs over it, and their episodes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import sleep

import numpy as np

from usdsim.cluster import BlockResult, RolloutJob, read_episode
from usdsim.cluster.worker import run_block

CART = """
<mujoco model="cart">
  <option timestep="0.005"/>
  <worldbody>
    <camera name="eye" pos="0 -1 0.2" xyaxes="1 0 0 0 0 1"/>
    <body name="cart">
      <joint name="rail" type="slide" axis="1 0 0"/>
      <geom size="0.1" mass="1"/>
    </body>
  </worldbody>
  <actuator><motor name="push" joint="rail"/></actuator>
  <sensor><jointpos joint="rail"/></sensor>
</mujoco>
"""


def rollouts(folder: Path, **changes) -> RolloutJob:
    job = RolloutJob(
        out=str(folder / "out"), model=str(folder / "cart.xml"), episodes=7, steps=5, substeps=4,
        policy="cluster_policies:sway", episodes_per_block=4, seed=3, position_noise=0.1,
        velocity_noise=0.5,
    )  # fmt: skip
    return replace(job, **changes)


class SlowSink:
    """Takes outcomes slowly, and counts how many blocks are done that it has not taken."""

    def __init__(self, job: RolloutJob):
        self.taken, self.waiting, self._records = 0, 0, Path(job.out) / "_records"

    def __call__(self, result: BlockResult) -> None:
        self.taken += 1
        sleep(0.2)
        done = len(list(self._records.glob("*.json")))
        self.waiting = max(self.waiting, done - self.taken)


class Here:
    """Runs blocks one after the other in this process."""

    def run(self, job, blocks):
        return ((block, run_block(job.document(), block)) for block in blocks)


def every_episode(job: RolloutJob) -> list[dict[str, np.ndarray]]:
    size = job.episodes_per_block
    return [
        read_episode(Path(job.out) / f"episodes-{number // size:06}.parquet", number)
        for number in range(job.episodes)
    ]


def equal(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all(np.array_equal(a[key], b[key]) for key in a)
