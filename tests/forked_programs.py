"""Programs that run in processes of their own, forked from one that has imported the package."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import runpy
import sys
import traceback
import warnings
from collections.abc import Sequence
from functools import cache
from multiprocessing.context import ForkServerContext
from pathlib import Path

__all__ = ["run_program"]

_ROOT = Path(__file__).resolve().parent.parent
_IMPORTS = [
    "usdsim.assets", "usdsim.cli.main", "usdsim.converters.conversion", "usdsim.learning",
    "usdsim.scene", "usdsim.sensors", "usdsim.sim", "usdsim.spawners",
]  # fmt: skip
"""What most programs import: two of their three seconds."""


def run_program(script: Path, folder: Path, arguments: Sequence[str] = ()) -> str:
    """What a program prints that runs in a folder, with one thread.

    Args:
        script: the program.
        folder: where it runs; the package is importable from its processes, too.
        arguments: of the command line.

    Raises:
        AssertionError: it does not end with 0, or uses what is deprecated.
    """
    out, err = folder / "stdout.txt", folder / "stderr.txt"
    process = _context().Process(target=_run, args=(script, folder, arguments, out, err))
    process.start()
    process.join()
    shown = out.read_text()
    assert process.exitcode == 0, shown + err.read_text()
    for file in (out, err):
        file.unlink()
    return shown


@cache
def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_IMPORTS)
    return context


def _run(script: Path, folder: Path, arguments: Sequence[str], out: Path, err: Path) -> None:
    for file, number in ((out, 1), (err, 2)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.chdir(folder)
    path = os.pathsep.join([str(_ROOT), os.environ.get("PYTHONPATH", "")])
    os.environ.update(PYTHONPATH=path, OMP_NUM_THREADS="1")  # Programs run side by side.
    sys.argv, sys.path[0] = [str(script), *arguments], str(script.parent)
    warnings.filterwarnings("error", category=DeprecationWarning, module="__main__$")
    try:
        runpy.run_path(str(script), run_name="__main__")
    except Exception:
        traceback.print_exc()
        sys.exit(1)
    finally:
        atexit._run_exitfuncs()
