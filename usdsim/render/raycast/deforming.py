"""Soft shapes: meshes that have another form in each world, and cables between moving points."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import numpy as np
import warp as wp

from usdsim.engine import device
from usdsim.render.parts import SurfaceMesh

from .scene import ShapeColumns

__all__ = ["SoftMesh", "stretch"]

device.init_kernels(__name__)

_THIN = wp.constant(1.0e-9)
"""Radius of the ball around what is nowhere [m]."""


class SoftMesh:
    """A surface in each of some worlds, which together are one mesh for kernels.

    Args:
        surface: its triangles.
        worlds: number of worlds.
        part: index of the part that shows it.
        on: where the arrays live.

    Attributes:
        part: index of the part that shows it.
        count: number of vertices.
        points: vertices of all worlds, one world behind the other [m], vec3f.
    """

    def __init__(self, surface: SurfaceMesh, worlds: int, part: int, on: str):
        self._worlds, self.part, self._device = worlds, part, on
        self.count, faces = len(surface.points), surface.faces.reshape(-1)
        apart = faces + self.count * np.arange(worlds, dtype=np.int32)[:, None]
        self._indices = wp.array(apart.reshape(-1).astype(np.int32), dtype=wp.int32, device=on)
        groups = np.repeat(np.arange(worlds, dtype=np.int32), len(surface.faces))
        self._groups = wp.array(groups, dtype=wp.int32, device=on)
        self.points = wp.zeros(worlds * self.count, dtype=wp.vec3f, device=on)
        self._mesh = None

    @property
    def room(self) -> int:
        """Vertices in all worlds together."""
        return self._worlds * self.count

    def bend(self, vertices: wp.array, first: int, shapes: ShapeColumns) -> None:
        """Move the vertices.

        Args:
            vertices: in the frame of the part [m], vec3f, shape (worlds, at least first + n).
            first: where those of this mesh begin.
            shapes: get the ball around it, and the mesh when it moves for the first time.
        """
        size = (self._worlds, self.count)
        self._launch(_bend, size, [vertices, first], [self.points])
        if self._mesh is None:
            # Made where the triangles are, as their order in space is kept from then on.
            self._mesh = wp.Mesh(self.points, self._indices, groups=self._groups)
            device.assign_rows(shapes.mesh, self.part, self._mesh.id)
        else:
            self._mesh.refit()
        self._launch(_enclose, self._worlds, [self.points, self.count, self.part], [shapes.ball])

    def smooth(self, normals: wp.array, first: int) -> None:
        """Write normals at the vertices, which lie behind the first one, vec3f."""
        own = normals[first : first + self.room]
        own.zero_()
        faces = self._indices.shape[0] // 3
        self._launch(_add_normals, faces, [self.points, self._indices], [own])
        self._launch(_normalise, self.room, [], [own])

    def _launch(self, kernel, size, inputs, outputs) -> None:
        wp.launch(kernel, size, inputs=inputs, outputs=outputs, device=self._device)


def stretch(shapes: ShapeColumns, parts: wp.array, ends: wp.array, radii: wp.array) -> None:
    """Put capsules between points; what has no length is not seen.

    Args:
        shapes: get positions, orientations, sizes and balls; each has a row per world.
        parts: indices of the capsules, int32, shape (C,).
        ends: in world [m], vec3f, shape (worlds, C, 2).
        radii: half of their width [m], float32, shape (C,).
    """
    wp.launch(
        _stretch,
        ends.shape[:2],
        inputs=[parts, ends, radii],
        outputs=[shapes.pos, shapes.rot, shapes.size, shapes.ball],
        device=ends.device,
    )


@wp.kernel
def _bend(
    vertices: wp.array2d(dtype=wp.vec3f), first: wp.int32, points_out: wp.array(dtype=wp.vec3f)
):
    """Copy the vertices of all worlds."""
    world, k = wp.tid()
    count = points_out.shape[0] // vertices.shape[0]
    points_out[world * count + k] = vertices[world, first + k]


@wp.kernel
def _enclose(
    points: wp.array(dtype=wp.vec3f),
    count: wp.int32,
    part: wp.int32,
    ball_out: wp.array2d(dtype=wp.vec4f),
):
    """Write the ball around the vertices of each world."""
    world = wp.tid()
    low = points[world * count]
    high = low
    for k in range(1, count):
        low = wp.min(low, points[world * count + k])
        high = wp.max(high, points[world * count + k])
    centre = 0.5 * (low + high)
    radius = wp.float32(_THIN)
    for k in range(count):
        radius = wp.max(radius, wp.length(points[world * count + k] - centre))
    ball_out[world, part] = wp.vec4f(centre[0], centre[1], centre[2], radius)


@wp.kernel
def _add_normals(
    points: wp.array(dtype=wp.vec3f),
    indices: wp.array(dtype=wp.int32),
    normals_out: wp.array(dtype=wp.vec3f),
):
    """Add the area vector of each triangle to its vertices."""
    face = wp.tid()
    a = indices[3 * face]
    b = indices[3 * face + 1]
    c = indices[3 * face + 2]
    area = wp.cross(points[b] - points[a], points[c] - points[a])
    wp.atomic_add(normals_out, a, area)
    wp.atomic_add(normals_out, b, area)
    wp.atomic_add(normals_out, c, area)


@wp.kernel
def _normalise(normals_out: wp.array(dtype=wp.vec3f)):
    """Bring normals to unit length."""
    k = wp.tid()
    normals_out[k] = wp.normalize(normals_out[k])


@wp.kernel
def _stretch(
    parts: wp.array(dtype=wp.int32),
    ends: wp.array3d(dtype=wp.vec3f),
    radii: wp.array(dtype=wp.float32),
    pos_out: wp.array2d(dtype=wp.vec3f),
    rot_out: wp.array2d(dtype=wp.quatf),
    size_out: wp.array2d(dtype=wp.vec3f),
    ball_out: wp.array2d(dtype=wp.vec4f),
):
    """Write where each capsule is, turned from z to its axis."""
    world, k = wp.tid()
    part = parts[k]
    along = ends[world, k, 1] - ends[world, k, 0]
    length = wp.length(along)
    radius = radii[k]
    axis = wp.vec3f(0.0, 0.0, 1.0)
    if length > 0.0:
        axis = along / length
    else:
        radius = wp.float32(_THIN)
    turn = wp.quatf(1.0, 0.0, 0.0, 0.0)
    if axis[2] > -0.9999999:
        turn = wp.normalize(wp.quatf(-axis[1], axis[0], 0.0, 1.0 + axis[2]))
    pos_out[world, part] = 0.5 * (ends[world, k, 0] + ends[world, k, 1])
    rot_out[world, part] = turn
    size_out[world, part] = wp.vec3f(radius, 0.5 * length, radius)
    ball_out[world, part] = wp.vec4f(0.0, 0.0, 0.0, radius + 0.5 * length)
