"""Semantic labels of prims, by their kind: set, read, removed and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pxr import Usd, UsdGeom, UsdSemantics

from usdsim.usd.queries import traverse
from usdsim.usd.stage import stage_or_current

__all__ = [
    "add_labels",
    "check_missing_labels",
    "count_total_labels",
    "get_labels",
    "remove_labels",
]


def add_labels(
    prim: Usd.Prim, labels: Sequence[str], instance_name: str = "class", overwrite: bool = True
) -> None:
    """Label a prim.

    Args:
        prim: the prim.
        labels: the labels.
        instance_name: their kind.
        overwrite: whether they replace those of this kind, rather than come after them.
    """
    attribute = UsdSemantics.LabelsAPI.Apply(prim, instance_name).CreateLabelsAttr()
    before = [] if overwrite else list(attribute.Get() or ())
    attribute.Set([*before, *(label for label in labels if label not in before)])


def get_labels(prim: Usd.Prim) -> dict[str, list[str]]:
    """Labels of a prim itself, by their kind."""
    found = {}
    for kind in UsdSemantics.LabelsAPI.GetDirectTaxonomies(prim):
        found[str(kind)] = list(UsdSemantics.LabelsAPI(prim, kind).GetLabelsAttr().Get() or ())
    return found


def remove_labels(
    prim: Usd.Prim, instance_name: str | None = None, include_descendants: bool = False
) -> None:
    """Take labels off a prim.

    Args:
        prim: the prim.
        instance_name: their kind; None: all kinds.
        include_descendants: whether prims below it lose theirs too.
    """
    for each in Usd.PrimRange(prim) if include_descendants else (prim,):
        for kind in UsdSemantics.LabelsAPI.GetDirectTaxonomies(each):
            if instance_name in (None, kind):
                each.RemoveProperty(f"semantics:labels:{kind}")
                each.RemoveAPI(UsdSemantics.LabelsAPI, kind)


def check_missing_labels(prim_path: str | None = None, stage: Usd.Stage | None = None) -> list[str]:
    """Paths of the shapes at and below a path, or of all, that have no label."""
    return [str(prim.GetPath()) for prim in _shapes(prim_path, stage) if not get_labels(prim)]


def count_total_labels(
    prim_path: str | None = None, stage: Usd.Stage | None = None
) -> dict[str, int]:
    """Count each label at and below a path, and the shapes that have none."""
    counts: Counter[str] = Counter(missing_labels=0)
    for prim in _shapes(prim_path, stage):
        held = [label for labels in get_labels(prim).values() for label in labels]
        counts.update(held or ["missing_labels"])
    return dict(counts)


def _shapes(prim_path: str | None, stage: Usd.Stage | None) -> Iterator[Usd.Prim]:
    stage = stage_or_current(stage)
    root = stage.GetPrimAtPath(prim_path) if prim_path else stage.GetPseudoRoot()
    return (prim for prim in (traverse(stage, root) if root else ()) if prim.IsA(UsdGeom.Gprim))
