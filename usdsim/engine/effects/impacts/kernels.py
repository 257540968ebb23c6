"""Kernels of impacts: which contacts meet fast, and the impulses that send them back."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

from .law import SWEEPS

__all__ = ["contact_jacobians", "find_impacts", "send_back"]

device.init_kernels(__name__)

_SWEEPS = wp.constant(SWEEPS)
_CONSTRAINT = wp.constant(1)
"""Bit of contacts that bear, unlike those for sensors only."""
_vec5 = wp.types.vector(5, wp.float32)


@wp.func
def _point_velocity(motion: wp.spatial_vector, offset: wp.vec3):
    """Velocity of a point, from the angular and linear one of where the offset starts."""
    return wp.spatial_bottom(motion) + wp.cross(wp.spatial_top(motion), offset)


@wp.func
def _moved(
    world: int,
    geom: int,
    point: wp.vec3,
    rows: wp.array(dtype=wp.int32),
    bodies: wp.array(dtype=wp.int32),
    xpos: wp.array2d(dtype=wp.vec3),
    motion: wp.array2d(dtype=wp.spatial_vector),
):
    """Velocity of a point of a geom on a kinematic body, zero on others."""
    row = rows[geom]
    if row < 0:
        return wp.vec3(0.0)
    return _point_velocity(motion[world, row], point - xpos[world, bodies[row]])


@wp.kernel
def find_impacts(
    # Model:
    geom_bodyid: wp.array(dtype=wp.int32),
    body_rootid: wp.array(dtype=wp.int32),
    bouncing: wp.array(dtype=wp.bool),
    threshold: wp.float32,
    rows: wp.array(dtype=wp.int32),
    bodies: wp.array(dtype=wp.int32),
    # In:
    chosen_in: wp.array(dtype=wp.bool),
    nacon_in: wp.array(dtype=wp.int32),
    xpos_in: wp.array2d(dtype=wp.vec3),
    motion_in: wp.array2d(dtype=wp.spatial_vector),
    subtree_com_in: wp.array2d(dtype=wp.vec3),
    cvel_in: wp.array2d(dtype=wp.spatial_vector),
    dist_in: wp.array(dtype=wp.float32),
    pos_in: wp.array(dtype=wp.vec3),
    frame_in: wp.array(dtype=wp.mat33),
    margin_in: wp.array(dtype=wp.float32),
    geom_in: wp.array(dtype=wp.vec2i),
    kind_in: wp.array(dtype=wp.int32),
    world_in: wp.array(dtype=wp.int32),
    # Out:
    count_inout: wp.array(dtype=wp.int32),
    contact_out: wp.array2d(dtype=wp.int32),
    any_inout: wp.array(dtype=wp.int32),
):
    """Contacts of surfaces that touch, bounce and approach fast; as many as there is room for."""
    contact = wp.tid()
    if contact >= nacon_in[0]:
        return
    world = world_in[contact]
    geoms = geom_in[contact]
    if not chosen_in[world] or (kind_in[contact] & _CONSTRAINT) == 0:
        return
    if geoms[0] < 0 or geoms[1] < 0 or dist_in[contact] >= margin_in[contact]:
        return
    if not bouncing[geoms[0]] or not bouncing[geoms[1]]:
        return
    normal = frame_in[contact][0]
    approach = wp.float32(0.0)
    for side in range(2):
        sign = 2.0 * float(side) - 1.0
        body = geom_bodyid[geoms[side]]
        point = pos_in[contact] + sign * 0.5 * dist_in[contact] * normal
        offset = point - subtree_com_in[world, body_rootid[body]]
        velocity = _point_velocity(cvel_in[world, body], offset)
        velocity += _moved(world, geoms[side], pos_in[contact], rows, bodies, xpos_in, motion_in)
        approach += sign * wp.dot(velocity, normal)
    if approach >= -threshold:
        return
    slot = wp.atomic_add(count_inout, world, 1)
    if slot < contact_out.shape[1]:
        contact_out[world, slot] = contact
    any_inout[0] = 1


@wp.kernel
def contact_jacobians(
    # Model:
    geom_bodyid: wp.array(dtype=wp.int32),
    body_rootid: wp.array(dtype=wp.int32),
    body_isdofancestor: wp.array2d(dtype=wp.int32),
    # In:
    count_in: wp.array(dtype=wp.int32),
    contact_in: wp.array2d(dtype=wp.int32),
    subtree_com_in: wp.array2d(dtype=wp.vec3),
    cdof_in: wp.array2d(dtype=wp.spatial_vector),
    dist_in: wp.array(dtype=wp.float32),
    pos_in: wp.array(dtype=wp.vec3),
    frame_in: wp.array(dtype=wp.mat33),
    geom_in: wp.array(dtype=wp.vec2i),
    # Out:
    jacobian_out: wp.array3d(dtype=wp.float32),
):
    """Normal and tangential velocity of found contacts per velocity; zero where there is none."""
    slot, world, dof = wp.tid()
    value = wp.vec3(0.0)
    if slot < wp.min(count_in[world], contact_in.shape[1]):
        contact = contact_in[world, slot]
        frame = frame_in[contact]
        for side in range(2):
            sign = 2.0 * float(side) - 1.0
            body = geom_bodyid[geom_in[contact][side]]
            if body_isdofancestor[body, dof] != 0:
                # Each surface has its own point: when they met, they were one.
                point = pos_in[contact] + sign * 0.5 * dist_in[contact] * frame[0]
                offset = point - subtree_com_in[world, body_rootid[body]]
                value += sign * (frame * _point_velocity(cdof_in[world, dof], offset))
    for i in range(3):
        jacobian_out[3 * slot + i, world, dof] = value[i]


@wp.func
def _combined(mode: int, a: float, b: float):
    """Restitution of two surfaces; the modes in the order of `core.dialects.physx.COMBINE`."""
    if mode == 0:
        return 0.5 * (a + b)
    if mode == 1:
        return wp.min(a, b)
    if mode == 2:
        return a * b
    return wp.max(a, b)


@wp.func
def _held(
    world: int,
    geoms: wp.vec2i,
    acting: float,
    pairs: wp.array(dtype=wp.vec2i),
    static: wp.array2d(dtype=wp.float32),
    dynamic: wp.array2d(dtype=wp.float32),
):
    """Static and dynamic friction of two geoms."""
    found = wp.vec2(acting, acting)
    for i in range(pairs.shape[0]):
        pair = pairs[i]
        if (pair[0] == geoms[0] and pair[1] == geoms[1]) or (
            pair[0] == geoms[1] and pair[1] == geoms[0]
        ):
            found = wp.vec2(static[world, i], dynamic[world, i])
    return found


@wp.func
def _push(
    world: int,
    row: int,
    rows: int,
    amount: float,
    block: wp.array3d(dtype=wp.float32),
    after: wp.array2d(dtype=wp.float32),
):
    for i in range(rows):
        after[world, i] = after[world, i] + amount * block[world, i, row]


@wp.kernel
def send_back(
    # Model:
    timestep: wp.array(dtype=wp.float32),
    modes: wp.array(dtype=wp.int32),
    restitution: wp.array2d(dtype=wp.float32),
    geom_rows: wp.array(dtype=wp.int32),
    bodies: wp.array(dtype=wp.int32),
    pairs: wp.array(dtype=wp.vec2i),
    # In:
    static_in: wp.array2d(dtype=wp.float32),
    dynamic_in: wp.array2d(dtype=wp.float32),
    xpos_in: wp.array2d(dtype=wp.vec3),
    motion_in: wp.array2d(dtype=wp.spatial_vector),
    count_in: wp.array(dtype=wp.int32),
    contact_in: wp.array2d(dtype=wp.int32),
    pos_in: wp.array(dtype=wp.vec3),
    frame_in: wp.array(dtype=wp.mat33),
    surface_in: wp.array(dtype=wp.vec3),
    dist_in: wp.array(dtype=wp.float32),
    margin_in: wp.array(dtype=wp.float32),
    friction_in: wp.array(dtype=_vec5),
    geom_in: wp.array(dtype=wp.vec2i),
    jacobian_in: wp.array3d(dtype=wp.float32),
    response_in: wp.array3d(dtype=wp.float32),
    # Out:
    block_out: wp.array3d(dtype=wp.float32),
    before_out: wp.array2d(dtype=wp.float32),
    after_out: wp.array2d(dtype=wp.float32),
    impulse_out: wp.array2d(dtype=wp.float32),
    limits_out: wp.array2d(dtype=wp.vec2),
    moved_out: wp.array2d(dtype=wp.float32),
    qvel_inout: wp.array2d(dtype=wp.float32),
    hit_out: wp.array(dtype=wp.bool),
):
    """Impulses by Newton's law and Coulomb's, as `law.impulses` has them; one thread per world."""
    world = wp.tid()
    count = wp.min(count_in[world], contact_in.shape[1])
    hit_out[world] = count > 0
    if count == 0:
        return
    nv = qvel_inout.shape[1]
    rows = 3 * count
    for k in range(count):
        contact = contact_in[world, k]
        acting = friction_in[contact][0]
        limits_out[world, k] = _held(world, geom_in[contact], acting, pairs, static_in, dynamic_in)
    for i in range(rows):
        contact = contact_in[world, i // 3]
        # Belts rub with the velocity of their surface, and kinematic bodies hit with theirs.
        speed = wp.float32(0.0)
        if i % 3 > 0:
            speed = surface_in[contact][i % 3 - 1]
        else:
            for side in range(2):
                geom = geom_in[contact][side]
                point = pos_in[contact]
                velocity = _moved(world, geom, point, geom_rows, bodies, xpos_in, motion_in)
                speed += (2.0 * float(side) - 1.0) * wp.dot(velocity, frame_in[contact][0])
        for dof in range(nv):
            speed += jacobian_in[i, world, dof] * qvel_inout[world, dof]
        before_out[world, i] = speed
        after_out[world, i] = speed
        impulse_out[world, i] = 0.0
        for j in range(rows):
            total = wp.float32(0.0)
            for dof in range(nv):
                total += jacobian_in[i, world, dof] * response_in[j, world, dof]
            block_out[world, i, j] = total
    for _sweep in range(_SWEEPS):
        for k in range(count):
            contact = contact_in[world, k]
            geoms = geom_in[contact]
            own = world % restitution.shape[0]
            e = _combined(
                wp.max(modes[geoms[0]], modes[geoms[1]]),
                restitution[own, geoms[0]],
                restitution[own, geoms[1]],
            )
            n = 3 * k
            old = impulse_out[world, n]
            target = after_out[world, n] + e * before_out[world, n]
            new = wp.max(0.0, old - target / wp.max(block_out[world, n, n], 1.0e-20))
            impulse_out[world, n] = new
            _push(world, n, rows, new - old, block_out, after_out)
            stiffness = wp.max(block_out[world, n + 1, n + 1], block_out[world, n + 2, n + 2])
            stiffness = wp.max(stiffness, 1.0e-20)
            x = impulse_out[world, n + 1] - after_out[world, n + 1] / stiffness
            y = impulse_out[world, n + 2] - after_out[world, n + 2] / stiffness
            size = wp.sqrt(x * x + y * y)
            limits = limits_out[world, k]
            if size > limits[0] * new:
                x *= limits[1] * new / size
                y *= limits[1] * new / size
            _push(world, n + 1, rows, x - impulse_out[world, n + 1], block_out, after_out)
            _push(world, n + 2, rows, y - impulse_out[world, n + 2], block_out, after_out)
            impulse_out[world, n + 1] = x
            impulse_out[world, n + 2] = y
    step = timestep[world % timestep.shape[0]]
    for dof in range(nv):
        change = wp.float32(0.0)
        moved = wp.float32(0.0)
        for k in range(count):
            contact = contact_in[world, k]
            depth = margin_in[contact] - dist_in[contact]
            since = wp.clamp(-depth / wp.min(before_out[world, 3 * k], -1.0e-9), 0.0, step)
            for i in range(3 * k, 3 * k + 3):
                part = impulse_out[world, i] * response_in[i, world, dof]
                change += part
                moved += since * part
        qvel_inout[world, dof] = qvel_inout[world, dof] + change
        moved_out[world, dof] = moved
