"""Binary layout of models: sizes and arrays in order, as the engine's own header lists them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from .partition import NotJoinable

__all__ = ["ModelLayout", "layout", "loaded"]

_HEADER = Path(mujoco.__file__).parent / "include" / "mujoco" / "mjxmacro.h"
_DEFINITION = re.compile(r"^#define[ \t]+(MJMODEL_\w+)(?:\(.*?\))?((?:.*\\\n)*.*)", re.MULTILINE)
_ENTRY = re.compile(r"\bX(?:NV)?\s*\((.*)\)|(MJMODEL_POINTERS_\w+)")
_START = 20
"""Length of what is before the sizes [bytes]."""
_ALIGNMENT = 64
"""Alignment of arrays in memory [bytes]."""
_FILE = "model.mjb"
_FLAGS = ("flg_gravcomp", "flg_surfacevel", "flg_adhesion")
"""Flags before the arrays, a byte each."""


@dataclass(frozen=True)
class ModelLayout:
    """Sizes and arrays of the binary form of a model."""

    sizes: tuple[str, ...]
    """Names of sizes, in order."""
    arrays: Mapping[str, str]
    """Name of the size of each array's first axis by the array's name, in order."""

    def holds(self, model: mujoco.MjModel) -> bool:
        """Whether the engine saves a model so, byte by byte."""
        arrays = self.arrays_of(model)
        known = int(model.nbuffer) == _memory(arrays)
        return known and self.binary([model], {}, arrays) == _saved(model)

    def binary(
        self,
        models: Sequence[mujoco.MjModel],
        sizes: Mapping[str, int],
        arrays: Mapping[str, Any],
    ) -> bytes:
        """Binary form of a model of given arrays.

        Args:
            models: what it is made of: it has the flags of any of them, and the options, statistics
                and other sizes of the first.
            sizes: by name, where they differ from the first one's.
            arrays: by name, all.
        """
        first, like = models[0], _saved(models[0])
        sizes = {**sizes, "nbuffer": _memory(arrays)}
        numbers = [sizes.get(name, int(getattr(first, name))) for name in self.sizes]
        flags = bytes(any(getattr(model, name) for model in models) for name in _FLAGS)
        own = sum(_length(array) for array in self.arrays_of(first).values())
        options = like[_START + 8 * len(numbers) : len(like) - own - len(flags)]
        contents = (
            array if isinstance(array, bytes) else memoryview(array) for array in arrays.values()
        )
        sized = np.array(numbers, np.int64).tobytes()
        return b"".join([like[:_START], sized, options, flags, *contents])

    def arrays_of(self, model: mujoco.MjModel) -> dict[str, Any]:
        """Arrays of a model by name; texts are bytes."""
        return {name: getattr(model, name) for name in self.arrays}


@cache
def layout() -> ModelLayout | None:
    """The layout of the installed engine; None: it does not say."""
    if not _HEADER.exists():
        return None
    blocks = dict(_DEFINITION.findall(_HEADER.read_text(encoding="utf-8")))
    if not {"MJMODEL_SIZES", "MJMODEL_POINTERS"} <= blocks.keys():
        return None
    sizes = tuple(entry[0] for entry in _entries(blocks, "MJMODEL_SIZES"))
    pointers = [entry for entry in _entries(blocks, "MJMODEL_POINTERS") if len(entry) == 4]
    return ModelLayout(sizes, {name: size for _, name, size, _ in pointers})


def loaded(data: bytes) -> mujoco.MjModel:
    """The model of a binary form.

    Raises:
        NotJoinable: the engine does not take it.
    """
    try:
        return mujoco.MjModel.from_binary_path(_FILE, {_FILE: data})
    except ValueError as error:
        raise NotJoinable(str(error)) from error


def _entries(blocks: Mapping[str, str], name: str) -> Iterator[tuple[str, ...]]:
    for arguments, nested in _ENTRY.findall(blocks[name]):
        if nested:
            yield from _entries(blocks, nested)
        else:
            yield tuple(word.strip() for word in arguments.split(","))


def _saved(model: mujoco.MjModel) -> bytes:
    data = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, data)
    return data.tobytes()


def _length(array: Any) -> int:
    return len(array) if isinstance(array, bytes) else int(array.nbytes)


def _memory(arrays: Mapping[str, Any]) -> int:
    """Memory of arrays, each of which is aligned, and so is the first [bytes]."""
    total = 0
    for array in arrays.values():
        total += -total % _ALIGNMENT + _length(array)
    return total + _ALIGNMENT - 1
