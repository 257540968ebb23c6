"""Converts the files its parent process names, one JSON line each.

A process of its own: a crash or a hang of one file costs that file only.
"""

from __future__ import annotations

import logging
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from usdsim.core.errors import UsdsimError
from usdsim.core.workers import serve

from .conversion import convert_file, default_cfg
from .sniff import source_kind

__all__ = ["convert_one"]


def convert_one(
    source: str, destination: str, options: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Convert one file; the outcome as JSON values.

    Args:
        source: the file.
        destination: stage file to write.
        options: options by kind of source.
    """
    started = time.perf_counter()
    try:
        kind = source_kind(Path(source))
        result = convert_file(source, destination, default_cfg(kind, **options.get(kind, {})))
    except UsdsimError as error:
        return {"status": "failed", "message": str(error), "error": type(error).__name__}
    except Exception as error:  # Whatever a file provokes is this file's result.
        return {"status": "crashed", "message": f"{type(error).__name__}: {error}"}
    return {
        "status": "converted",
        "message": "",
        "seconds": time.perf_counter() - started,
        "counts": result.report.counts,
        "findings": [asdict(finding) for finding in result.report.findings],
    }


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    return convert_one(request["source"], request["destination"], request["options"])


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    serve(_answer)
