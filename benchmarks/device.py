"""The asset door on a Warp device against the graph of the bare solver, and what it costs there."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .measure import Comparison, alternate, in_child
from .models import ARM, corpus_robot
from .registry import Row, Settings, Skip, benchmark

__all__ = ["device_memory", "device_start", "device_step"]

_ROBOTS = ("mjlab_go1", "gym_humanoid", "arm")
_GPU_TARGET, _CPU_TARGET = 0.95, 0.90
_MEMORY_TARGET = 1.3


@contextmanager
def _converted(settings: Settings, name: str) -> Iterator[Path | None]:
    """A robot as a USD file; None if it is not on this machine."""
    import usdsim

    source = ARM if name == "arm" else corpus_robot(settings, name)
    if source is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / f"{name}.usdc"
        usdsim.convert(source, target)
        yield target


def _worlds(settings: Settings) -> tuple[int, ...]:
    if settings.envs:
        return settings.envs
    if _on_gpu(settings):
        return (4096, 8192)
    return (16,) if settings.quick else (16, 64)


def _on_gpu(settings: Settings) -> bool:
    return settings.device.startswith("cuda")


def _absent(case: str) -> Skip:
    return Skip(case, "mujoco-warp is not installed")


@benchmark
def device_step(settings: Settings) -> Iterator[Row | Skip]:
    """A learning loop at the asset door, all on the device, against the bare solver's graph."""
    if find_spec("mujoco_warp") is None:
        yield _absent("asset door")
        return
    from . import device_loop

    target = _GPU_TARGET if _on_gpu(settings) else _CPU_TARGET
    for name in _ROBOTS[::2] if settings.quick else _ROBOTS:
        with _converted(settings, name) as path:
            if path is None:
                yield Skip(name, "not without the corpus")
                continue
            for envs in _worlds(settings):
                steps = _steps(settings, envs)
                with device_loop.scene_of(path, envs, settings.device) as running:
                    contenders = device_loop.contenders(running, steps)
                    result = alternate(*contenders, settings.rounds(15))
                    detail = _speeds(result, envs * steps * device_loop.DECIMATION)
                    detail |= device_loop.room(running)
                label = f"{name}, {envs} worlds, ratio to the bare graph"
                yield Row(label, result.ratio, "x", target, at_least=True, detail=detail)


def _steps(settings: Settings, envs: int) -> int:
    """Control steps per timed run: some tenths of a second."""
    if settings.quick:
        return 5
    return 40 if _on_gpu(settings) else max(8, 800 // envs)


def _speeds(result: Comparison, env_steps: int) -> dict[str, Any]:
    return {
        "env_steps_per_s": env_steps / result.first,
        "bare_env_steps_per_s": env_steps / result.second,
    }


@benchmark
def device_start(settings: Settings) -> Iterator[Row | Skip]:
    """From the stage to the first control step, kernels compiled, and what recording takes."""
    if find_spec("mujoco_warp") is None:
        yield _absent("asset door")
        return
    from . import device_loop

    envs = _worlds(settings)[-1]
    for name in _ROBOTS[::2] if settings.quick else _ROBOTS:
        with _converted(settings, name) as path:
            if path is None:
                yield Skip(name, "not without the corpus")
                continue
            found = device_loop.start_up(path, envs, settings.device, settings.rounds(3))
        label = f"{name}, {envs} worlds"
        yield Row(f"{label}, stage to first control step", found.pop("first_step_s"), "s")
        yield Row(f"{label}, recording of graphs", found.pop("record_s"), "s", detail=found)


@benchmark
def device_memory(settings: Settings) -> Iterator[Row | Skip]:
    """Memory that worlds with robots take, read and driven, against the bare solver's."""
    if find_spec("mujoco_warp") is None:
        yield _absent("asset door")
        return
    few, many = (1024, 4096) if _on_gpu(settings) else (16, 64) if settings.quick else (64, 256)
    for name in ("arm",) if settings.quick else _ROBOTS:
        with _converted(settings, name) as path:
            if path is None:
                yield Skip(name, "not without the corpus")
                continue
            kib = {}
            for kind in ("ours", "bare"):
                code = _MEMORY.format(path=str(path), device=settings.device, kind=kind, envs="{}")
                sizes = [in_child(code.format(count)) for count in (few, many)]
                kib[kind] = (sizes[1] - sizes[0]) / (many - few) / 1024.0
        detail = {f"{kind}_kib": size for kind, size in kib.items()}
        yield Row(f"{name}, per world", kib["ours"], "KiB", detail=detail)
        ratio = kib["ours"] / kib["bare"] if kib["bare"] > 0.0 else float("nan")
        # In main memory the prims of environments, which are not on the device, count too.
        target = _MEMORY_TARGET if _on_gpu(settings) else None
        yield Row(f"{name}, per world against bare", ratio, "x", target)


_MEMORY = """
from pathlib import Path
from benchmarks.device_loop import measured_memory
print(measured_memory(Path({path!r}), {envs}, {device!r}, {kind!r}))
"""
