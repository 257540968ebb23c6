"""Texture coordinates and samples of shapes, as functions of kernels.

Coordinates are MuJoCo's for each type of shape, so that converted robots look as they did.
"""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

from .intersections import BOX, CAPSULE, CLOTH, CYLINDER, PLANE, SPHERE
from .scene import TracedScene

__all__ = ["LEVELS", "sample_sky", "surface_colour"]

LEVELS = 12
"""Sizes a texture is kept in, each half the one before, or as small as it gets."""

device.init_kernels(__name__)

_TURN = wp.constant(0.15915494309189535)
"""Turns in a radian."""


@wp.func
def _texel(
    scene: wp.array(dtype=TracedScene), start: wp.int32, width: wp.int32, x: wp.int32, y: wp.int32
):
    return wp.vec3f(scene[0].looks.texels[start + y * width + x]) / 255.0


@wp.func
def _bilinear(
    scene: wp.array(dtype=TracedScene),
    texture: wp.int32,
    level: wp.int32,
    u: wp.float32,
    v: wp.float32,
    wrap: wp.bool,
):
    """Colour of a texture at coordinates from 0 to 1."""
    width = wp.max(scene[0].looks.extent[texture][0] >> level, 1)
    height = wp.max(scene[0].looks.extent[texture][1] >> level, 1)
    start = scene[0].looks.address[texture * LEVELS + level]
    x = u * wp.float32(width) - 0.5
    y = v * wp.float32(height) - 0.5
    left = wp.int32(wp.floor(x))
    top = wp.int32(wp.floor(y))
    a = x - wp.float32(left)
    b = y - wp.float32(top)
    right = left + 1
    bottom = top + 1
    if wrap:
        left = (left + width) % width
        right = right % width
        top = (top + height) % height
        bottom = bottom % height
    else:
        left = wp.clamp(left, 0, width - 1)
        right = wp.clamp(right, 0, width - 1)
        top = wp.clamp(top, 0, height - 1)
        bottom = wp.clamp(bottom, 0, height - 1)
    upper = (1.0 - a) * _texel(scene, start, width, left, top)
    upper += a * _texel(scene, start, width, right, top)
    lower = (1.0 - a) * _texel(scene, start, width, left, bottom)
    lower += a * _texel(scene, start, width, right, bottom)
    return (1.0 - b) * upper + b * lower


@wp.func
def sample_sky(scene: wp.array(dtype=TracedScene), direction: wp.vec3f):
    """Colour of the sky in a direction in world."""
    colour = scene[0].looks.background
    if scene[0].looks.sky >= 0:
        # The faces of a cube map, in OpenGL's order, whose y axis is up.
        x = direction[0]
        y = direction[2]
        z = -direction[1]
        face = wp.int32(0)
        s = wp.float32(0.0)
        t = -y
        largest = wp.abs(x)
        if wp.abs(x) >= wp.abs(y) and wp.abs(x) >= wp.abs(z):
            s = -z
            if x < 0.0:
                face = 1
                s = z
        elif wp.abs(y) >= wp.abs(z):
            largest = wp.abs(y)
            face = 2
            s = x
            t = z
            if y < 0.0:
                face = 3
                t = -z
        else:
            largest = wp.abs(z)
            face = 4
            s = x
            if z < 0.0:
                face = 5
                s = -x
        edge = 0.5 / wp.float32(scene[0].looks.extent[scene[0].looks.sky][0])
        row = wp.clamp(0.5 * (t / largest + 1.0), edge, 1.0 - edge)
        column = 0.5 * (s / largest + 1.0)
        colour = _bilinear(
            scene, scene[0].looks.sky, 0, column, (wp.float32(face) + row) / 6.0, False
        )
    return colour


@wp.func
def _around(x: wp.float32, y: wp.float32):
    turn = wp.atan2(y, x) * _TURN
    if turn < 0.0:
        turn += 1.0
    return turn


@wp.func
def _box_uv(size: wp.vec3f, at: wp.vec3f, normal: wp.vec3f):
    x = at[0] / size[0]
    y = at[1] / size[1]
    z = at[2] / size[2]
    s = x
    t = -wp.sign(normal[2]) * y
    if wp.abs(normal[2]) < 0.5:
        t = -z
        s = wp.sign(normal[0]) * y
        if wp.abs(normal[0]) < 0.5:
            s = -wp.sign(normal[1]) * x
    return wp.vec2f(0.5 * (s + 1.0), 0.5 * (t + 1.0))


