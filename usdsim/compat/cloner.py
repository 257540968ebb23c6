"""Cloner: grids of environments, and copies of prims by number."""

from __future__ import annotations

import importlib
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from pxr import Sdf, Usd

from usdsim.core.errors import InvalidValueError
from usdsim.math.transforms import Pose
from usdsim.sim.environments.finding import find_environments
from usdsim.spawners import filter_collisions, grid_origins
from usdsim.usd.signatures import group_by_content
from usdsim.usd.xforms import set_local_pose
from usdsim.views.usable import usable

__all__ = [
    "ClonePlan",
    "filter_collisions",
    "grid_transforms",
    "iter_clone_plan_matches",
    "make_clone_plan",
    "random",
    "scene_plan",
    "sequential",
    "usd_replicate",
]


@dataclass(frozen=True, eq=False)
class ClonePlan:
    """Plan of clones: which prims are copied to which environments."""

    sources: tuple[str, ...] = ()
    """Prims that are copied."""
    destinations: tuple[str, ...] = ()
    """Paths of the copies, with ``{}`` for the environment's number, one per source."""
    clone_mask: Any = None
    """Whether a source is copied to an environment, bool, shape (sources, environments)."""


def scene_plan(stage: Usd.Stage, device: Any = "cpu") -> ClonePlan | None:
    """Plan of the clones that a stage has: one row for each content of environments.

    Args:
        stage: the stage.
        device: where the mask is.

    Returns:
        The plan, whose sources are the first environments of each content; None: there are none.
    """
    torch = importlib.import_module("torch")
    environments = find_environments(stage)
    paths = environments.paths
    if not len(paths):
        return None
    groups = group_by_content(stage, paths, environments.scales)
    mask = torch.zeros((len(groups), len(paths)), dtype=torch.bool, device=device)
    for row, group in enumerate(groups):
        mask[row, group.members] = True
    pattern = re.sub(r"\d+$", "{}", paths[0])
    return ClonePlan(
        tuple(paths[group.members[0]] for group in groups), (pattern,) * len(groups), mask
    )


def make_clone_plan(
    sources: Sequence[Sequence[str]],
    destinations: Sequence[str],
    num_clones: int,
    clone_strategy: Callable[..., Any],
    device: Any = "cpu",
) -> tuple[tuple[str, ...], tuple[str, ...], Any]:
    """Plan clones: which variant of each asset every environment gets.

    Args:
        sources: variants of each asset.
        destinations: path of each asset's copies, with ``{}`` for the environment's number.
        num_clones: number of environments.
        clone_strategy: what picks from all combinations of variants, such as `sequential`.
        device: where the mask is.

    Returns:
        Sources, destinations and mask of a `ClonePlan`.
    """
    torch = importlib.import_module("torch")
    combinations = torch.tensor(list(itertools.product(*(range(len(group)) for group in sources))))
    chosen = clone_strategy(combinations, num_clones, device)
    rows = [chosen[:, i] == k for i, group in enumerate(sources) for k in range(len(group))]
    paths = [path for path, group in zip(destinations, sources, strict=True) for _ in group]
    return tuple(itertools.chain(*sources)), tuple(paths), torch.stack(rows).to(device)


def iter_clone_plan_matches(
    plan: ClonePlan, expression: str
) -> Iterator[tuple[str, str, str, tuple[int, ...]]]:
    """Entries of a plan whose copies are above or at the prims of an expression.

    Args:
        plan: the plan.
        expression: path expression, with one for the environment's number.

    Yields:
        Source, destination, the path of the expression's prim in the source, and environments.
    """
    found = {}
    for destination in plan.destinations:
        above, _, below = destination.partition("{}")
        start = re.match(re.escape(above) + r"[^/]+" + re.escape(below) + r"(?=/|$)", expression)
        if start is not None:
            found[destination] = start.end()
    nearest = max(found.values(), default=0)  # copies within copies are the closest to the prims
    for row, (source, destination) in enumerate(zip(plan.sources, plan.destinations, strict=True)):
        worlds = tuple(int(i) for i in np.flatnonzero(np.asarray(plan.clone_mask[row].cpu())))
        if worlds and found.get(destination) == nearest:
            yield source, destination, source + expression[nearest:], worlds


