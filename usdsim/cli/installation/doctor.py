"""Diagnose this installation: versions, devices, drawing, write access, and a tiny simulation."""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import platform
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from usdsim.cli.console import Console
from usdsim.core import __version__
from usdsim.core.processors import usable_processors

__all__ = ["add_arguments", "extras", "run", "versions"]

_DEVELOPING = ("dev", "docs", "release", "test")
"""Extras for work on usdsim itself."""
_REQUIREMENT = re.compile(r"([\w.-]+).*?(?:;.*extra\s*==\s*['\"]([\w-]+)['\"])?$")
"""A requirement of a distribution: ``torch>=2.6; extra == 'learn'``."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments: none beside those of all commands."""


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print what there is and what works; 1 if anything that every program needs does not."""
    found = versions()
    console.line("versions")
    console.pairs(found.items(), indent=2)
    brought = extras()
    missing = {extra for extra, names in brought.items() if not all(map(_installed, names))}
    console.line("extras")
    console.pairs(
        (
            (extra, f"missing: pip install 'usdsim[{extra}]'" if extra in missing else "installed")
            for extra in brought
        ),
        indent=2,
    )
    console.line("checks")
    results = {name: _outcome(check) for name, check in _CHECKS.items()}
    console.pairs(((name, text) for name, (_, text) in results.items()), indent=2)
    failed = [name for name in _REQUIRED if not results[name][0]]
    console.line("\nAll that every program needs works." if not failed else "")
    console.result(
        {
            "versions": found,
            "extras": {extra: extra not in missing for extra in brought},
            "checks": {n: {"works": works, "text": text} for n, (works, text) in results.items()},
            "works": not failed,
        }
    )
    return int(bool(failed))


def versions() -> dict[str, str]:
    """Versions of usdsim, Python, the system, and of every dependency that is installed."""
    core = [name for name, extra in _requirements() if not extra]
    names = [*core, *(name for names in extras().values() for name in names)]
    return {
        "usdsim": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        **{
            name: importlib.metadata.version(name)
            for name in dict.fromkeys(names)
            if _installed(name)
        },
    }


def extras() -> dict[str, list[str]]:
    """The distributions that each extra brings, by the extra's name."""
    found: dict[str, list[str]] = {}
    for name, extra in sorted(_requirements(), key=lambda pair: pair[1]):
        if extra and extra not in _DEVELOPING:
            found.setdefault(extra, []).append(name)
    return found


def _requirements() -> list[tuple[str, str]]:
    """Name of every distribution that usdsim may need, and the extra it is for, or no text."""
    try:
        lines = importlib.metadata.requires("usdsim") or []
    except importlib.metadata.PackageNotFoundError:  # A checkout that was not installed.
        return []
    matches = [_REQUIREMENT.match(line) for line in lines]
    return [(match[1], match[2] or "") for match in matches if match]


def _installed(distribution: str) -> bool:
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _outcome(check: Callable[[], str]) -> tuple[bool, str]:
    """Whether a check passed, and what it says; a diagnosis ends with no error of its own."""
    try:
        return True, check()
    except Exception as error:
        return False, f"fails: {type(error).__name__}: {error}".splitlines()[0]


def _threads() -> str:
    return f"{usable_processors()} processors for this process"


def _devices() -> str:
    import warp

    from usdsim.engine.device import init

    init()
    names = [str(device.name) for device in warp.get_cuda_devices()]
    return ", ".join(names) if names else "no CUDA device; simulations run on the CPU"


def _opengl() -> str:
    import mujoco

    from usdsim.render.opengl.context import open_context

    context, resources = open_context(mujoco.MjModel.from_xml_string("<mujoco/>"), 64, 64)
    with context.as_current():
        resources.free()
    context.free()
    return "works; ray casting needs none"


def _writing() -> str:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "probe").write_bytes(b"1")
    here = "writable" if os.access(Path.cwd(), os.W_OK) else "not writable"
    return f"temporary files work; this folder is {here}"


def _schemas() -> str:
    from pxr import Usd

    registry = Usd.SchemaRegistry()
    absent = [
        name
        for name in ("MjcJointAPI", "PhysxRigidBodyAPI", "NewtonMimicAPI")
        if not registry.FindAppliedAPIPrimDefinition(name)
    ]
    if absent:
        raise RuntimeError(f"{', '.join(absent)}: import usdsim before OpenUSD's registry is built")
    return "registered with OpenUSD"


def _simulation() -> str:
    """A ball falls for half a second: the whole way from a stage to the engine."""
    from pxr import Usd, UsdGeom, UsdPhysics

    from usdsim.scene import SceneData, load_model

    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    ball = UsdGeom.Sphere.Define(stage, "/ball")
    UsdPhysics.RigidBodyAPI.Apply(ball.GetPrim())
    UsdPhysics.CollisionAPI.Apply(ball.GetPrim())
    model = load_model(stage)
    data = SceneData(model)
    step = float(model.low.opt.timestep)
    for _ in range(round(0.5 / step)):
        model.step(data)
    fallen = -float(model.get_link("ball").get_pose(data)[2])
    expected = 0.5 * 9.81 * 0.5**2
    if abs(fallen - expected) > 0.02 * expected:
        raise RuntimeError(f"a ball fell {fallen:.3f} m in 0.5 s, {expected:.3f} m expected")
    return f"a ball falls {fallen:.3f} m in 0.5 s"


_CHECKS: dict[str, Callable[[], str]] = {
    "threads": _threads,
    "gpu": _devices,
    "opengl (optional)": _opengl,
    "writing": _writing,
    "schemas": _schemas,
    "simulation": _simulation,
}
_REQUIRED = ("threads", "writing", "schemas", "simulation")
