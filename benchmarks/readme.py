"""The figures of the README, from the kept results: ``python -m benchmarks.readme`` renews them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from .measure import ROOT

__all__ = ["README", "Figures", "renewed"]

README = ROOT / "README.md"
_RESULTS = ROOT / "benchmarks" / "results"

_SPEEDS = (
    ("bare `mujoco.batch`, same model",
     "go1, 4,096 worlds: write controls, step, read all poses",
     "stepping: mjlab_go1, 4096 worlds, ratio to the bare engine"),
    ("bare `mujoco.batch`, source file", "go1, 256 worlds: the same",
     "against_source: mjlab_go1, 256 worlds"),
    ("bare `mujoco.batch`, same model",
     "go1, 4,096 worlds, asset door: targets, drives, 12 quantities read",
     "asset_step: mjlab_go1, 4096 worlds, ratio to physics alone"),
    ("bare `mujoco_warp` graph on the CPU, same model",
     "go1, 64 worlds, asset door: targets, actuator models, 12 quantities read",
     "device_step: mjlab_go1, 64 worlds, ratio to the bare graph"),
    ("bare `mujoco_warp` graph on the CPU, same model", "humanoid, 64 worlds: the same",
     "device_step: gym_humanoid, 64 worlds, ratio to the bare graph"),
)  # fmt: skip
"""Ratio to what, which work, and where the figure is."""

_COLUMNS = ("usdsim", "converters", "newton", "motrixsim")
_MJCF = {
    "usdsim": "peer_conversion: mjcf, usdsim, ",
    "converters": "peer_conversion: mjcf, mujoco-usd-converter, ",
}
_URDF = {
    "usdsim": "peer_conversion: urdf, usdsim, ",
    "converters": "peer_conversion: urdf, urdf-usd-converter, ",
}
_STEPS = "peer_stepping: quadruped, "
_ROBOTS = "peer_loading: 64 robots of 9 links, "
_PEERS: tuple[tuple[str, dict[str, str], str], ...] = (
    ("MJCF files converted to USD", {c: f"{p}files" for c, p in _MJCF.items()}, "of"),
    ("- actuators on the stages", {c: f"{p}actuators" for c, p in _MJCF.items()}, "of"),
    ("- equality constraints", {c: f"{p}equality constraints" for c, p in _MJCF.items()}, "of"),
    ("- sensors", {c: f"{p}sensors" for c, p in _MJCF.items()}, "of"),
    ("- keyframes", {c: f"{p}keyframes" for c, p in _MJCF.items()}, "of"),
    ("- move as their source, of those read back",
     {c: f"{p}move as their source" for c, p in _MJCF.items()}, "of"),
    ("- newton reads all degrees of freedom and controls",
     {"usdsim": "peer_reading: files from usdsim",
      "converters": "peer_reading: files from mujoco-usd-converter",
      "newton": "peer_reading: the MJCF files themselves"}, "of"),
    ("URDF files converted to USD", {c: f"{p}files" for c, p in _URDF.items()}, "of"),
    ("an MJCF file, median [ms]", {c: f"{p}median file" for c, p in _MJCF.items()}, ".0f"),
    ("a URDF file, median [ms]", {c: f"{p}median file" for c, p in _URDF.items()}, ".0f"),
    ("64 robots in a USD file, until ready to step [s]",
     {"usdsim": f"{_ROBOTS}usdsim", "newton": f"{_ROBOTS}newton"}, ".2f"),
    ("new process to first step of a USD file [s]",
     {"usdsim": "peer_start: USD, usdsim", "newton": "peer_start: USD, newton"}, ".2f"),
    ("new process to first step of an MJCF file [s]",
     {"usdsim": "peer_start: MJCF, usdsim", "newton": "peer_start: MJCF, newton",
      "motrixsim": "peer_start: MJCF, motrixsim"}, ".2f"),
    ("time of a step over usdsim's, quadruped, 1 world",
     {"newton": f"{_STEPS}1 world, ratio to newton"}, ".1f"),
    ("- quadruped, 64 worlds", {"newton": f"{_STEPS}64 worlds, ratio to newton"}, ".1f"),
    ("- go1, 4,096 worlds",
     {"motrixsim": "against_motrixsim: mjlab_go1, 4096 worlds, ratio to motrixsim"}, ".1f"),
    ("- humanoid, 4,096 worlds",
     {"motrixsim": "against_motrixsim: gym_humanoid, 4096 worlds, ratio to motrixsim"}, ".1f"),
)  # fmt: skip
"""What is compared, where each column's figure is, and its format; ``of``: a share of a number."""


class Figures:
    """Rows of kept results.

    Args:
        files: names of the files below ``benchmarks/results``; the first that has a row wins.
    """

    def __init__(self, files: Sequence[str] = ("peers", "warp_cpu", "steps", "two_cores")):
        self._rows: dict[str, dict[str, Any]] = {}
        self._packages: dict[str, str] = {}
        for name in files:
            document = json.loads((_RESULTS / f"{name}.json").read_text())
            self._packages |= document["machine"]["versions"]
            for benchmark, rows in document["results"].items():
                for row in rows:
                    if "value" in row:
                        self._rows.setdefault(f"{benchmark}: {row['case']}", row)

    def show(self, place: str, form: str) -> str:
        """A figure as text.

        Args:
            place: benchmark and case.
            form: how to write the number, or ``of`` for a count and what it is of.

        Raises:
            KeyError: no kept result has it.
        """
        row = self._rows[place]
        return f"{row['value']} {row['unit']}" if form == "of" else format(row["value"], form)

    def version(self, package: str) -> str:
        """Version of a peer that was measured."""
        for row in self._rows.values():
            found = ((row.get("detail") or {}).get("versions") or {}).get(package)
            if found is not None:
                return str(found)
        return self._packages[package]


def renewed(text: str, figures: Figures) -> str:
    """The README with the figures of kept results.

    Raises:
        ValueError: it lacks the marks that tables are put between.
    """
    speeds = [(other, work, figures.show(place, ".2f")) for other, work, place in _SPEEDS]
    heads = [
        "",
        "usdsim",
        f"usd-converters {figures.version('mujoco-usd-converter')}, "
        f"{figures.version('urdf-usd-converter')}",
        f"newton {figures.version('newton')}",
        f"motrixsim {figures.version('motrixsim')}",
    ]
    peers = [
        (label, *(figures.show(c[name], form) if name in c else "" for name in _COLUMNS))
        for label, c, form in _PEERS
    ]
    text = _between(text, "speeds", _table(("ratio to", "work", "ratio"), speeds))
    return _between(text, "peers", _table(heads, peers))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def _between(text: str, name: str, content: str) -> str:
    first, last = f"<!-- start: {name} -->\n", f"<!-- end: {name} -->"
    before, found, rest = text.partition(first)
    _, closed, after = rest.partition(last)
    if not (found and closed):
        raise ValueError(f"{README.name} lacks the marks of the table {name!r}")
    return before + first + content + last + after


def main() -> int:
    """Renew the README."""
    README.write_text(renewed(README.read_text(), Figures()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
