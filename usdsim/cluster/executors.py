"""Executors of jobs: processes of this machine, or tasks on a Ray cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from usdsim.core import __version__
from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.core.processors import share_processors, usable_processors
from usdsim.core.workers import ask_all

from .connection import connected_ray
from .job import Job
from .worker import Starts, announce_and_run, objection

__all__ = ["Executor", "LocalProcesses", "RayCluster"]

Outcome = dict[str, Any]

_BETWEEN_LOOKS = 1.0
"""Time between two looks at which blocks have begun [s]."""


class Executor(Protocol):
    """Runs blocks somewhere, in any order."""

    def run(self, job: Job, blocks: Sequence[int]) -> Iterator[tuple[int, Outcome]]:
        """Run blocks; yield each with its outcome as it is done."""
        ...


@dataclass(frozen=True)
class LocalProcesses:
    """Processes of this machine; one that crashes or hangs costs its block alone."""

    workers: int = 0
    """Number of processes; 0: one per processor."""
    timeout: float = 3600.0
    """Longest time of a block [s]."""

    def run(self, job: Job, blocks: Sequence[int]) -> Iterator[tuple[int, Outcome]]:
        """Run blocks; yield each with its outcome as it is done."""
        if self.workers < 0 or self.timeout <= 0.0:
            raise InvalidValueError(
                "workers and timeout", (self.workers, self.timeout), "0 up, and above 0"
            )
        count = self.workers or usable_processors()
        threads = share_processors(min(count, len(blocks)))
        requests = [
            {"document": job.document(), "block": block, "threads": threads} for block in blocks
        ]
        for place, outcome in ask_all("usdsim.cluster.worker", requests, count, self.timeout):
            yield blocks[place], outcome


@dataclass(frozen=True)
class RayCluster:
    """Tasks on a Ray cluster. A block whose worker or node dies is tried again elsewhere."""

    address: str = ""
    """Address of the cluster, or ``"auto"``; empty: a cluster of this machine, for the job."""
    timeout: float = 3600.0
    """Longest time of a block from when it begins [s]."""
    retries: int = 2
    """Number of further tries of a block whose worker died."""
    ahead: int = 2
    """Blocks that are handed out per processor, which bounds what waits in memory."""
    dashboard: Callable[[str], None] | None = None
    """Called with the address of Ray's dashboard, where the cluster has one."""

    def run(self, job: Job, blocks: Sequence[int]) -> Iterator[tuple[int, Outcome]]:
        """Run blocks; yield each with its outcome as it is done."""
        with connected_ray(self.address, self.dashboard) as ray:
            self._check_nodes(ray, job)
            yield from self._tasks(ray, job, list(blocks))

    def _check_nodes(self, ray: Any, job: Job) -> None:
        """Refuse a cluster with nodes that cannot do the job, or would not do the same."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        nodes = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
        task, document, here = ray.remote(num_cpus=0)(objection), job.document(), __version__
        answers = [
            task.options(
                scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)
            ).remote(document)
            for node in nodes
        ]
        for node, answer in zip(nodes, answers, strict=True):
            try:
                there, words = ray.get(answer)
            except ray.exceptions.RayTaskError as error:
                last = str(error).strip().splitlines()[-1]
                raise UnsupportedError(f"Node {node} of the Ray cluster: {last}") from error
            except ray.exceptions.RayError:
                continue  # It is gone, so that no block will get there either.
            if there != here:
                raise UnsupportedError(
                    f"Node {node} of the Ray cluster has usdsim {there}, this machine "
                    f"{here}; install the same version everywhere."
                )
            if words:
                raise UnsupportedError(f"Node {node} of the Ray cluster cannot do the job: {words}")

    def _tasks(self, ray: Any, job: Job, blocks: list[int]) -> Iterator[tuple[int, Outcome]]:
        task = ray.remote(num_cpus=1, max_retries=self.retries)(announce_and_run)
        starts = ray.remote(num_cpus=0, max_restarts=-1)(Starts).remote()
        most = self.ahead * max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting = blocks[::-1]
        running: dict[int, Any] = {}
        ends: dict[int, float] = {}  # when those that have begun are late
        look, looked = starts.drain.remote(), time.monotonic()
        while waiting or running:
            while waiting and len(running) < most:
                block = waiting.pop()
                running[block] = task.remote(starts, job.document(), block)
            done, _ = ray.wait(list(running.values()), timeout=_BETWEEN_LOOKS)
            for block in [block for block, reference in running.items() if reference in done]:
                ends.pop(block, None)
                yield block, self._outcome(ray, running.pop(block))
            if time.monotonic() - looked < _BETWEEN_LOOKS or not ray.wait([look], timeout=0.0)[0]:
                continue
            looked = time.monotonic()
            ends |= {b: looked + self.timeout for b in _begun(ray, look) if b in running}
            look = starts.drain.remote()
            for block in [block for block, end in ends.items() if end < looked]:
                if ray.wait([running[block]], timeout=0.0)[0]:
                    continue  # It is done; who takes the outcomes was slow.
                ray.cancel(running.pop(block), force=True)
                del ends[block]
                words = f"took longer than {self.timeout:g} s"
                yield block, {"status": "timeout", "message": words}

    @staticmethod
    def _outcome(ray: Any, reference: Any) -> Outcome:
        try:
            outcome: Outcome = ray.get(reference)
        except ray.exceptions.RayError as error:
            return {"status": "crashed", "message": str(error).strip().splitlines()[-1]}
        return outcome


def _begun(ray: Any, look: Any) -> list[int]:
    """Blocks that have begun; none from an actor that moves from a dead node."""
    try:
        blocks: list[int] = ray.get(look)
    except ray.exceptions.RayError:
        return []
    return blocks
