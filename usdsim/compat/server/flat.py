"""Flat layout of links: prims beside each other, as in the files of Isaac Lab's server."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path

from pxr import Sdf, Usd, UsdGeom

from usdsim.core.errors import StageError
from usdsim.core.transaction import replacing
from usdsim.usd.schemas import has_api
from usdsim.usd.xforms import relative_pose, set_local_pose

__all__ = ["flatten_links"]


def flatten_links(
    file: str | Path, scopes: Mapping[str, str] | None = None, shapes: str = "visuals"
) -> str:
    """Write a robot's file anew with its links beside each other, below the robot's prim.

    Poses and what refers to links stay as they are, so that the robot moves as before. Links whose
    name another prim beside them has are left below those that carry them. Shapes of a link lie
    together in a prim of their own, which programs aim sensors at.

    Args:
        file: USD file of one layer, whose default prim is the robot.
        scopes: names of prims below the robot's that links lie in, by pattern of links.
        shapes: name of the prim below each link that its shapes lie in.

    Returns:
        Path of the new file, beside the other.

    Raises:
        StageError: a prim cannot be moved.
    """
    layer = Sdf.Layer.OpenAsAnonymous(str(file))
    stage = Usd.Stage.Open(layer)
    robot = stage.GetDefaultPrim()
    links = [
        prim.GetPath()
        for prim in Usd.PrimRange(robot)
        if prim != robot and has_api(prim, "PhysicsRigidBodyAPI")
    ]
    poses = [relative_pose(stage.GetPrimAtPath(path), robot)[0] for path in links]
    moved: dict[Sdf.Path, Sdf.Path] = {}
    for path, pose in zip(links, poses, strict=True):
        above = next((p for p in path.GetPrefixes()[-2::-1] if p in moved), None)
        now = path if above is None else path.ReplacePrefix(above, moved[above])
        wanted = _scope(stage, robot.GetPath(), path.name, scopes or {}).AppendChild(path.name)
        if now == wanted or stage.GetPrimAtPath(wanted):
            moved[path] = now
            continue
        _move(stage, now, wanted)
        set_local_pose(stage.GetPrimAtPath(wanted), pose)
        moved[path] = wanted
    # Links that stand still are bodies of the file's format alone.
    for link in [prim for prim in Usd.PrimRange(robot) if has_api(prim, "MjcBodyAPI")]:
        for shape in [p.GetPath() for p in link.GetChildren() if p.IsA(UsdGeom.Gprim)]:
            within = UsdGeom.Xform.Define(stage, link.GetPath().AppendChild(shapes)).GetPath()
            _move(stage, shape, within.AppendChild(shape.name))
    place = Path(file).with_stem(f"{Path(file).stem}_flat")
    with replacing(place) as staged:
        layer.Export(str(staged))
    return str(place)


def _move(stage: Usd.Stage, path: Sdf.Path, place: Sdf.Path) -> None:
    """Move a prim, and what refers to it."""
    editor = Usd.NamespaceEditor(stage)
    if not (editor.MovePrimAtPath(path, place) and editor.ApplyEdits()):
        raise StageError(f"{path} of the robot cannot be moved to {place}. Rename it.")


def _scope(stage: Usd.Stage, robot: Sdf.Path, link: str, scopes: Mapping[str, str]) -> Sdf.Path:
    """The prim that a link is to lie directly below."""
    name = next((name for pattern, name in scopes.items() if fnmatch(link, pattern)), None)
    if name is None:
        return robot
    return UsdGeom.Xform.Define(stage, robot.AppendChild(name)).GetPath()
