"""Doors of the package, each given one file; what comes out is classified, never judged by eye."""

from __future__ import annotations

import contextlib
import hashlib
import io
import logging
import shutil
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import numpy as np

__all__ = ["CASES", "DOORS", "Outcome", "run_case"]

Outcome = dict[str, Any]

_TEXTURE = b"\x89PNG\r\n\x1a\n" + bytes(40)


class Leftover(Exception):
    """Something a failed call has left behind."""


def _step(model: Any) -> None:
    import usdsim

    data = usdsim.SceneData(model, batch=2, threads=1)
    model.step(data)
    for values in (data.dof_pos, data.dof_vel, data.time):
        if not np.isfinite(values).all():
            raise FloatingPointError("a state that is not finite, and nobody says so")


def _convert(file: Path, out: Path, rng: Random) -> None:
    import usdsim

    structure = rng.choice(("single", "single", "layered"))
    target = (
        out / f"r{rng.choice(('.usda', '.usdc', '.usd') + ('.usdz',) * (structure == 'single'))}"
    )
    try:
        result = usdsim.convert(file, target, structure=structure)
    except usdsim.core.errors.UsdsimError:
        if left := [path.name for path in out.iterdir()]:
            raise Leftover(" ".join(left)) from None
        raise
    usdsim.load_model(result)


def _load(file: Path, out: Path, rng: Random) -> None:
    import usdsim

    _step(usdsim.load_model(file))


def _command(name: str) -> Callable[[Path, Path, Random], None]:
    def run(file: Path, out: Path, rng: Random) -> None:
        from usdsim.cli.console import Console
        from usdsim.cli.main import build_parser

        arguments = build_parser().parse_args([name, str(file)])
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            arguments.run(arguments, Console())

    return run


def _asset(file: Path, out: Path, rng: Random) -> None:
    """A robot or object of the asset door, from a file, stepped and written to."""
    from usdsim.assets import Articulation, ArticulationCfg, RigidObject, RigidObjectCfg
    from usdsim.converters.spawn import MjcfFileCfg, UrdfFileCfg
    from usdsim.sim import SimulationCfg, SimulationContext
    from usdsim.spawners import UsdFileCfg
    from usdsim.usd.stage import create_stage

    if file.suffix == ".xml":
        spawn: Any = MjcfFileCfg(asset_path=str(file), usd_dir=str(out))
    elif file.suffix == ".urdf":
        spawn = UrdfFileCfg(asset_path=str(file), usd_dir=str(out))
    else:
        spawn = UsdFileCfg(usd_path=str(file))
    context = SimulationContext(SimulationCfg(device="cpu"), stage=create_stage())
    with context as sim:
        if rng.random() < 0.75:
            asset: Any = Articulation(
                ArticulationCfg(prim_path="/World/R", spawn=spawn, actuators={})
            )
        else:
            asset = RigidObject(RigidObjectCfg(prim_path="/World/R", spawn=spawn))
        sim.reset()
        sim.step()
        asset.update(sim.get_physics_dt())
        values = asset.data.root_pos_w.numpy()
        if not np.isfinite(values).all():
            raise FloatingPointError("a pose that is not finite, and nobody says so")


def _state(file: Path, out: Path, rng: Random) -> None:
    from seeds import state_model

    import usdsim

    model: Any = state_model()
    data = usdsim.SceneData(model, batch=2, threads=1)
    before = data.get_state()
    try:
        data.load(file, exact=rng.random() < 0.5)
    except Exception:
        after = data.get_state()
        if any(
            not np.array_equal(before.arrays[k], after.arrays[k], equal_nan=True)
            for k in before.arrays
        ):
            raise AssertionError("a failed load changed the state") from None
        raise
    model.step(data)


def _network(file: Path, out: Path, rng: Random) -> None:
    from usdsim.actuators.networks.files import read_settings
    from usdsim.actuators.networks.network import load_npz

    load_npz(file)
    read_settings(file)


