"""Watch a stage, robot file or recording in the browser, or write it as a page or film."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

from usdsim.core.errors import InvalidValueError

from .arguments import (
    add_engine_options,
    add_page_options,
    film_path,
    page_path,
    positive_float,
    positive_int,
    require_effect,
)
from .console import Console
from .conversion.options import add_reading_options
from .destinations import require_writable
from .simulation.controls import CONTROL_HELP, Control, make_control
from .simulation.film import FILM_FPS, WorldFilm, add_film_arguments
from .simulation.rollout import home_controls
from .sources import open_source

__all__ = ["add_arguments", "run"]

_SECONDS = 4.0
"""Simulated for a page or film, unless told otherwise."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="USD stage, recording, MJCF or URDF file")
    parser.add_argument("--envs", type=positive_int, default=1, metavar="N", help="worlds")
    add_page_options(parser)
    parser.add_argument(
        "--seconds",
        type=positive_float,
        metavar="S",
        help=f"end after this time; default: never, {_SECONDS:g} for a page or film",
    )
    parser.add_argument("--ctrl", default="hold", metavar="SPEC", help=CONTROL_HELP)
    parser.add_argument(
        "--play", action="store_true", help="play the time samples of a stage; recordings do"
    )
    parser.add_argument(
        "--export", type=page_path, metavar="HTML", help="write a page that plays offline instead"
    )
    parser.add_argument(
        "--video", type=film_path, metavar="MP4", help="write a film instead; needs usdsim[video]"
    )
    add_film_arguments(parser)
    add_engine_options(parser)
    add_reading_options(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Show it until interrupted, or write it."""
    from usdsim.render.recordings import Recording, is_recording
    from usdsim.scene import SceneData, load_model

    require_effect(arguments, ("camera", "tiles"), ("video",))
    for destination in (arguments.export, arguments.video):
        require_writable(destination)
    stage = open_source(arguments)
    source: Any = None
    data: Any = None
    if arguments.play or is_recording(stage):
        for name, value, only in (
            ("--envs", arguments.envs, 1),
            ("--ctrl", arguments.ctrl, "hold"),
        ):
            if value != only:
                raise InvalidValueError(name, value, f"{only!r}: recordings are not simulated")
        source = Recording(stage)
    else:
        source = load_model(stage)
        data = SceneData(
            source, batch=(arguments.envs,), threads=arguments.threads, device=arguments.device
        )
        home = data.actuator_ctrls = home_controls(source, data)
    if arguments.export or arguments.video:
        return _write(arguments, console, source, data)
    from usdsim.viewer import Viewer
    from usdsim.viewer.launching import run_watched

    with Viewer(
        source, data, port=arguments.port, host=arguments.host, guides=arguments.guides
    ) as viewer:
        if arguments.ctrl != "hold":
            _drive(viewer.clock, make_control(arguments.ctrl, source, home, arguments.envs))
        console.pairs([("page", viewer.url), ("end", "Ctrl-C")])
        run_watched(viewer, arguments.seconds or float("inf"))
    console.result({"file": arguments.file, "page": viewer.url})
    return 0


def _drive(clock: Any, control: Control) -> None:
    """Set controls before each step, in place of the page's sliders."""

    def follow(model: Any, data: Any) -> None:
        data.actuator_ctrls = control(float(data.time[0]))

    follow(clock.model, clock.data)
    clock.callback = follow


def _write(arguments: argparse.Namespace, console: Console, source: Any, data: Any) -> int:
    """Write frames of a recording, or of a simulation, as a page or film."""
    from usdsim.viewer.page import Page

    guides, adders = arguments.guides, list[Callable[[], None]]()
    fps = FILM_FPS if data is not None else min(source.fps, 60.0)
    count = 0
    with ExitStack() as files:
        if arguments.export:
            page = Page(arguments.export, source, data, fps=fps, guides=guides)
            adders.append(files.enter_context(page).add)
        if arguments.video:
            worlds = range(1 if data is None else min(arguments.tiles, arguments.envs))
            film = WorldFilm(arguments.video, source, data, worlds, cameras=arguments.camera,
                             fps=fps, guides=guides)  # fmt: skip
            adders.append(files.enter_context(film).add)
        for _ in _frames(arguments, source, data, fps):
            count += 1
            for add in adders:
                add()
    made = {"page": arguments.export, "video": arguments.video}
    console.pairs([("frames", count), *((k, v) for k, v in made.items() if v)])
    console.result({"file": arguments.file, "frames": count, **made})
    return 0


def _frames(arguments: argparse.Namespace, source: Any, data: Any, fps: float) -> Iterator[float]:
    """Times of frames, each with the source brought to it [s]."""
    if data is None:
        end = min(source.duration, arguments.seconds or float("inf"))
        for frame in range(int(end * fps + 1e-6) + 1):
            source.seek(frame / fps)
            yield frame / fps
        return
    timestep = float(source.low.opt.timestep)
    home = data.actuator_ctrls[0].copy()
    control = make_control(arguments.ctrl, source, home, arguments.envs)
    steps = 0
    for frame in range(int((arguments.seconds or _SECONDS) * fps + 1e-6) + 1):
        while (steps + 0.5) * timestep < frame / fps:
            data.actuator_ctrls = control(steps * timestep)
            source.step(data)
            steps += 1
        yield frame / fps
