"""Cloning: many copies of one environment, authored at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pxr import Gf, Sdf, Usd

from usdsim.core.errors import InvalidValueError, ShapeError, StageError
from usdsim.usd.names import ENVIRONMENT_API
from usdsim.usd.prims import get_prim
from usdsim.usd.stage import stage_or_current
from usdsim.usd.xforms import local_pose

from .place import exists

__all__ = ["clone_environments", "copy_children", "filter_collisions", "grid_origins"]


def grid_origins(num_envs: int, spacing: float) -> NDArray[np.float64]:
    """Origins of environments on a square grid about the world's origin.

    Args:
        num_envs: number of environments.
        spacing: distance of neighbours, in stage units.

    Returns:
        Origins, shape (num_envs, 3), row by row; the first one is the farthest along x.

    Raises:
        InvalidValueError: there is no environment, or the spacing is negative.
    """
    if num_envs < 1:
        raise InvalidValueError("num_envs", num_envs, "1 or more")
    if spacing < 0.0:
        raise InvalidValueError("spacing", spacing, "a distance of 0 or more")
    rows = int(np.ceil(num_envs / int(np.sqrt(num_envs))))
    columns = int(np.ceil(num_envs / rows))
    i, j = np.unravel_index(np.arange(num_envs), (rows, columns))
    origins = np.zeros((num_envs, 3))
    origins[:, 0] = -(i - 0.5 * (rows - 1)) * spacing
    origins[:, 1] = (j - 0.5 * (columns - 1)) * spacing
    return origins


def clone_environments(
    source: str,
    num_envs: int,
    spacing: float = 2.0,
    *,
    origins: ArrayLike | None = None,
    copy: bool = False,
    instanceable: bool = False,
    stage: Usd.Stage | None = None,
) -> list[str]:
    """Copy an environment next to itself, ``env_0`` to ``env_1``, ``env_2`` and so on.

    Args:
        source: the first environment; its name ends with ``_0``.
        num_envs: number of environments, the first one included.
        spacing: distance of neighbours on a grid, in stage units.
        origins: origins instead of a grid, shape (num_envs, 3).
        copy: whether to copy all prims, so that each environment can be edited on its own down to
            the last prim; otherwise they refer to the first one and follow its edits.
        instanceable: whether references share one composed prototype, which is fastest but leaves
            nothing below an environment to edit.
        stage: where; None: the current stage.

    Returns:
        Paths of the environments. All of them, the first one too, are moved to their origins.

    Raises:
        ValueError: there is no such prim, its name does not end with ``_0``, or shapes differ.
    """
    where = stage_or_current(stage)
    prim = get_prim(where, source)
    placed = grid_origins(num_envs, spacing) if origins is None else np.asarray(origins, float)
    if placed.shape != (num_envs, 3):
        raise ShapeError("origins", placed.shape, f"({num_envs}, 3)")
    paths = _paths(prim, num_envs)
    layer = where.GetEditTarget().GetLayer()
    first = layer.GetPrimAtPath(paths[0])
    if first is None:
        raise StageError(f"{source} is not authored in the layer that is edited; nothing to clone.")
    kind = str(prim.GetTypeName()) or "Xform"  # Only what has a type can be placed.
    pose, scale = local_pose(prim)
    orient = Gf.Quatd(float(pose.quat[3]), *map(float, pose.quat[:3]))
    size = None if np.array_equal(scale, np.ones(3)) else Gf.Vec3d(*map(float, scale))
    with Sdf.ChangeBlock():
        first.specifier, first.typeName = Sdf.SpecifierDef, kind
        for i, target in enumerate(paths):
            if i and copy:
                Sdf.CopySpec(layer, paths[0], layer, target)
            spec = Sdf.CreatePrimInLayer(layer, target)
            if i and not copy:
                _refer(spec, first, instanceable)
            _place(spec, i, placed[i], orient, size)
    return [str(p) for p in paths]


def copy_children(stage: Usd.Stage, source: str, *targets: str, copied: bool = False) -> None:
    """Copy what is below an environment to others that lack it.

    Args:
        stage: the stage.
        source: prim path of the environment that has everything.
        targets: prim paths of the others.
        copied: whether others that refer to the first one get copies too, and refer no more.

    Raises:
        StageError: the source is not authored in the layer that is edited.
    """
    layer = stage.GetEditTarget().GetLayer()
    first = layer.GetPrimAtPath(source)
    if first is None:
        raise StageError(f"{source} is not authored in the layer that is edited; nothing to copy.")
    with Sdf.ChangeBlock():
        for target in targets:
            spec = layer.GetPrimAtPath(target)
            refers = spec is not None and bool(spec.referenceList.prependedItems)
            if refers and not copied:
                continue
            for child in first.nameChildren:
                path = Sdf.Path(target).AppendChild(child.name)
                if layer.GetPrimAtPath(path) is None:
                    Sdf.CreatePrimInLayer(layer, path)
                    Sdf.CopySpec(layer, child.path, layer, path)
            if refers:
                spec.referenceList.ClearEdits()


def _paths(prim: Usd.Prim, num_envs: int) -> list[Sdf.Path]:
    """Paths of an environment and of its copies to be."""
    path = prim.GetPath()
    if not path.name.endswith("_0"):
        raise StageError(f"{path} cannot be cloned: name the first environment 'env_0'.")
    parent, stem = path.GetParentPath(), path.name[:-1]
    paths = [parent.AppendChild(f"{stem}{i}") for i in range(num_envs)]
    for other in paths[1:]:
        if exists(prim.GetStage(), str(other)):
            raise StageError(f"A prim at {other} exists already. Remove it before cloning.")
    return paths


def _refer(spec: Sdf.PrimSpec, first: Sdf.PrimSpec, instanceable: bool) -> None:
    spec.specifier = Sdf.SpecifierDef
    spec.typeName = first.typeName
    spec.referenceList.prependedItems = [Sdf.Reference("", first.path)]
    if instanceable:
        spec.instanceable = True


def _place(
    spec: Sdf.PrimSpec,
    index: int,
    origin: NDArray[np.float64],
    orient: Gf.Quatd,
    scale: Gf.Vec3d | None,
) -> None:
    types = Sdf.ValueTypeNames
    position = Gf.Vec3d(*origin.tolist())
    order = ["xformOp:translate", "xformOp:orient"]
    values = [
        ("usdsim:environmentIndex", types.Int, index, True),
        ("usdsim:environmentOrigin", types.Double3, position, True),
        (order[0], types.Double3, position, False),
        (order[1], types.Quatd, orient, False),
    ]
    if scale is not None:
        order.append("xformOp:scale")
        values.append((order[2], types.Double3, scale, False))
    values.append(("xformOpOrder", types.TokenArray, order, True))
    for name, kind, value, uniform in values:
        old = spec.attributes.get(name)
        if old is not None and old.typeName != kind:
            spec.RemoveProperty(old)
            old = None
        variability = Sdf.VariabilityUniform if uniform else Sdf.VariabilityVarying
        (old or Sdf.AttributeSpec(spec, name, kind, variability)).default = value
    applied = spec.GetInfo("apiSchemas").prependedItems
    if ENVIRONMENT_API not in applied:
        spec.SetInfo("apiSchemas", Sdf.TokenListOp.Create([*applied, ENVIRONMENT_API]))


def filter_collisions(
    env_paths: Sequence[str],
    global_paths: Sequence[str] = (),
    *,
    root: str = "/World/collisions",
    stage: Usd.Stage | None = None,
) -> list[str]:
    """Keep environments from colliding with one another, by collision groups.

    The groups are inverted, to OpenUSD: what is in none of them collides with no environment.
    Engines that simulate environments in worlds of their own need no such groups.

    Args:
        env_paths: the environments.
        global_paths: prims that collide with all environments, such as the ground.
        root: prim the groups are put below.
        stage: where; None: the current stage.

    Returns:
        Paths of the groups, the global one last.
    """
    where = stage_or_current(stage)
    layer = where.GetEditTarget().GetLayer()
    names = [f"group_{i}" for i in range(len(env_paths))]
    groups = {f"{root}/{name}": [path] for name, path in zip(names, env_paths, strict=True)}
    if global_paths:
        groups[f"{root}/global_group"] = list(global_paths)
    everyone = list(groups)
    with Sdf.ChangeBlock():
        top = Sdf.CreatePrimInLayer(layer, root)
        top.specifier, top.typeName = Sdf.SpecifierDef, "Scope"
        for path, members in groups.items():
            spec = Sdf.CreatePrimInLayer(layer, path)
            spec.specifier, spec.typeName = Sdf.SpecifierDef, "PhysicsCollisionGroup"
            shared = path == everyone[-1] and bool(global_paths)
            # Inverted: a group collides with the groups it names and with no other.
            mates = everyone if shared else [path, *everyone[-1:]] if global_paths else [path]
            inverted = "physics:invertFilteredGroups"
            flag = spec.attributes.get(inverted) or Sdf.AttributeSpec(
                spec, inverted, Sdf.ValueTypeNames.Bool
            )
            flag.default = True
            for name, targets in (
                ("physics:filteredGroups", mates),
                ("collection:colliders:includes", members),
            ):
                relationship = spec.relationships.get(name) or Sdf.RelationshipSpec(
                    spec, name, custom=False
                )
                relationship.targetPathList.explicitItems = [Sdf.Path(t) for t in targets]
    return everyone
