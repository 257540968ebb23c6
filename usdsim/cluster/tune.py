"""Ray Tune searches over the parameters of a sweep."""

from __future__ import annotations

from typing import Any, cast

from usdsim.core.extras import library

from .connection import connected_ray
from .job import job_from_document
from .sweep import SweepJob

__all__ = ["tune_sweep"]


def tune_sweep(
    job: SweepJob,
    *,
    samples: int | None = None,
    metric: str = "rate",
    mode: str = "max",
    search: Any = None,
    scheduler: Any = None,
) -> Any:
    """Run a sweep whose points Ray Tune chooses.

    It runs on the cluster that this process is connected to, else on one of this machine that is
    started for the search.

    Args:
        job: parameters with their lowest and highest values if it has `samples`, else their values.
        samples: number of points; None: those of the job, or the whole grid.
        metric: what is searched for, a key of `SweepJob.measure`.
        mode: ``"max"`` or ``"min"``.
        search: a search algorithm of Ray Tune; None: grid and random search.
        scheduler: a scheduler of Ray Tune.

    Returns:
        Ray's ``ResultGrid``; ``get_best_result().config`` has the values by parameter.

    Raises:
        UnsupportedError: Ray is not installed.
        UsdsimError: the job is refused before any work.
    """
    job.check()
    tune = library("ray.tune")
    document = job.document()

    def measure(point: dict[str, Any]) -> dict[str, Any]:
        return cast(SweepJob, job_from_document(document)).measure(point)

    settings = tune.TuneConfig(
        metric=metric, mode=mode, search_alg=search, scheduler=scheduler,
        num_samples=samples or job.samples or 1,
    )  # fmt: skip
    with connected_ray():
        return tune.Tuner(measure, param_space=_space(tune, job), tune_config=settings).fit()


def _space(tune: Any, job: SweepJob) -> dict[str, Any]:
    if not job.samples:
        return {name: tune.grid_search(values) for name, values in job.parameters.items()}
    return {
        name: (tune.loguniform if name in job.logarithmic else tune.uniform)(*values)
        for name, values in job.parameters.items()
    }
