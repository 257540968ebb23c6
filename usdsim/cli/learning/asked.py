"""Tasks that commands are asked for: shipped ones by name, and a user's own by import path."""

from __future__ import annotations

import argparse
import os
import sys

from usdsim.tasks import TASKS, Task, find_task

__all__ = ["add_task", "asked_task"]


def add_task(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names the task."""
    parser.add_argument(
        "task",
        metavar="TASK",
        help=f"one of {', '.join(TASKS)}, or your own as package.module:Name, a configuration or "
        "class of an environment, or a function that makes one",
    )


def asked_task(name: str) -> Task:
    """The task of a name; modules are found in the working folder, too.

    Raises:
        UnknownNameError: there is none.
        InvalidValueError: it cannot be imported.
    """
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return find_task(name)
