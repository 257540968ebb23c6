"""Traced scene: shapes, lenses, looks and lights as kernels read them.

All of it is one row of an array: on the CPU, arguments of functions are copied with each call, and
these hold dozens of arrays.
"""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = [
    "FISHEYE",
    "LENS_KINDS",
    "ORTHOGRAPHIC",
    "Lenses",
    "Lights",
    "Looks",
    "ShapeColumns",
    "TracedScene",
]

device.init()

ORTHOGRAPHIC, FISHEYE = 1, 2
LENS_KINDS = {"pinhole": 0, "orthographic": ORTHOGRAPHIC, "fisheye": FISHEYE}
"""Numbers of projections by name; a fisheye is equidistant."""


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
    """Numbers of `LENS_KINDS`."""
    near: wp.array(dtype=wp.float32)
    """Depth below which nothing is seen [m]."""
    far: wp.array(dtype=wp.float32)
    """Depth beyond which nothing is seen [m]."""


@wp.struct
class Looks:
    """Materials and textures of shapes. M materials, T textures."""

    material: wp.array2d(dtype=wp.int32)
    """Materials of shapes, -1: none, shape (W or 1, S)."""
    texture: wp.array(dtype=wp.int32)
    """Textures of materials, -1: none, shape (M,)."""
    repeat: wp.array(dtype=wp.vec2f)
    """Repetitions of textures over a shape, or over a metre, shape (M,)."""
    uniform: wp.array(dtype=wp.int32)
    """Whether repetition is over a metre, shape (M,)."""
    gloss: wp.array(dtype=wp.vec3f)
    """Specular reflection, its exponent, and emission, shape (M,)."""
    address: wp.array(dtype=wp.int32)
    """First of the `texels` of textures, shape (T * LEVELS,), one per halving of their size."""
    extent: wp.array(dtype=wp.vec2i)
    """Width and height of textures [texels], shape (T,)."""
    texels: wp.array(dtype=wp.vec3ub)
    """All textures."""
    sky: wp.int32
    """Texture of the sky, its six faces below one another; -1: there is none."""
    background: wp.vec3f
    """Colour where nothing is."""
    corner_first: wp.array(dtype=wp.int32)
    """First corner of a shape's mesh, -1: it has none, shape (S,)."""
    corner_normal: wp.array(dtype=wp.vec3f)
    """Normals at corners of faces, of soft meshes at vertices, in the shape's frame."""
    corner_uv: wp.array(dtype=wp.vec2f)
    """Texture coordinates at corners of faces; infinite: none."""


@wp.struct
class Lights:
    """A sun that casts shadows, a soft light from the other side, and haze.

    Arrays have one row for all worlds, or one for each.
    """

    sun: wp.array(dtype=wp.vec3f)
    """Direction towards the sun; the soft light comes from the other side."""
    sun_colour: wp.array(dtype=wp.vec3f)
    ambient: wp.array(dtype=wp.vec3f)
    """Light from everywhere."""
    fill_colour: wp.vec3f
    """Light from the other side."""
    glint: wp.float32
    """Strength of the sun's mirror image."""
    shadows: wp.int32
    """First view of those that look from the sun, one for each world; negative: no shadows."""
    across: wp.int32
    """Tiles in a row of those views."""
    haze: wp.vec3f
    """Colour of what is far away."""
    haze_from: wp.float32
    haze_to: wp.float32
    """Distances between which endless planes fade [m]."""
    brightness: wp.array(dtype=wp.vec3f)
    """Factor of all light."""


@wp.struct
class TracedScene:
    """All that lines of sight can meet, and how it looks."""

    shapes: ShapeColumns
    lenses: Lenses
    masks: wp.array3d(dtype=wp.uint32)
    """Shapes that may be in each tile of pixels, as bits, shape (N, tiles, words)."""
    looks: Looks
    lights: Lights
