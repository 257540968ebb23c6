"""Sweeps as a job: one point of parameters per block, each with its rate of success."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.core.transaction import replacing

from .intervals import wilson_interval
from .job import Job, job_from_document
from .report import JobReport
from .rollout import RolloutJob

__all__ = ["SweepJob"]

_TABLE = "sweep.csv"
_MEASURED = ("episodes", "successes", "rate", "low", "high", "mean_return")
_WITHIN = ("policy_options", "task_options", "randomize", "edits")
"""Fields of a rollout that are tables; a parameter names one of their entries."""


@dataclass(frozen=True, kw_only=True)
class SweepJob(Job):
    """Rollouts at every point of a grid, or at random points, and a table of what came of them.

    Parameters are fields of a `RolloutJob` (``position_noise``), entries of its tables
    (``policy_options.gain``, ``randomize.link:pole.mass``), or attributes of the stage by
    ``/prim/path.attribute:name``.
    """

    kind: ClassVar[str] = "sweep"

    rollout: dict[str, Any]
    """Fields of the rollouts, without ``out``; ``success`` says what counts, by default all that
    does not diverge."""
    parameters: dict[str, list[Any]]
    """Values of a grid by parameter; with `samples`, the lowest and the highest value."""
    samples: int = 0
    """Number of points, drawn uniformly between the two values; 0: all of the grid."""
    logarithmic: list[str] = field(default_factory=list)
    """Parameters that are drawn uniformly in their logarithm."""
    seed: int = 0
    """Seed of the points that are drawn."""

    def check(self) -> None:
        """Refuse parameters and values that are none, and rollouts whose first point cannot run."""
        if self.samples < 0 or not self.parameters:
            raise InvalidValueError(
                "samples and parameters", (self.samples, self.parameters), "0 up, and at least one"
            )
        for name, values in self.parameters.items():
            self._check_values(name, values)
        for name in self.logarithmic:
            if name not in self.parameters:
                raise UnknownNameError("logarithmic parameter", name, list(self.parameters))
        first = self.rollout_at(self.points[0])
        for name, values in self.parameters.items():
            for value in values:
                self.rollout_at({**self.points[0], name: value}).check_fields()
        first.check()
        self._last[:] = [first]

    def check_machine(self) -> None:
        """Refuse a machine where a policy or function of the rollouts cannot be imported."""
        self.rollout_at(self.points[0]).check_machine()

    def num_blocks(self) -> int:
        """Number of points."""
        return len(self.points)

    @cached_property
    def points(self) -> list[dict[str, Any]]:
        """Values by parameter of every point."""
        names = list(self.parameters)
        if not self.samples:
            grid = itertools.product(*self.parameters.values())
            return [dict(zip(names, values, strict=True)) for values in grid]
        return [
            {name: self._drawn(name, np.random.default_rng([self.seed, k, i]))
             for i, name in enumerate(names)}
            for k in range(self.samples)
        ]  # fmt: skip

    def rollout_at(self, point: Mapping[str, Any]) -> RolloutJob:
        """The rollouts of a point.

        Raises:
            UnknownNameError: a parameter, or a field of the rollouts, is none.
            InvalidValueError: a field of the rollouts is missing.
        """
        document = {"kind": "rollout", "out": self.out, **self.rollout}
        for name, value in point.items():
            table, _, key = name.partition(".")
            if name.startswith("/"):
                table, key = "edits", name
            if table in _WITHIN:
                document[table] = {**document.get(table, {}), key: value}
            else:
                document[name] = value
        return cast(RolloutJob, job_from_document(document))

    @cached_property
    def _last(self) -> list[RolloutJob]:
        """The rollouts measured before, whose model the next ones take over."""
        return []

    def run_block(self, block: int) -> dict[str, Any]:
        """Simulate the episodes of a point."""
        return {"parameters": self.points[block], **self.measure(self.points[block])}

    def measure(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """Episodes, successes, their rate with its 95 % interval, and the mean return, if any."""
        job = self.rollout_at(point)
        for before in self._last:
            job.adopt(before)
        self._last[:] = [job]
        successes, returns = 0, []
        for block in range(job.num_blocks()):
            columns = job.episode_columns(job.block_episodes(block))
            passed = columns["success"] if job.success else ~columns["failed"]
            successes += int(passed[:, -1].sum())
            if "reward" in columns:
                returns.append(columns["reward"].sum(axis=1))
        low, high = wilson_interval(successes, job.episodes)
        found = {"episodes": job.episodes, "successes": successes, "low": low, "high": high,
                 "rate": successes / job.episodes}  # fmt: skip
        return found | ({"mean_return": float(np.concatenate(returns).mean())} if returns else {})

    def finish(self, report: JobReport) -> None:
        """Write the table of all points that are done as ``sweep.csv``."""
        results = [block.result for block in report.blocks if block.status == "done"]
        measured = [name for name in _MEASURED if any(name in result for result in results)]
        with (
            replacing(Path(self.out) / _TABLE) as staged,
            staged.open("w", newline="", encoding="utf-8") as file,
        ):
            table = csv.writer(file)
            table.writerow([*self.parameters, *measured])
            for result in results:
                point = result["parameters"]
                table.writerow(
                    [*(point[name] for name in self.parameters), *(result[n] for n in measured)]
                )

    def _check_values(self, name: str, values: Any) -> None:
        if not isinstance(values, list) or not values:
            raise InvalidValueError(f"values of {name}", values, "a list of at least one")
        if not self.samples:
            return
        numbers = all(isinstance(v, int | float) and np.isfinite(v) for v in values)
        if len(values) != 2 or not numbers or values[0] > values[1]:
            raise InvalidValueError(f"values of {name}", values, "the lowest and the highest")
        if name in self.logarithmic and values[0] <= 0:
            raise InvalidValueError(f"values of {name}", values, "above 0: they are logarithmic")

    def _drawn(self, name: str, rng: np.random.Generator) -> float:
        low, high = self.parameters[name]
        if name in self.logarithmic:
            return float(np.exp(rng.uniform(np.log(low), np.log(high))))
        return float(rng.uniform(low, high))
