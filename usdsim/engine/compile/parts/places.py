"""Places in a joined model: where the rows of its parts go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.mjc_tokens import JOINT, JOINT_POSITIONS

from .partition import FILLER, LANES, GeomAlias, NotJoinable, ScenePart

__all__ = ["Places"]

Ids = NDArray[np.int64]

_WIDTHS = np.array([JOINT_POSITIONS[kind] for kind in JOINT])
"""Positions of a joint, by type."""


class Places:
    """Rows of a joined model by those of its parts, for each size that parts share.

    Rows are in the order of what they belong to: bodies under the world by rank, what is below one
    after it, joints and shapes by body, degrees of freedom by body, entries of matrices by degree
    of freedom, drives and coupled axes by rank, and excludes by their bodies. Other parts than the
    first hold no more than these, and copies of meshes.

    Args:
        parts: the parts.
        models: as they were compiled.
        aliases: shapes of the first part that stand for those of others.
    """

    def __init__(
        self,
        parts: Sequence[ScenePart],
        models: Sequence[mujoco.MjModel],
        aliases: Sequence[GeomAlias],
    ):
        self.models, self._aliases = models, aliases
        self.rows: dict[str, list[Ids]] = {}
        """Row in the joined model of each row of each part, -1: it is left out; by size."""
        self.totals: dict[str, int] = {}
        self._add("nbody", [_ranks(i, *of) for i, of in enumerate(zip(parts, models, strict=True))])
        for name, size, owners in (
            ("njnt", "nbody", "jnt_bodyid"),
            ("ngeom", "nbody", "geom_bodyid"),
            ("ntree", "nbody", "tree_bodyadr"),
            ("nv", "nbody", "dof_bodyid"),
        ):
            self._follow(name, size, [getattr(model, owners) for model in models])
        self._check_lanes()
        self._follow("nq", "njnt", [_runs(_WIDTHS[model.jnt_type]) for model in models])
        self._follow("nmocap", "nbody", [np.flatnonzero(m.body_mocapid >= 0) for m in models])
        self._follow("nM", "nv", [_runs(np.diff(m.dof_Madr, append=m.nM)) for m in models])
        self._follow("nC", "nv", [_runs(model.M_rownnz) for model in models])
        self._follow("nD", "nv", [_runs(model.D_rownnz) for model in models])
        self._add_ordered(parts, "nactuator")
        for name, lengths in (("nu", "ctrlnum"), ("nout", "outnum"), ("na", "actnum")):
            runs = [_runs(getattr(model, f"actuator_{lengths}")) for model in models]
            self._follow(name, "nactuator", runs)
        self._add_ordered(parts, "neq")
        self._add_pairs()
        self._add("nexclude", [self.signatures(part) for part in range(len(models))])
        self._add_volumes()
        self._add_incidence()

    def references(self, size: str, part: int) -> Ids:
        """Indices in the joined model by those in a part; the world is that of all."""
        rows = self.rows[size][part].copy()
        if size == "nbody" and part:
            rows[0] = 0
        elif size == "ngeom" and not part:
            for alias in self._aliases:
                rows[alias.stand_in] = self.rows[size][alias.part][alias.geom]
        return rows

    def _add(self, name: str, owners: list[Ids]) -> None:
        """Place rows by what they belong to: a number that orders, -1: they are left out."""
        flat = np.concatenate(owners)
        kept = np.flatnonzero(flat >= 0)
        rows = np.full(len(flat), -1)
        rows[kept[np.argsort(flat[kept], kind="stable")]] = np.arange(len(kept))
        self.totals[name] = len(kept)
        self.rows[name] = np.split(rows, np.cumsum([len(own) for own in owners])[:-1])

    def _follow(self, name: str, size: str, owners: list[Any]) -> None:
        """Place rows by rows of another size, given for each row of each part."""
        self._add(name, [self.rows[size][p][own] for p, own in enumerate(owners)])

    def _check_lanes(self) -> None:
        """Sums over degrees of freedom must round in the parts as they do in the whole."""
        for rows in self.rows["nv"]:
            own = np.arange(len(rows))
            ends = len(rows) - own, self.totals["nv"] - rows
            alike = (own % LANES == rows % LANES) & np.equal(*(np.minimum(e, LANES) for e in ends))
            if not alike[rows >= 0].all():
                raise NotJoinable("degrees of freedom are not where they were planned")

    def signatures(self, part: int) -> Ids:
        """Signatures of the excludes of a part in the joined model: the two bodies of each."""
        bodies, own = self.references("nbody", part), self.models[part].exclude_signature
        return np.asarray((bodies[own >> 16] << 16) + bodies[own & 0xFFFF])

    def _add_ordered(self, parts: Sequence[ScenePart], name: str) -> None:
        """Place rows by rank; what the first part has besides those with one comes last."""
        owners = [np.array(part.orders[name], np.int64) for part in parts]
        rest = np.arange(getattr(self.models[0], name) - len(owners[0]))
        owners[0] = np.concatenate([owners[0], sum(len(own) for own in owners) + rest])
        if any(len(o) != getattr(m, name) for o, m in zip(owners, self.models, strict=True)):
            raise NotJoinable(f"not all of {name} are known")
        self._add(name, owners)

    def _add_pairs(self) -> None:
        """Contact pairs of the first part, in the order of the bodies that they are between."""
        homes = np.zeros(self.totals["ngeom"], np.int64)
        for part, model in enumerate(self.models):
            rows = self.rows["ngeom"][part]
            kept = rows >= 0
            homes[rows[kept]] = self.references("nbody", part)[model.geom_bodyid[kept]]
        first, geoms = self.models[0], self.references("ngeom", 0)
        ends = np.stack([homes[geoms[ids]] for ids in (first.pair_geom1, first.pair_geom2)])
        ends.sort(axis=0)
        none = [np.zeros(0, np.int64)] * (len(self.models) - 1)
        self._add("npair", [(ends[0] << 16) + ends[1], *none])

    def _add_volumes(self) -> None:
        """Bounding volumes: those of bodies, then those of the meshes of the first part."""
        owners = []
        for part, model in enumerate(self.models):
            found = np.full(model.nbvh, -1 if part else self.totals["nbody"])
            runs = self.rows["nbody"][part][_runs(model.body_bvhnum)]
            found[: len(runs)] = runs
            owners.append(found)
        for name in ("nbvh", "nbvhstatic"):
            self._add(name, owners)

    def _add_incidence(self) -> None:
        """Degrees of freedom by body, without those of the world, which are all."""
        owners = [self.rows["nbody"][p][_runs(m.B_rownnz)] for p, m in enumerate(self.models)]
        for own, model in zip(owners, self.models, strict=True):
            own[: model.B_rownnz[0]] = -1
        self._add("nB", owners)


def _runs(lengths: Any) -> Ids:
    """Index of the element of each row, of elements with so many consecutive rows."""
    return np.repeat(np.arange(len(lengths)), lengths)


def _ranks(index: int, part: ScenePart, model: mujoco.MjModel) -> Ids:
    """Number by which a part's bodies are ordered in the whole; -1: they are left out."""
    roots = np.flatnonzero(model.body_parentid == 0)[1:]
    if len(roots) != len(part.ranks):
        raise NotJoinable("bodies were added to the world of a part")
    ranks = np.array(part.ranks, np.int64)
    found = np.full(model.nbody, -1)
    found[roots] = np.where(ranks == FILLER, -1, 1 + ranks)
    found[1:] = found[model.body_rootid[1:]]
    found[0] = -1 if index else 0
    return found
