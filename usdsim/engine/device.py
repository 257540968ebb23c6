"""Warp devices: a quiet start of Warp, names of devices, and rows of arrays on them."""

from __future__ import annotations

import contextlib
import ctypes.util
import functools
import os
from collections.abc import Iterator
from typing import Any

import warp as wp

from usdsim.core.errors import InvalidValueError

__all__ = ["assign_rows", "init", "init_kernels", "is_shared", "resolve_device"]


@functools.cache
def init() -> None:
    """Start Warp without its banner; the first call takes about half a second."""
    wp.config.log_level = wp.LOG_WARNING
    driver = ctypes.util.find_library("cuda") or ctypes.util.find_library("nvcuda")
    with contextlib.nullcontext() if driver else _silent():
        wp.init()


def init_kernels(module: str, **options: object) -> None:
    """Start Warp for a module of kernels, which are compiled without a backward pass.

    Args:
        module: its ``__name__``.
        **options: of `wp.set_module_options` besides.
    """
    init()
    wp.set_module_options({"enable_backward": False, **options}, module)


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Keep native code from writing to the terminal that this machine has no GPU."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def is_shared(device: str) -> bool:
    """Whether the memory of a device is the host's, so that NumPy arrays of it are no copies.

    Args:
        device: name of a Warp device.
    """
    return device == "cpu"


def assign_rows(array: wp.array, rows: Any, values: Any) -> None:
    """Set some rows of an array on any device.

    Args:
        array: the array.
        rows: indices of the rows, or a slice.
        values: what they become.
    """
    whole = array.numpy()
    whole[rows] = values
    array.assign(whole)


def resolve_device(name: str) -> str:
    """The name Warp has for a device, such as ``cuda:0`` for ``cuda``.

    Raises:
        InvalidValueError: there is no such device on this machine.
    """
    init()
    try:
        if name.startswith("cuda") and not wp.is_cuda_available():
            raise ValueError("no CUDA")
        return str(wp.get_device(name).alias)
    except (ValueError, RuntimeError) as error:
        known = ", ".join(str(device.alias) for device in wp.get_devices())
        raise InvalidValueError(
            "device", name, known, "A CUDA device needs an NVIDIA GPU and its driver."
        ) from error
