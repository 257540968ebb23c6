"""Which converted files newton reads with the degrees of freedom and controls of their sources."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.models import QUADRUPED, corpus_files
from benchmarks.registry import Row, Settings, Skip, benchmark

from .conversion import Convert, brief, of_peer, ours, source_model
from .interpreters import Peer, open_peer, python_of

__all__ = ["peer_reading"]


@benchmark
def peer_reading(settings: Settings) -> Iterator[Row | Skip]:
    """Freedom and controls that newton finds in MJCF files, and in what they were converted to."""
    python = python_of(settings, "newton")
    if python is None:
        yield Skip("newton", "no interpreter with it: --peer newton=PYTHON")
        return
    files = corpus_files(settings, "mjcf") or [QUADRUPED]
    files = files[:4] if settings.quick else files
    with ExitStack() as stack:
        newton = stack.enter_context(open_peer(python, "newton"))
        yield _row("the MJCF files themselves", files, None, newton)
        yield _row("files from usdsim", files, ours, newton)
        converters = python_of(settings, "converters")
        if converters is None:
            yield Skip("files from mujoco-usd-converter", "no interpreter with it")
            return
        peer = stack.enter_context(open_peer(converters, "converters"))
        yield _row("files from mujoco-usd-converter", files, of_peer(peer, "mjcf"), newton)


def _row(case: str, files: list[Path], convert: Convert | None, newton: Peer) -> Row:
    kept, others = 0, {}
    for path in files:
        with tempfile.TemporaryDirectory() as folder:
            stage: str | None = str(path)
            if convert is not None:
                stage, _, error = convert(path, Path(folder))
            found = {"error": error} if stage is None else newton.ask(what="load", file=stage)
        difference = _difference(path, found)
        kept += not difference
        if difference:
            others[f"{path.parent.name}/{path.name}"] = difference
    detail = {"others": others, "versions": newton.versions}
    return Row(case, kept, f"of {len(files)}", detail=detail)


def _difference(path: Path, found: dict[str, Any]) -> str:
    """What newton has of a file, or why it has nothing; empty if all is there."""
    if "error" in found:
        return brief(found["error"])
    source, sizes = source_model(path), found["sizes"]
    if (sizes["nv"], sizes["nu"]) == (source.nv, source.nu):
        return ""
    return (
        f"{sizes['nv']} degrees of freedom and {sizes['nu']} controls, "
        f"not {source.nv} and {source.nu}"
    )
