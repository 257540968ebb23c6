"""Kills of writers at random moments: ``python tests/fuzz/kill.py --kills 1000 --seed 0``.

A child converts a robot with a texture (in one file or in layers), records it, or saves its state,
over an older result of the same kind; the parent kills it with SIGKILL after a random part of the
time that takes. What is found then has to be the old result or the new one, complete; and after the
next writer in the folder, nothing else may be there.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import logging
import os
import signal
import struct
import sys
import tempfile
import time
import traceback
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
from pxr import Usd, UsdGeom

import usdsim
import usdsim.cli.validate
import usdsim.converters.urdf.convert
import usdsim.engine.create
import usdsim.sim.poses.recorder
from usdsim.core.transaction import replacing
from usdsim.parser import parse_stage

__all__ = ["main"]

SIZES = (1.0, 2.0)
"""Edges of the box in the two versions of everything [m]."""


def picture(version: int) -> bytes:
    """A picture whose content tells its version."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    size = 64
    pixels = (b"\0" + bytes([version]) * size) * size
    head = struct.pack(">2I5B", size, size, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(pixels, 0))


def write_source(folder: Path, version: int) -> Path:
    """A robot of one box with a texture."""
    folder.mkdir(exist_ok=True)
    (folder / "t.png").write_bytes(picture(version))
    size = SIZES[version]
    box = f'<geometry><box size="{size} {size} {size}"/></geometry>'
    material = '<material name="m"><texture filename="t.png"/></material>'
    source = folder / "r.urdf"
    source.write_text(
        f'<robot name="r"><link name="a"><visual>{box}{material}</visual>'
        f"<collision>{box}</collision></link></robot>"
    )
    return source


def convert(structure: str) -> Callable[[Path, Path, int], None]:
    """A conversion of one version."""

    def run(work: Path, out: Path, version: int) -> None:
        usdsim.convert(write_source(work, version), out / "r.usda", structure=structure)

    return run


def record(work: Path, out: Path, version: int) -> None:
    """A recording of one version, whose stage exists in memory alone."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    box = UsdGeom.Cube.Define(stage, "/b")
    box.CreateSizeAttr(SIZES[version])
    for api in ("PhysicsRigidBodyAPI", "PhysicsCollisionAPI"):
        box.GetPrim().AddAppliedSchema(api)
    recorder = usdsim.sim.poses.recorder.Recorder(stage, parse_stage(stage).scene, out / "r.usda")
    for frame in range(50):
        recorder.record(frame / 60.0, np.array([[version, 0, frame / 60.0, 0, 0, 0, 1.0]]))
    recorder.save()


def save(work: Path, out: Path, version: int) -> None:
    """A state file of one version."""
    with replacing(out / "r.npz") as staged:
        np.savez(staged, version=np.full(50_000, version))


def converted_version(out: Path) -> set[float]:
    """Which versions the parts of a conversion are of."""
    stage = usdsim.usd.stage.open_stage(out / "r.usda")
    pictures = [
        attribute.Get().resolvedPath
        for prim in stage.Traverse()
        for attribute in prim.GetAttributes()
        if str(attribute.GetTypeName()) == "asset"
    ]
    found = {SIZES.index(2.0 * geom.size[0]) for geom in parse_stage(stage).scene.geoms}
    for path in pictures:
        content = Path(path).read_bytes()
        found.add(next(v for v in (0, 1) if content == picture(v)))
    if not pictures:
        raise AssertionError("the texture is gone")
    return found


def recorded_version(out: Path) -> set[float]:
    """Which versions the parts of a recording are of."""
    stage = usdsim.usd.stage.open_stage(out / "r.usda")
    size = UsdGeom.Cube(stage.GetPrimAtPath("/b")).GetSizeAttr().Get()
    place = stage.GetPrimAtPath("/b").GetAttribute("xformOp:translate").Get(0.0)
    return {SIZES.index(size), place[0]}


def saved_version(out: Path) -> set[float]:
    """Which versions the parts of a state file are of."""
    with np.load(out / "r.npz") as file:
        return {float(v) for v in np.unique(file["version"])}


OPERATIONS = {
    "convert": (convert("single"), converted_version, ["r.usda", "r_textures"]),
    "layered": (convert("layered"), converted_version, ["r.usda", "r_layers", "r_textures"]),
    "record": (record, recorded_version, ["r.usda", "r_stage.usdc"]),
    "save": (save, saved_version, ["r.npz"]),
}


def in_child(work: Callable[[], None], after: float | None = None) -> int:
    """Run something in a forked process, killed after some time; how it ended."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def check(name: str, out: Path, expected: int | None, *, clean: bool) -> None:
    """Raise unless a folder holds one complete version, and nothing else."""
    _, version, names = OPERATIONS[name]
    found = version(out)
    if len(found) != 1 or (expected is not None and found != {expected}):
        raise AssertionError(f"{name}: parts of versions {found}, expected {expected}")
    left = sorted(path.stem.removesuffix("_1") for path in out.iterdir())
    if clean and left != sorted(Path(entry).stem for entry in names):
        raise AssertionError(f"{name}: the folder holds {sorted(p.name for p in out.iterdir())}")


def main(arguments: list[str] | None = None) -> int:
    """Kill writers; 1 if a result was lost or anything was left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args(arguments)
    logging.disable(logging.WARNING)
    rng, counts = Random(options.seed), collections.Counter[str]()
    until = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory(prefix="usdsim-kill-") as name:
        takes: dict[str, float] = {}
        for kind in itertools.cycle(OPERATIONS):
            if counts["kills"] >= options.kills or time.monotonic() > until:
                break
            work, out = Path(name) / "work", Path(name) / kind
            run = partial(OPERATIONS[kind][0], work, out)
            version = rng.randrange(2)
            if kind not in takes:
                out.mkdir()
                started = time.monotonic()
                counts["failed"] += in_child(partial(run, 0)) != 0
                takes[kind] = time.monotonic() - started
            moment = rng.random() * 0.95 * takes[kind]
            ended = in_child(partial(run, version), moment)
            counts["kills" if ended == -signal.SIGKILL else "finished first"] += 1
            counts["lost"] += in_child(partial(check, kind, out, None, clean=False)) != 0
            started = time.monotonic()
            counts["failed"] += in_child(partial(run, 1 - version)) != 0
            takes[kind] = 0.8 * takes[kind] + 0.2 * (time.monotonic() - started)
            counts["left"] += in_child(partial(check, kind, out, 1 - version, clean=True)) != 0
            if counts["kills"] % 50 == 0:
                print(dict(counts), flush=True)
    print(dict(counts))
    return int(bool(counts["failed"] or counts["lost"] or counts["left"]))


if __name__ == "__main__":
    sys.exit(main())
