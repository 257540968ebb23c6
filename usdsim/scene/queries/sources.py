"""Sources of compiled plans: quantities of many elements, chosen by names or indices.

`usdsim.query` has those that are read, `usdsim.write` those that are written. A source is a class;
what it stands for is said where the class is defined::

    class LinkPosition(QuerySource, of=LINKS, quantity="position", width=3): ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.scene.elements.element import Element

from .quantities import readable, writable
from .query import Entry, FlatColumns

if TYPE_CHECKING:
    from usdsim.scene.model.scene_model import SceneModel

__all__ = [
    "ACTUATORS",
    "BALLS",
    "GEOMS",
    "HINGES_AND_SLIDES",
    "LINKS",
    "SENSORS",
    "SITES",
    "ElementFilter",
    "QuerySource",
    "Source",
    "WriteSource",
]

Selection = Sequence[str | int] | Sequence[str] | Sequence[int] | NDArray[np.integer[Any]]


@dataclass(frozen=True)
class ElementFilter:
    """Elements that have a quantity."""

    kind: str
    """Kind, as in `SceneModel.catalog`."""
    allowed: str = ""
    """Name of those that have it, in messages."""
    fits: Callable[[Any], bool] | None = None
    """Whether an element of the kind has it; None: all have."""

    def chosen(
        self, model: SceneModel, selection: Sequence[Any] | None, unique: bool = False
    ) -> list[Element]:
        """Elements that a selection names; None: all that fit.

        Raises:
            UnknownNameError: there is no such element.
            InvalidValueError: an element has no such quantity, or one is chosen twice.
        """
        catalog, fits = model.catalog(self.kind), self.fits or (lambda _: True)
        if selection is None:
            return [item for item in catalog.items if fits(item)]
        found = [catalog.items[catalog.index(key)] for key in selection]
        for item in found:
            if not fits(item):
                raise InvalidValueError("selection", item.title, self.allowed)
        if unique and len(set(found)) < len(found):
            twice = next(item for item in found if found.count(item) > 1)
            raise InvalidValueError("selection", twice.title, "each element once")
        return found


ACTUATORS, GEOMS, LINKS = ElementFilter("actuator"), ElementFilter("geom"), ElementFilter("link")
SENSORS, SITES = ElementFilter("sensor"), ElementFilter("site")
HINGES_AND_SLIDES = ElementFilter(
    "joint", "hinges and slides", lambda joint: joint.num_dof_pos == 1
)
BALLS = ElementFilter("joint", "ball joints", lambda joint: joint.num_dof_pos == 4)


class Source:
    """Quantity of some elements, part of a compiled plan.

    Args:
        selection: names, paths or indices, in the order of the values; None: all that have the
            quantity, in the order of the model.
    """

    known: ClassVar[
        staticmethod[[SceneModel, Element | None], Mapping[str, tuple[FlatColumns, ...]]]
    ]
    """Quantities of an element, or of the whole scene, that sources of this kind can be."""
    of: ClassVar[ElementFilter | None] = None
    """Elements it can be of; None: the whole scene."""
    quantity: ClassVar[str] = ""
    """Name of the quantity among those of an element."""
    width: ClassVar[int] = 0
    """Numbers of each element, the last axis of the shape; 0: no such axis."""
    required: ClassVar[bool] = False
    """Whether elements have to be named."""
    unique: ClassVar[bool] = False
    """Whether an element may be chosen once only."""

    def __init_subclass__(
        cls,
        of: ElementFilter | None = None,
        quantity: str = "",
        width: int = 0,
        required: bool = False,
    ) -> None:
        cls.of, cls.quantity, cls.width, cls.required = of, quantity, width, required

    def __init__(self, selection: Selection | None = None):
        if self.required and selection is None:
            raise InvalidValueError("selection", None, "a list of names or of indices")
        self._selection = None if selection is None else _listed(selection)

    @property
    def selection(self) -> list[Any] | None:
        """Elements that were chosen; None: all."""
        return None if self._selection is None else [*self._selection]

    def columns(self, model: SceneModel, elements: Sequence[Any]) -> tuple[FlatColumns, ...]:
        """Columns of the values, of one element after the other or of the whole scene."""
        table = type(self).known
        chosen = elements if self.of else [None]
        return tuple(part for item in chosen for part in table(model, item)[self.quantity])

    def entry(self, model: SceneModel, name: str) -> Entry:
        """Named part of a plan that this source is.

        Args:
            model: model of the plan.
            name: name of the part.

        Raises:
            UnknownNameError: there is no such element.
            InvalidValueError: an element has no such quantity, or is chosen twice.
        """
        elements = self.of.chosen(model, self._selection, self.unique) if self.of else []
        columns = self.columns(model, elements)
        size = sum(len(part.at) for part in columns)
        return Entry(name, columns, (len(elements), self.width) if self.width else (size,))

    def __repr__(self) -> str:
        chosen = "" if self._selection is None else repr(self._selection)
        return f"{type(self).__name__}({chosen})"


class QuerySource(Source):
    """Quantity that a query plan reads."""

    known = staticmethod(readable)


class WriteSource(Source):
    """Quantity that a write plan sets."""

    known = staticmethod(writable)
    unique = True


def _listed(selection: Any) -> list[Any]:
    """Names or indices as a list, not mixed."""
    what = "a list of names or of indices, not mixed"
    if isinstance(selection, str) or not isinstance(selection, Iterable):
        raise InvalidValueError("selection", selection, what)
    listed = [*(selection.tolist() if isinstance(selection, np.ndarray) else selection)]
    if len({isinstance(key, str) for key in listed}) > 1:
        raise InvalidValueError("selection", selection, what)
    return listed
