"""Job runs: an output folder is claimed, missing blocks are done, and a report is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from usdsim.core import __version__
from usdsim.core.boundary import boundary
from usdsim.core.errors import FileError, UsdsimError
from usdsim.core.transaction import replace_file

from .executors import Executor, LocalProcesses
from .job import Job
from .report import BlockResult, JobReport
from .worker import record_path

__all__ = ["run_job"]

_CLAIM = "_job.json"
_REPORT = "_report.json"
"""Names beside data begin with a line, by which readers of whole folders leave them out."""


def run_job(
    job: Job,
    executor: Executor | None = None,
    *,
    resume: bool = False,
    begin: Callable[[int], None] | None = None,
    progress: Callable[[BlockResult], None] | None = None,
) -> JobReport:
    """Run all blocks of a job; every block completes or fails by itself.

    Args:
        job: the job.
        executor: where it runs; None: processes of this machine.
        resume: whether blocks that an earlier run of the same job has done are kept.
        begin: called before any work with the number of blocks that are to be done.
        progress: called after each block.

    Returns:
        What became of each block; the same as ``_report.json`` in the job's folder.

    Raises:
        FileError: the folder holds another job's results, or those of this one without `resume`.
        UsdsimError: the job or the cluster is refused before any work.
    """
    stated, job = job, job.local()
    job.check()
    out = Path(job.out)
    fresh = _claim(out, stated, resume)
    blocks = range(job.num_blocks())
    found = {block: _record(job, block) for block in blocks}
    results = {
        block: BlockResult(block, "done", "", record)
        for block, record in found.items()
        if record and job.holds(block, record)
    }
    missing = [block for block in blocks if block not in results]
    if begin is not None:
        begin(len(missing))
    try:
        for result in _outcomes(executor or LocalProcesses(), job, missing):
            results[result.block] = result
            if progress is not None:
                progress(result)
    except UsdsimError:
        if fresh and not results:  # The executor refuses the job: the folder is as before.
            (out / _CLAIM).unlink(missing_ok=True)
            with suppress(OSError):
                out.rmdir()
        raise
    report = JobReport(tuple(results[block] for block in sorted(results)))
    job.finish(report)
    replace_file(out / _REPORT, report.to_json())
    stated.publish()
    return report


def _outcomes(executor: Executor, job: Job, blocks: list[int]) -> Iterator[BlockResult]:
    """Run blocks, and say what became of each."""
    for block, outcome in executor.run(job, blocks) if blocks else ():
        done = outcome["status"] == "done"
        yield BlockResult(block, outcome["status"], outcome["message"], outcome if done else {})


def _claim(out: Path, job: Job, resume: bool) -> bool:
    """Make the folder this job's, or refuse it; returns whether it was not its own before."""
    claim = out / _CLAIM
    mine = {"digest": job.digest(), "usdsim": __version__, "job": job.document()}
    if claim.is_file():
        with boundary(f"Cannot read {str(claim)!r}"):
            theirs = json.loads(claim.read_text(encoding="utf-8"))
        same = isinstance(theirs, dict) and theirs.get("digest") == mine["digest"]
        if not same or theirs.get("usdsim") != mine["usdsim"]:
            raise FileError(
                f"{str(out)!r} holds the results of another job, or of another version of usdsim; "
                "name another folder."
            )
        if not resume:
            raise FileError(
                f"{str(out)!r} holds results of this job; resume it, or name another folder."
            )
        return False
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FileError(f"{str(out)!r} is no empty folder; name another one.")
    with boundary(f"Cannot write into {str(out)!r}"):
        out.mkdir(parents=True, exist_ok=True)
        replace_file(claim, json.dumps(mine, indent=1))
    return True


def _record(job: Job, block: int) -> dict[str, Any]:
    """Record of a block that is done; empty if there is none that can be read."""
    try:
        record: dict[str, Any] = json.loads(record_path(job, block).read_text(encoding="utf-8"))
        return record if record["status"] == "done" else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