def sequential(combinations: Any, num_clones: int, device: Any = "cpu") -> Any:
    """Combinations of variants for environments, one after the other and from the start again.

    Args:
        combinations: an array whose rows are combinations.
        num_clones: number of environments.
        device: where the result is.

    Returns:
        A row per environment.
    """
    return combinations[np.arange(num_clones) % len(combinations)].to(device)


def random(combinations: Any, num_clones: int, device: Any = "cpu") -> Any:
    """Combinations of variants for environments, drawn by torch; see `sequential`."""
    torch = importlib.import_module("torch")
    return combinations[torch.randint(len(combinations), (num_clones,))].to(device)


_UP = {"x": (2, 0, 1), "y": (1, 2, 0), "z": (0, 1, 2)}
"""Columns of a grid about z that are its coordinates when another axis is up."""


def grid_transforms(
    N: int,
    spacing: float = 1.0,
    up_axis: str = "z",
    device: Any = "cpu",
) -> tuple[Any, Any]:
    """Poses on a square grid about the origin.

    Args:
        N: number of poses.
        spacing: distance of neighbours, in stage units.
        up_axis: the axis across the grid: ``x``, ``y`` or ``z``.
        device: where the tensors live.

    Returns:
        Positions, shape (N, 3), and identity quaternions xyzw, shape (N, 4), as torch tensors.

    Raises:
        InvalidValueError: the axis is another.
    """
    if up_axis.lower() not in _UP:
        raise InvalidValueError("up_axis", up_axis, "one of 'x', 'y', 'z'")
    origins = grid_origins(N, spacing)[:, list(_UP[up_axis.lower()])]
    turns = np.tile([0.0, 0.0, 0.0, 1.0], (N, 1))
    return tuple(_tensor(values, device) for values in (origins, turns))


def _tensor(values: Any, device: Any) -> Any:
    return usable(wp.array(values, dtype=wp.float32, device="cpu")).torch.to(device)


def usd_replicate(
    stage: Usd.Stage,
    sources: Sequence[str],
    destinations: Sequence[str],
    env_ids: Any,
    mask: Any = None,
    positions: Any = None,
    quaternions: Any = None,
) -> None:
    """Copy prims to numbered places, those of few path segments first.

    Args:
        stage: the stage.
        sources: paths of the prims to copy.
        destinations: where each goes, with ``{}`` for the number.
        env_ids: the numbers.
        mask: which of them each source is copied to, shape (sources, numbers); None: all.
        positions: positions by number in the parent's frame, in stage units; None: as copied.
        quaternions: orientations by number, xyzw; None: as copied.
    """
    layer, numbers = stage.GetEditTarget().GetLayer(), [int(number) for number in env_ids]
    order = sorted(range(len(sources)), key=lambda i: destinations[i].count("/"))
    for i in order:
        chosen = [n for k, n in enumerate(numbers) if mask is None or bool(mask[i][k])]
        for number in chosen:
            target = Sdf.Path(destinations[i].format(number))
            Sdf.CreatePrimInLayer(layer, target)
            if str(target) != sources[i]:
                Sdf.CopySpec(layer, Sdf.Path(sources[i]), layer, target)
            prim = stage.GetPrimAtPath(target)
            if positions is None and quaternions is None:
                continue
            place = positions[number] if positions is not None else (0.0, 0.0, 0.0)
            turn = quaternions[number] if quaternions is not None else (0.0, 0.0, 0.0, 1.0)
            set_local_pose(prim, Pose(np.asarray(place, float), np.asarray(turn, float)))
