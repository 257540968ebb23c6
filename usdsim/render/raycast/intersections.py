"""Ray intersections with shapes in their own frames, as functions of kernels.

Only surfaces that face the viewer are met, so that a camera inside a shape sees out of it.
"""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import mujoco
import warp as wp

from usdsim.engine import device

__all__ = [
    "BOX",
    "CAPSULE",
    "CLOTH",
    "CYLINDER",
    "ELLIPSOID",
    "PLANE",
    "SPHERE",
    "hit_shape",
]

device.init_kernels(__name__)

_KINDS = mujoco.mjtGeom
PLANE = int(_KINDS.mjGEOM_PLANE)
SPHERE = int(_KINDS.mjGEOM_SPHERE)
CAPSULE = int(_KINDS.mjGEOM_CAPSULE)
ELLIPSOID = int(_KINDS.mjGEOM_ELLIPSOID)
CYLINDER = int(_KINDS.mjGEOM_CYLINDER)
BOX = int(_KINDS.mjGEOM_BOX)
CLOTH = 90
"""A mesh that is seen from both sides."""

_MISS = wp.constant(-1.0)
_LAYERS = 8
"""Back faces of a mesh that are looked through, at most."""


@wp.func
def _plane(size: wp.vec3f, start: wp.vec3f, direction: wp.vec3f):
    distance = wp.float32(_MISS)
    if direction[2] < -1.0e-9:
        t = -start[2] / direction[2]
        x = start[0] + t * direction[0]
        y = start[1] + t * direction[1]
        if (size[0] <= 0.0 or wp.abs(x) <= size[0]) and (size[1] <= 0.0 or wp.abs(y) <= size[1]):
            distance = t
    return distance, wp.vec3f(0.0, 0.0, 1.0)


@wp.func
def _sphere(radius: wp.float32, start: wp.vec3f, direction: wp.vec3f):
    middle = -wp.dot(start, direction)
    beside = start + middle * direction
    rest = radius * radius - wp.dot(beside, beside)
    distance = wp.float32(_MISS)
    normal = wp.vec3f()
    if rest >= 0.0:
        half = wp.sqrt(rest)
        distance = middle - half
        normal = (beside - half * direction) / radius
    return distance, normal


@wp.func
def _ellipsoid(size: wp.vec3f, start: wp.vec3f, direction: wp.vec3f):
    ball_start = wp.cw_div(start, size)
    ball_direction = wp.cw_div(direction, size)
    length = wp.length(ball_direction)
    distance, normal = _sphere(1.0, ball_start, ball_direction / length)
    return distance / length, wp.normalize(wp.cw_div(normal, size))


@wp.func
def _tube(radius: wp.float32, half: wp.float32, start: wp.vec3f, direction: wp.vec3f):
    """The side of a cylinder along z."""
    distance = wp.float32(_MISS)
    normal = wp.vec3f()
    across = direction[0] * direction[0] + direction[1] * direction[1]
    if across > 1.0e-14:
        middle = -(start[0] * direction[0] + start[1] * direction[1]) / across
        x = start[0] + middle * direction[0]
        y = start[1] + middle * direction[1]
        rest = radius * radius - x * x - y * y
        if rest >= 0.0:
            t = middle - wp.sqrt(rest / across)
            if wp.abs(start[2] + t * direction[2]) <= half:
                distance = t
                normal = wp.vec3f(
                    (start[0] + t * direction[0]) / radius,
                    (start[1] + t * direction[1]) / radius,
                    0.0,
                )
    return distance, normal


@wp.func
def _capsule(size: wp.vec3f, start: wp.vec3f, direction: wp.vec3f, closest: wp.float32):
    distance, normal = _tube(size[0], size[1], start, direction)
    if distance < closest:
        distance = wp.float32(_MISS)
    for k in range(2):
        side = 2.0 * wp.float32(k) - 1.0
        centre = wp.vec3f(0.0, 0.0, side * size[1])
        t, cap = _sphere(size[0], start - centre, direction)
        if t >= closest and side * cap[2] >= 0.0 and (distance < 0.0 or t < distance):
            distance = t
            normal = cap
    return distance, normal


