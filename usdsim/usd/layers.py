"""Layers of a file and of all it is composed of, each checked before OpenUSD opens it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pxr import Ar, Sdf, Tf

from usdsim.core.boundary import boundary
from usdsim.core.errors import FileError

from .crate import check_crates

__all__ = ["open_layers"]


def open_layers(file: str, problem: Callable[[Path], str] | None = None) -> list[Sdf.Layer]:
    """Open a layer, and what it names as sublayers, references and payloads, also in variants.

    What cannot be opened below the first is left to composition, which names it. OpenUSD finds the
    others open, so who composes them holds the list until then.

    Args:
        file: the layer's file.
        problem: says why a file that is named must not be read; empty if it may.

    Returns:
        The layer first.

    Raises:
        FileError: a file is damaged, is no regular file, or must not be read.
    """
    checked = set[str]()
    layer = _opened(file, file, checked)
    if layer is None:
        raise FileError(f"Cannot open {file!r}: it is damaged, or not what its name says.")
    layers, seen = [layer], {file, str(Path(file).resolve())}
    for layer in layers:
        for name in layer.GetCompositionAssetDependencies():
            found = _found(layer, name)
            outer = Path(Ar.SplitPackageRelativePathOuter(found)[0])
            if found in seen or not outer.is_absolute():
                continue
            seen.add(found)
            if reason := problem(outer) if problem else "":
                raise FileError(f"{layer.identifier} names {name!r}, but {reason}.")
            below = _opened(found, str(outer), checked)
            if below is not None:
                layers.append(below)
    return layers


def _opened(identifier: str, file: str, checked: set[str]) -> Sdf.Layer | None:
    """The layer, if OpenUSD can read it.

    Args:
        identifier: the layer, which may be inside of an archive.
        file: what holds it.
        checked: files whose binary layers have been checked; receives this one.
    """
    if (layer := Sdf.Layer.Find(identifier)) is not None:
        return layer
    with boundary(f"Cannot open {file!r}"):
        if file not in checked:
            if not Path(file).is_file():
                raise OSError("it is no regular file")
            check_crates(Path(file))
            checked.add(file)
        try:
            return Sdf.Layer.FindOrOpen(identifier)
        except Tf.ErrorException:
            if identifier == file:
                raise
            return None


def _found(layer: Sdf.Layer, name: str) -> str:
    """Path of a file that a layer names; empty for the layer itself, or if it is not found."""
    path = Sdf.Layer.SplitIdentifier(name)[0] if name else ""
    if not path:
        return ""
    return str(Ar.GetResolver().Resolve(Sdf.ComputeAssetPathRelativeToLayer(layer, path)))
