"""A stage in several files: an interface over a payload of physics, materials, meshes and so on."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from pxr import Sdf, Usd, UsdUtils

from usdsim.core.errors import FileError

__all__ = ["save_layers"]

_PHYSICS = ("Physics", "Newton", "Mjc", "Physx", "Usdsim")
"""What the names of physical schemas start with."""
_PROPERTIES = ("physics:", "drive:", "limit:", "newton:", "mjc:", "physx", "urdf:", "state:")
"""What the names of physical properties start with."""


def save_layers(stage: Usd.Stage, path: Path) -> Path:
    """Write a stage as an interface file with its contents in a folder beside it.

    The interface holds the default prim, with all contents as a payload: ``physics`` (bodies,
    joints, masses, foreign data), ``materials``, ``geometry``, and ``library`` (shared meshes and
    textures), each a layer of its own.

    Args:
        stage: a stage of one layer with a default prim.
        path: interface file to write; the folder is called like it, with ``_layers``.

    Raises:
        FileError: something cannot be written; what was there before stays.
    """
    folder = path.parent / f"{path.stem}_layers"
    temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.stem}-"))
    try:
        _export(_contents(stage, temporary), temporary / "contents.usda")
        interface = _interface(stage, f"./{folder.name}/contents.usda")
        _export(interface, temporary / f"interface{path.suffix}")
        old = path.parent / f"{temporary.name}.old"
        if folder.exists():
            os.replace(folder, old)
        os.replace(temporary / f"interface{path.suffix}", path)
        os.replace(temporary, folder)
        shutil.rmtree(old, ignore_errors=True)
        folder.chmod(0o755)
    except OSError as error:
        raise FileError(f"Cannot write {str(path)!r}: {error}.") from error
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(temporary)
    for file in (path, *folder.iterdir()):
        opened = Sdf.Layer.Find(str(file))
        if opened is not None:
            opened.Reload(force=True)
    return path


def _export(layer: Sdf.Layer, path: Path) -> None:
    if not layer.Export(str(path)):
        raise FileError(f"Cannot write {str(path)!r}.")


def _contents(stage: Usd.Stage, folder: Path) -> Sdf.Layer:
    """Write the layers of the payload; returns the layer that joins them."""
    root = stage.GetDefaultPrim().GetPath()
    parts: dict[str, Callable[[Sdf.Layer], None]] = {
        "physics": lambda layer: _strip(layer, physical=True),
        "materials": lambda layer: _keep(layer, root.AppendChild("Materials")),
        "geometry": lambda layer: _geometry(layer, root),
        "library": lambda layer: _keep(layer, root.AppendChild("Library")),
    }
    contents = Sdf.Layer.CreateAnonymous("contents.usda")
    UsdUtils.CopyLayerMetadata(stage.GetRootLayer(), contents)
    for name, reduce in parts.items():
        layer = Sdf.Layer.CreateAnonymous(f"{name}.usdc")
        layer.TransferContent(stage.GetRootLayer())
        reduce(layer)
        if not layer.rootPrims:
            continue
        UsdUtils.ModifyAssetPaths(layer, _from_below)
        _export(layer, folder / f"{name}.usdc")
        contents.subLayerPaths.append(f"./{name}.usdc")
    return contents


def _from_below(path: str) -> str:
    return f".{path}" if path.startswith("./") else path


def _interface(stage: Usd.Stage, payload: str) -> Sdf.Layer:
    """Every root prim with the contents as its payload, and what describes the asset."""
    layer = Sdf.Layer.CreateAnonymous("interface.usda")
    UsdUtils.CopyLayerMetadata(stage.GetRootLayer(), layer)
    for source in stage.GetRootLayer().rootPrims:
        prim = Sdf.CreatePrimInLayer(layer, source.path)
        prim.specifier, prim.typeName = source.specifier, source.typeName
        for key in ("kind", "assetInfo"):
            if source.HasInfo(key):
                prim.SetInfo(key, source.GetInfo(key))
        prim.payloadList.Prepend(Sdf.Payload(payload, source.path))
    return layer


def _keep(layer: Sdf.Layer, path: Sdf.Path) -> None:
    """Leave only one prim, below overs of the prims above it."""
    if layer.GetPrimAtPath(path) is None:
        layer.Clear()
        return
    copy = Sdf.Layer.CreateAnonymous()
    Sdf.CreatePrimInLayer(copy, path)
    Sdf.CopySpec(layer, path, copy, path)
    layer.TransferContent(copy)


def _geometry(layer: Sdf.Layer, root: Sdf.Path) -> None:
    for name in ("Materials", "Library"):
        spec = layer.GetPrimAtPath(root.AppendChild(name))
        if spec is not None:
            del layer.GetPrimAtPath(root).nameChildren[name]
    _strip(layer, physical=False)


def _strip(layer: Sdf.Layer, *, physical: bool) -> None:
    """Leave only what is physical, or only what is not; what remains empty is removed."""
    if physical:
        for prim in _bottom_up(layer.pseudoRoot):
            _keep_order(prim)
        for prim in layer.rootPrims:
            for name in ("Materials", "Library"):
                if name in prim.nameChildren:
                    del prim.nameChildren[name]
    for prim in list(_bottom_up(layer.pseudoRoot)):
        own = prim.typeName.startswith(_PHYSICS)
        for spec in list(prim.properties):
            belongs = own or spec.name.startswith(_PROPERTIES)
            if belongs != physical:
                prim.RemoveProperty(spec)
        _split_schemas(prim, physical=physical)
        if own == physical:
            continue
        if own:
            _remove(prim)
            continue
        if physical:
            _reduce_to_over(prim)
    for prim in list(_bottom_up(layer.pseudoRoot)):
        if _is_empty(prim):
            _remove(prim)


def _bottom_up(prim: Sdf.PrimSpec) -> Iterator[Sdf.PrimSpec]:
    for child in list(prim.nameChildren):
        yield from _bottom_up(child)
        yield child


def _keep_order(prim: Sdf.PrimSpec) -> None:
    """State the order of children that will come from different layers."""
    names = [child.name for child in prim.nameChildren]
    mixed = {child.typeName.startswith(_PHYSICS) for child in prim.nameChildren}
    if len(mixed) > 1 or "Library" in names:
        prim.nameChildrenOrder = names


def _split_schemas(prim: Sdf.PrimSpec, *, physical: bool) -> None:
    if not prim.HasInfo("apiSchemas"):
        return
    schemas = prim.GetInfo("apiSchemas").GetAppliedItems()
    mine = [name for name in schemas if name.startswith(_PHYSICS) == physical]
    if mine:
        operation = Sdf.TokenListOp()
        operation.prependedItems = mine
        prim.SetInfo("apiSchemas", operation)
    else:
        prim.ClearInfo("apiSchemas")


def _reduce_to_over(prim: Sdf.PrimSpec) -> None:
    """Take everything off a prim that the geometry layer states."""
    for key in list(prim.ListInfoKeys()):
        if key not in ("specifier", "apiSchemas", "primOrder"):
            prim.ClearInfo(key)
    prim.specifier = Sdf.SpecifierOver


def _is_empty(prim: Sdf.PrimSpec) -> bool:
    return (
        prim.specifier == Sdf.SpecifierOver
        and not prim.nameChildren
        and not prim.properties
        and set(prim.ListInfoKeys()) <= {"specifier"}
    )


def _remove(prim: Sdf.PrimSpec) -> None:
    parent = prim.nameParent
    if parent is not None:
        del parent.nameChildren[prim.name]
    else:
        del prim.layer.rootPrims[prim.name]
