"""Camera outputs: data types, their arrays, and the numbers of segmentations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.math.rotations import quat_from_matrix
from usdsim.render.semantics import semantic_labels

__all__ = ["CONVENTIONS", "DATA_TYPES", "OutputType", "segmentation"]


@dataclass(frozen=True)
class OutputType:
    """A kind of image."""

    channels: int
    """Numbers per pixel."""
    dtype: Any
    """Type of the numbers."""
    source: str
    """Source among a tracer's images: colour, depth, normal, motion or shape."""


_DEPTH = OutputType(1, wp.float32, "depth")
_LABELS = OutputType(1, wp.int32, "shape")

DATA_TYPES: dict[str, OutputType] = {
    "rgb": OutputType(3, wp.uint8, "colour"),
    "rgba": OutputType(4, wp.uint8, "colour"),
    "depth": _DEPTH,
    "distance_to_image_plane": _DEPTH,
    "distance_to_camera": _DEPTH,
    "normals": OutputType(3, wp.float32, "normal"),
    "motion_vectors": OutputType(2, wp.float32, "motion"),
    "semantic_segmentation": _LABELS,
    "instance_segmentation_fast": _LABELS,
    "instance_id_segmentation_fast": _LABELS,
}
"""Images by their name."""

CONVENTIONS = {
    "opengl": np.array([0.0, 0.0, 0.0, 1.0]),
    "ros": np.array([1.0, 0.0, 0.0, 0.0]),
    "world": quat_from_matrix(np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])),
}
"""Orientations of the frame that looks along -z with +y up in the one of each convention, xyzw."""

_BACKGROUND, _UNLABELLED = 0, 1


def segmentation(
    name: str, stage: Any, paths: tuple[str, ...], prims: tuple[str, ...]
) -> tuple[NDArray[np.int32], dict[int, Any]]:
    """Numbers of a segmentation, and what each stands for.

    Args:
        name: the data type.
        stage: where labels are authored.
        paths: prim paths of what can be seen, as it is called in the first environment.
        prims: where each has its labels, perhaps in another environment.

    Returns:
        Numbers of the background and of each path, shape (1 + n,), and labels by number.
    """
    labels: dict[int, Any] = {_BACKGROUND: {"class": "BACKGROUND"}}
    if name == "instance_id_segmentation_fast":
        numbers = {path: 1 + k for k, path in enumerate(dict.fromkeys(paths))}
        table = [_BACKGROUND, *(numbers[path] for path in paths)]
        return np.array(table, np.int32), {0: "BACKGROUND"} | {v: k for k, v in numbers.items()}
    labels[_UNLABELLED] = {"class": "UNLABELLED"}
    known: dict[Any, int] = {}
    table = [_BACKGROUND]
    for path, authored in zip(paths, prims, strict=True):
        prim, found = semantic_labels(stage, authored)
        if not path.startswith(prim):
            # What is labelled in another environment is called as in the first.
            prim = path[: len(path) - len(authored) + len(prim)]
        key: tuple[Any, ...] = tuple(sorted(found.items()))
        if name == "instance_segmentation_fast":
            key = (prim, *key)
        if not found:
            table.append(_UNLABELLED)
            continue
        number = known.setdefault(key, len(known) + 2)
        table.append(number)
        labels[number] = prim if name == "instance_segmentation_fast" else found
    return np.array(table, np.int32), labels
