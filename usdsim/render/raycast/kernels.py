"""Ray kernels: what lines of sight meet first, among shapes that many worlds share."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

from .intersections import hit_shape

__all__ = ["TILE", "Lenses", "ShapeColumns", "axis_cosine", "cull", "pack_frames", "sight", "trace"]

device.init()
wp.set_module_options({"enable_backward": False})

TILE = 8
"""Edge of the squares of pixels that share a list of shapes [pixels]."""

_ORTHOGRAPHIC = 1
_FISHEYE = 2
_FAR = wp.constant(1.0e30)


@wp.struct
class ShapeColumns:
    """Visible shapes. S shapes in W worlds; columns may have one row for all worlds."""

    kind: wp.array(dtype=wp.int32)
    """Types, numbered as the engine's geoms; negative: nothing, shape (S,)."""
    body: wp.array(dtype=wp.int32)
    """Frames they are fixed to, shape (S,)."""
    mesh: wp.array(dtype=wp.uint64)
    """Meshes of those that are one, shape (S,)."""
    size: wp.array2d(dtype=wp.vec3f)
    """Half extents or radii [m], shape (W or 1, S)."""
    ball: wp.array2d(dtype=wp.vec4f)
    """Centre in the shape's frame and radius of a ball around it [m]; 0: no ball."""
    rgba: wp.array2d(dtype=wp.vec4f)
    """Colours; what is fully transparent is not seen, shape (W or 1, S)."""
    pos: wp.array2d(dtype=wp.vec3f)
    """Positions in world [m], shape (W, S)."""
    rot: wp.array2d(dtype=wp.quatf)
    """Orientations in world, xyzw, shape (W, S)."""


@wp.struct
class Lenses:
    """Lenses of views: positions, and lines of sight of their pixels. N views."""

    world: wp.array(dtype=wp.int32)
    """Their worlds, shape (N,)."""
    pos: wp.array(dtype=wp.vec3f)
    """Positions in world [m], shape (N,)."""
    rot: wp.array(dtype=wp.quatf)
    """Orientations in world, xyzw, looking along -z with +y up, shape (N,)."""
    focal: wp.array(dtype=wp.vec2f)
    """Focal lengths [pixels]; of parallel sight, pixels per metre; of a fisheye, pixels per rad."""
    centre: wp.array(dtype=wp.vec2f)
    """Column and row of the optical axis [pixels]."""
    kind: wp.array(dtype=wp.int32)
    """0: pinhole, 1: orthographic, 2: equidistant fisheye."""
    near: wp.array(dtype=wp.float32)
    """Depth below which nothing is seen [m]."""
    far: wp.array(dtype=wp.float32)
    """Depth beyond which nothing is seen [m]."""


@wp.func
def sight(lenses: Lenses, view: wp.int32, column: wp.float32, row: wp.float32):
    """Start and unit direction of a line of sight in world, and its cosine to the axis."""
    x = (column - lenses.centre[view][0]) / lenses.focal[view][0]
    y = -(row - lenses.centre[view][1]) / lenses.focal[view][1]
    start = lenses.pos[view]
    turn = lenses.rot[view]
    kind = lenses.kind[view]
    local = wp.vec3f(0.0, 0.0, -1.0)
    if kind == _ORTHOGRAPHIC:
        start = start + wp.quat_rotate(turn, wp.vec3f(x, y, 0.0))
    elif kind == _FISHEYE:
        angle = wp.sqrt(x * x + y * y)
        if angle > 1.0e-9:
            aside = wp.sin(angle) / angle
            local = wp.vec3f(x * aside, y * aside, -wp.cos(angle))
    else:
        local = wp.normalize(wp.vec3f(x, y, -1.0))
    return start, wp.quat_rotate(turn, local), -local[2]


@wp.func
def axis_cosine(lenses: Lenses, view: wp.int32, column: wp.float32, row: wp.float32):
    """Cosine of the angle between a line of sight and the optical axis."""
    _start, _direction, ahead = sight(lenses, view, column, row)
    return ahead


