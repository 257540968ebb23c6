"""Images of what was seen: colours, depths, normals and segmentation, as arrays of a device."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

from typing import Any

import numpy as np
import warp as wp

from usdsim.engine import device

from .kernels import axis_cosine
from .scene import TracedScene
from .tracer import Tracer

__all__ = ["Images"]

device.init_kernels(__name__)


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
            [self._tracer.scene, self._tracer.depth, int(to_plane), float(beyond)],
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

    def disturb(self, out: wp.array, rows: wp.array, part: float, seed: int) -> None:
        """Add noise of normal distribution to an image that was written.

        Args:
            out: float32 depths, of which each gets noise in proportion, or uint8 colours.
            rows: views that are disturbed.
            part: standard deviation, as part of a depth, or of 255.
            seed: of the noise, another for every image.
        """
        kernel = _noisy_colours if out.dtype == wp.uint8 else _noisy_depths
        self._launch(kernel, rows, [float(part), int(seed)], out)

    def _launch(self, kernel: Any, rows: wp.array, inputs: list[Any], out: wp.array) -> None:
        size = (rows.shape[0], *self._tracer.depth.shape[1:])
        device = self._tracer.device
        if np.prod(size):
            wp.launch(kernel, size, inputs=[rows, *inputs], outputs=[out], device=device)


@wp.kernel
def _depths(
    rows: wp.array(dtype=wp.int32),
    scene: wp.array(dtype=TracedScene),
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
            value *= axis_cosine(scene, view, wp.float32(column) + 0.5, wp.float32(row) + 0.5)
    else:
        value = beyond
    if value > scene[0].lenses.far[view]:
        value = beyond  # planes of clipping are nearer than what is behind them at an angle
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


@wp.kernel
def _noisy_depths(
    rows: wp.array(dtype=wp.int32),
    part: wp.float32,
    seed: wp.int32,
    image_out: wp.array4d(dtype=wp.float32),
):
    """Disturb depths in proportion to them."""
    k, row, column = wp.tid()
    view = rows[k]
    number = (view * image_out.shape[1] + row) * image_out.shape[2] + column
    state = wp.rand_init(seed, number)
    value = image_out[view, row, column, 0]
    image_out[view, row, column, 0] = wp.max(value * (1.0 + part * wp.randn(state)), 0.0)


@wp.kernel
def _noisy_colours(
    rows: wp.array(dtype=wp.int32),
    part: wp.float32,
    seed: wp.int32,
    image_out: wp.array4d(dtype=wp.uint8),
):
    """Disturb red, green and blue."""
    k, row, column = wp.tid()
    view = rows[k]
    number = (view * image_out.shape[1] + row) * image_out.shape[2] + column
    state = wp.rand_init(seed, number)
    for channel in range(3):
        value = wp.float32(image_out[view, row, column, channel])
        value += 255.0 * part * wp.randn(state)
        image_out[view, row, column, channel] = wp.uint8(wp.clamp(value + 0.5, 0.0, 255.0))
