"""Measures what runs on a GPU: ``python -m benchmarks.gpu`` is the group ``device`` on ``cuda``."""

from __future__ import annotations

import sys

from .__main__ import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main(["device", "--device", "cuda", *sys.argv[1:]]))
