"""``python -m usdsim``: the same as the ``usdsim`` command."""

import sys

from usdsim.cli.main import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
