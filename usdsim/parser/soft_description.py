"""Deformable bodies of the scene description: vertices, elements, material, and what holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .element import ElementDescription

__all__ = ["DeformableDescription", "DeformableKind", "DeformableVisual", "PinDescription"]

Array = NDArray[np.float64]
DeformableKind = Literal["volume", "surface", "curves"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PinDescription:
    """Vertices of a deformable body that are held by a rigid body or the world."""

    path: str
    """Prim path of the attachment."""
    body: int
    """Index of the rigid body; -1: the world."""
    vertices: NDArray[np.int32]
    """Indices of the vertices, shape (k,)."""
    points: Array
    """Positions where they are held in the body's frame [m], shape (k, 3)."""
    movable: bool = False
    """Whether the points of the world that hold them lie elsewhere in other copies of it."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DeformableVisual:
    """A drawn mesh that follows a simulation mesh."""

    path: str
    """Prim path of the drawn mesh."""
    vertices: NDArray[np.int32]
    """Vertices of the element each point is embedded in, shape (points, 4) or (points, 3)."""
    weights: Array
    """Weights of these vertices, which sum to 1, same shape."""
    heights: Array
    """Distance from the plane of a surface element along its normal [m], shape (points,)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DeformableDescription(ElementDescription):
    """A body whose vertices move on their own.

    It is a volume of tetrahedra, a surface of triangles, or curves of straight segments, which are
    rods of circular section that keep their length.
    """

    kind: DeformableKind
    mesh: str
    """Prim path of the simulation mesh."""
    rest_points: Array
    """Undeformed shape, placed as the simulation mesh is, in world [m], shape (vertices, 3)."""
    points: Array
    """Initial positions in world [m], shape (vertices, 3)."""
    velocities: Array
    """Initial velocities in world [m/s], shape (vertices, 3)."""
    elements: NDArray[np.int32]
    """Corners of tetrahedra of positive volume, (elements, 4), of triangles, (elements, 3), or ends
    of segments, (elements, 2)."""
    mass: float
    """Mass of all vertices together [kg]."""
    youngs_modulus: float = 5e7
    """Resistance to stretching, of curves to bending [Pa]; 0: none."""
    poissons_ratio: float = 0.45
    elasticity_damping: float = 0.0
    """Rayleigh damping of the elasticity [s]."""
    thickness: float = 0.0
    """Thickness of surfaces, diameter of curves [m]."""
    bend_modulus: float | None = None
    """Modulus that resists bending of surfaces and curves [Pa]; None: `youngs_modulus`."""
    twist_modulus: float | None = None
    """Modulus that resists twisting of curves [Pa]; None: the shear modulus."""
    friction: float = 0.5
    """Coefficient of sliding friction."""
    collides: bool = True
    self_collision: bool = False
    kinematic: bool = False
    """Moved by the user, not by forces."""
    follows_targets: bool = False
    """Whether vertices can be held at targets while it is simulated."""
    gravity_scale: float = 1.0
    """Factor on gravity: 0 floats."""
    linear_damping: float = 0.0
    """Rate of velocity decay [1/s]."""
    rest_offset: float = 0.0
    """Distance at which surfaces rest [m]."""
    contact_offset: float | None = None
    """Distance at which contacts are generated [m]; None: the engine's default."""
    rgba: Array | None = None
    """Display colour and opacity, shape (4,)."""
    pins: tuple[PinDescription, ...] = ()
    visuals: tuple[DeformableVisual, ...] = ()
