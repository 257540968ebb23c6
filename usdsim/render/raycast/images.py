"""Images of what was seen: colours, depths, normals and segmentation, as arrays of a device."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

from typing import Any

import numpy as np
import warp as wp

from .kernels import Lenses, axis_cosine
from .tracer import Tracer

__all__ = ["Images"]

wp.set_module_options({"enable_backward": False})


class Images:
    """Turns what a tracer saw into arrays that users hold.

    Args:
        tracer: who saw it.
    """

    def __init__(self, tracer: Tracer):
        self._tracer = tracer

    def depth(self, out: wp.array, rows: wp.array, *, to_plane: bool, beyond: float) -> None:
        """Write depths [m].

        Args:
            out: float32, shape (N, H, W, 1).
            rows: views that are written.
            to_plane: along the optical axis instead of along the line of sight.
            beyond: what stands for nothing.
        """
        self._launch(
            _depths,
            rows,
            [self._tracer.lenses, self._tracer.depth, int(to_plane), float(beyond)],
            out,
        )

    def colour(self, out: wp.array, rows: wp.array) -> None:
        """Write colours, uint8, shape (N, H, W, 3), or with cover (N, H, W, 4)."""
        self._launch(_colours, rows, [self._tracer.colour], out)

    def normals(self, out: wp.array, rows: wp.array) -> None:
        """Write outward normals in world, zero for nothing, float32, shape (N, H, W, 3)."""
        self._launch(_normals, rows, [self._tracer.normal, self._tracer.shape], out)

    def labels(self, out: wp.array, rows: wp.array, table: wp.array) -> None:
        """Write a number for each part, int32, shape (N, H, W, 1).

        Args:
            out: where to.
            rows: views that are written.
            table: numbers of nothing and of each part, int32, shape (1 + S,).
        """
        self._launch(_labels, rows, [self._tracer.shape, table], out)

    def _launch(self, kernel: Any, rows: wp.array, inputs: list[Any], out: wp.array) -> None:
        size = (rows.shape[0], *self._tracer.depth.shape[1:])
        device = self._tracer.device
        if np.prod(size):
            wp.launch(kernel, size, inputs=[rows, *inputs], outputs=[out], device=device)


@wp.kernel
def _depths(
    rows: wp.array(dtype=wp.int32),
    lenses: Lenses,
    depth: wp.array3d(dtype=wp.float32),
    to_plane: wp.int32,
    beyond: wp.float32,
    image_out: wp.array4d(dtype=wp.float32),
):
    """Write depths along the line of sight or the axis [m]."""
    k, row, column = wp.tid()
    view = rows[k]
    value = depth[view, row, column]
    if wp.isfinite(value):
        if to_plane != 0:
            value *= axis_cosine(lenses, view, wp.float32(column) + 0.5, wp.float32(row) + 0.5)
    else:
        value = beyond
    image_out[view, row, column, 0] = value


@wp.kernel
def _colours(
    rows: wp.array(dtype=wp.int32),
    colour: wp.array3d(dtype=wp.vec4f),
    image_out: wp.array4d(dtype=wp.uint8),
):
    """Write colours, with cover where there is room."""
    k, row, column = wp.tid()
    view = rows[k]
    value = colour[view, row, column]
    for channel in range(image_out.shape[3]):
        image_out[view, row, column, channel] = wp.uint8(
            wp.clamp(value[channel] * 255.0 + 0.5, 0.0, 255.0)
        )


@wp.kernel
def _normals(
    rows: wp.array(dtype=wp.int32),
    normal: wp.array3d(dtype=wp.vec3f),
    shape: wp.array3d(dtype=wp.int32),
    image_out: wp.array4d(dtype=wp.float32),
):
    """Write outward normals in world, zero for nothing."""
    k, row, column = wp.tid()
    view = rows[k]
    value = normal[view, row, column]
    if shape[view, row, column] < 0:
        value = wp.vec3f()
    for axis in range(3):
        image_out[view, row, column, axis] = value[axis]


@wp.kernel
def _labels(
    rows: wp.array(dtype=wp.int32),
    shape: wp.array3d(dtype=wp.int32),
    table: wp.array(dtype=wp.int32),
    image_out: wp.array4d(dtype=wp.int32),
):
    """Write the number of what is seen."""
    k, row, column = wp.tid()
    view = rows[k]
    image_out[view, row, column, 0] = table[shape[view, row, column] + 1]
