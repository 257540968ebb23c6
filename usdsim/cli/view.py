"""Watch a stage or robot file move in the browser, with controls."""

from __future__ import annotations

import argparse

from .arguments import device_name, nonnegative_int, positive_float, positive_int
from .console import Console
from .rollout import home_controls
from .sources import open_source

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="USD stage, MJCF or URDF file")
    parser.add_argument("--envs", type=positive_int, default=1, metavar="N", help="worlds")
    parser.add_argument("--port", type=positive_int, default=8080, help="of the page")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0: other machines too")
    parser.add_argument(
        "--seconds", type=positive_float, metavar="S", help="end after this time; default: never"
    )
    parser.add_argument("--device", type=device_name, default="cpu", help="cpu, cuda or warp:cpu")
    parser.add_argument("--threads", type=nonnegative_int, default=0, help="0: one per core")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Show it until interrupted."""
    from usdsim.scene import SceneData, load_model
    from usdsim.viewer import Viewer

    model = load_model(open_source(arguments.file))
    data = SceneData(
        model, batch=(arguments.envs,), threads=arguments.threads, device=arguments.device
    )
    data.actuator_ctrls = home_controls(model, data)
    with Viewer(model, data, port=arguments.port, host=arguments.host) as viewer:
        console.pairs([("page", viewer.url), ("end", "Ctrl-C")])
        viewer.run(arguments.seconds or float("inf"))
    console.result({"file": arguments.file, "page": viewer.url})
    return 0
