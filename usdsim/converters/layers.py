"""Layered output: an interface over payloads of physics, materials, meshes and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pxr import Sdf, UsdUtils

from usdsim.core.boundary import boundary
from usdsim.core.dialects.base import NAMESPACES
from usdsim.core.errors import InvalidValueError
from usdsim.core.transaction import Transaction
from usdsim.usd.bundle import export, rename_assets, require_own, supersede

__all__ = ["check_layers", "is_layered", "save_layers"]

READABLE = 30_000
"""Most points, indices and the like of a stage that is one file of text, about a megabyte."""

COLLISION: dict[str, tuple[str, str, Sdf.ValueTypeName, Any] | None] = {
    "source": None,
    "hulls": ("PhysicsMeshCollisionAPI", "physics:approximation", Sdf.ValueTypeNames.Token,
              "convexHull"),
    "boxes": ("PhysicsMeshCollisionAPI", "physics:approximation", Sdf.ValueTypeNames.Token,
              "boundingCube"),
    "off": ("PhysicsCollisionAPI", "physics:collisionEnabled", Sdf.ValueTypeNames.Bool, False),
}  # fmt: skip
"""Variants of collision detail: of prims with which schema, which attribute has which value."""

_PHYSICS = ("Physics", "Newton", "Mjc", "Physx", "Usdsim")
"""Prefixes of the names of physical schemas."""
_PROPERTIES = (*NAMESPACES, "urdf:")
"""Prefixes of the names of physical properties."""


_VARIANTS = "collision"


def layers_folder(path: Path) -> str:
    """Name of the folder that holds the contents of an interface file."""
    return f"{path.stem}_layers"


def check_layers(path: Path) -> None:
    """Raise unless a stage can be written to a file and a folder beside it.

    Raises:
        InvalidValueError: the file holds everything itself.
        FileError: the folder's name belongs to something else.
    """
    if path.suffix == ".usdz":
        raise InvalidValueError(
            "structure", "layered", "'single' for a .usdz file, which is one file",
            "Name a .usd, .usda or .usdc file.",
        )  # fmt: skip
    require_own(path, layers_folder(path))


def is_layered(structure: str, path: Path, layer: Sdf.Layer) -> bool:
    """Whether a stage is written in layers: where asked, or where its text would be no reading.

    Raises:
        FileError: it is too long to be read, and the folder's name belongs to something else.
    """
    if structure == "auto" and path.suffix == ".usda" and _entries(layer) > READABLE:
        check_layers(path)
        return True
    return structure == "layered"


def _entries(layer: Sdf.Layer) -> int:
    """Number of entries of all arrays of a layer."""
    paths: list[Sdf.Path] = []
    arrays: dict[str, bool] = {}
    layer.Traverse(Sdf.Path.absoluteRootPath, paths.append)
    found = 0
    for path in paths:
        # Attributes of one name have one type.
        if not path.IsPropertyPath() or not arrays.get(name := path.name, True):
            continue
        spec = layer.GetAttributeAtPath(path)
        arrays[name] = spec is not None and spec.typeName.isArray
        if arrays[name] and spec.HasDefaultValue():
            found += len(spec.default)
    return found


def save_layers(layer: Sdf.Layer, transaction: Transaction) -> Path:
    """Write a stage as an interface file with its contents in a folder beside it.

    The interface holds the default prim, with all contents as a payload: ``physics`` (bodies,
    joints, masses, foreign data), ``materials``, ``geometry``, and ``library`` (shared meshes and
    textures), each a layer of its own. A variant set of it, ``collision``, chooses the detail of
    colliders: as in the source, convex hulls, boxes, or off.

    Args:
        layer: the stage, of one layer with a default prim.
        transaction: has the interface file; the folder is called like it, with ``_layers``.

    Raises:
        FileError: something cannot be written; what was there before stays.
    """
    layer = rename_assets(layer, transaction.place())
    name = layers_folder(transaction.target)
    folder = transaction.stage(name)
    with boundary(f"Cannot write {str(transaction.target)!r}"):
        folder.mkdir()
        export(_contents(layer, folder), folder / "contents.usda")
    return supersede(_interface(layer, f"./{name}/contents.usda"), transaction)


def _contents(source: Sdf.Layer, folder: Path) -> Sdf.Layer:
    """Write the layers of the payload; returns the layer that joins them."""
    root = source.rootPrims[source.defaultPrim].path
    parts: dict[str, Callable[[Sdf.Layer], None]] = {
        "physics": lambda layer: _strip(layer, physical=True),
        "materials": lambda layer: _keep(layer, root.AppendChild("Materials")),
        "geometry": lambda layer: _geometry(layer, root),
        "library": lambda layer: _keep(layer, root.AppendChild("Library")),
    }
    contents = Sdf.Layer.CreateAnonymous("contents.usda")
    UsdUtils.CopyLayerMetadata(source, contents)
    for name, reduce in parts.items():
        layer = Sdf.Layer.CreateAnonymous(f"{name}.usdc")
        layer.TransferContent(source)
        reduce(layer)
        if not layer.rootPrims:
            continue
        UsdUtils.ModifyAssetPaths(layer, _from_below)
        export(layer, folder / f"{name}.usdc")
        contents.subLayerPaths.append(f"./{name}.usdc")
    return contents


def _from_below(path: str) -> str:
    return f".{path}" if path.startswith("./") else path


def _interface(contents: Sdf.Layer, payload: str) -> Sdf.Layer:
    """Every root prim with the contents as its payload, and what describes the asset."""
    layer = Sdf.Layer.CreateAnonymous("interface.usda")
    UsdUtils.CopyLayerMetadata(contents, layer)
    for source in contents.rootPrims:
        prim = Sdf.CreatePrimInLayer(layer, source.path)
        prim.specifier, prim.typeName = source.specifier, source.typeName
        for key in ("kind", "assetInfo"):
            if source.HasInfo(key):
                prim.SetInfo(key, source.GetInfo(key))
        prim.payloadList.Prepend(Sdf.Payload(payload, source.path))
    _add_variants(layer, contents)
    return layer


def _add_variants(layer: Sdf.Layer, contents: Sdf.Layer) -> None:
    """Offer the default prim with each detail of its colliders; that of the source is chosen."""
    root = layer.GetPrimAtPath(f"/{contents.defaultPrim}")
    variants = Sdf.VariantSetSpec(root, _VARIANTS)
    root.variantSetNameList.Prepend(_VARIANTS)
    root.variantSelections[_VARIANTS] = next(iter(COLLISION))
    for name, opinion in COLLISION.items():
        Sdf.VariantSpec(variants, name)
        if opinion is None:
            continue
        schema, attribute, kind, value = opinion
        chosen = root.path.AppendVariantSelection(_VARIANTS, name)
        for prim in _bottom_up(contents.rootPrims[contents.defaultPrim]):
            applied = prim.GetInfo("apiSchemas") if prim.HasInfo("apiSchemas") else None
            if applied is not None and schema in applied.GetAppliedItems():
                path = prim.path.ReplacePrefix(root.path, chosen)
                over = Sdf.CreatePrimInLayer(layer, path)
                Sdf.AttributeSpec(over, attribute, kind).default = value


def _keep(layer: Sdf.Layer, path: Sdf.Path) -> None:
    """Leave only one prim, below overs of the prims above it."""
    if layer.GetPrimAtPath(path) is None:
        layer.Clear()
        return
    copy = Sdf.Layer.CreateAnonymous()
    UsdUtils.CopyLayerMetadata(layer, copy)
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
