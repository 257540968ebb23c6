"""Engine creation: the engine for a device."""

from __future__ import annotations

import importlib
import logging
from typing import Any

from usdsim.core.errors import InvalidValueError, UnknownNameError, UnsupportedError
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.cpu.engine import CpuEngine

from .base import Engine, FailurePolicy

__all__ = ["array_device", "check_device", "create_engine"]

logger = logging.getLogger("usdsim")

_KNOWN = "'cpu', 'cuda', 'cuda:<number>', or 'warp:cpu' (the path of 'cuda' without a GPU)"
_OPTIONS = ("nconmax", "njmax", "on_overflow", "check_interval", "graphs")


def check_device(device: str) -> str:
    """The kind of engine for a device: ``cpu`` or ``warp``.

    Raises:
        InvalidValueError: there is no such device on this machine.
    """
    if device == "cpu":
        return "cpu"
    kind = device.partition(":")[0] if isinstance(device, str) else ""
    if kind not in ("cuda", "warp") or device in ("warp", "warp:"):
        raise InvalidValueError("device", device, _KNOWN)
    array_device(device)
    return "warp"


def array_device(device: str) -> str:
    """Name of the Warp device on which the arrays of an engine live.

    Raises:
        InvalidValueError: there is no such device on this machine.
    """
    if device == "cpu":
        return "cpu"
    from .device import resolve_device

    return resolve_device(device.removeprefix("warp:"))


def create_engine(
    compiled: CompiledModel,
    num_envs: int = 1,
    *,
    device: str = "cpu",
    threads: int = 0,
    on_failure: FailurePolicy = "raise",
    fallback: str | None = None,
    **options: Any,
) -> Engine:
    """The engine for a device.

    Args:
        compiled: the model.
        num_envs: number of worlds.
        device: ``cpu``, ``cuda``, ``cuda:1`` and so on, or ``warp:cpu``, which runs the path of
            ``cuda`` without a GPU.
        threads: number of threads on the CPU; 0: one per CPU this process may use.
        on_failure: what happens when a world diverges.
        fallback: ``cpu`` to simulate there what the device cannot; None: refuse it.
        options: ``nconmax``, ``njmax``, ``on_overflow``, ``check_interval`` and ``graphs`` of
            `warp_engine.WarpEngine`, without effect on the CPU.

    Raises:
        InvalidValueError: there is no such device, or a value is not allowed.
        UnknownNameError: there is no such option.
        UnsupportedError: the device cannot simulate the model, or its packages are missing.
    """
    if fallback not in (None, "cpu"):
        raise InvalidValueError("fallback", fallback, "'cpu' or None")
    for name in options:
        if name not in _OPTIONS:
            raise UnknownNameError("option of devices", name, _OPTIONS)
    if check_device(device) == "cpu":
        return CpuEngine(compiled, num_envs, threads=threads, on_failure=on_failure)
    try:
        return _device_engine(
            compiled, num_envs, device, threads=threads, on_failure=on_failure, **options
        )
    except UnsupportedError as error:
        if fallback is None:
            raise
        logger.warning("Simulating on the CPU: %s", error)
        return CpuEngine(compiled, num_envs, threads=threads, on_failure=on_failure)


def _device_engine(compiled: CompiledModel, num_envs: int, device: str, **options: Any) -> Engine:
    try:
        warp_engine = importlib.import_module("usdsim.engine.warp.engine")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "mujoco_warp":
            raise
        message = f"Device {device!r} needs the package mujoco-warp: pip install 'usdsim[gpu]'."
        raise UnsupportedError(message) from error
    engine: Engine = warp_engine.WarpEngine(compiled, num_envs, device, **options)
    return engine
