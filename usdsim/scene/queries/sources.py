"""Sources of compiled plans: quantities of many elements, chosen by names or indices.

`usdsim.query` has those that are read, `usdsim.write` those that are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.scene.elements.element import Element

from .query import Entry, FlatColumns

if TYPE_CHECKING:
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["LookupRule", "QuerySource", "Source", "WriteSource", "chosen_elements", "source_class"]

Selection = Sequence[str | int] | Sequence[str] | Sequence[int] | NDArray[np.integer[Any]]


@dataclass(frozen=True)
class LookupRule:
    """Rule by which a source finds its numbers."""

    columns: Callable[[SceneModel, list[Any]], tuple[FlatColumns, ...]]
    """Columns that are read or written, from the chosen elements."""
    kind: str = ""
    """Kind of the elements; empty: the whole scene."""
    width: int = 0
    """Numbers of each element, the last axis of the shape; 0: no such axis."""
    fits: Callable[[Any], bool] | None = None
    """Test of elements that can be chosen; None: all."""
    allowed: str = ""
    """Name of those in messages."""
    required: bool = False
    """Whether elements have to be named; otherwise None means all that fit."""


class Source:
    """Quantity of some elements, part of a compiled plan.

    Args:
        selection: names, paths or indices, in the order of the values; None: all that have the
            quantity, in the order of the model.
    """

    rule: ClassVar[LookupRule]
    unique: ClassVar[bool] = False
    """Whether an element may be chosen once only."""

    def __init__(self, selection: Selection | None = None):
        if self.rule.required and selection is None:
            raise InvalidValueError("selection", None, "a list of names or of indices")
        self._selection = None if selection is None else _listed(selection)

    @property
    def selection(self) -> list[Any] | None:
        """Elements that were chosen; None: all."""
        return None if self._selection is None else [*self._selection]

    def entry(self, model: SceneModel, name: str) -> Entry:
        """Named part of a plan that this source is.

        Args:
            model: model of the plan.
            name: name of the part.

        Raises:
            UnknownNameError: there is no such element.
            InvalidValueError: an element has no such quantity, or is chosen twice.
        """
        rule = type(self).rule
        elements = chosen_elements(model, rule, self._selection, self.unique) if rule.kind else []
        columns = rule.columns(model, elements)
        size = sum(len(part.at) for part in columns)
        shape = (len(elements), rule.width) if rule.width else (size,)
        return Entry(name, columns, shape)

    def __repr__(self) -> str:
        chosen = "" if self._selection is None else repr(self._selection)
        return f"{type(self).__name__}({chosen})"


class QuerySource(Source):
    """Quantity that a query plan reads."""


class WriteSource(Source):
    """Quantity that a write plan sets."""

    unique = True


def source_class(base: type[Any], name: str, says: str, rule: LookupRule, module: str) -> type[Any]:
    """Class of sources with one rule.

    Args:
        base: `QuerySource` or `WriteSource`.
        name: name of the class.
        says: first line of its documentation.
        rule: how it finds its numbers.
        module: module it is public in.
    """
    note = f"\n\nAllowed are {rule.allowed}." if rule.allowed else ""
    space = {"rule": rule, "__doc__": f"{says}{note}", "__module__": module}
    return type(name, (base,), space)


def chosen_elements(
    model: SceneModel, rule: LookupRule, selection: Sequence[Any] | None, unique: bool = False
) -> list[Element]:
    """Elements that a selection names.

    Raises:
        UnknownNameError: there is no such element.
        InvalidValueError: an element has no such quantity, or is chosen twice.
    """
    catalog = model.catalog(rule.kind)
    fits = rule.fits or (lambda _: True)
    if selection is None:
        return [item for item in catalog.items if fits(item)]
    found = [catalog.items[catalog.index(key)] for key in selection]
    for item in found:
        if not fits(item):
            raise InvalidValueError("selection", item.title, rule.allowed)
    if unique and len(set(found)) < len(found):
        twice = next(item for item in found if found.count(item) > 1)
        raise InvalidValueError("selection", twice.title, "each element once")
    return found


def _listed(selection: Any) -> list[Any]:
    """Names or indices as a list, not mixed."""
    what = "a list of names or of indices, not mixed"
    if isinstance(selection, str) or not isinstance(selection, Iterable):
        raise InvalidValueError("selection", selection, what)
    listed = [*(selection.tolist() if isinstance(selection, np.ndarray) else selection)]
    if len({isinstance(key, str) for key in listed}) > 1:
        raise InvalidValueError("selection", selection, what)
    return listed
