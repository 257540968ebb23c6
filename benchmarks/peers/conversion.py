"""What converted files keep of their sources, against the other converters to USD physics."""

from __future__ import annotations

import re
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import mujoco
from pxr import Usd

import usdsim
from benchmarks.models import QUADRUPED, corpus_files
from benchmarks.registry import Row, Settings, Skip, benchmark
from usdsim.core.errors import UsdsimError
from usdsim.engine import compile_scene
from usdsim.engine.compile.mjc import compare_trajectories
from usdsim.engine.quiet import Quiet
from usdsim.parser import parse_stage

from .interpreters import Peer, open_peer, python_of

__all__ = [
    "Convert",
    "brief",
    "elements_of",
    "elements_on",
    "motion_difference",
    "of_peer",
    "ours",
    "peer_conversion",
    "source_model",
]

Convert = Callable[[Path, Path], tuple[str | None, float, str]]
"""From source and folder to the stage (None: it failed), how long it took [s], and the error."""

_STEPS = 100
_NEAR = 1e-3
"""Positions that are as near after so many steps are the same [m or rad]: USD keeps floats."""
_FOLDERS = re.compile(r"/\S*(?:/site-packages|/tmp\w+(?:/\d+)?)/")
"""Where packages and temporary files are."""
_KINDS = {
    "actuators": "nactuator",
    "tendons": "ntendon",
    "equality constraints": "neq",
    "sensors": "nsensor",
    "keyframes": "nkey",
    "cameras": "ncam",
}
"""Elements that are counted, and the member of `MjModel` that counts them in the source."""
_TYPES = {
    "MjcActuator": "actuators",
    "MjcTendon": "tendons",
    "MjcEquality": "equality constraints",
    "MjcSensor": "sensors",
    "MjcKeyframe": "keyframes",
    "Camera": "cameras",
}
_CONSTRAINTS = ("MjcEqualityConnectAPI", "MjcEqualityJointAPI", "MjcEqualityWeldAPI")


@benchmark
def peer_conversion(settings: Settings) -> Iterator[Row | Skip]:
    """Files converted, elements on the stages, motion equal to the source's, seconds per file."""
    python = python_of(settings, "converters")
    for kind, name in (("mjcf", "mujoco-usd-converter"), ("urdf", "urdf-usd-converter")):
        files = corpus_files(settings, kind) or ([QUADRUPED] if kind == "mjcf" else [])
        files = files[:4] if settings.quick else files
        if not files:
            yield Skip(f"{kind}, usdsim", "not without the corpus")
            continue
        tallies = {"usdsim": _Tally(ours, {"usdsim": usdsim.__version__})}
        with ExitStack() as stack:
            if python is None:
                yield Skip(f"{kind}, {name}", "no interpreter with it: --peer converters=PYTHON")
            else:
                peer = stack.enter_context(open_peer(python, "converters"))
                tallies[name] = _Tally(of_peer(peer, kind), peer.versions)
            # File by file, so that a machine that is slower for a while is so for all.
            for path in files:
                for tally in tallies.values():
                    tally.add(path, compare=kind == "mjcf")
        for converter, tally in tallies.items():
            yield from _rows(f"{kind}, {converter}", tally, len(files), compared=kind == "mjcf")


def brief(error: str) -> str:
    """The beginning of a message, without the folders of the machine it came from."""
    return _FOLDERS.sub("", error)[:200]


def ours(source: Path, folder: Path) -> tuple[str | None, float, str]:
    """Convert a file with this package."""
    target = folder / "robot.usda"
    started = time.perf_counter()
    try:
        usdsim.convert(source, target)
    except UsdsimError as error:
        return None, 0.0, str(error)
    return str(target), time.perf_counter() - started, ""


def of_peer(peer: Peer, kind: str) -> Convert:
    """What converts MJCF or URDF files with a peer."""

    def convert(source: Path, folder: Path) -> tuple[str | None, float, str]:
        answer = peer.ask(
            what="convert",
            kind={"mjcf": "mujoco", "urdf": "urdf"}[kind],
            file=str(source),
            folder=str(folder),
        )
        return answer.get("stage"), answer.get("seconds", 0.0), answer.get("error", "")

    return convert


