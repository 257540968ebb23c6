"""Layers of a file and of all it is composed of, each checked before OpenUSD opens it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pxr import Ar, Sdf, Tf

from usdsim.core.boundary import boundary, require_fetched
from usdsim.core.errors import FileError

from .clips import clip_names, clip_sets, require_few_clips
from .crate import check_crates

__all__ = ["USD_SUFFIXES", "open_layers"]

_states: dict[str, tuple[int, ...]] = {}
"""States of files when layers were read from them, by identifier of the layer."""
_FEWEST = 1000
"""States that are kept whether their layers are open or not."""
_most_states = _FEWEST

USD_SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")
"""File name endings of USD stages."""


def open_layers(file: str, problem: Callable[[Path], str] | None = None) -> list[Sdf.Layer]:
    """Open a layer, and what it names as sublayers, references and payloads, also in variants.

    What cannot be opened below the first is left to composition, which names it. OpenUSD finds the
    others open, so who composes them holds the list until then. Value clips are checked only.

    Args:
        file: the layer's file.
        problem: says why a file that is named must not be read; empty if it may.

    Returns:
        The layer first.

    Raises:
        FileError: a file is no stage, is damaged, is no regular file, or must not be read; or value
            clips are too many.
    """
    if Sdf.FileFormat.FindByExtension(file) is None:
        raise FileError(
            f"{file!r} is not a stage; stages end with {', '.join(USD_SUFFIXES)}. Convert "
            "other files first: usdsim.convert(file)."
        )
    checked = dict[str, bool]()
    layer = _opened(file, file, checked)
    if layer is None:
        raise FileError(f"Cannot open {file!r}: it is damaged, or not what its name says.")
    layers, seen = [layer], {file, str(Path(file).resolve())}
    clips = list[tuple[Sdf.Layer, str, Mapping[str, Any]]]()
    for layer in layers:
        if checked.get(_file(layer.realPath), True):
            clips += ((layer, name, one) for name, one in clip_sets(layer))
        for found, outer in _resolved(
            layer, layer.GetCompositionAssetDependencies(), seen, problem
        ):
            below = _opened(found, outer, checked)
            if below is not None:
                layers.append(below)
    require_few_clips([(name, one) for _, name, one in clips])
    for layer, _, one in clips:
        for _, outer in _resolved(layer, clip_names(layer, one), seen, problem):
            _check(outer, checked)
    return layers


def _file(identifier: str) -> str:
    """The file that holds a layer."""
    return str(Ar.SplitPackageRelativePathOuter(identifier)[0])


def _check(file: str, checked: dict[str, bool]) -> None:
    """Check a file before OpenUSD opens it.

    Args:
        file: the file.
        checked: files that were, and whether they may have value clips; receives this one.
    """
    with boundary(f"Cannot open {file!r}"):
        place = os.path.abspath(file)
        if place not in checked:
            if not Path(file).is_file():
                raise OSError("it is no regular file")
            require_fetched(file)
            checked[place] = check_crates(Path(file))


def _opened(identifier: str, file: str, checked: dict[str, bool]) -> Sdf.Layer | None:
    """The layer, which may be inside of its file, if OpenUSD can read it."""
    if Sdf.FileFormat.FindByExtension(identifier) is None:
        return None
    known = Sdf.Layer.Find(identifier)
    if known is not None and not _is_behind(known, identifier, file):
        return known
    _check(file, checked)
    state = _state(file)
    with boundary(f"Cannot open {file!r}"):
        try:
            layer = known or Sdf.Layer.FindOrOpen(identifier)
            if known is not None:
                known.Reload(force=identifier in _states)
        except Tf.ErrorException:
            if identifier == file:
                raise
            return None
    _note(identifier, state)
    return layer


def _note(identifier: str, state: tuple[int, ...]) -> None:
    """Note the state of a layer's file, and now and then forget those that nobody has open."""
    global _most_states
    _states[identifier] = state
    if len(_states) > _most_states:
        for name in list(_states):
            if Sdf.Layer.Find(name) is None:
                _states.pop(name, None)
        _most_states = max(_FEWEST, 2 * len(_states))


def _is_behind(layer: Sdf.Layer, identifier: str, file: str) -> bool:
    """Whether the file of an open layer may have been written since the layer was read.

    OpenUSD goes on giving a layer that is open anywhere. One with edits that nobody saved stays as
    it is, as does one without a file.
    """
    return not layer.dirty and os.path.exists(file) and _states.get(identifier) != _state(file)


def _state(file: str) -> tuple[int, ...]:
    """Time, size and number of a file, by which another one in its place is told."""
    found = os.stat(file)
    return found.st_mtime_ns, found.st_size, found.st_ino


def _resolved(
    layer: Sdf.Layer,
    names: Iterable[str],
    seen: set[str],
    problem: Callable[[Path], str] | None,
) -> Iterator[tuple[str, str]]:
    """Identifiers and files of what a layer names, where they are there and not seen yet."""
    for name in names:
        path = Sdf.Layer.SplitIdentifier(name)[0] if name else ""
        if not path:
            continue
        anchored = Sdf.ComputeAssetPathRelativeToLayer(layer, path)
        found = str(Ar.GetResolver().Resolve(anchored))
        outer = _file(found)
        if found in seen or not Path(outer).is_absolute():
            continue
        seen.add(found)
        if reason := problem(Path(outer)) if problem else "":
            raise FileError(f"{layer.identifier} names {name!r}, but {reason}.")
        yield found, outer
