"""Deformable object data."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.aliases import DeformableAliases
from usdsim.assets.common.data import AssetData, Default
from usdsim.views import Quantity
from usdsim.views.nodes import kernels
from usdsim.views.nodes.view import NodeVectors, NodeView
from usdsim.views.quantity import Computed, Launched

__all__ = ["DeformableObjectData"]

_SHAPES = ("engine:flexvert_xpos", "layout:nodes", "layout:corners", "rest:inverse")


def _targets(view: Any) -> NDArray[np.float64]:
    return np.asarray(view.targets())


def _moduli(view: Any) -> NDArray[np.float64]:
    return np.asarray(view.moduli())


class DeformableObjectData(DeformableAliases, AssetData):
    """Data of deformable objects: of vertices (nodes), elements, and of the body as a whole.

    The simulation mesh is what collides, so what is said of the elements of the collision mesh is
    said of the same elements. Elements are undeformed in the rest shape of the mesh; what it is
    turned by is counted from the axes of the body's prim, as the rotation of a rigid body is.
    """

    _view: NodeView

    default_nodal_state_w: Default = Default()
    """States to reset to, as at the start of the simulation: positions and velocities in world
    [m, m/s], shape (num_instances, max_sim_vertices_per_body, 6)."""

    def open_default_state(self) -> None:
        """Take the present state as the one to reset to."""
        self.defaults["default_nodal_state_w"] = wp.clone(self.nodal_state_w)

    # -- vertices ------------------------------------------------------------------------------

    nodal_pos_w: Quantity[wp.array] = NodeVectors(
        kernels.node_positions, (_SHAPES[0], _SHAPES[1]), "node", wp.vec3f,
        field="flexvert_xpos", table="nodes",
    )  # fmt: skip
    """Positions of the vertices in world [m], shape (num_instances, max_sim_vertices_per_body) of
    vec3f."""
    nodal_vel_w: Quantity[wp.array] = NodeVectors(
        kernels.node_velocities, ("engine:qvel", "layout:node_dofs"), "node", wp.vec3f,
        field="qvel", table="free_dofs",
    )  # fmt: skip
    """Velocities of the vertices in world [m/s], shape (num_instances, max_sim_vertices_per_body)
    of vec3f."""
    nodal_state_w: Quantity[wp.array] = Launched(
        kernels.node_states, ("nodal_pos_w", "nodal_vel_w"), "node", wp.float32, 6
    )
    """Positions and velocities of the vertices in world [m, m/s], shape (num_instances,
    max_sim_vertices_per_body, 6)."""
    nodal_kinematic_target: Quantity[wp.array] = Computed(
        _targets, "node", wp.vec4f, version="motion"
    )
    """Kinematic targets of vertices in world, and whether they hold [m, 1], shape (num_instances,
    max_sim_vertices_per_body) of vec4f: a position and 0.0 for a vertex that is held, 1.0 for a
    free one, whose position is where it is now."""

    # -- the body ------------------------------------------------------------------------------

    root_pos_w: Quantity[wp.array] = Launched(kernels.means, ("nodal_pos_w",), "root", wp.vec3f)
    """Means of the positions of the vertices in world [m], shape (num_instances,) of vec3f."""
    root_vel_w: Quantity[wp.array] = Launched(kernels.means, ("nodal_vel_w",), "root", wp.vec3f)
    """Means of the velocities of the vertices in world [m/s], shape (num_instances,) of vec3f."""

    # -- elements ------------------------------------------------------------------------------

    sim_element_deform_gradient_w: Quantity[wp.array] = Launched(
        kernels.gradients, _SHAPES, "element", wp.mat33f
    )
    """Deformation gradients of the elements [1], shape (num_instances, max_sim_elements_per_body)
    of mat33f: what takes vectors of the rest shape, in the prim's axes, to vectors in world.
    Gradients of triangles take their unit normal at rest to the present one, and those of segments
    turn the shortest way."""
    sim_element_quat_w: Quantity[wp.array] = Launched(
        kernels.rotations, ("sim_element_deform_gradient_w",), "element", wp.quatf
    )
    """Rotations of the elements in world [unit quaternion xyzw], shape (num_instances,
    max_sim_elements_per_body) of quatf: the polar factors of their deformation gradients."""
    _moduli: Quantity[wp.array] = Computed(_moduli, "element", wp.vec2f)
    sim_element_stress_w: Quantity[wp.array] = Launched(
        kernels.stresses,
        (_SHAPES[0], "_moduli", *_SHAPES[1:]),
        "element",
        wp.mat33f,
    )
    """Cauchy stresses of the elements in world [Pa], shape (num_instances,
    max_sim_elements_per_body) of mat33f: those of the engine's St. Venant-Kirchhoff material,
    without damping, and of surfaces those in their plane, without bending. Those of
    curves are zero: constraints keep their length."""
