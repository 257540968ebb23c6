"""Let a policy act in a task, and say how its episodes went."""

from __future__ import annotations

import argparse
import math
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from usdsim._resources import resource_dir
from usdsim.cli.arguments import (
    add_page_options,
    film_path,
    nonnegative_int,
    positive_float,
    positive_int,
)
from usdsim.cli.console import Console
from usdsim.core.errors import FileError, InvalidValueError, UsdsimError
from usdsim.tasks import Task

from .asked import add_task, asked_task

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_task(parser)
    parser.add_argument(
        "--policy", type=Path, metavar="FILE",
        help="a policy, .npz, .pt (TorchScript) or .onnx; default: the shipped one",
    )  # fmt: skip
    parser.add_argument(
        "--envs", type=positive_int, default=16, metavar="N", help="environments; default: 16"
    )
    parser.add_argument("--seconds", type=positive_float, metavar="S", help="simulated time [s]")
    parser.add_argument(
        "--seed", type=nonnegative_int, default=0, metavar="N", help="of all random numbers"
    )
    parser.add_argument(
        "--view", action="store_true", help="show them in the browser instead, in real time"
    )
    add_page_options(parser)
    parser.add_argument("--video", type=film_path, metavar="MP4", help="film the first environment")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run episodes."""
    from usdsim.learning import evaluate, load_policy

    from .report import rows

    task = asked_task(arguments.task)
    path = arguments.policy or _shipped(task)
    policy = load_policy(path)
    mode = "rgb_array" if arguments.video is not None else None
    with ExitStack() as stack:
        env = stack.enter_context(task.make(mode, num_envs=arguments.envs, seed=arguments.seed))
        _require_fit(policy, path, task, env)
        if arguments.view:
            return _view(env, policy, arguments, console)
        film = _film(arguments.video, env, stack)
        steps = None
        if arguments.seconds is not None:
            steps = max(1, round(arguments.seconds / env.step_dt))
        result = evaluate(
            env,
            policy,
            steps,
            arguments.seed,
            film,
            task.measures(),
        )
    console.pairs(rows(result))
    console.result({**result.to_dict(), "page": None})
    return 0


def _shipped(task: Task) -> Path:
    if not task.policy:
        raise FileError(
            f"No policy is shipped for task {task.name}. Learn one with "
            f"`usdsim train {task.name}`, and name it with --policy."
        )
    return resource_dir("assets") / task.policy


def _require_fit(policy: Any, path: Path, task: Task, env: Any) -> None:
    """Refuse a policy of a task that observes or does something else."""
    spaces = env.single_observation_space["policy"], env.single_action_space
    inputs, outputs = (space.shape[-1] for space in spaces)
    what = f"policy {str(path)!r}"
    allowed = f"{inputs} observations and {outputs} actions for the task {task.name}"
    try:
        found = policy(np.zeros((env.num_envs, inputs), np.float32)).shape
    except UsdsimError as error:
        raise InvalidValueError(what, "one of other observations", allowed, str(error)) from error
    if found != (env.num_envs, outputs):
        raise InvalidValueError(what, f"one of actions of shape {found[1:]}", allowed)


def _view(env: Any, policy: Any, arguments: argparse.Namespace, console: Console) -> int:
    """Show the environments on a page, until interrupted."""
    from usdsim.learning import watch

    pages: list[str] = []

    def opened(page: str) -> None:
        pages.append(page)
        console.pairs([("page", page), ("end", "Ctrl-C")])

    watch(
        env,
        policy,
        arguments.seconds or math.inf,
        port=arguments.port,
        host=arguments.host,
        opened=opened,
    )
    console.result({"page": pages[0]})
    return 0


def _film(path: Path | None, env: Any, stack: ExitStack) -> Any:
    """Recorder that takes a picture after a decision; None: nothing does."""
    if path is None:
        return None
    from usdsim.render import Film

    film = stack.enter_context(Film(path, fps=1.0 / env.step_dt))
    return lambda: film.add(env.render())
