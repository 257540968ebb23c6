"""Run a stage or robot file in many worlds; record, plot or picture one of them."""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from usdsim.cli.arguments import (
    add_engine_options,
    film_path,
    image_path,
    nonnegative_int,
    picture_path,
    positive_float,
    positive_int,
    require_effect,
    stage_path,
)
from usdsim.cli.console import Console
from usdsim.cli.conversion.options import add_reading_options
from usdsim.cli.destinations import require_writable
from usdsim.cli.sources import open_source

from .controls import CONTROL_HELP, make_control
from .film import WorldFilm, add_film_arguments, require_cameras, take_picture
from .plot import plot_trajectories, require_matplotlib
from .rollout import Rollout, home_controls, joint_columns

__all__ = ["add_arguments", "run"]

_WRITTEN = {"recording": "record", "plot": "plot", "picture": "picture", "video": "video"}
"""Options that name a file to write, by what is written."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="USD stage, MJCF or URDF file")
    parser.add_argument("--envs", type=positive_int, default=1, metavar="N", help="worlds")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--steps", type=positive_int, metavar="N", help="steps (default 1000)")
    length.add_argument("--seconds", type=positive_float, metavar="S", help="simulated time [s]")
    parser.add_argument("--ctrl", default="hold", metavar="SPEC", help=CONTROL_HELP)
    parser.add_argument(
        "--seed", type=nonnegative_int, default=0, metavar="N", help="of random controls"
    )
    parser.add_argument("--record", type=stage_path, metavar="USD", help="write an animation")
    parser.add_argument("--plot", type=picture_path, metavar="PNG", help="draw joint positions")
    parser.add_argument(
        "--video", type=film_path, metavar="MP4", help="film the world; needs usdsim[video]"
    )
    add_film_arguments(parser)
    parser.add_argument("--picture", type=image_path, metavar="PNG", help="show the end")
    parser.add_argument(
        "--world",
        type=nonnegative_int,
        default=0,
        metavar="N",
        help="world to record, plot and show",
    )
    parser.add_argument(
        "--fps",
        type=positive_float,
        metavar="HZ",
        help="of the recording; default: the stage's, or 60",
    )
    add_engine_options(parser)
    parser.add_argument("--exact", action="store_true", help="compile visual geometry too")
    parser.add_argument(
        "--strict", action="store_true", help="warnings are errors; notes stay notes"
    )
    add_reading_options(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Simulate; 1 if a world failed."""
    require_effect(arguments, ("camera", "guides", "tiles"), ("video", "picture"))
    require_effect(arguments, ("fps",), ("record",))
    if arguments.plot:
        require_matplotlib()
    written = {name: getattr(arguments, option) for name, option in _WRITTEN.items()}
    for destination in written.values():
        require_writable(destination)
    from usdsim.scene import SceneData, load_model

    stage = open_source(arguments)
    model = load_model(stage, exact=arguments.exact, strict=arguments.strict)
    data = SceneData(
        model, batch=(arguments.envs,), threads=arguments.threads, device=arguments.device
    )
    home = home_controls(model, data)
    control = make_control(arguments.ctrl, model, home, arguments.envs, seed=arguments.seed)
    steps = arguments.steps or 1000
    if arguments.seconds:
        steps = max(1, round(arguments.seconds / float(model.low.opt.timestep)))
    require_cameras(model, data, arguments.camera)
    rollout = Rollout(model, data, control, arguments.world, arguments.fps)
    first = arguments.world
    worlds = range(first, min(first + arguments.tiles, arguments.envs))
    shown = {"cameras": arguments.camera, "guides": arguments.guides}
    with ExitStack() as open_files:
        film = None
        if arguments.video:
            film = WorldFilm(arguments.video, model, data, worlds, **shown)
            open_files.enter_context(film)
        result = rollout.run(steps, console, stage=stage, recording=arguments.record, film=film)
    if arguments.plot:
        _, names = joint_columns(model)
        title = f"{arguments.file}, world {arguments.world}"
        plot_trajectories(arguments.plot, result.times, result.positions, names, title=title)
    if arguments.picture:
        take_picture(arguments.picture, model, data, worlds, **shown)
    simulated = steps * float(model.low.opt.timestep)
    console.pairs(
        [
            ("simulated", f"{result.extent}, {simulated:g} s"),
            ("took", f"{result.wall:.2f} s"),
            ("speed", f"{result.env_steps_per_second:,.0f} env-steps/s"),
            *((name, path) for name, path in written.items() if path),
            *[("failure", failure) for failure in result.failures],
        ]
    )
    console.result(
        {
            "file": arguments.file,
            **result.record(),
            "simulated_s": simulated,
            **written,
        }
    )
    return int(bool(result.failures))
