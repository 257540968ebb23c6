"""Runs in the interpreter of the converters and converts one file per line it reads."""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from importlib.metadata import version
from typing import Any

__all__: list[str] = []

_PACKAGES = ("mujoco-usd-converter", "urdf-usd-converter", "usd-exchange", "mujoco")


def _convert(converter: Any, file: str, folder: str) -> dict[str, Any]:
    started = time.perf_counter()
    try:
        stage = converter.convert(file, folder).path
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {"seconds": time.perf_counter() - started, "stage": stage}


def main() -> None:
    """Answer until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # What libraries print is no answer.
    converters: dict[str, Any] = {}
    for line in sys.stdin:
        request = json.loads(line)
        if request["what"] == "versions":
            answer: dict[str, Any] = {name: version(name) for name in _PACKAGES}
        else:
            kind = request["kind"]
            if kind not in converters:
                converters[kind] = importlib.import_module(f"{kind}_usd_converter").Converter()
            answer = _convert(converters[kind], request["file"], request["folder"])
        print(json.dumps(answer), file=answers, flush=True)


main()
