"""Ray kernels: what lines of sight meet first, among shapes that many worlds share."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

from .intersections import PLANE, hit_shape
from .scene import FISHEYE, ORTHOGRAPHIC, TracedScene

__all__ = [
    "TILE",
    "axis_cosine",
    "blocked",
    "cull",
    "cull_sun",
    "nearest",
    "nearest_in_sight",
    "pack_frames",
    "place",
    "sight",
    "trace",
]

device.init_kernels(__name__)

TILE = 8
"""Edge of the squares of pixels that share a list of shapes [pixels]."""

_FAR = wp.constant(1.0e30)


@wp.func
def sight(scene: wp.array(dtype=TracedScene), view: wp.int32, column: wp.float32, row: wp.float32):
    """Start and unit direction of a line of sight in world, and its cosine to the axis."""
    x = (column - scene[0].lenses.centre[view][0]) / scene[0].lenses.focal[view][0]
    y = -(row - scene[0].lenses.centre[view][1]) / scene[0].lenses.focal[view][1]
    start = scene[0].lenses.pos[view]
    turn = scene[0].lenses.rot[view]
    kind = scene[0].lenses.kind[view]
    local = wp.vec3f(0.0, 0.0, -1.0)
    if kind == ORTHOGRAPHIC:
        start = start + wp.quat_rotate(turn, wp.vec3f(x, y, 0.0))
    elif kind == FISHEYE:
        angle = wp.sqrt(x * x + y * y)
        if angle > 1.0e-9:
            aside = wp.sin(angle) / angle
            local = wp.vec3f(x * aside, y * aside, -wp.cos(angle))
    else:
        local = wp.normalize(wp.vec3f(x, y, -1.0))
    return start, wp.quat_rotate(turn, local), -local[2]


@wp.func
def axis_cosine(
    scene: wp.array(dtype=TracedScene), view: wp.int32, column: wp.float32, row: wp.float32
):
    """Cosine of the angle between a line of sight and the optical axis."""
    _start, _direction, ahead = sight(scene, view, column, row)
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


@wp.func
def _is_seen(scene: wp.array(dtype=TracedScene), world: wp.int32, shape: wp.int32):
    """Whether there is a shape that is not fully transparent."""
    seen = scene[0].shapes.kind[shape] >= 0
    if seen:
        seen = scene[0].shapes.rgba[world % scene[0].shapes.rgba.shape[0], shape][3] > 0.0
    return seen


@wp.func
def _ball_centre(
    scene: wp.array(dtype=TracedScene), world: wp.int32, shape: wp.int32, ball: wp.vec4f
):
    """Centre of the ball around a shape, in world."""
    turn = scene[0].shapes.rot[world, shape]
    local = wp.vec3f(ball[0], ball[1], ball[2])
    return scene[0].shapes.pos[world, shape] + wp.quat_rotate(turn, local)


@wp.kernel
def cull(
    scene: wp.array(dtype=TracedScene),
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
    apex, axis, _cos = sight(scene, view, column + 0.5 * edge, row + 0.5 * edge)
    spread = wp.float32(1.0)
    wide = wp.float32(0.0)
    for k in range(4):
        corner, edgewise, _c = sight(
            scene, view, column + edge * wp.float32(k % 2), row + edge * wp.float32(k // 2)
        )
        spread = wp.min(spread, wp.dot(axis, edgewise))
        wide = wp.max(wide, wp.length(corner - apex))
    spread = wp.max(spread - 1.0e-6, -1.0)
    if scene[0].lenses.kind[view] == FISHEYE:
        # Edges of a tile bend outwards between its corners.
        spread = wp.cos(wp.min(1.1 * wp.acos(spread) + 1.0e-3, 3.1415))
    aside = wp.sqrt(wp.max(1.0 - spread * spread, 0.0))
    world = scene[0].lenses.world[view]
    reach = scene[0].lenses.far[view] / wp.max(spread, 0.02)
    word = wp.uint32(0)
    for shape in range(scene[0].shapes.kind.shape[0]):
        seen = _is_seen(scene, world, shape)
        if seen:
            ball = scene[0].shapes.ball[world % scene[0].shapes.ball.shape[0], shape]
            if ball[3] > 0.0:
                arm = _ball_centre(scene, world, shape, ball) - apex
                along = wp.dot(arm, axis)
                beside = wp.length(arm - along * axis)
                radius = ball[3] * 1.0001 + wide + 1.0e-5 * wp.length(arm)
                seen = beside * spread - along * aside <= radius
                seen = seen and along - radius <= reach
                if spread > 0.0:
                    seen = seen and along + radius >= 0.0
        if seen:
            word = word | (wp.uint32(1) << wp.uint32(shape % 32))
        if shape % 32 == 31 or shape == scene[0].shapes.kind.shape[0] - 1:
            masks_out[view, tile, shape // 32] = word
            word = wp.uint32(0)


@wp.kernel
def cull_sun(
    scene: wp.array(dtype=TracedScene),
    first: wp.int32,
    masks_out: wp.array3d(dtype=wp.uint32),
):
    """The same for views from the sun, whose lines of sight are parallel, by shape and not by tile.

    A thread has the tiles of one world and 32 shapes.
    """
    world, word = wp.tid()
    world += first
    view = scene[0].lights.shadows + world
    across = scene[0].lights.across
    apex = scene[0].lenses.pos[view]
    turn = scene[0].lenses.rot[view]
    scale = scene[0].lenses.focal[view][0]
    middle = scene[0].lenses.centre[view][0]
    sunwards = wp.quat_rotate(turn, wp.vec3f(0.0, 0.0, 1.0))
    for tile in range(across * across):
        masks_out[view, tile, word] = wp.uint32(0)
    last = wp.min(32 * (word + 1), scene[0].shapes.kind.shape[0])
    for shape in range(32 * word, last):
        if not _is_seen(scene, world, shape):
            continue
        bit = wp.uint32(1) << wp.uint32(shape % 32)
        ball = scene[0].shapes.ball[world % scene[0].shapes.ball.shape[0], shape]
        facing = wp.quat_rotate(scene[0].shapes.rot[world, shape], wp.vec3f(0.0, 0.0, 1.0))
        if ball[3] <= 0.0:
            # Planes are seen from above alone, so that those below the sun cast no shadow.
            if scene[0].shapes.kind[shape] != PLANE or wp.dot(facing, sunwards) < 0.0:
                for tile in range(across * across):
                    masks_out[view, tile, word] = masks_out[view, tile, word] | bit
            continue
        arm = _ball_centre(scene, world, shape, ball) - apex
        local = wp.quat_rotate_inv(turn, arm)
        column = (local[0] * scale + middle) / wp.float32(TILE)
        row = (middle - local[1] * scale) / wp.float32(TILE)
        radius = (ball[3] * 1.0001 + 1.0e-5 * wp.length(arm)) * scale / wp.float32(TILE)
        top = wp.int32(wp.floor(wp.clamp(row - radius, 0.0, wp.float32(across))))
        bottom = wp.int32(wp.ceil(wp.clamp(row + radius, 0.0, wp.float32(across))))
        for y in range(top, bottom):
            beside = row - wp.clamp(row, wp.float32(y), wp.float32(y + 1))
            reach = wp.sqrt(wp.max(radius * radius - beside * beside, 0.0))
            left = wp.int32(wp.floor(wp.clamp(column - reach, 0.0, wp.float32(across))))
            right = wp.int32(wp.ceil(wp.clamp(column + reach, 0.0, wp.float32(across))))
            for x in range(left, right):
                tile = y * across + x
                masks_out[view, tile, word] = masks_out[view, tile, word] | bit


@wp.func
def _hit_distance(
    scene: wp.array(dtype=TracedScene),
    world: wp.int32,
    shape: wp.int32,
    start: wp.vec3f,
    direction: wp.vec3f,
    closest: wp.float32,
    farthest: wp.float32,
):
    """Distance along a line to a shape, normal and place as `hit_shape` says them."""
    turn = scene[0].shapes.rot[world, shape]
    ball = scene[0].shapes.ball[world % scene[0].shapes.ball.shape[0], shape]
    local_start = wp.quat_rotate_inv(turn, start - scene[0].shapes.pos[world, shape])
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
            and along - radius <= farthest
        )
    distance = wp.float32(-1.0)
    normal = wp.vec3f()
    face = wp.int32(-1)
    u = wp.float32(0.0)
    v = wp.float32(0.0)
    if near:
        distance, normal, face, u, v = hit_shape(
            scene[0].shapes.kind[shape],
            scene[0].shapes.size[world % scene[0].shapes.size.shape[0], shape],
            scene[0].shapes.mesh[shape],
            world,
            local_start,
            local_direction,
            closest,
            farthest,
        )
    return distance, normal, face, u, v


@wp.func
def nearest(
    scene: wp.array(dtype=TracedScene),
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
    for k in range(scene[0].masks.shape[2]):
        word = scene[0].masks[view, tile, k]
        shape = 32 * k
        while word != wp.uint32(0):
            if (word & wp.uint32(0xFF)) == wp.uint32(0):
                word = word >> wp.uint32(8)
                shape += 8
                continue
            if (word & wp.uint32(1)) != wp.uint32(0) and shape != skipped:
                distance, normal, on_face, u, v = _hit_distance(
                    scene, world, shape, start, direction, closest, best
                )
                if distance >= closest and distance < best:
                    best = distance
                    found = shape
                    outward = normal
                    face = on_face
                    place_u = u
                    place_v = v
            word = word >> wp.uint32(1)
            shape += 1
    if found < 0:
        best = -1.0
    else:
        outward = wp.quat_rotate(scene[0].shapes.rot[world, found], outward)
    return best, found, outward, face, place_u, place_v


@wp.func
def blocked(
    scene: wp.array(dtype=TracedScene),
    view: wp.int32,
    tile: wp.int32,
    world: wp.int32,
    start: wp.vec3f,
    direction: wp.vec3f,
):
    """Whether anything is along a line."""
    dark = wp.bool(False)
    for k in range(scene[0].masks.shape[2]):
        word = scene[0].masks[view, tile, k]
        shape = 32 * k
        while word != wp.uint32(0) and not dark:
            if (word & wp.uint32(0xFF)) == wp.uint32(0):
                word = word >> wp.uint32(8)
                shape += 8
                continue
            if (word & wp.uint32(1)) != wp.uint32(0):
                distance, _n, _f, _u, _v = _hit_distance(
                    scene, world, shape, start, direction, 0.0, _FAR
                )
                dark = distance >= 0.0
            word = word >> wp.uint32(1)
            shape += 1
    return dark


@wp.func
def nearest_in_sight(
    scene: wp.array(dtype=TracedScene),
    view: wp.int32,
    tile: wp.int32,
    column: wp.float32,
    row: wp.float32,
):
    """Start, direction and farthest distance of a line of sight, and what `nearest` finds on it."""
    start, direction, ahead = sight(scene, view, column, row)
    scale = wp.float32(1.0)
    if scene[0].lenses.kind[view] != FISHEYE:
        # Near and far are along the optical axis, of a fisheye along each line.
        scale = wp.max(ahead, 1.0e-6)
    far = scene[0].lenses.far[view] / scale
    distance, shape, normal, face, u, v = nearest(
        scene,
        view,
        tile,
        scene[0].lenses.world[view],
        start,
        direction,
        scene[0].lenses.near[view] / scale,
        far,
        -1,
    )
    return start, direction, far, distance, shape, normal, face, u, v


@wp.kernel
def trace(
    scene: wp.array(dtype=TracedScene),
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
    _s, _d, _far, distance, shape, normal, face, u, v = nearest_in_sight(
        scene, view, tile, wp.float32(column) + 0.5, wp.float32(row) + 0.5
    )
    if shape < 0:
        distance = wp.inf
    depth_out[view, row, column] = distance
    if all_of_it != 0:
        shape_out[view, row, column] = shape
        normal_out[view, row, column] = normal
        face_out[view, row, column] = face
        place_out[view, row, column] = wp.vec2f(u, v)
