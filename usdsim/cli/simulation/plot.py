"""Joint trajectories as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from usdsim.core.extras import library
from usdsim.core.transaction import replacing

__all__ = ["plot_trajectories", "require_matplotlib"]

_COLUMNS = 3
_MOST = 24


def require_matplotlib() -> None:
    """Raise `UnsupportedError` with what to install, before a long run instead of after it."""
    library("matplotlib", "A plot")


def plot_trajectories(
    path: Path,
    times: NDArray[np.float64],
    values: NDArray[np.float64],
    names: Sequence[str],
    *,
    title: str,
) -> Path:
    """Write one small graph per joint, three in a row, at most 24.

    Args:
        path: the PNG, SVG or PDF to write.
        times: shape (samples,) [s].
        values: positions [m or rad], shape (samples, joints).
        names: of the joints.
        title: of the picture.
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    shown = names[:_MOST]
    columns = max(1, min(_COLUMNS, len(shown)))
    rows = max(1, -(-len(shown) // columns))
    figure = Figure(figsize=(2.0 + 3.0 * columns, 1.2 + 1.7 * rows), layout="constrained")
    figure.suptitle(title if len(shown) == len(names) else f"{title} (first {_MOST})")
    axes = figure.subplots(rows, columns, sharex=True, squeeze=False).ravel()
    for axis, name, column in zip(axes, shown, values.T[:_MOST], strict=False):
        axis.plot(times, column, linewidth=1.0, color="#2364aa")
        axis.set_title(name, fontsize=9)
        axis.grid(alpha=0.3)
        axis.tick_params(labelsize=8)
    for axis in axes[len(shown) :]:
        axis.set_axis_off()
    figure.supxlabel("time [s]", fontsize=9)
    figure.supylabel("position [m or rad]", fontsize=9)
    with replacing(path) as staged:
        figure.savefig(staged, dpi=110)
    return path