DOORS: dict[str, Callable[[Path, Path, Random], None]] = {
    "convert": _convert,
    "load": _load,
    "info": _command("info"),
    "validate": _command("validate"),
    "asset": _asset,
    "state": _state,
    "network": _network,
}

CASES: tuple[tuple[str, str, float], ...] = (
    ("convert", ".xml", 10), ("convert", ".urdf", 10), ("convert", ".obj", 2),
    ("convert", ".stl", 1), ("convert", ".off", 1), ("convert", ".gltf", 2),
    ("convert", ".usda", 3), ("convert", ".usdc", 2),
    ("load", ".usda", 18), ("load", ".usdc", 3), ("load", ".usdz", 1),
    ("validate", ".usda", 5), ("validate", ".usdc", 1), ("info", ".usda", 3), ("info", ".urdf", 2),
    ("asset", ".usda", 22), ("asset", ".urdf", 5), ("asset", ".xml", 4), ("asset", ".usdc", 3),
    ("state", ".state", 2), ("network", ".npz", 1),
)  # fmt: skip
"""Doors, kinds of files, and how often."""


def past_the_first_reader(file: Path) -> bool:
    """Whether a file is at least of its format: well-formed XML, a layer, an archive."""
    suffix = file.suffix
    try:
        if suffix in (".xml", ".urdf", ".dae"):
            ElementTree.fromstring(file.read_bytes())
        elif suffix.startswith(".usd"):
            from pxr import Sdf

            from usdsim.usd.crate import check_crates

            check_crates(file)
            return Sdf.Layer.OpenAsAnonymous(str(file)) is not None
        elif suffix == ".npz":
            np.load(file, allow_pickle=False).close()
    except Exception:
        return False
    return True


def run_case(door: str, name: str, data: bytes, rng: Random, folder: Path) -> Outcome:
    """Give a file to a door, in a folder of its own.

    Returns:
        ``kind``: ``ok``, ``refused``, or what is unacceptable: ``foreign``, ``nan``, ``leftover``,
        ``changed``; ``what``: the exception and where it comes from; ``deep``: whether the file got
        past the first reader.
    """
    from usdsim.core.errors import UsdsimError

    logging.disable(logging.CRITICAL)
    shutil.rmtree(folder, ignore_errors=True)
    source, out = folder / "in", folder / "out"
    source.mkdir(parents=True)
    out.mkdir()
    file = source / name
    file.write_bytes(data)
    (source / "a.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    )
    (source / "a.png").write_bytes(_TEXTURE)
    before = _fingerprint(source)
    outcome: Outcome = {"kind": "ok", "what": "", "deep": past_the_first_reader(file)}
    try:
        DOORS[door](file, out, rng)
    except UsdsimError as error:
        outcome.update(kind="refused", what=type(error).__name__)
    except Leftover as error:
        outcome.update(kind="leftover", what=str(error)[:200])
    except FloatingPointError as error:
        outcome.update(kind="nan", what=str(error))
    except Exception as error:
        outcome.update(
            kind="foreign", what=f"{type(error).__name__} {_site(error)}", message=str(error)[:300]
        )
    outcome["deep"] = outcome["deep"] or outcome["kind"] == "ok"
    left = [p.name for p in out.rglob("*") if p.name.startswith((".usdsim-", "."))]
    left = [name for name in left if name != ".asset_hash"]
    if left:
        outcome.update(kind="leftover", what=" ".join(left)[:200])
    if _fingerprint(source) != before:
        outcome.update(kind="changed", what="the input")
    return outcome


def _site(error: BaseException) -> str:
    """Where in the package an exception came out of."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/usdsim/" in f.filename]
    if not frames:
        return "outside"
    return f"{frames[-1].filename.rpartition('/usdsim/')[2]}:{frames[-1].lineno} {frames[-1].name}"


def _fingerprint(folder: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        total.update(path.name.encode("utf-8", "surrogateescape"))
        if path.is_file():
            total.update(path.read_bytes())
    return total.hexdigest()
