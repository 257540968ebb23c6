"""Application launcher: command line options of programs that start an application first."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable, Mapping
from typing import Any

from usdsim.compat.stages import create_new_stage
from usdsim.usd.stage import has_current_stage

__all__ = [
    "AppLauncher",
    "SimulationApp",
    "enable_extension",
    "limit_frames",
    "next_frame",
    "on_frame",
    "started",
    "takes_pictures",
    "windows",
]

logger = logging.getLogger("usdsim")

_SWITCHES = (
    *("headless", "enable_cameras", "verbose", "info", "multi_gpu", "video", "xr"),
    *("deterministic", "anim_recording_enabled"),
)
_VALUES: dict[str, tuple[type, Any]] = {
    "livestream": (int, -1),
    "experience": (str, ""),
    "rendering_mode": (str, "balanced"),
    "kit_args": (str, ""),
    "visualizer": (str, None),
    "anim_recording_start_time": (float, 0.0),
    "anim_recording_stop_time": (float, 10.0),
    "max_visible_envs": (int, None),
}


class SimulationApp:
    """Stand-in of the application: it runs until it is closed, or for a number of frames.

    Args:
        launch_config: settings of an application, which have no effect; with them, an empty stage
            is the current one from the start where none was.
        experience: likewise.
        frames: how often `is_running` is true; None: as the command line says, else until `close`.
    """

    def __init__(
        self,
        launch_config: Mapping[str, Any] | None = None,
        experience: str = "",
        frames: int | None = None,
    ):
        self._left = _frames_of_command_line() if frames is None else frames
        self._open = True
        _started[:] = [self]
        if launch_config is not None and not has_current_stage():
            create_new_stage()

    def is_running(self) -> bool:
        """Whether to go on; each call counts as a frame."""
        if self._left is not None:
            self._left -= 1
            return self._open and self._left >= 0
        return self._open

    def is_exiting(self) -> bool:
        """Whether it was closed."""
        return self.is_closed

    @property
    def is_closed(self) -> bool:
        """Whether it was closed, as windows are asked."""
        return not self._open

    @property
    def is_limited(self) -> bool:
        """Whether it runs for a number of frames."""
        return self._left is not None

    def update(self) -> None:
        """Let time go on by a frame where a world of Isaac Sim plays; see `next_frame`."""
        next_frame()

    def close(self, *_: Any, **__: Any) -> None:
        """Let `is_running` be false from now on."""
        self._open = False


class AppLauncher:
    """Takes the options of a launcher; there is nothing to launch.

    Args:
        launcher_args: parsed options, a mapping of them, or None.
        **kwargs: more options.

    Attributes:
        app: what stands for the application.
        device: where to simulate.
    """

    def __init__(
        self,
        launcher_args: argparse.Namespace | Mapping[str, Any] | None = None,
        **kwargs: Any,
    ):
        given = vars(launcher_args) if isinstance(launcher_args, argparse.Namespace) else {}
        options = {**(launcher_args if isinstance(launcher_args, Mapping) else given), **kwargs}
        ignored = [name for name in (*_SWITCHES, *_VALUES) if name != "headless"]
        unasked = (False, *(default for _, default in _VALUES.values()))
        told = [name for name in ignored if options.get(name) not in unasked]
        if told:
            logger.info("There is no application here: %s have no effect.", ", ".join(told))
        self.device = str(options.get("device") or "cpu")
        self._headless = bool(options.get("headless", True))
        _pictures[:] = [bool(options.get("enable_cameras") or options.get("video"))]
        self.app = SimulationApp(frames=options.get("frames"))

    @staticmethod
    def add_app_launcher_args(parser: argparse.ArgumentParser) -> None:
        """Add the launcher's options to a parser.

        ``--device`` and ``--frames``, the number of turns of the program's loop, have effect; the
        others are accepted. Options the parser has already stay as they are.
        """
        known = {text for action in parser._actions for text in action.option_strings}
        # Programs that need no application start none, and may take options off the command line.
        SimulationApp()
        group = parser.add_argument_group("application", "Most are accepted without effect.")
        if "--device" not in known:
            group.add_argument("--device", default="cpu", help="Where to simulate.")
        if "--frames" not in known:
            group.add_argument("--frames", type=int, help="Turns of the loop; None: no limit.")
        for name in _SWITCHES:
            if f"--{name}" not in known:
                group.add_argument(f"--{name}", action="store_true", help="Accepted.")
        for name, (kind, default) in _VALUES.items():
            if f"--{name}" not in known:
                group.add_argument(f"--{name}", type=kind, default=default, help="Accepted.")


_started: list[SimulationApp] = []
"""The last application that was started, or asked for options."""


_pictures: list[bool] = []
"""Whether the last application was asked for cameras."""


_frame: list[Callable[[], object]] = []
"""Function that an update of the application calls, if any."""


def on_frame(function: Callable[[], object]) -> None:
    """Choose the function that an update of the application calls."""
    _frame[:] = [function]


def next_frame() -> None:
    """Call the function of an update; there is none where no world of Isaac Sim is used."""
    for function in _frame:
        function()


def takes_pictures() -> bool:
    """Whether the application was asked for cameras, or for films."""
    return any(_pictures)


def started() -> list[SimulationApp]:
    """The application that was started last, if any was."""
    return list(_started)


def windows() -> list[SimulationApp]:
    """Windows that programs of Isaac Lab 3.0 run for, until all are closed.

    There are no windows, and a program without any runs on; the application stands for one where
    its frames are limited.
    """
    return [app for app in _started if app.is_limited]


_limit: list[int] = []
"""Frames of programs whose command line says none."""


def limit_frames(frames: int | None) -> None:
    """Let programs whose command line says nothing of frames run for so many; None: no limit."""
    _limit[:] = [] if frames is None else [frames]


def _frames_of_command_line() -> int | None:
    """Frames of the program's command line, for programs that hand on none of its options."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--frames", type=int)
    frames: int | None = parser.parse_known_args()[0].frames
    return frames if frames is not None or not _limit else _limit[0]


def enable_extension(name: str, enabled: bool = True) -> bool:
    """Nothing: there are no extensions; returns whether one would be enabled."""
    return enabled
