"""Node layout: the engine's elements that are vertices of deformable bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from usdsim.views.layout import AssetLayout, Ids, no_rows

__all__ = ["NodeLayout"]


@dataclass(frozen=True, kw_only=True, eq=False)
class NodeLayout(AssetLayout):
    """Engine indices of deformable bodies, all matches of which are built alike.

    A vertex is free, with three degrees of freedom of its own along the axes of world; or moved,
    being where the user says that it is, if the whole body is kinematic; or pinned to the world.
    """

    nodes: Ids
    """Vertices among those of all flexible bodies, shape (matches, num_vertices)."""
    free: Ids
    """Free vertices, shape (num_free,)."""
    free_qpos: Ids = field(default_factory=no_rows)
    """Position coordinates of free vertices, shape (matches, 3 * num_free)."""
    free_dofs: Ids = field(default_factory=no_rows)
    """Their degrees of freedom, same shape."""
    free_rows: Ids = field(default_factory=no_rows)
    """Constraints that hold them at targets, one for each coordinate, same shape."""
    node_qpos: Ids = field(default_factory=no_rows)
    """First position coordinate of each vertex, -1 unless it is free, like `nodes`."""
    node_dofs: Ids = field(default_factory=no_rows)
    """First degree of freedom of each vertex, -1 unless it is free, like `nodes`."""
    origins: NDArray[np.float64]
    """World positions of vertices with coordinates of zero [m], (matches, num_vertices, 3)."""
    moved: Ids
    """Vertices that the user moves, shape (num_moved,)."""
    moved_mocaps: Ids = field(default_factory=no_rows)
    """Mocap indices of their positions, shape (matches, num_moved)."""
    corners: Ids
    """Vertices of each element, shape (num_elements, 4); the last is -1 for triangles, and the last
    two for segments of curves."""
    rest_shapes: NDArray[np.float64]
    """Shape of each element at rest: columns from its first corner to the others, in axes of the
    prim [m], shape (matches, num_elements, 3, 3); the last of a triangle is its unit normal,
    the last two of a segment are unit vectors across it."""
    stiffness: Ids
    """First stiffness number of each element in the engine, shape (matches, num_elements)."""
    thickness: float = 0.0
    """Thickness of surfaces [m]; 0: a volume or curves."""

    @property
    def matches(self) -> int:
        """Instances in each world."""
        return int(self.nodes.shape[0])

    @property
    def num_roots(self) -> int:
        """One: each instance is one body."""
        return 1

    @property
    def num_vertices(self) -> int:
        """Number of vertices of each instance."""
        return int(self.nodes.shape[1])

    @property
    def num_elements(self) -> int:
        """Number of tetrahedra, triangles or segments of each instance."""
        return int(self.corners.shape[0])
