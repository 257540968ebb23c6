"""Joint wrenches transmitted from one body to the next, on a Warp device."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import mujoco_warp as mjw
import warp as wp

from usdsim.engine.device import init_kernels
from usdsim.engine.versions import Versions
from usdsim.engine.warp.step import WarpStep

__all__ = ["WarpWrenches"]

init_kernels(__name__)

_vec6f = wp.types.vector(6, wp.float32)
_NO_GRAVITY = int(mjw.DisableBit.GRAVITY)


@wp.kernel
def _refer_to_bodies(
    # Model:
    roots: wp.array(dtype=wp.int32),
    subtree_sizes: wp.array(dtype=wp.int32),
    mass: wp.array2d(dtype=wp.float32),
    share: wp.array2d(dtype=wp.float32),
    gravity: wp.array(dtype=wp.vec3f),
    falls: wp.float32,
    # In:
    internal_in: wp.array2d(dtype=wp.spatial_vectorf),
    tree_com_in: wp.array2d(dtype=wp.vec3f),
    pos_in: wp.array2d(dtype=wp.vec3f),
    com_in: wp.array2d(dtype=wp.vec3f),
    # Out:
    wrench_out: wp.array2d(dtype=_vec6f),
):
    """Refer wrenches from the tree's centre to the body's origin.

    What makes up for gravity acts on bodies from outside, not through joints.
    """
    world, body = wp.tid()
    if body == 0:
        wrench_out[world, body] = _vec6f()
        return
    internal = internal_in[world, body]
    origin = pos_in[world, body]
    force = wp.spatial_bottom(internal)
    torque = wp.spatial_top(internal)
    torque += wp.cross(tree_com_in[world, roots[body]] - origin, force)
    down = gravity[world % gravity.shape[0]] * falls
    for other in range(body, body + subtree_sizes[body]):
        part = share[world % share.shape[0], other] * mass[world % mass.shape[0], other]
        carried = -part * down
        force -= carried
        torque -= wp.cross(com_in[world, other] - origin, carried)
    wrench_out[world, body] = _vec6f(force[0], force[1], force[2], torque[0], torque[1], torque[2])


class WarpWrenches:
    """Computes forces and torques between bodies; see `JointEffects.joint_wrenches`.

    Args:
        program: computes the forces they follow from.
        versions: the engine's.

    Attributes:
        array: force and torque on bodies by their parents, along world axes and about the bodies'
            origins [N, N m], shape (num_envs, nbody).
    """

    def __init__(self, program: WarpStep, versions: Versions):
        self._program, self._versions = program, versions
        worlds = program.worlds
        size = worlds.num_envs, worlds.m.nbody
        self.array = wp.zeros(size, dtype=_vec6f, device=worlds.device)
        self._filled = -1

    def fill(self) -> None:
        """Compute them for the current state, if it is another than that of the last call."""
        if self._filled != self._versions.forces:
            self._program.aside("wrenches", self._launch)
            self._filled = self._versions.forces

    def _launch(self) -> None:
        m, d = self._program.worlds.m, self._program.worlds.d
        mjw.rne_postconstraint(m, d)
        wp.launch(
            _refer_to_bodies,
            self.array.shape,
            inputs=[
                m.body_rootid,
                m.body_subtreenum,
                m.body_mass,
                m.body_gravcomp,
                m.opt.gravity,
                0.0 if m.opt.disableflags & _NO_GRAVITY else 1.0,
                d.cfrc_int,
                d.subtree_com,
                d.xpos,
                d.xipos,
            ],
            outputs=[self.array],
            device=self._program.worlds.device,
        )
