"""Optional packages: imported where they are used, or refused with the extra that brings them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .boundary import reason
from .errors import UnsupportedError

__all__ = ["EXTRA_OF", "absence", "installation", "library", "optional"]

EXTRA_OF = {
    "PIL": "datasets",
    "coacd": "decomposition",
    "fast_simplification": "view",
    "fsspec": "remote",
    "gymnasium": "learn",
    "h5py": "datasets",
    "imageio_ffmpeg": "video",
    "matplotlib": "plot",
    "mcap": "ros",
    "mcap_ros2": "ros",
    "mujoco_warp": "gpu",
    "pyarrow": "datasets",
    "ray": "ray",
    "robot_descriptions": "robots",
    "rsl_rl": "learn",
    "shtab": "completion",
    "torch": "learn",
    "viser": "view",
    "xacro": "xacro",
    "zarr": "datasets",
}
"""The extra that brings what most often needs a module, by the module's name."""

_PACKAGES = {
    "onnx": "onnx onnxscript",
    "rl_games": "rl-games",
    "stable_baselines3": "stable-baselines3",
    "warp": "warp-lang",
    "yaml": "pyyaml",
}
"""Packages that no extra brings, or that everyone has, by the module's name."""


def installation(module: str) -> str:
    """The command that installs what has a module."""
    name = module.partition(".")[0]
    extra = EXTRA_OF.get(name)
    return f"pip install 'usdsim[{extra}]'" if extra else f"pip install {_PACKAGES.get(name, name)}"


def absence(error: ModuleNotFoundError, what: str = "", module: str = "") -> str:
    """Words for a missing package and how to install it; none if it is not an optional one.

    Args:
        error: what importing raised.
        what: what it is needed for.
        module: the module that was asked for, whose package counts as optional.
    """
    name = (error.name or "").partition(".")[0]
    if name not in (*EXTRA_OF, *_PACKAGES) and name != module.partition(".")[0]:
        return ""
    needing = f"{what} needs {name}, which" if what else name
    return f"{needing} is not installed. Run: {installation(name)}"


@contextmanager
def optional(what: str = "") -> Iterator[None]:
    """Context whose imports say how a missing package is installed.

    Args:
        what: what was asked for, for the message.

    Raises:
        UnsupportedError: an optional package is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        text = absence(error, what)
        if not text:
            raise
        raise UnsupportedError(text) from error


def library(module: str, needed_for: str = "", otherwise: str = "") -> Any:
    """A module of an optional package.

    Args:
        module: name of the module.
        needed_for: what it is needed for, the begin of the message.
        otherwise: what to do instead of installing it, the end of the message.

    Raises:
        UnsupportedError: it is not installed, or lacks what it needs.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        text = absence(error, needed_for, module)
        if not text:
            raise
        raise UnsupportedError(text + f", or {otherwise}." * bool(otherwise)) from error
    except ImportError as error:
        raise UnsupportedError(f"{module} cannot be imported: {reason(error)}.") from error
