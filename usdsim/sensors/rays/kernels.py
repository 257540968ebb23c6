"""Kernels that cast rays at the shapes of a Warp device's worlds."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import mujoco_warp as mjw
import warp as wp

from usdsim.engine import device
from usdsim.parser.description import APART

__all__ = ["RayTargets", "cast_rays"]

device.init_kernels(__name__)

_ray = mjw._src.ray
_MESH = int(mjw.GeomType.MESH)
_HFIELD = int(mjw.GeomType.HFIELD)


@wp.struct
class RayTargets:
    """Shapes that rays hit, and what they are made of. G shapes of the engine in all."""

    geoms: wp.array(dtype=wp.int32)
    """Geoms that are tested one by one."""
    still: wp.array(dtype=wp.int32)
    """Geoms at the same place in all worlds, as in the hierarchy."""
    hierarchy: wp.uint64
    """Boxes around those that stand still; 0: there are none."""
    kinds: wp.array(dtype=wp.int32)
    """Types, shape (G,)."""
    meshes: wp.array(dtype=wp.uint64)
    """Meshes by their index in the engine; 0: not a target."""
    hfield_size: wp.array(dtype=wp.vec4f)
    hfield_nrow: wp.array(dtype=wp.int32)
    hfield_ncol: wp.array(dtype=wp.int32)
    hfield_adr: wp.array(dtype=wp.int32)
    hfield_data: wp.array(dtype=wp.float32)


@wp.func
def _hit(
    targets: RayTargets,
    geom: wp.int32,
    world: wp.int32,
    pos: wp.vec3f,
    mat: wp.mat33f,
    size: wp.vec3f,
    data: wp.array2d(dtype=wp.int32),
    start: wp.vec3f,
    direction: wp.vec3f,
    farthest: wp.float32,
):
    """Distance along a ray to a shape, negative for none, and the outward normal there."""
    kind = targets.kinds[geom]
    distance = wp.float32(-1.0)
    normal = wp.vec3f()
    if kind == _MESH:
        inverse = wp.transpose(mat)
        query = wp.mesh_query_ray(
            targets.meshes[data[world % data.shape[0], geom]],
            inverse @ (start - pos),
            inverse @ direction,
            farthest,
        )
        if query.result:
            distance = query.t
            normal = mat @ query.normal
    elif kind == _HFIELD:
        distance, normal = _ray.ray_hfield(
            data,
            targets.hfield_size,
            targets.hfield_nrow,
            targets.hfield_ncol,
            targets.hfield_adr,
            targets.hfield_data,
            pos,
            mat,
            start,
            direction,
            geom,
            world,
        )
    else:
        distance, normal = _ray.ray_geom(pos, mat, size, start, direction, kind)
    return distance, normal


@wp.kernel
def cast_rays(
    # Instances:
    rows_in: wp.array(dtype=wp.int32),
    # Engine:
    pos_in: wp.array2d(dtype=wp.vec3f),
    mat_in: wp.array2d(dtype=wp.mat33f),
    size_in: wp.array2d(dtype=wp.vec3f),
    radius_in: wp.array2d(dtype=wp.float32),
    margin_in: wp.array2d(dtype=wp.float32),
    data_in: wp.array2d(dtype=wp.int32),
    # Layout:
    targets: RayTargets,
    matches: wp.int32,
    farthest: wp.float32,
    # In:
    start_in: wp.array2d(dtype=wp.vec3d),
    direction_in: wp.array2d(dtype=wp.vec3d),
    # Out:
    distance_out: wp.array2d(dtype=wp.float64),
    normal_out: wp.array2d(dtype=wp.vec3d),
):
    """Distances along rays to what they hit first, -1 for none, and outward normals there."""
    row, ray = wp.tid()
    instance = rows_in[row]
    world = instance // matches
    start, direction = wp.vec3f(start_in[instance, ray]), wp.vec3f(direction_in[instance, ray])
    nearest = farthest
    outward = wp.vec3f()
    found = wp.bool(False)
    for k in range(targets.geoms.shape[0]):
        geom = targets.geoms[k]
        if margin_in[world % margin_in.shape[0], geom] <= wp.static(APART):
            continue
        pos = pos_in[world, geom]
        radius = radius_in[world % radius_in.shape[0], geom]
        if radius > 0.0:
            arm = pos - start
            along = wp.dot(arm, direction)
            aside = wp.dot(arm, arm) - along * along
            if aside > radius * radius or along < -radius or along - radius > nearest:
                continue
        size = size_in[world % size_in.shape[0], geom]
        distance, normal = _hit(
            targets, geom, world, pos, mat_in[world, geom], size, data_in, start, direction, nearest
        )
        if distance >= 0.0 and distance <= nearest:
            nearest, outward, found = distance, normal, True
    if targets.hierarchy != wp.uint64(0):
        query = wp.bvh_query_ray(targets.hierarchy, start, direction)
        entry = wp.int32(0)
        while wp.bvh_query_next(query, entry, nearest):
            geom = targets.still[entry]
            size = size_in[world % size_in.shape[0], geom]
            distance, normal = _hit(
                targets,
                geom,
                world,
                pos_in[world, geom],
                mat_in[world, geom],
                size,
                data_in,
                start,
                direction,
                nearest,
            )
            if distance >= 0.0 and distance <= nearest:
                nearest, outward, found = distance, normal, True
    distance_out[instance, ray] = wp.float64(-1.0)
    if found:
        distance_out[instance, ray] = wp.float64(nearest)
    normal_out[instance, ray] = wp.vec3d(outward)