class _Tally:
    """What became of files of one kind in one converter."""

    def __init__(self, convert: Convert, versions: Mapping[str, Any]):
        self._convert, self.versions = convert, versions
        self.found: Counter[str] = Counter()
        self.wanted: Counter[str] = Counter()
        self.failed: dict[str, str] = {}
        self.unread: dict[str, str] = {}
        self.elsewhere: dict[str, str] = {}
        self.seconds: list[float] = []

    def add(self, path: Path, *, compare: bool) -> None:
        """Convert a file; compare its elements and its motion with those of the result."""
        title = f"{path.parent.name}/{path.name}"
        if compare:
            self.wanted += elements_of(path)
        with tempfile.TemporaryDirectory() as folder:
            # What a converter loads with its first file is no part of what each file takes.
            runs = [self._convert(path, Path(folder) / str(number)) for number in range(2)]
            stage, took, error = runs[-1]
            if stage is None:
                self.failed[title] = brief(error)
                return
            self.seconds.append(took)
            if not compare:
                return
            self.found += elements_on(stage)
            try:
                difference = motion_difference(path, stage)
            except UsdsimError as reason:
                self.unread[title] = brief(str(reason))
                return
            if difference:
                self.elsewhere[title] = difference


def _rows(case: str, tally: _Tally, files: int, *, compared: bool) -> Iterator[Row]:
    done = len(tally.seconds)
    detail = {"failed": tally.failed, "versions": tally.versions}
    yield Row(f"{case}, files", done, f"of {files}", detail=detail)
    if compared:
        for element in _KINDS:
            yield Row(f"{case}, {element}", tally.found[element], f"of {tally.wanted[element]}")
        read = done - len(tally.unread)
        detail = {"unread": tally.unread, "elsewhere": tally.elsewhere}
        same = read - len(tally.elsewhere)
        yield Row(f"{case}, move as their source", same, f"of {read}", detail=detail)
    if done:
        yield Row(f"{case}, median file", 1e3 * statistics.median(tally.seconds), "ms")


def source_model(path: Path) -> mujoco.MjModel:
    """The model of an MJCF file."""
    with Quiet():
        return mujoco.MjModel.from_xml_path(str(path))


def elements_of(path: Path) -> Counter[str]:
    """Elements of an MJCF file."""
    model = source_model(path)
    return Counter({name: int(getattr(model, size)) for name, size in _KINDS.items()})


def elements_on(stage: str) -> Counter[str]:
    """Elements by their prims, whoever may read them."""
    found: Counter[str] = Counter()
    opened = Usd.Stage.Open(stage)
    for prim in opened.Traverse():
        kind = _TYPES.get(str(prim.GetTypeName()))
        schemas = prim.GetPrimTypeInfo().GetAppliedAPISchemas()
        if kind is not None:
            found[kind] += 1
        elif any(str(name) in _CONSTRAINTS for name in schemas):
            found["equality constraints"] += 1
    return found


def motion_difference(path: Path, stage: str) -> str:
    """How a stage moves otherwise than its source; empty if it does not.

    Neither has contacts, and both have the time step of the source: what is compared are bodies,
    joints, actuators and constraints.
    """
    model = compile_scene(parse_stage(stage, exact=True).scene, exact=True).mj
    source = source_model(path)
    if (model.nq, model.nv, model.nu) != (source.nq, source.nv, source.nu):
        return f"{model.nv} degrees of freedom and {model.nu} controls"
    model.opt.timestep, model.opt.iterations = source.opt.timestep, source.opt.iterations
    for each in (source, model):
        each.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    gap = compare_trajectories(source, model, steps=_STEPS)
    return "" if gap <= _NEAR else f"positions are {gap:.3g} apart after {_STEPS} steps"
