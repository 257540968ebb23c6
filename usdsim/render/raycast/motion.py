"""Motion of pixels: where what they show was in the image before."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import numpy as np
import warp as wp

from usdsim.engine import device

from .kernels import sight
from .scene import FISHEYE, ORTHOGRAPHIC, TracedScene
from .tracer import Tracer

__all__ = ["PixelMotion"]

device.init_kernels(__name__)


class PixelMotion:
    """Compares what a tracer sees with what it saw before.

    Args:
        tracer: who sees it.
    """

    def __init__(self, tracer: Tracer):
        self._tracer = tracer
        shapes, lenses = tracer.shapes, tracer.lenses
        views = lenses.pos.shape[0]
        device = tracer.device
        # Where the world of each view was when that view looked last: views look at other times.
        self._pos = wp.zeros((views, shapes.pos.shape[1]), dtype=wp.vec3f, device=device)
        self._rot = wp.zeros((views, shapes.pos.shape[1]), dtype=wp.quatf, device=device)
        self._eye = wp.zeros(views, dtype=wp.transformf, device=device)
        self._known = wp.zeros(views, dtype=wp.int32, device=device)
        # Soft shapes have their vertices instead, one behind the other.
        counts = [soft.count for soft in tracer.soft]
        starts = np.full(shapes.pos.shape[1], -1, np.int32)
        starts[[soft.part for soft in tracer.soft]] = np.cumsum([0, *counts[:-1]])[: len(counts)]
        self._start = wp.array(starts, dtype=wp.int32, device=device)
        self._vertices = wp.zeros((views, max(sum(counts), 1)), dtype=wp.vec3f, device=device)

    def write(self, out: wp.array, rows: wp.array) -> None:
        """Write motions [pixels], column and row, zero for nothing and in a first image.

        Args:
            out: float32, shape (N, H, W, 2).
            rows: views that are written; the next motions of these are from now on.
        """
        tracer = self._tracer
        size = (rows.shape[0], *tracer.depth.shape[1:])
        before = (self._known, self._pos, self._rot, self._eye)
        if np.prod(size):
            seen = (tracer.depth, tracer.shape, *tracer.places)
            soft = (self._start, self._vertices)
            wp.launch(_motions, size, inputs=[rows, tracer.scene, *seen, *before, *soft],
                      outputs=[out], device=tracer.device)  # fmt: skip
        if rows.shape[0]:
            wp.launch(_remember, (rows.shape[0], max(self._pos.shape[1], 1)),
                      inputs=[rows, tracer.scene], outputs=list(before),
                      device=tracer.device)  # fmt: skip
            start = 0
            for soft in tracer.soft:
                wp.launch(_remember_vertices, (rows.shape[0], soft.count),
                          inputs=[rows, tracer.scene, soft.points, start],
                          outputs=[self._vertices], device=tracer.device)  # fmt: skip
                start += soft.count


@wp.func
def _projected(scene: wp.array(dtype=TracedScene), view: wp.int32, local: wp.vec3f):
    """Column and row of a point in the frame of a lens."""
    kind = scene[0].lenses.kind[view]
    x = local[0]
    y = local[1]
    if kind == FISHEYE:
        aside = wp.sqrt(x * x + y * y)
        scale = wp.float32(1.0)
        if aside > 1.0e-9:
            scale = wp.atan2(aside, -local[2]) / aside
        x *= scale
        y *= scale
    elif kind != ORTHOGRAPHIC:
        depth = wp.max(-local[2], 1.0e-6)
        x /= depth
        y /= depth
    focal = scene[0].lenses.focal[view]
    centre = scene[0].lenses.centre[view]
    return wp.vec2f(centre[0] + focal[0] * x, centre[1] - focal[1] * y)


@wp.kernel
def _motions(
    rows: wp.array(dtype=wp.int32),
    scene: wp.array(dtype=TracedScene),
    depth: wp.array3d(dtype=wp.float32),
    shape: wp.array3d(dtype=wp.int32),
    face: wp.array3d(dtype=wp.int32),
    place: wp.array3d(dtype=wp.vec2f),
    known: wp.array(dtype=wp.int32),
    pos_before: wp.array2d(dtype=wp.vec3f),
    rot_before: wp.array2d(dtype=wp.quatf),
    eye_before: wp.array(dtype=wp.transformf),
    first: wp.array(dtype=wp.int32),
    vertices_before: wp.array2d(dtype=wp.vec3f),
    motion_out: wp.array4d(dtype=wp.float32),
):
    """Write how far what each pixel shows has moved over the image [pixels]."""
    k, row, column = wp.tid()
    view = rows[k]
    seen = shape[view, row, column]
    moved = wp.vec2f(0.0, 0.0)
    if known[view] != 0 and seen >= 0:
        world = scene[0].lenses.world[view]
        here = wp.vec2f(wp.float32(column) + 0.5, wp.float32(row) + 0.5)
        start, direction, _ahead = sight(scene, view, here[0], here[1])
        point = start + depth[view, row, column] * direction
        local = wp.quat_rotate_inv(
            scene[0].shapes.rot[world, seen], point - scene[0].shapes.pos[world, seen]
        )
        if first[seen] >= 0:
            on = place[view, row, column]
            weights = wp.vec3f(on[0], on[1], 1.0 - on[0] - on[1])
            mesh = scene[0].shapes.mesh[seen]
            count = wp.mesh_get(mesh).points.shape[0] // scene[0].shapes.pos.shape[0]
            local = wp.vec3f()
            for corner in range(3):
                vertex = wp.mesh_get_index(mesh, 3 * face[view, row, column] + corner)
                local += weights[corner] * vertices_before[view, first[seen] + vertex % count]
        then = wp.quat_rotate(rot_before[view, seen], local) + pos_before[view, seen]
        moved = here - _projected(
            scene, view, wp.transform_point(wp.transform_inverse(eye_before[view]), then)
        )
    motion_out[view, row, column, 0] = moved[0]
    motion_out[view, row, column, 1] = moved[1]


@wp.kernel
def _remember(
    rows: wp.array(dtype=wp.int32),
    scene: wp.array(dtype=TracedScene),
    known_out: wp.array(dtype=wp.int32),
    pos_out: wp.array2d(dtype=wp.vec3f),
    rot_out: wp.array2d(dtype=wp.quatf),
    eye_out: wp.array(dtype=wp.transformf),
):
    """Keep where everything is for the next image."""
    k, part = wp.tid()
    view = rows[k]
    if part < pos_out.shape[1]:
        pos_out[view, part] = scene[0].shapes.pos[scene[0].lenses.world[view], part]
        rot_out[view, part] = scene[0].shapes.rot[scene[0].lenses.world[view], part]
    if part == 0:
        known_out[view] = 1
        eye_out[view] = wp.transform(scene[0].lenses.pos[view], scene[0].lenses.rot[view])


@wp.kernel
def _remember_vertices(
    rows: wp.array(dtype=wp.int32),
    scene: wp.array(dtype=TracedScene),
    points: wp.array(dtype=wp.vec3f),
    start: wp.int32,
    vertices_out: wp.array2d(dtype=wp.vec3f),
):
    """Keep where the vertices of a soft shape are for the next image."""
    k, vertex = wp.tid()
    view = rows[k]
    count = points.shape[0] // scene[0].shapes.pos.shape[0]
    vertices_out[view, start + vertex] = points[scene[0].lenses.world[view] * count + vertex]