@wp.func
def _cylinder(size: wp.vec3f, start: wp.vec3f, direction: wp.vec3f):
    distance, normal = _tube(size[0], size[1], start, direction)
    if wp.abs(direction[2]) > 1.0e-9:
        side = -wp.sign(direction[2])
        t = (side * size[1] - start[2]) / direction[2]
        x = start[0] + t * direction[0]
        y = start[1] + t * direction[1]
        # A line from outside enters through one surface alone.
        if x * x + y * y <= size[0] * size[0]:
            distance = t
            normal = wp.vec3f(0.0, 0.0, side)
    return distance, normal


@wp.func
def _box(size: wp.vec3f, start: wp.vec3f, direction: wp.vec3f):
    enter = wp.float32(-1.0e30)
    leave = wp.float32(1.0e30)
    normal = wp.vec3f()
    for k in range(3):
        if wp.abs(direction[k]) < 1.0e-12:
            if wp.abs(start[k]) > size[k]:
                leave = -1.0e30
        else:
            side = -wp.sign(direction[k])
            first = (side * size[k] - start[k]) / direction[k]
            last = (-side * size[k] - start[k]) / direction[k]
            if first > enter:
                enter = first
                normal = wp.vec3f()
                normal[k] = side
            leave = wp.min(leave, last)
    distance = wp.float32(_MISS)
    if enter <= leave:
        distance = enter
    return distance, normal


@wp.func
def _mesh(
    mesh: wp.uint64,
    world: wp.int32,
    start: wp.vec3f,
    direction: wp.vec3f,
    closest: wp.float32,
    farthest: wp.float32,
    both: wp.bool,
):
    distance = wp.float32(_MISS)
    normal = wp.vec3f()
    face = wp.int32(-1)
    u = wp.float32(0.0)
    v = wp.float32(0.0)
    passed = wp.max(closest, 0.0)
    root = wp.int32(-1)
    if both:
        # Soft bodies have their shapes in all worlds in one mesh.
        root = wp.mesh_get_group_root(mesh, world)
    for _layer in range(_LAYERS):
        query = wp.mesh_query_ray(
            mesh, start + passed * direction, direction, farthest - passed, root
        )
        if not query.result:
            break
        passed += query.t
        if both or wp.dot(query.normal, direction) <= 0.0:
            distance = passed
            normal = query.normal
            if both and wp.dot(query.normal, direction) > 0.0:
                normal = -normal
            face = query.face
            u = query.u
            v = query.v
            break
        passed += 1.0e-5 * (1.0 + passed)
    return distance, normal, face, u, v


@wp.func
def hit_shape(
    kind: wp.int32,
    size: wp.vec3f,
    mesh: wp.uint64,
    world: wp.int32,
    start: wp.vec3f,
    direction: wp.vec3f,
    closest: wp.float32,
    farthest: wp.float32,
):
    """Distance along a ray to a shape, outward normal, face of a mesh and place on the face.

    All is in the shape's frame; what is nearer than `closest` does not count, and there may be
    nothing that counts, which distances below it mean.
    """
    distance = wp.float32(_MISS)
    normal = wp.vec3f()
    face = wp.int32(-1)
    u = wp.float32(0.0)
    v = wp.float32(0.0)
    if mesh != wp.uint64(0):
        distance, normal, face, u, v = _mesh(
            mesh, world, start, direction, closest, farthest, kind == CLOTH
        )
    elif kind == PLANE:
        distance, normal = _plane(size, start, direction)
    elif kind == SPHERE:
        distance, normal = _sphere(size[0], start, direction)
    elif kind == CAPSULE:
        distance, normal = _capsule(size, start, direction, closest)
    elif kind == ELLIPSOID:
        distance, normal = _ellipsoid(size, start, direction)
    elif kind == CYLINDER:
        distance, normal = _cylinder(size, start, direction)
    elif kind == BOX:
        distance, normal = _box(size, start, direction)
    return distance, normal, face, u, v
