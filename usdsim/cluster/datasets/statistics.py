"""Statistics of columns: minima, maxima, means and deviations, of episodes and of all together."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.extras import library

__all__ = ["joined_statistics", "statistics"]


def statistics(values: NDArray[Any]) -> dict[str, list[Any]]:
    """Statistics of each component; of the channels of images, as parts of full brightness."""
    shape: tuple[int, ...] = (-1,)
    if values.dtype == object:
        image, shape = library("PIL.Image"), (3, 1, 1)
        wide = np.stack([image.open(BytesIO(value)) for value in values]).reshape(-1, 3) / 255.0
    else:
        wide = values.reshape(len(values), -1).astype(np.float64)
    found = {"min": wide.min(0), "max": wide.max(0), "mean": wide.mean(0), "std": wide.std(0)}
    each = {key: value.reshape(shape).tolist() for key, value in found.items()}
    return each | {"count": [len(values)]}


def joined_statistics(stats: list[dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Statistics of all episodes together, by the means and variances of each."""
    found: dict[str, dict[str, Any]] = {}
    for name in stats[0] if stats else ():
        parts = {key: np.array([s[name][key] for s in stats]) for key in stats[0][name]}
        count = parts["count"].reshape((-1,) + (1,) * (parts["mean"].ndim - 1))
        total = count.sum()
        mean = (count * parts["mean"]).sum(0) / total
        spread = parts["std"] ** 2 + (parts["mean"] - mean) ** 2
        std = np.sqrt((count * spread).sum(0) / total)
        joined = {"min": parts["min"].min(0), "max": parts["max"].max(0), "mean": mean, "std": std}
        found[name] = {k: v.tolist() for k, v in joined.items()} | {"count": [int(total)]}
    return found
