"""Argument types shared by the commands."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence
from pathlib import Path

__all__ = [
    "GUIDE_NAMES",
    "STAGE_SUFFIXES",
    "add_engine_options",
    "add_page_options",
    "device_name",
    "film_path",
    "guide_names",
    "image_path",
    "nonnegative_int",
    "page_path",
    "picture_path",
    "positive_float",
    "positive_int",
    "require_effect",
    "stage_path",
]

GUIDE_NAMES = (
    "contacts", "forces", "frames", "centres", "inertias", "joints", "sensors", "cameras",
)  # fmt: skip
"""Marks that can be drawn, the names of `usdsim.render.GUIDES`, which takes long to import."""
STAGE_SUFFIXES = (".usd", ".usda", ".usdc")
"""Endings of stages that are written."""


def add_page_options(parser: argparse.ArgumentParser) -> None:
    """Add where the viewer's page is served."""
    parser.add_argument("--port", type=positive_int, default=8080, metavar="N", help="of the page")
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="NAME", help="0.0.0.0: other machines too"
    )


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Add where worlds are simulated."""
    parser.add_argument(
        "--device", type=device_name, default="cpu", metavar="NAME",
        help="cpu, cuda, cuda:1, ... or warp:cpu",
    )  # fmt: skip
    parser.add_argument(
        "--threads", type=nonnegative_int, default=0, metavar="N", help="0: one per core"
    )


def positive_int(text: str) -> int:
    """A whole number above zero."""
    return _at_least(text, 1)


def nonnegative_int(text: str) -> int:
    """A whole number, zero allowed."""
    return _at_least(text, 0)


def positive_float(text: str) -> float:
    """A finite number above zero."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def _writable(text: str) -> Path:
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a folder; name a file in it")
    return path


def guide_names(text: str) -> tuple[str, ...]:
    """Names of marks, separated by commas."""
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in GUIDE_NAMES:
            raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(GUIDE_NAMES)}")
    return names


def device_name(text: str) -> str:
    """A device to simulate on."""
    if not re.fullmatch(r"cpu|cuda(:\d+)?|warp:cpu", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not cpu, cuda, cuda:<number> or warp:cpu")
    return text


def stage_path(text: str) -> Path:
    """A USD file to write."""
    return _ending(text, STAGE_SUFFIXES)


def image_path(text: str) -> Path:
    """A PNG file to write."""
    return _ending(text, (".png",))


def film_path(text: str) -> Path:
    """An MP4 file to write."""
    return _ending(text, (".mp4",))


def page_path(text: str) -> Path:
    """A page to write."""
    return _ending(text, (".html", ".htm"))


def picture_path(text: str) -> Path:
    """A picture to write."""
    return _ending(text, (".png", ".svg", ".pdf"))


def _ending(text: str, suffixes: tuple[str, ...]) -> Path:
    path = _writable(text)
    if path.suffix.lower() not in suffixes:
        raise argparse.ArgumentTypeError(f"{text!r} does not end with {', '.join(suffixes)}")
    return path


def require_effect(
    arguments: argparse.Namespace, options: Sequence[str], needed: Sequence[str]
) -> None:
    """End with a usage error if an option is given that says something of what is not asked for.

    Args:
        arguments: of the command.
        options: names of those that do nothing alone.
        needed: names of those of which one has to be given, too.
    """
    parser = arguments.own_parser
    if any(getattr(arguments, name) for name in needed):
        return
    for name in options:
        if getattr(arguments, name) != parser.get_default(name):
            with_one = " or ".join(f"--{other}" for other in needed)
            parser.error(f"--{name} does nothing without {with_one}")


def _at_least(text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least {least}")
    return value
