"""Script runner: ``python -m usdsim.compat script.py ...`` runs a program with its import names."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from usdsim.compat import install

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Run a script as the main program.

    Args:
        arguments: the script and its own arguments.

    Returns:
        Exit code: 0, or 2 if no script is named.
    """
    if not arguments:
        sys.stderr.write("usage: python -m usdsim.compat script.py [arguments]\n")
        return 2
    install()
    sys.argv = arguments
    sys.path.insert(0, str(Path(arguments[0]).resolve().parent))
    runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