@wp.kernel
def pack_frames(
    pos_in: wp.array2d(dtype=wp.vec3f),
    quat_in: wp.array2d(dtype=wp.quatf),
    frames_out: wp.array2d(dtype=wp.transformf),
):
    """Poses from positions and quaternions in the order w, x, y, z."""
    world, body = wp.tid()
    q = quat_in[world, body]
    frames_out[world, body] = wp.transform(pos_in[world, body], wp.quat(q[1], q[2], q[3], q[0]))


@wp.kernel
def place(
    body_in: wp.array(dtype=wp.int32),
    local_in: wp.array(dtype=wp.transformf),
    frames_in: wp.array2d(dtype=wp.transformf),
    pos_out: wp.array2d(dtype=wp.vec3f),
    rot_out: wp.array2d(dtype=wp.quatf),
):
    """Poses of shapes in world from those of the frames they are fixed to."""
    world, shape = wp.tid()
    pose = frames_in[world, body_in[shape]] * local_in[shape]
    pos_out[world, shape] = wp.transform_get_translation(pose)
    rot_out[world, shape] = wp.transform_get_rotation(pose)


@wp.kernel
def cull(
    shapes: ShapeColumns,
    lenses: Lenses,
    first: wp.int32,
    across: wp.int32,
    masks_out: wp.array3d(dtype=wp.uint32),
):
    """Shapes that may be in each tile of pixels, as bits, shape (N, tiles, words).

    A cone around the lines of sight of a tile meets the balls around these shapes.
    """
    view, tile = wp.tid()
    view += first
    column = wp.float32((tile % across) * TILE)
    row = wp.float32((tile // across) * TILE)
    edge = wp.float32(TILE)
    apex, axis, _cos = sight(lenses, view, column + 0.5 * edge, row + 0.5 * edge)
    spread = wp.float32(1.0)
    wide = wp.float32(0.0)
    for k in range(4):
        corner, edgewise, _c = sight(
            lenses, view, column + edge * wp.float32(k % 2), row + edge * wp.float32(k // 2)
        )
        spread = wp.min(spread, wp.dot(axis, edgewise))
        wide = wp.max(wide, wp.length(corner - apex))
    spread = wp.max(spread - 1.0e-6, -1.0)
    if lenses.kind[view] == _FISHEYE:
        # Edges of a tile bend outwards between its corners.
        spread = wp.cos(wp.min(1.1 * wp.acos(spread) + 1.0e-3, 3.1415))
    aside = wp.sqrt(wp.max(1.0 - spread * spread, 0.0))
    world = lenses.world[view]
    reach = lenses.far[view] / wp.max(spread, 0.02)
    word = wp.uint32(0)
    for shape in range(shapes.kind.shape[0]):
        seen = shapes.kind[shape] >= 0
        if seen:
            seen = shapes.rgba[world % shapes.rgba.shape[0], shape][3] > 0.0
        if seen:
            ball = shapes.ball[world % shapes.ball.shape[0], shape]
            if ball[3] > 0.0:
                local = wp.vec3f(ball[0], ball[1], ball[2])
                arm = shapes.pos[world, shape] - apex
                arm += wp.quat_rotate(shapes.rot[world, shape], local)
                along = wp.dot(arm, axis)
                beside = wp.length(arm - along * axis)
                radius = ball[3] * 1.0001 + wide + 1.0e-5 * wp.length(arm)
                seen = beside * spread - along * aside <= radius
                seen = seen and along - radius <= reach
                if spread > 0.0:
                    seen = seen and along + radius >= 0.0
        if seen:
            word = word | (wp.uint32(1) << wp.uint32(shape % 32))
        if shape % 32 == 31 or shape == shapes.kind.shape[0] - 1:
            masks_out[view, tile, shape // 32] = word
            word = wp.uint32(0)


@wp.func
def nearest(
    shapes: ShapeColumns,
    masks: wp.array3d(dtype=wp.uint32),
    view: wp.int32,
    tile: wp.int32,
    world: wp.int32,
    start: wp.vec3f,
    direction: wp.vec3f,
    closest: wp.float32,
    farthest: wp.float32,
    skipped: wp.int32,
):
    """First shape along a line: distance (negative: none), shape, normal, face and place on it.

    The normal is in world and outward; `skipped` is a shape that is looked through.
    """
    best = farthest
    found = wp.int32(-1)
    outward = wp.vec3f()
    face = wp.int32(-1)
    place_u = wp.float32(0.0)
    place_v = wp.float32(0.0)
    for k in range(masks.shape[2]):
        word = masks[view, tile, k]
        shape = 32 * k
        while word != wp.uint32(0):
            if (word & wp.uint32(0xFF)) == wp.uint32(0):
                word = word >> wp.uint32(8)
                shape += 8
                continue
            if (word & wp.uint32(1)) != wp.uint32(0) and shape != skipped:
                pos = shapes.pos[world, shape]
                turn = shapes.rot[world, shape]
                ball = shapes.ball[world % shapes.ball.shape[0], shape]
                local_start = wp.quat_rotate_inv(turn, start - pos)
                local_direction = wp.quat_rotate_inv(turn, direction)
                near = True
                if ball[3] > 0.0:
                    arm = wp.vec3f(ball[0], ball[1], ball[2]) - local_start
                    along = wp.dot(arm, local_direction)
                    beside = arm - along * local_direction
                    radius = ball[3] * 1.0001
                    near = (
                        wp.dot(beside, beside) <= radius * radius
                        and along + radius >= closest
                        and along - radius <= best
                    )
                if near:
                    distance, normal, on_face, u, v = hit_shape(
                        shapes.kind[shape],
                        shapes.size[world % shapes.size.shape[0], shape],
                        shapes.mesh[shape],
                        local_start,
                        local_direction,
                        closest,
                        best,
                    )
                    if distance >= closest and distance < best:
                        best = distance
                        found = shape
                        outward = wp.quat_rotate(turn, normal)
                        face = on_face
                        place_u = u
                        place_v = v
            word = word >> wp.uint32(1)
            shape += 1
    if found < 0:
        best = -1.0
    return best, found, outward, face, place_u, place_v


@wp.kernel
def trace(
    shapes: ShapeColumns,
    lenses: Lenses,
    masks: wp.array3d(dtype=wp.uint32),
    first: wp.int32,
    height: wp.int32,
    across: wp.int32,
    all_of_it: wp.int32,
    depth_out: wp.array3d(dtype=wp.float32),
    shape_out: wp.array3d(dtype=wp.int32),
    normal_out: wp.array3d(dtype=wp.vec3f),
    face_out: wp.array3d(dtype=wp.int32),
    place_out: wp.array3d(dtype=wp.vec2f),
):
    """Distance along the line of sight through the middle of each pixel, infinite for none.

    With `all_of_it`, also what is seen there and its normal.
    """
    line, column = wp.tid()
    line += first
    view = line // height
    row = line % height
    tile = (row // TILE) * across + column // TILE
    start, direction, ahead = sight(lenses, view, wp.float32(column) + 0.5, wp.float32(row) + 0.5)
    scale = wp.float32(1.0)
    if lenses.kind[view] != _FISHEYE:
        scale = wp.max(ahead, 1.0e-6)
    distance, shape, normal, face, u, v = nearest(
        shapes,
        masks,
        view,
        tile,
        lenses.world[view],
        start,
        direction,
        lenses.near[view] / scale,
        lenses.far[view] / scale,
        -1,
    )
    if shape < 0:
        distance = wp.inf
    depth_out[view, row, column] = distance
    if all_of_it != 0:
        shape_out[view, row, column] = shape
        normal_out[view, row, column] = normal
        face_out[view, row, column] = face
        place_out[view, row, column] = wp.vec2f(u, v)
