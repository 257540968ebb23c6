"""Colours of lines of sight: light, shadows, glass and haze, as functions of kernels."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

from .intersections import CLOTH, PLANE
from .kernels import TILE, blocked, nearest, nearest_in_sight, sight
from .scene import ORTHOGRAPHIC, TracedScene
from .texturing import sample_sky, surface_colour

__all__ = ["paint", "refine"]

device.init_kernels(__name__)

_LAYERS = 6
"""Transparent surfaces that are looked through, at most."""


@wp.func
def _in_shadow(
    scene: wp.array(dtype=TracedScene),
    world: wp.int32,
    at: wp.vec3f,
    sun: wp.vec3f,
):
    """Whether something stands between a point and the sun."""
    view = scene[0].lights.shadows + world
    local = wp.quat_rotate_inv(scene[0].lenses.rot[view], at - scene[0].lenses.pos[view])
    column = wp.int32(
        wp.floor(local[0] * scene[0].lenses.focal[view][0] + scene[0].lenses.centre[view][0])
    )
    row = wp.int32(
        wp.floor(-local[1] * scene[0].lenses.focal[view][1] + scene[0].lenses.centre[view][1])
    )
    edge = scene[0].lights.across * TILE
    dark = False
    if column >= 0 and row >= 0 and column < edge and row < edge:
        tile = (row // TILE) * scene[0].lights.across + column // TILE
        dark = blocked(scene, view, tile, world, at, sun)
    return dark


@wp.func
def _lit(
    scene: wp.array(dtype=TracedScene),
    world: wp.int32,
    shape: wp.int32,
    at: wp.vec3f,
    direction: wp.vec3f,
    face_normal: wp.vec3f,
    face: wp.int32,
    place: wp.vec2f,
    footprint: wp.float32,
):
    """Colour of a point of a surface."""
    kind = scene[0].shapes.kind[shape]
    turn = scene[0].shapes.rot[world, shape]
    local = wp.quat_rotate_inv(turn, at - scene[0].shapes.pos[world, shape])
    normal = face_normal
    if scene[0].looks.corner_first[shape] >= 0 and face >= 0:
        corners = wp.vec3i(3 * face, 3 * face + 1, 3 * face + 2)
        if kind == CLOTH:
            mesh = scene[0].shapes.mesh[shape]
            for corner in range(3):
                corners[corner] = wp.mesh_get_index(mesh, 3 * face + corner)
        first = scene[0].looks.corner_first[shape]
        smooth = (
            place[0] * scene[0].looks.corner_normal[first + corners[0]]
            + place[1] * scene[0].looks.corner_normal[first + corners[1]]
            + (1.0 - place[0] - place[1]) * scene[0].looks.corner_normal[first + corners[2]]
        )
        if kind == CLOTH and wp.dot(smooth, wp.quat_rotate_inv(turn, face_normal)) < 0.0:
            smooth = -smooth
        if wp.length_sq(smooth) > 0.25:
            normal = wp.quat_rotate(turn, wp.normalize(smooth))
    rgba = scene[0].shapes.rgba[world % scene[0].shapes.rgba.shape[0], shape]
    size = scene[0].shapes.size[world % scene[0].shapes.size.shape[0], shape]
    slant = wp.max(-wp.dot(direction, face_normal), 0.02)
    material = scene[0].looks.material[world % scene[0].looks.material.shape[0], shape]
    painted = surface_colour(
        scene,
        material,
        shape,
        kind,
        size,
        local,
        wp.quat_rotate_inv(turn, face_normal),
        face,
        place,
        footprint / slant,
    )
    gloss = wp.vec3f(0.5, 64.0, 0.0)
    if material >= 0:
        gloss = scene[0].looks.gloss[material]
    sun = scene[0].lights.sun[world % scene[0].lights.sun.shape[0]]
    sunny = wp.max(wp.dot(normal, sun), 0.0)
    glint = wp.float32(0.0)
    if sunny > 0.0:
        if scene[0].lights.shadows >= 0:
            step = 1.0e-4 * (
                1.0 + wp.length(at - scene[0].lenses.pos[scene[0].lights.shadows + world]) * 0.1
            )
            if _in_shadow(scene, world, at + step * face_normal, sun):
                sunny = wp.float32(0.0)
        if sunny > 0.0 and gloss[0] > 0.0:
            halfway = wp.max(wp.dot(normal, wp.normalize(sun - direction)), 0.0)
            glint = scene[0].lights.glint * gloss[0] * wp.pow(halfway, gloss[1])
    light = scene[0].lights.ambient[world % scene[0].lights.ambient.shape[0]]
    light += sunny * scene[0].lights.sun_colour[world % scene[0].lights.sun_colour.shape[0]]
    fill = wp.vec3f(-sun[0], -sun[1], sun[2])
    light += wp.max(wp.dot(normal, fill), 0.0) * scene[0].lights.fill_colour
    bright = scene[0].lights.brightness[world % scene[0].lights.brightness.shape[0]]
    light = wp.cw_mul(light, bright) + wp.vec3f(gloss[2], gloss[2], gloss[2])
    colour = wp.vec3f(rgba[0], rgba[1], rgba[2])
    colour = wp.cw_mul(wp.cw_mul(colour, light) + glint * bright, painted)
    colour = wp.min(colour, wp.vec3f(1.0, 1.0, 1.0))
    return colour


@wp.func
def _line_colour(
    scene: wp.array(dtype=TracedScene),
    view: wp.int32,
    tile: wp.int32,
    start: wp.vec3f,
    direction: wp.vec3f,
    farthest: wp.float32,
    distance: wp.float32,
    shape: wp.int32,
    normal: wp.vec3f,
    face: wp.int32,
    place: wp.vec2f,
):
    """Red, green, blue and cover of a line of sight that first meets a shape at a distance."""
    world = scene[0].lenses.world[view]
    pixel = 1.0 / scene[0].lenses.focal[view][1]
    colour = wp.vec3f()
    through = wp.float32(1.0)
    best = distance
    hit = shape
    outward = normal
    on_face = face
    on_place = place
    for _layer in range(_LAYERS):
        if hit < 0:
            break
        width = pixel
        if scene[0].lenses.kind[view] != ORTHOGRAPHIC:
            width = pixel * best
        at = start + best * direction
        seen = _lit(
            scene,
            world,
            hit,
            at,
            direction,
            outward,
            on_face,
            on_place,
            width,
        )
        if scene[0].shapes.kind[hit] == PLANE:
            size = scene[0].shapes.size[world % scene[0].shapes.size.shape[0], hit]
            if size[0] <= 0.0 and scene[0].lights.haze_to > 0.0:
                span = scene[0].lights.haze_to - scene[0].lights.haze_from
                fog = wp.clamp((best - scene[0].lights.haze_from) / span, 0.0, 1.0)
                seen = (1.0 - fog) * seen + fog * scene[0].lights.haze
        alpha = wp.min(scene[0].shapes.rgba[world % scene[0].shapes.rgba.shape[0], hit][3], 1.0)
        colour += through * alpha * seen
        through *= 1.0 - alpha
        if through < 0.01:
            break
        past = best + 1.0e-4 * (1.0 + best)
        skipped = hit
        best, hit, outward, on_face, u, v = nearest(
            scene, view, tile, world, start, direction, past, farthest, skipped
        )
        on_place = wp.vec2f(u, v)
    if through > 0.0:
        colour += through * sample_sky(scene, direction)
    return wp.vec4f(colour[0], colour[1], colour[2], 1.0 - through)


@wp.kernel
def paint(
    scene: wp.array(dtype=TracedScene),
    first: wp.int32,
    height: wp.int32,
    across: wp.int32,
    depth_in: wp.array3d(dtype=wp.float32),
    shape_in: wp.array3d(dtype=wp.int32),
    normal_in: wp.array3d(dtype=wp.vec3f),
    face_in: wp.array3d(dtype=wp.int32),
    place_in: wp.array3d(dtype=wp.vec2f),
    colour_out: wp.array3d(dtype=wp.vec4f),
):
    """Colours of pixels whose first shape is known."""
    line, column = wp.tid()
    line += first
    view = line // height
    row = line % height
    tile = (row // TILE) * across + column // TILE
    start, direction, _ahead = sight(scene, view, wp.float32(column) + 0.5, wp.float32(row) + 0.5)
    colour_out[view, row, column] = _line_colour(
        scene,
        view,
        tile,
        start,
        direction,
        scene[0].lenses.far[view],
        depth_in[view, row, column],
        shape_in[view, row, column],
        normal_in[view, row, column],
        face_in[view, row, column],
        place_in[view, row, column],
    )


@wp.func
def _differs(a: wp.vec4f, b: wp.vec4f, threshold: wp.float32):
    change = a - b
    return wp.dot(change, change) > threshold * threshold


@wp.kernel
def refine(
    scene: wp.array(dtype=TracedScene),
    first: wp.int32,
    height: wp.int32,
    across: wp.int32,
    samples: wp.int32,
    threshold: wp.float32,
    colour_in: wp.array3d(dtype=wp.vec4f),
    colour_out: wp.array3d(dtype=wp.vec4f),
):
    """Means over several lines of sight for pixels that differ from a neighbour."""
    line, column = wp.tid()
    line += first
    view = line // height
    row = line % height
    width = colour_in.shape[2]
    own = colour_in[view, row, column]
    rough = False
    for k in range(4):
        x = column + (k % 2) * (2 * (k // 2) - 1)
        y = row + ((k + 1) % 2) * (2 * (k // 2) - 1)
        if x >= 0 and y >= 0 and x < width and y < height:
            rough = rough or _differs(own, colour_in[view, y, x], threshold)
    if rough:
        tile = (row // TILE) * across + column // TILE
        total = wp.vec4f()
        step = 1.0 / wp.float32(samples)
        for k in range(samples * samples):
            start, direction, far, best, shape, normal, face, u, v = nearest_in_sight(
                scene,
                view,
                tile,
                wp.float32(column) + step * (wp.float32(k % samples) + 0.5),
                wp.float32(row) + step * (wp.float32(k // samples) + 0.5),
            )
            total += _line_colour(
                scene,
                view,
                tile,
                start,
                direction,
                far,
                best,
                shape,
                normal,
                face,
                wp.vec2f(u, v),
            )
        own = total * (step * step)
    colour_out[view, row, column] = own
