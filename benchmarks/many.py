"""Jobs over many blocks: cost of the layer, of Ray, of writing, and scaling over nodes."""

from __future__ import annotations

import os
import pickle
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from usdsim import SceneData, load_model
from usdsim.cluster import (
    BlockResult,
    Executor,
    LocalProcesses,
    RayCluster,
    RolloutJob,
    run_job,
)
from usdsim.cluster.worker import run_block
from usdsim.core.processors import set_default_threads, usable_processors
from usdsim.core.transaction import replacing

from .measure import ROOT, Contender, alternate, environment_variable
from .models import QUADRUPED
from .registry import Row, Settings, Skip, benchmark

__all__ = ["job_layer", "job_nodes", "job_paper", "job_rollouts", "rest"]

_WORKERS = usable_processors()
_EPISODES = 64
"""Episodes of a block."""
_ON_PAPER = 64
"""Workers of the cluster that is extrapolated to."""
_NETWORK = 1e9 / 8.0
"""Bytes that such a cluster's network is taken to move per second: a gigabit."""


def rest(observation: np.ndarray, time: float) -> np.ndarray:
    """Policy without any work of its own: no control."""
    return np.zeros((len(observation), 12))


@benchmark
def job_layer(settings: Settings) -> Iterator[Row | Skip]:
    """Blocks of a second: what a process takes beyond its work, and Ray over local processes."""
    with tempfile.TemporaryDirectory() as folder, _importable():
        job = _job(Path(folder), seconds=0.2 if settings.quick else 1.0)
        blocks = 4 * _WORKERS if settings.quick else 12 * _WORKERS
        alone = _run(job, LocalProcesses(1), blocks // _WORKERS)
        yield Row("time of a block beyond its work", alone.beyond, "of the work", 0.03)
        if find_spec("ray") is None:
            yield Skip("Ray over local processes", "ray is not installed")
            return
        ratios, late = [], []
        with _nodes(1, _WORKERS) as address:
            for _ in range(settings.rounds(3)):
                local = _run(job, LocalProcesses(_WORKERS), blocks)
                cluster = _run(job, RayCluster(address), blocks)
                ratios.append(cluster.rate / local.rate)
                late.append(cluster.late - local.late)
        detail = {"later start of the last worker [s]": statistics.median(late)}
        ratio = statistics.median(ratios)
        yield Row("rate of Ray over local processes", ratio, "x", 0.9, True, detail)


@benchmark
def job_nodes(settings: Settings) -> Iterator[Row | Skip]:
    """Nodes of one processor each on this machine, and how much one driver hands out."""
    if find_spec("ray") is None:
        yield Skip("nodes", "ray is not installed")
        return
    with tempfile.TemporaryDirectory() as folder, _importable():
        job = _job(Path(folder), seconds=0.2 if settings.quick else 1.0)
        brief = replace(job, steps=1, episodes_per_block=1)
        blocks = 4 if settings.quick else 16
        with _nodes(1, 1) as address:
            one = _run(job, RayCluster(address), blocks)
        with _nodes(2, 1) as address:
            two = _run(job, RayCluster(address), blocks)
            handed = _run(brief, RayCluster(address), 16 * blocks)
        yield Row("rate of two nodes over one", two.rate / one.rate, "x", 1.8, at_least=True)
        # So many workers a driver keeps busy with blocks of a second.
        yield Row("smallest blocks that a driver hands out", handed.rate, "1/s", 64.0, True)


@benchmark
def job_rollouts(settings: Settings) -> Iterator[Row]:
    """Episodes to Parquet on one processor, over the bare steps of the same worlds."""
    with tempfile.TemporaryDirectory() as folder, _importable():
        job = _job(Path(folder), seconds=0.2 if settings.quick else 1.0)
        run = Contender(lambda: set_default_threads(1), lambda: job.run_block(0))
        model = load_model(job.model)

        def steps() -> None:
            data = SceneData(model, batch=(_EPISODES,), threads=1)
            for _ in range(job.steps):
                model.step_n(data, job.substeps)

        bare = Contender(lambda: None, steps)
        ratio = alternate(run, bare, settings.rounds(7)).ratio
        set_default_threads(0)
        yield Row("rate of a block over bare steps", ratio, "x", 0.9, at_least=True)


@benchmark
def job_paper(settings: Settings) -> Iterator[Row | Skip]:
    """What scheduling, transfer and sink cost per block, and 64 workers by these on paper."""
    if find_spec("ray") is None:
        yield Skip("costs of a block on Ray", "ray is not installed")
        return
    from pyarrow.parquet import read_table, write_table

    with tempfile.TemporaryDirectory() as folder, _importable():
        set_default_threads(1)
        job = _job(Path(folder), seconds=0.2 if settings.quick else 1.0)
        outcome = run_block(job.document(), 0)
        set_default_threads(0)
        path = Path(job.out) / outcome["file"]
        size, table, began = path.stat().st_size, read_table(path), time.perf_counter()
        for _ in range(settings.rounds(20)):
            with replacing(path) as staged:
                write_table(table, staged, compression="zstd")
        sink = (time.perf_counter() - began) / settings.rounds(20)
        travels = len(pickle.dumps(job.document())) + len(pickle.dumps(outcome))
        with _nodes(1, _WORKERS) as address:
            brief = replace(job, steps=1, episodes_per_block=1)
            handed = _run(brief, RayCluster(address), 64 if settings.quick else 512).rate
    work, transfer = outcome["seconds"], travels / _NETWORK
    rate = min(_ON_PAPER / (work + transfer + 1.0 / handed), handed, 1.0 / sink)
    wire = {"at a gigabit per second [ms]": 1e3 * transfer}
    disk = {"bytes": size, "of all workers [MB/s]": 1e-6 * size * rate}
    yield Row("driver per block", 1e3 / handed, "ms")
    yield Row("what travels with a block", 1e-3 * travels, "kB", detail=wire)
    yield Row("sink per block", 1e3 * sink, "ms", detail=disk)
    case = f"{_ON_PAPER} workers over {_ON_PAPER} times one, on paper"
    yield Row(case, rate * work / _ON_PAPER, "x", 0.9, True)


def _job(folder: Path, seconds: float) -> RolloutJob:
    """Rollouts of the quadruped, in blocks of about this long on one processor."""
    job = RolloutJob(
        out=str(folder / "trial"), model=str(QUADRUPED), episodes=_EPISODES, steps=10,
        substeps=4, episodes_per_block=_EPISODES, policy="benchmarks.many:rest",
    )  # fmt: skip
    Path(job.out).mkdir()
    job.run_block(0)
    started = time.perf_counter()
    job.run_block(0)
    taken = time.perf_counter() - started
    return replace(job, steps=max(1, round(10 * seconds / taken)))


@dataclass(frozen=True)
class _Pace:
    """Blocks from when each worker has done one: it runs, and has its model."""

    rate: float
    """Blocks per second, of all workers together."""
    late: float
    """Time from the first block that was done to the first one of the last worker [s]."""
    beyond: float
    """Time of a block beyond what it works itself, over that work, if one worker did them all."""


def _run(job: RolloutJob, executor: Executor, blocks: int) -> _Pace:
    ends: dict[str, list[float]] = {}

    def note(result: BlockResult) -> None:
        ends.setdefault(result.result.get("worker", ""), []).append(time.perf_counter())

    with tempfile.TemporaryDirectory() as folder:
        episodes = blocks * job.episodes_per_block
        report = run_job(
            replace(job, out=f"{folder}/out", episodes=episodes),
            executor,
            progress=note,
        )
    if report.failed:
        raise RuntimeError(report.failed[0].message)
    first = [times[0] for times in ends.values()]
    then = ([end for end in times if end >= max(first)] for times in ends.values())
    many = [times for times in then if len(times) > 1]
    rate = sum((len(times) - 1) / (times[-1] - times[0]) for times in many)
    work = statistics.mean(block.result["seconds"] for block in report.blocks[len(ends) :])
    return _Pace(rate, max(first) - min(first), len(many) / rate / work - 1.0)


def _importable() -> AbstractContextManager[None]:
    """Worker processes find this module."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return environment_variable("PYTHONPATH", path)


@contextmanager
def _nodes(count: int, processors: int) -> Iterator[str]:
    """Address of a Ray cluster of nodes on this machine."""
    import ray
    from ray.cluster_utils import Cluster

    nodes: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": processors})
    try:
        for _ in range(count - 1):
            nodes.add_node(num_cpus=processors)
        nodes.wait_for_nodes()
        yield str(nodes.address)
    finally:
        ray.shutdown()
        nodes.shutdown()
