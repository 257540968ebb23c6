"""Rollback of spawning: what an error interrupts leaves the stage as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pxr import Sdf, Usd

__all__ = ["rolled_back_on_error"]


@contextmanager
def rolled_back_on_error(stage: Usd.Stage, *paths: str) -> Iterator[None]:
    """Context that undoes what was authored at absolute paths in the edited layer on an error."""
    before = [_Restorable(stage, path) for path in paths]
    try:
        yield
    except Exception:
        with Sdf.ChangeBlock():
            for one in before:
                one.restore()
        raise


class _Restorable:
    """Spec of a path in the edited layer, as it was before something is spawned there."""

    def __init__(self, stage: Usd.Stage, path: str):
        target = stage.GetEditTarget()
        self._layer, self._kept = target.GetLayer(), Sdf.Layer.CreateAnonymous()
        self._path = target.MapToSpecPath(Sdf.Path(path))
        found = self._layer.GetPrimAtPath
        self._new = next((part for part in self._path.GetPrefixes() if not found(part)), None)
        if self._new is None:
            Sdf.CreatePrimInLayer(self._kept, self._path)
            Sdf.CopySpec(self._layer, self._path, self._kept, self._path)

    def restore(self) -> None:
        """Put the spec back, or remove what is new."""
        if self._new is None:
            Sdf.CopySpec(self._kept, self._path, self._layer, self._path)
        elif self._layer.GetPrimAtPath(self._new):
            edit = Sdf.BatchNamespaceEdit()
            edit.Add(self._new, Sdf.Path.emptyPath)
            self._layer.Apply(edit)
