"""Learn a policy for a task, with checkpoints to resume from."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from usdsim.cli.arguments import nonnegative_int, positive_float, positive_int
from usdsim.cli.console import Console
from usdsim.cli.destinations import require_writable
from usdsim.core.errors import FileError
from usdsim.core.extras import library

from .asked import add_task, asked_task

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_task(parser)
    parser.add_argument("--envs", type=positive_int, metavar="N", help="number of environments")
    parser.add_argument("--iterations", type=positive_int, metavar="N", help="iterations in all")
    parser.add_argument(
        "--seconds", type=positive_float, metavar="S", help="begin no iteration after that time"
    )
    parser.add_argument(
        "--seed", type=nonnegative_int, default=0, metavar="N", help="of all random numbers"
    )
    parser.add_argument("--device", metavar="NAME", help="where to simulate and learn")
    parser.add_argument(
        "--resume", nargs="?", const="", metavar="FILE",
        help="checkpoint to go on from; without a name: the last one in --out",
    )  # fmt: skip
    parser.add_argument("--onnx", action="store_true", help="write the policy as ONNX, too")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where results go; default: out/train/TASK"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Learn, evaluate, and write the policy."""
    from usdsim.learning import evaluate, save_policy, train

    from .report import rows

    task = asked_task(arguments.task)
    out = arguments.out or Path("out/train") / task.name.replace(":", ".")
    files = _files(out, arguments.onnx)
    agent = task.agent_cfg()
    if arguments.iterations is not None:
        agent.iterations = arguments.iterations
    asked = {"num_envs": arguments.envs, "device": arguments.device}
    changes = {name: value for name, value in asked.items() if value is not None}

    def report(progress: Any) -> None:
        if progress.iteration % max(1, agent.iterations // 20):
            return
        left = f"{progress.seconds:.0f} s, {progress.seconds_left:.0f} s left"
        count = f"{progress.iteration}/{progress.iterations}"
        console.line(f"{count}  reward {progress.metrics['reward']:.3f} per second  {left}")

    with task.make(seed=arguments.seed, **changes) as env:
        try:
            policy = train(
                env,
                agent,
                out,
                seed=arguments.seed,
                resume=_checkpoint(arguments.resume, out),
                max_seconds=arguments.seconds,
                report=report,
                metadata=task.metadata(env),
            )
        except KeyboardInterrupt:
            kept = _last_checkpoint(out)
            console.line(
                f"--resume goes on from {kept}" if kept else f"no checkpoint in '{out}' yet"
            )
            raise
        result = evaluate(
            env,
            policy,
            seed=arguments.seed + 1,
            measures=task.measures(),
        )
    for file in files:
        save_policy(file, policy)
        console.line(f"wrote {file}")
    console.pairs(rows(result))
    console.result({"evaluation": result.to_dict(), "files": files})
    return 0


def _files(out: Path, onnx: bool) -> list[Path]:
    """Files of the policy, which can be written.

    Raises:
        UnsupportedError: one needs a library that is not installed.
    """
    require_writable(out / "policy.npz")
    files = [out / f"policy{suffix}" for suffix in (".npz", ".pt")]
    last = out / "policy.onnx"
    # A file of an earlier policy beside those of this one would be taken for it.
    if onnx or last.exists():
        library("onnx", str(last), "" if onnx else f"remove '{last}'")
        files.append(last)
    return files


def _checkpoint(asked: str | None, folder: Path) -> str | Path | None:
    """The checkpoint to go on from; empty asks for the last one in the folder.

    Raises:
        FileError: there is none.
    """
    if asked != "":
        return asked
    last = _last_checkpoint(folder)
    if last is None:
        raise FileError(f"There is no checkpoint in '{folder}': train without --resume first.")
    return last


def _last_checkpoint(folder: Path) -> Path | None:
    """The checkpoint of most iterations in a folder."""
    numbers = {
        int(found[1]): path
        for path in folder.glob("checkpoint_*.pt")
        if (found := re.fullmatch(r"checkpoint_(\d+)", path.stem))
    }
    return numbers[max(numbers)] if numbers else None