@wp.func
def _plane_uv(size: wp.vec3f, at: wp.vec3f, repeat: wp.vec2f, uniform: wp.bool):
    x = 0.5 * at[0] * repeat[0]
    y = -0.5 * at[1] * repeat[1]
    offset = wp.float32(0.0)
    if size[0] <= 0.0 or size[1] <= 0.0:
        offset = -0.5
    if size[0] > 0.0:
        x = 0.5 * (at[0] / size[0] + 1.0) * repeat[0]
        if uniform:
            x *= size[0]
    if size[1] > 0.0:
        y = 0.5 * (1.0 - at[1] / size[1]) * repeat[1]
        if uniform:
            y *= size[1]
    return wp.vec2f(x + offset, y + offset)


@wp.func
def _round_uv(kind: wp.int32, size: wp.vec3f, at: wp.vec3f, normal: wp.vec3f):
    """Coordinates on shapes that are round about z."""
    u = _around(at[0], at[1])
    v = wp.float32(0.0)
    if kind == CYLINDER:
        v = 0.5 * (1.0 - at[2] / size[1])
        if wp.abs(normal[2]) > 0.7071:
            u = 0.5 + 0.5 * at[0] / size[0]
            v = 0.5 + 0.5 * at[1] / size[0]
    elif kind == CAPSULE:
        v = 0.5 * (1.0 - at[2] / wp.max(size[1], 1.0e-6))
        over = (wp.abs(at[2]) - size[1]) / size[0]
        if over > 0.0:
            v = 2.0 / 3.14159265 * wp.asin(wp.min(over, 1.0))
            if at[2] > 0.0:
                v = 1.0 - v
    else:
        radii = size
        if kind == SPHERE:
            radii = wp.vec3f(size[0], size[0], size[0])
        ball = wp.normalize(wp.cw_div(at, radii))
        u = _around(ball[0], ball[1])
        v = 0.5 - wp.asin(wp.clamp(ball[2], -1.0, 1.0)) / 3.14159265
    return wp.vec2f(u, v)


@wp.func
def surface_colour(
    scene: wp.array(dtype=TracedScene),
    material: wp.int32,
    shape: wp.int32,
    kind: wp.int32,
    size: wp.vec3f,
    at: wp.vec3f,
    normal: wp.vec3f,
    face: wp.int32,
    place: wp.vec2f,
    footprint: wp.float32,
):
    """Colour of the texture of a shape at a point of its surface, in its frame; white for none."""
    colour = wp.vec3f(1.0, 1.0, 1.0)
    texture = wp.int32(-1)
    if material >= 0:
        texture = scene[0].looks.texture[material]
    if texture >= 0:
        repeat = scene[0].looks.repeat[material]
        uniform = scene[0].looks.uniform[material] != 0
        uv = wp.vec2f(0.5 * at[0] - 0.5, -0.5 * at[1] - 0.5)
        level = wp.int32(0)
        if kind == PLANE:
            uv = _plane_uv(size, at, repeat, uniform)
            density = 0.5 * wp.max(repeat[0], repeat[1])
            if size[0] > 0.0 and not uniform:
                density = 0.5 * wp.max(repeat[0] / size[0], repeat[1] / size[0])
            texels = footprint * density * wp.float32(scene[0].looks.extent[texture][0])
            level = wp.int32(wp.clamp(wp.log2(wp.max(texels, 1.0)) + 0.5, 0.0, float(LEVELS - 1)))
        else:
            if kind == BOX:
                uv = _box_uv(size, at, normal)
            elif face < 0:
                uv = _round_uv(kind, size, at, normal)
            elif kind != CLOTH and scene[0].looks.corner_first[shape] >= 0:
                first = scene[0].looks.corner_first[shape] + 3 * face
                own = (
                    place[0] * scene[0].looks.corner_uv[first]
                    + place[1] * scene[0].looks.corner_uv[first + 1]
                    + (1.0 - place[0] - place[1]) * scene[0].looks.corner_uv[first + 2]
                )
                if wp.isfinite(own[0]):
                    uv = own
                    uniform = wp.bool(False)
            uv = wp.cw_mul(uv, repeat)
            if uniform:
                uv = wp.vec2f(uv[0] * size[0], uv[1] * size[1])
        u = uv[0] - wp.floor(uv[0])
        v = uv[1] - wp.floor(uv[1])
        colour = _bilinear(scene, texture, level, u, v, True)
    return colour
