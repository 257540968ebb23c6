"""Visibility of prims."""

from __future__ import annotations

from collections.abc import Iterable

from pxr import Usd, UsdGeom

from usdsim.core.errors import StageError

from .prims import get_prim

__all__ = ["set_visibility"]


def set_visibility(stage: Usd.Stage, paths: Iterable[str], visible: bool) -> None:
    """Show or hide prims and what is below them, in the layer that is edited.

    A prim stays hidden while one above it is.

    Args:
        stage: the stage.
        paths: prim paths.
        visible: whether they are seen.

    Raises:
        StageError: there is no such prim, it is nothing that is seen, or it is inside an instance;
            nothing is changed then.
    """
    prims = [get_prim(stage, path) for path in paths]
    for prim in prims:
        if prim.IsInstanceProxy():
            raise StageError(
                f"{prim.GetPath()} is inside an instance, whose content is shared and cannot be "
                "edited. Make the instance not instanceable."
            )
        if not prim.IsA(UsdGeom.Imageable):
            raise StageError(
                f"{prim.GetPath()} is a {prim.GetTypeName() or 'prim without type'}, which is "
                "neither visible nor hidden. Choose a prim such as an Xform."
            )
    for prim in prims:
        image = UsdGeom.Imageable(prim)
        if visible:
            image.CreateVisibilityAttr(UsdGeom.Tokens.inherited)
            image.GetVisibilityAttr().Set(UsdGeom.Tokens.inherited)
        else:
            image.MakeInvisible()
