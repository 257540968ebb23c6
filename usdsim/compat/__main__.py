"""Program runner: ``python -m usdsim.compat script.py ...`` runs a program by its import names."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from usdsim.compat import install
from usdsim.compat.app import limit_frames

__all__ = ["main"]

_USAGE = """\
usage: python -m usdsim.compat [--frames N] script.py [arguments]
       python -m usdsim.compat [--frames N] -m package.module [arguments]

Runs a program for Isaac Lab or MotrixSim as Python does, with its import names resolved to usdsim.
Arguments are the program's own; --frames before it ends its loop after N turns, where it has no
such option itself.
"""


def main(arguments: list[str]) -> int:
    """Run a script, or a module after ``-m``, as the main program.

    Args:
        arguments: the script and its own arguments.

    Returns:
        Exit code: 0, or 2 if no program is named, or one that there is not.
    """
    if not arguments or arguments[0] in ("-h", "--help"):
        (sys.stdout if arguments else sys.stderr).write(_USAGE)
        return 0 if arguments else 2
    if arguments[0] == "--frames":
        if not "".join(arguments[1:2]).isdecimal():
            sys.stderr.write(f"{_USAGE}\n--frames takes a number of turns.\n")
            return 2
        limit_frames(int(arguments[1]))
        try:
            return main(arguments[2:])
        finally:
            limit_frames(None)
    module = arguments[1:2] if arguments[0] == "-m" else None
    if module == [] or (module is None and not Path(arguments[0]).exists()):
        sys.stderr.write(f"{_USAGE}\nThere is no program {arguments[0]!r}.\n")
        return 2
    install()
    if module:
        sys.argv = arguments[1:]
        runpy.run_module(module[0], run_name="__main__", alter_sys=True)
        return 0
    sys.argv = arguments
    sys.path.insert(0, str(Path(arguments[0]).resolve().parent))
    runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
