"""Let a policy act in a shipped task, and say how its episodes went."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from usdsim._resources import resource_dir
from usdsim.cli.arguments import positive_float, positive_int
from usdsim.cli.console import Console
from usdsim.core.errors import FileError
from usdsim.tasks import TASKS, Task, find_task

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("task", metavar="TASK", help=f"one of {', '.join(TASKS)}")
    parser.add_argument(
        "--policy", type=Path, metavar="FILE", help="a policy, .npz; default: the shipped one"
    )
    parser.add_argument(
        "--envs", type=positive_int, default=16, metavar="N", help="environments; default: 16"
    )
    parser.add_argument("--seconds", type=positive_float, metavar="S", help="simulated time")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed; default: 0")
    parser.add_argument(
        "--video", type=Path, metavar="FILE", help="an MP4 of the first environment"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run episodes."""
    from usdsim.learning import evaluate, load_policy

    task = find_task(arguments.task)
    policy = load_policy(arguments.policy or _shipped(task))
    mode = "rgb_array" if arguments.video is not None else None
    with ExitStack() as stack:
        env = stack.enter_context(task.make(mode, num_envs=arguments.envs, seed=arguments.seed))
        film = _film(arguments.video, env, stack)
        steps = None
        if arguments.seconds is not None:
            steps = max(1, round(arguments.seconds / env.step_dt))
        result = evaluate(env, lambda seen: policy(seen.cpu().numpy()), steps, arguments.seed, film)
    console.pairs(
        [
            ("episodes", result.episodes),
            ("mean return", f"{result.mean_return:.3f}"),
            ("mean length", f"{result.mean_length:.1f} decisions"),
            ("without failing", f"{100.0 * result.lasted:.1f} %"),
        ]
    )
    console.result(result.to_dict())
    return 0


def _shipped(task: Task) -> Path:
    if not task.policy:
        raise FileError(
            f"No policy is shipped for task {task.name}. Learn one with "
            f"`usdsim train {task.name}`, and name it with --policy."
        )
    return resource_dir("assets") / task.policy


def _film(path: Path | None, env: Any, stack: ExitStack) -> Any:
    """What takes a picture after a decision; None: nothing."""
    if path is None:
        return None
    from usdsim.render import Film

    film = stack.enter_context(Film(path, fps=1.0 / env.step_dt))
    return lambda: film.add(env.render())
