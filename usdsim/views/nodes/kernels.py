"""Kernels that turn vertices of deformable bodies into what assets report, and write them.

Engine arrays are (world, element); outputs are (instance, element), where instance i is match
i % matches of world i // matches and index tables have a row per match.
"""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device
from usdsim.views.copies.kernels import chosen

__all__ = [
    "gradients",
    "means",
    "node_positions",
    "node_states",
    "node_velocities",
    "release_nodes",
    "rotations",
    "scatter_nodes",
    "stresses",
]

device.init_kernels(__name__)


@wp.kernel
def node_positions(
    # Engine:
    position_in: wp.array2d(dtype=wp.vec3d),
    # Layout:
    nodes: wp.array2d(dtype=wp.int32),
    # Out:
    position_out: wp.array2d(dtype=wp.vec3f),
):
    """Vertices in world."""
    instance, i = wp.tid()
    matches = nodes.shape[0]
    position_out[instance, i] = wp.vec3f(
        position_in[instance // matches, nodes[instance % matches, i]]
    )


@wp.kernel
def node_velocities(
    # Engine:
    qvel_in: wp.array2d(dtype=wp.float64),
    # Layout:
    dofs: wp.array2d(dtype=wp.int32),
    # Out:
    velocity_out: wp.array2d(dtype=wp.vec3f),
):
    """Velocities of vertices in world, of which those without degrees of freedom have none."""
    instance, i = wp.tid()
    matches = dofs.shape[0]
    world, at = instance // matches, dofs[instance % matches, i]
    velocity = wp.vec3d()
    if at >= 0:
        velocity = wp.vec3d(qvel_in[world, at], qvel_in[world, at + 1], qvel_in[world, at + 2])
    velocity_out[instance, i] = wp.vec3f(velocity)


@wp.kernel
def node_states(
    # In:
    position_in: wp.array2d(dtype=wp.vec3f),
    velocity_in: wp.array2d(dtype=wp.vec3f),
    # Out:
    state_out: wp.array3d(dtype=wp.float32),
):
    """Positions and velocities in rows of six numbers."""
    instance, i = wp.tid()
    position, velocity = position_in[instance, i], velocity_in[instance, i]
    for k in range(3):
        state_out[instance, i, k] = position[k]
        state_out[instance, i, 3 + k] = velocity[k]


@wp.kernel
def means(
    # In:
    values_in: wp.array2d(dtype=wp.vec3f),
    # Out:
    mean_out: wp.array2d(dtype=wp.vec3f),
):
    """Means over the vertices of each instance."""
    instance, i = wp.tid()
    first = values_in[instance, 0]
    # Far from the origin, sums of differences keep digits that sums of positions lose.
    total = wp.vec3f()
    for k in range(values_in.shape[1]):
        total += values_in[instance, k] - first
    mean_out[instance, i] = first + total / wp.float32(values_in.shape[1])


@wp.func
def _turned_least(rest: wp.vec3d, now: wp.vec3d) -> wp.mat33d:
    """Gradient of a segment: stretched along its side, and turned the shortest way to it."""
    one, zero = wp.float64(1.0), wp.float64(0.0)
    a, b = wp.normalize(rest), wp.normalize(now)
    across, cosine = wp.cross(a, b), wp.dot(a, b)
    turn = wp.matrix_from_rows(
        wp.vec3d(one, zero, zero), wp.vec3d(zero, one, zero), wp.vec3d(zero, zero, one)
    )
    if cosine > -one:
        turn = turn * cosine + wp.skew(across) + wp.outer(across, across) / (one + cosine)
    else:
        other = wp.vec3d(one, zero, zero)
        if wp.abs(a[0]) > wp.abs(a[1]):
            other = wp.vec3d(zero, one, zero)
        axis = wp.normalize(wp.cross(a, other))
        turn = wp.outer(axis, axis) * wp.float64(2.0) - turn
    return turn + wp.outer(b, a) * (wp.length(now) / wp.length(rest) - one)


@wp.func
def _gradient(
    position: wp.array2d(dtype=wp.vec3d),
    nodes: wp.array2d(dtype=wp.int32),
    corners: wp.array2d(dtype=wp.int32),
    rest: wp.array2d(dtype=wp.mat33d),
    world: int,
    match: int,
    element: int,
) -> wp.mat33d:
    first = position[world, nodes[match, corners[element, 0]]]
    a = position[world, nodes[match, corners[element, 1]]] - first
    if corners[element, 2] < 0:
        # The first row of the inverse is the side at rest, divided by the square of its length.
        row = rest[match, element][0]
        return _turned_least(row / wp.length_sq(row), a)
    b = position[world, nodes[match, corners[element, 2]]] - first
    last = corners[element, 3]
    c = wp.normalize(wp.cross(a, b))
    if last >= 0:
        c = position[world, nodes[match, last]] - first
    return wp.matrix_from_cols(a, b, c) * rest[match, element]


@wp.kernel
def gradients(
    # Engine:
    position_in: wp.array2d(dtype=wp.vec3d),
    # Layout:
    nodes: wp.array2d(dtype=wp.int32),
    corners: wp.array2d(dtype=wp.int32),
    rest: wp.array2d(dtype=wp.mat33d),
    # Out:
    gradient_out: wp.array2d(dtype=wp.mat33f),
):
    """Deformation gradients: what takes a rest shape to the present one."""
    instance, element = wp.tid()
    matches = nodes.shape[0]
    f = _gradient(
        position_in, nodes, corners, rest, instance // matches, instance % matches, element
    )
    gradient_out[instance, element] = wp.mat33f(f)


@wp.kernel
def rotations(
    # In:
    gradient_in: wp.array2d(dtype=wp.mat33f),
    # Out:
    rotation_out: wp.array2d(dtype=wp.quatf),
):
    """Rotations nearest to deformation gradients: their polar factors."""
    instance, element = wp.tid()
    u = wp.mat33f()
    sigma = wp.vec3f()
    v = wp.mat33f()
    wp.svd3(gradient_in[instance, element], u, sigma, v)
    rotation_out[instance, element] = wp.normalize(wp.quat_from_matrix(u * wp.transpose(v)))


@wp.kernel
def stresses(
    # Engine:
    position_in: wp.array2d(dtype=wp.vec3d),
    # In:
    moduli_in: wp.array2d(dtype=wp.vec2f),
    # Layout:
    nodes: wp.array2d(dtype=wp.int32),
    corners: wp.array2d(dtype=wp.int32),
    rest: wp.array2d(dtype=wp.mat33d),
    # Out:
    stress_out: wp.array2d(dtype=wp.mat33f),
):
    """Cauchy stresses of a St. Venant-Kirchhoff material; those of surfaces lie in their plane."""
    instance, element = wp.tid()
    matches = nodes.shape[0]
    f = _gradient(
        position_in, nodes, corners, rest, instance // matches, instance % matches, element
    )
    moduli = moduli_in[instance, element]
    one = wp.identity(n=3, dtype=wp.float64)
    half = wp.float64(0.5)
    strain = half * (wp.transpose(f) * f - one)
    plane = one
    if corners[element, 3] < 0:
        # The last row of the inverse is the unit normal at rest.
        normal = rest[instance % matches, element][2]
        plane = one - wp.outer(normal, normal)
    pressure = wp.float64(moduli[0]) * wp.trace(strain)
    second = pressure * plane + wp.float64(2.0) * wp.float64(moduli[1]) * strain
    stress = f * second * wp.transpose(f) / wp.determinant(f)
    stress_out[instance, element] = wp.mat33f(stress)


@wp.kernel
def scatter_nodes(
    # Selection:
    rows: wp.array(dtype=wp.int32),
    ids: wp.array(dtype=wp.int32),
    row_mask: wp.array(dtype=wp.bool),
    id_mask: wp.array(dtype=wp.bool),
    full: wp.bool,
    # In:
    values_in: wp.array3d(dtype=wp.float32),
    first: int,
    # Layout:
    starts: wp.array2d(dtype=wp.int32),
    origins: wp.array2d(dtype=wp.vec3f),
    # Out:
    target_out: wp.array2d(dtype=wp.float32),
):
    """Three components of values of some instances to the coordinates of their free vertices."""
    i, j = wp.tid()
    matches = starts.shape[0]
    row = chosen(i, rows, row_mask, matches * target_out.shape[0])
    node = chosen(j, ids, id_mask, starts.shape[1])
    if row < 0 or node < 0:
        return
    at = starts[row % matches, node]
    if at < 0:
        return
    if full:
        i = row
        j = node
    origin = origins[row % matches, node]
    for k in range(3):
        target_out[row // matches, at + k] = values_in[i, j, first + k] - origin[k]


@wp.kernel
def release_nodes(
    # Selection:
    rows: wp.array(dtype=wp.int32),
    ids: wp.array(dtype=wp.int32),
    row_mask: wp.array(dtype=wp.bool),
    id_mask: wp.array(dtype=wp.bool),
    full: wp.bool,
    # Layout:
    constraints: wp.array2d(dtype=wp.int32),
    # Out:
    active_out: wp.array2d(dtype=wp.bool),
):
    """Switch off what holds the vertices of some instances."""
    i, j = wp.tid()
    matches = constraints.shape[0]
    row = chosen(i, rows, row_mask, matches * active_out.shape[0])
    column = chosen(j, ids, id_mask, constraints.shape[1])
    if row >= 0 and column >= 0:
        active_out[row // matches, constraints[row % matches, column]] = False
