"""Libraries that wrappers need, imported with an error that says how to install them."""

from __future__ import annotations

import importlib
from typing import Any

from usdsim.core.boundary import reason
from usdsim.core.errors import UnsupportedError

__all__ = ["library"]

_PACKAGES = {
    "PIL": "'usdsim[datasets]'",
    "fsspec": "'usdsim[remote]'",
    "h5py": "'usdsim[datasets]'",
    "pyarrow": "'usdsim[ray]'",
    "ray": "'usdsim[ray]'",
    "zarr": "'usdsim[datasets]'",
    "rsl_rl": "'usdsim[learn]'",
    "stable_baselines3": "stable-baselines3",
    "onnx": "onnx onnxscript",
    "pettingzoo": "pettingzoo",
    "torch": "'usdsim[learn]'",
    "yaml": "pyyaml",
}


def library(module: str) -> Any:
    """A module of another library.

    Raises:
        UnsupportedError: it is not installed, or lacks what it needs.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        name = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != name:
            raise
        raise UnsupportedError(
            f"{name} is not installed. Run: pip install {_PACKAGES.get(name, name)}"
        ) from error
    except ImportError as error:
        raise UnsupportedError(f"{module} cannot be imported: {reason(error)}.") from error
