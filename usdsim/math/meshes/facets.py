"""Triangles in one plane joined to convex polygons."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .adjacency import twin_edges

__all__ = ["Loop", "facets", "fewest_facets"]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Edge = tuple[int, int]
Loop = list[int]

LEVEL = 1e-5
"""Tolerance of points off a plane, in parts of the mesh's extent."""
STRAIGHT = 1e-6
"""Sine of the angle below which a corner is none."""
ALIKE = 0.99
"""Cosine of the angle between normals of one plane; its points decide, unless it is folded."""
PASSES = 8


def facets(points: Array, faces: Ints, normals: Array) -> list[Loop]:
    """Convex polygons that cover exactly what the triangles cover.

    Triangles are joined greedily, across their longest edges first.

    Args:
        points: shape (n, 3), no two equal.
        faces: shape (m, 3).
        normals: unit normals of the faces, shape (m, 3).

    Returns:
        Corners of each polygon, in order.
    """
    joining = _Joining(points, faces, normals)
    joining.run()
    return [joining.corners(i) for i, loop in enumerate(joining.loops) if loop]


def fewest_facets(points: Array, faces: Ints, normals: Array) -> int:
    """Polygons that `facets` makes at least: each edge within a plane joins two at most.

    Args:
        points: shape (n, 3), no two equal.
        faces: shape (m, 3).
        normals: unit normals of the faces, shape (m, 3).
    """
    twin = twin_edges(faces)
    edge = np.flatnonzero(twin > np.arange(len(twin)))
    level = _is_level(points, faces, normals, edge // 3, twin[edge] // 3)
    return len(faces) - int(level.sum())


def _is_level(
    points: Array, faces: Ints, normals: Array, first: Ints, second: Ints
) -> NDArray[np.bool_]:
    """Whether triangles beside each other lie in one plane."""
    tolerance = LEVEL * float(np.ptp(points, axis=0).max())
    normal = normals[first]
    alike = np.einsum("ij,ij->i", normal, normals[second]) > ALIKE
    offset = points[faces[second]] - points[faces[first, 0]][:, None]
    return alike & (np.abs(np.einsum("ijk,ik->ij", offset, normal)).max(axis=1) <= tolerance)


class _Joining:
    def __init__(self, points: Array, faces: Ints, normals: Array):
        self._points, self._normals = points, normals
        self._tolerance = LEVEL * float(np.ptp(points, axis=0).max())
        self.loops: list[Loop] = faces.tolist()
        self._owner: dict[Edge, int] = {}
        for index, loop in enumerate(self.loops):
            for edge in _edges(loop):
                # Where surfaces cross or are doubled there is no telling what continues what.
                self._owner[edge] = -1 if edge in self._owner else index

    def run(self) -> None:
        """Join until nothing can be joined."""
        edges = self._level_edges()
        lengths = np.linalg.norm(self._points[edges[:, 0]] - self._points[edges[:, 1]], axis=1)
        for a, b in edges[np.argsort(-lengths, kind="stable")].tolist():
            self._join(a, b)
        for _ in range(PASSES):
            left = [owner for a, b in edges.tolist() if (owner := self._owner[a, b]) >= 0]
            if not any([self._grow(index) for index in dict.fromkeys(left)]):
                return

    def _level_edges(self) -> Ints:
        """Edges between triangles of one plane, shape (n, 2); all others join nothing."""
        faces = np.array(self.loops, dtype=np.int64)
        inner = [e for e in self._owner if e[0] < e[1] and e[::-1] in self._owner]
        edges = np.array(inner, dtype=np.int64).reshape(-1, 2)
        sides = np.array([(self._owner[e], self._owner[e[::-1]]) for e in inner], dtype=np.int64)
        first, second = sides.reshape(-1, 2).T
        level = _is_level(self._points, faces, self._normals, first, second)
        level &= (first >= 0) & (second >= 0)
        for a, b in edges[~level].tolist():
            self._owner[a, b] = self._owner[b, a] = -1
        return edges[level]

    def corners(self, index: int) -> Loop:
        """A polygon without the points along its sides."""
        loop = self.loops[index]
        normal = self._normals[index]
        kept = [
            b
            for a, b, c in zip([loop[-1], *loop[:-1]], loop, [*loop[1:], loop[0]], strict=True)
            if self._turn(a, b, c, normal) > STRAIGHT
        ]
        return kept if len(kept) > 2 else loop

    def _grow(self, index: int) -> bool:
        """Join a polygon with neighbours, theirs included; whether there were any."""
        grown = False
        waiting = list(_edges(self.loops[index]))
        while waiting:
            a, b = waiting.pop()
            if self._owner[a, b] != index:
                continue
            gained = self._join(a, b)
            if gained:
                grown = True
                waiting.extend(gained)
        return grown

    def _join(self, a: int, b: int) -> list[Edge]:
        """Join the polygons of edges (a, b) and (b, a) if that is convex; edges of the second."""
        first, second = self._owner[a, b], self._owner.get((b, a), -1)
        if first < 0 or second < 0 or first == second or not self._level(first, second):
            return []
        one, two = self.loops[first], self.loops[second]
        # Convex polygons share one straight chain: from `a` backwards, from `b` forwards.
        i, j = one.index(a), two.index(b)
        before = after = 0
        most = min(len(one), len(two)) - 2
        while before < most and one[i - 1 - before] == two[(j + 2 + before) % len(two)]:
            before += 1
        while after < most and one[(i + 2 + after) % len(one)] == two[j - 1 - after]:
            after += 1
        shared = before + after + 1
        if shared > most + 1:
            return []
        start, end = (i - before) % len(one), (i + 1 + after) % len(one)
        left = [one[(end + k) % len(one)] for k in range(len(one) - shared + 1)]
        right = [two[(j + 1 + before + k) % len(two)] for k in range(len(two) - shared + 1)]
        normal = self._normals[first]
        if self._turn(left[-2], one[start], right[1], normal) < -STRAIGHT:
            return []
        if self._turn(right[-2], one[end], left[1], normal) < -STRAIGHT:
            return []
        chain = [one[(start + k) % len(one)] for k in range(shared + 1)]
        for edge in pairwise(chain):
            self._owner[edge] = self._owner[edge[::-1]] = -1
        self.loops[first], self.loops[second] = left + right[1:-1], []
        gained = list(pairwise(right))
        for edge in gained:
            if self._owner[edge] == second:
                self._owner[edge] = first
        return gained

    def _level(self, first: int, second: int) -> bool:
        """Whether the second polygon is in the plane of the first."""
        normal = self._normals[first]
        if float(normal @ self._normals[second]) < ALIKE:
            return False
        offsets = self._points[self.loops[second]] - self._points[self.loops[first][0]]
        return float(np.abs(offsets @ normal).max()) <= self._tolerance

    def _turn(self, a: int, b: int, c: int, normal: Array) -> float:
        """Sine of the left turn at b on the way from a to c."""
        ux, uy, uz = (self._points[b] - self._points[a]).tolist()
        vx, vy, vz = (self._points[c] - self._points[b]).tolist()
        x, y, z = normal.tolist()
        turn = (uy * vz - uz * vy) * x + (uz * vx - ux * vz) * y + (ux * vy - uy * vx) * z
        size = ((ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz)) ** 0.5
        return float(turn / size) if size else 0.0


def _edges(loop: Loop) -> zip[Edge]:
    return zip(loop, loop[1:] + loop[:1], strict=True)
