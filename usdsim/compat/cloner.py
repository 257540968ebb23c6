"""Cloner: grids of environments, and copies of prims by number."""

from __future__ import annotations

import importlib
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from pxr import Sdf, Usd

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.math.transforms import Pose
from usdsim.sim.environments.finding import find_environments
from usdsim.spawners import filter_collisions as _filter_collisions
from usdsim.spawners import grid_origins
from usdsim.usd.signatures import group_by_content
from usdsim.usd.xforms import set_local_pose
from usdsim.views.usable import usable

from .settings import Settings

__all__ = [
    "CloneCfg",
    "ClonePlan",
    "disabled_fabric_change_notifies",
    "filter_collisions",
    "get_suffix",
    "grid_transforms",
    "iter_clone_plan_matches",
    "make_clone_plan",
    "newton_physics_replicate",
    "ovphysx_replicate",
    "physx_replicate",
    "random",
    "resolve_clone_plan_source",
    "scene_plan",
    "sequential",
    "usd_replicate",
]


class CloneCfg(Settings):
    """Settings of how environments are copied: worlds of one model need none."""


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


def get_suffix(path_expr: str, destination_template: str) -> str | None:
    """Rest of a path expression below a place of copies; None: it is not there.

    Args:
        path_expr: path expression, with one for the environment's number.
        destination_template: path of copies, with ``{}`` for the environment's number.
    """
    above, _, below = destination_template.partition("{}")
    place = re.escape(above) + r"[^/]+" + re.escape(below) + r"(?=/|$)"
    start = re.match(place, path_expr)
    return None if start is None else path_expr[start.end() :]


def iter_clone_plan_matches(
    plan: ClonePlan, path_expr: str
) -> Iterator[tuple[str, str, str, tuple[int, ...]]]:
    """Entries of a plan whose copies are above or at the prims of an expression.

    Args:
        plan: the plan.
        path_expr: path expression, with one for the environment's number.

    Yields:
        Source, destination, the path of the expression's prim in the source, and environments.
    """
    below = {destination: get_suffix(path_expr, destination) for destination in plan.destinations}
    nearest = min((len(part) for part in below.values() if part is not None), default=0)
    for row, (source, destination) in enumerate(zip(plan.sources, plan.destinations, strict=True)):
        worlds = tuple(int(i) for i in np.flatnonzero(np.asarray(plan.clone_mask[row].cpu())))
        suffix = below[destination]
        # Copies within copies: those that are the closest to the prims.
        if worlds and suffix is not None and len(suffix) == nearest:
            yield source, destination, source + suffix, worlds


def resolve_clone_plan_source(path_expr: str, plan: ClonePlan) -> tuple[str, str, str] | None:
    """Source of the copies that a path expression is in.

    Args:
        path_expr: path expression, with one for the environment's number.
        plan: the plan.

    Returns:
        Path of the first source, path of the copies with ``*`` for the number, and what the
        expression has below them; None: no copies are there.

    Raises:
        InvalidValueError: copies of several places are there.
        UnsupportedError: some environments have no copy.
    """
    rows = [i for i, to in enumerate(plan.destinations) if get_suffix(path_expr, to) is not None]
    if not rows:
        return None
    places = {plan.destinations[row] for row in rows}
    if len(places) > 1:
        raise InvalidValueError("path_expr", path_expr, f"in copies of one of {sorted(places)}")
    if not plan.clone_mask[rows].any(dim=0).all():
        raise UnsupportedError(
            f"{path_expr} is in no copy of some environments. Give all of them one, or name those "
            "that have it."
        )
    place = places.pop()
    return plan.sources[rows[0]], place.replace("{}", "*"), get_suffix(path_expr, place) or ""


@contextmanager
def disabled_fabric_change_notifies(stage: Usd.Stage, *, restore: bool = True) -> Iterator[None]:
    """Nothing: no notices of a stage wait for what is done in the block."""
    yield


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


def filter_collisions(
    stage: Usd.Stage,
    physicsscene_path: str,
    collision_root_path: str,
    prim_paths: Sequence[str],
    global_paths: Sequence[str] = (),
) -> None:
    """Keep copies from colliding with one another; see `usdsim.spawners.filter_collisions`.

    Args:
        stage: the stage.
        physicsscene_path: physics scene, which is told that groups collide with those they name;
            what is in no group collides with all copies.
        collision_root_path: prim that groups are put below.
        prim_paths: the copies.
        global_paths: what collides with all of them, such as the ground.
    """
    _filter_collisions(prim_paths, global_paths, root=collision_root_path, stage=stage)
    scene = stage.GetPrimAtPath(physicsscene_path)
    if scene:
        scene.AddAppliedSchema("PhysxSceneAPI")
        kind = Sdf.ValueTypeNames.Bool
        scene.CreateAttribute("physxScene:invertCollisionGroupFilter", kind, custom=False).Set(True)


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
    numbers = [int(number) for number in env_ids]
    order = sorted(range(len(sources)), key=lambda i: destinations[i].count("/"))
    for i in order:
        chosen = [n for k, n in enumerate(numbers) if mask is None or bool(mask[i][k])]
        for number in chosen:
            place = None if positions is None else positions[number]
            turn = None if quaternions is None else quaternions[number]
            copy_prim(stage, sources[i], destinations[i].format(number), place, turn)


def physx_replicate(
    stage: Usd.Stage,
    sources: Sequence[str],
    destinations: Sequence[str],
    env_ids: Any,
    mapping: Any,
    positions: Any = None,
    quaternions: Any = None,
    **_: Any,
) -> None:
    """Copies with physics, as `usd_replicate` makes them: what is on the stage is simulated.

    Args:
        stage: the stage.
        sources: paths of the prims to copy.
        destinations: where each goes, with ``{}`` for the number.
        env_ids: the numbers.
        mapping: which of them each source is copied to, shape (sources, numbers).
        positions: not read: places are those of `usd_replicate`.
        quaternions: not read either.
        **_: what other backends need.
    """
    usd_replicate(stage, sources, destinations, env_ids, mapping)


newton_physics_replicate = ovphysx_replicate = physx_replicate


def copy_prim(stage: Usd.Stage, source: str, target: str, place: Any, turn: Any) -> None:
    """Copy a prim within the edit target, unless it is its own copy, and place it.

    Args:
        stage: the stage.
        source: path of the prim.
        target: path of the copy.
        place: position in the parent's frame, in stage units, shape (3,).
        turn: orientation, xyzw, shape (4,). Where both are None, the pose stays as it is; one that
            is None alone is none.
    """
    layer = stage.GetEditTarget().GetLayer()
    Sdf.CreatePrimInLayer(layer, target)
    if target != source:
        Sdf.CopySpec(layer, source, layer, target)
    if place is None and turn is None:
        return
    pos = np.zeros(3) if place is None else np.asarray(place, float)
    quat = np.asarray((0.0, 0.0, 0.0, 1.0) if turn is None else turn, float)
    set_local_pose(stage.GetPrimAtPath(target), Pose(pos, quat))
