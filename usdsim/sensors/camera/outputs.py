"""Camera outputs: data types, their arrays, and the numbers of segmentations."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.errors import UnknownNameError
from usdsim.render.semantics import semantic_labels

__all__ = [
    "DATA_TYPES",
    "ImagesByType",
    "OutputType",
    "UnknownImageError",
    "coloured",
    "segmentation",
]


class UnknownImageError(UnknownNameError, KeyError):
    """A camera does not take images of a type."""

    __str__ = Exception.__str__  # a KeyError shows the repr of its message


class ImagesByType(dict[str, Any]):
    """Images of a camera by data type.

    Raises:
        UnknownImageError: the camera does not take images of a type.
    """

    def __missing__(self, name: str) -> Any:
        """Say which images there are."""
        remedy = "Add it to data_types of the camera's configuration."
        raise UnknownImageError("image", name, self, "data_types of the camera", remedy)


@dataclass(frozen=True)
class OutputType:
    """A kind of image."""

    channels: int
    """Numbers per pixel."""
    dtype: Any
    """Type of the numbers."""
    source: str
    """Source among a tracer's images: colour, albedo, depth, normal, motion or shape."""


_DEPTH = OutputType(1, wp.float32, "depth")
_LABELS = OutputType(1, wp.int32, "shape")

DATA_TYPES: dict[str, OutputType] = {
    "rgb": OutputType(3, wp.uint8, "colour"),
    "rgba": OutputType(4, wp.uint8, "colour"),
    "albedo": OutputType(4, wp.uint8, "albedo"),
    "simple_shading_constant_diffuse": OutputType(3, wp.uint8, "colour"),
    "simple_shading_diffuse_mdl": OutputType(3, wp.uint8, "colour"),
    "simple_shading_full_mdl": OutputType(3, wp.uint8, "colour"),
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


def coloured(
    table: NDArray[np.int32], labels: Mapping[int, Any], given: Mapping[str, Sequence[int]]
) -> tuple[NDArray[np.int32], dict[str, Any]]:
    """A segmentation in colours instead of numbers.

    Args:
        table: numbers, see `segmentation`.
        labels: labels by number.
        given: colours by label, ``{"class:cube": (255, 0, 0, 255)}``; others are chosen.

    Returns:
        The four bytes of each colour as one number, shape (1 + n,), and labels by colour, whose
        names are such as ``(255, 0, 0, 255)``.
    """
    colours = {number: _colour(number, label, given) for number, label in labels.items()}
    bytes_ = np.array([colours[int(number)] for number in table], np.uint8)
    return bytes_.view(np.int32)[:, 0], {str(colours[k]): label for k, label in labels.items()}


def _colour(number: int, label: Any, given: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
    """Colour of a number of a segmentation, of four bytes."""
    if isinstance(label, Mapping):
        if label == {"class": "UNLABELLED"}:
            return (0, 0, 0, 255)
        for kind, name in label.items():
            if f"{kind}:{name}" in given:
                return tuple(map(int, given[f"{kind}:{name}"]))
    if number == _BACKGROUND:
        return (0, 0, 0, 0)
    # Multiples of the golden ratio keep neighbours apart.
    rgb = colorsys.hsv_to_rgb(number * 0.618034 % 1.0, 0.65, 0.95)
    return (*(round(255.0 * c) for c in rgb), 255)
