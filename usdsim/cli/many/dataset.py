"""Write the episodes of a rollout job in another format, or one of them as a recording."""

from __future__ import annotations

import argparse
from pathlib import Path

from usdsim.cli.arguments import STAGE_SUFFIXES, nonnegative_int
from usdsim.cli.console import Console
from usdsim.core.errors import InvalidValueError

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="results of the job")
    parser.add_argument(
        "destination", metavar="OUT", type=Path,
        help=".hdf5 or .zarr; a folder for LeRobot; .usd for a recording of one episode",
    )  # fmt: skip
    parser.add_argument(
        "--format", default="", metavar="NAME",
        help="hdf5, zarr or lerobot; default: by the suffix of OUT",
    )  # fmt: skip
    parser.add_argument("--task", default="", metavar="TEXT", help="what the robot does, in words")
    parser.add_argument("--episode", type=nonnegative_int, metavar="N", help="of a recording")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Export, or record."""
    from usdsim.cluster import export_dataset, record_episode
    from usdsim.cluster.datasets.rows import file_of_episode

    folder, destination, episode = arguments.folder, arguments.destination, arguments.episode
    if (destination.suffix in STAGE_SUFFIXES) != (episode is not None):
        raise InvalidValueError(
            "--episode", episode, "a number with a .usd destination, and with no other"
        )
    if episode is None:
        export_dataset(folder, destination, arguments.format, arguments.task)
    else:
        record_episode(file_of_episode(folder, episode), episode, destination)
    console.pairs([("dataset", str(folder)), ("written", str(destination))])
    console.result({"dataset": str(folder), "written": str(destination), "episode": episode})
    return 0
