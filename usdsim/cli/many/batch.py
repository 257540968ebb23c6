"""Run a job over many files or episodes, on this machine or on a Ray cluster."""

from __future__ import annotations

import argparse
from collections import Counter
from contextlib import ExitStack

from usdsim.cli.arguments import nonnegative_int, positive_float
from usdsim.cli.console import Bar, Console

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("kind", choices=("convert", "rollout", "sweep"), help="kind of job")
    parser.add_argument("job", metavar="JOB.toml", help="the fields of the job")
    parser.add_argument(
        "--workers", type=nonnegative_int, default=0, metavar="N",
        help="processes of this machine; 0, the default: one per processor",
    )  # fmt: skip
    parser.add_argument(
        "--ray", metavar="ADDRESS", nargs="?", const="",
        help="run on a Ray cluster: its address, or auto; without one, a cluster of this machine",
    )  # fmt: skip
    parser.add_argument(
        "--timeout", type=positive_float, default=3600.0, metavar="S",
        help="longest time of a block; default 3600",
    )  # fmt: skip
    parser.add_argument("--resume", action="store_true", help="do only what is missing")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the job; 1 if a block is not done."""
    from usdsim.cluster import Executor, LocalProcesses, RayCluster, job_from_file, run_job

    job = job_from_file(arguments.job, arguments.kind)
    executor: Executor = (
        LocalProcesses(arguments.workers, arguments.timeout)
        if arguments.ray is None
        else RayCluster(
            arguments.ray,
            arguments.timeout,
            dashboard=lambda address: console.pairs([("dashboard", address)]),
        )
    )
    with ExitStack() as stack:
        bars: list[Bar] = []
        report = run_job(
            job, executor, resume=arguments.resume,
            begin=lambda n: bars.append(stack.enter_context(console.bar(n, f"{n} blocks"))),
            progress=lambda result: bars[0].advance(),
        )  # fmt: skip
    for block in report.failed:
        console.line(f"block {block.block} {block.status}: {block.message}")
    counts = Counter(block.status for block in report.blocks)
    total = ", ".join(f"{count} {status}" for status, count in counts.items())
    console.pairs([("blocks", total), ("results", job.out)])
    console.result({"job": job.document(), "counts": dict(counts), "folder": job.out})
    return int(bool(report.failed))
