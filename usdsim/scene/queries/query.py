"""Query columns: element and quantity, as columns of engine arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.scene.elements.element import Element

if TYPE_CHECKING:
    from usdsim.scene.arrays import FloatArray
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["Entry", "FlatColumns", "PlanSource", "Quantities", "Request", "Setter", "named_entries"]


class PlanSource(Protocol):
    """Quantity of several elements, of `usdsim.query` or `usdsim.write`."""

    def entry(self, model: SceneModel, name: str) -> Entry:
        """Named part of a plan that it is."""
        ...


Request = str | tuple[Element, str] | PlanSource
"""``"hand.pose"``, ``"link:hand.pose"`` where several kinds of elements have the name, a quantity
of the whole scene such as ``"dof_pos"``, an element with a quantity, or a source of
`usdsim.query` or `usdsim.write`."""

# What a name without a kind may mean. Bodies are left out: each has the name of its base link.
_KINDS = (
    *("link", "joint", "site", "geom", "sensor", "actuator", "tendon", "camera"),
    *("floating base", "mocap"),
)


@dataclass(frozen=True)
class Setter:
    """Writing of numbers that are in no engine state array."""

    put: Callable[[SceneData, NDArray[np.float64]], None]
    """Writes values of shape (*B, *shape) or `shape`."""
    shape: tuple[int, ...]
    """Shape of one world's values."""
    check: Callable[[SceneData, NDArray[np.float64]], None] | None = None
    """Raises if a value is not allowed."""


@dataclass(frozen=True)
class FlatColumns:
    """Numbers of an engine array, flattened to (worlds, numbers)."""

    field: str
    """Engine array. With `frame`, what is read is the linear velocity of origins stored there."""
    at: NDArray[np.intp]
    """Indices of the numbers."""
    frame: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None
    """Columns, for a frame's velocity, of its body's velocity and of the centre of its tree."""
    sensor: int = -1
    """Engine id of the sensor they come from; -1: none."""
    getter: Callable[[SceneData], FloatArray] | None = None
    """Function that computes them if they are in no engine array."""
    setter: Setter | None = None
    """Function that writes them if they are in no engine state array."""


Quantities = Callable[["SceneModel", Element | None], Mapping[str, tuple[FlatColumns, ...]]]
"""Quantities of an element, or of the whole scene (None), to read or write."""


@dataclass(frozen=True)
class Entry:
    """One named part of a plan."""

    name: str
    columns: tuple[FlatColumns, ...]
    shape: tuple[int, ...] = ()
    """Shape of one world's values; (): one axis with all."""

    @property
    def size(self) -> int:
        """Number of values."""
        return sum(len(columns.at) for columns in self.columns)


def named_entries(
    model: SceneModel,
    requests: Sequence[Request] | Mapping[str, Request],
    quantities: Quantities,
) -> list[Entry]:
    """Resolve what a plan is to read or write.

    Args:
        model: the model.
        requests: what to read or write; a mapping gives names of its own.
        quantities: what an element, or the whole scene (None), has to read or write.

    Raises:
        UnknownNameError: there is no such element or quantity, or several elements have the name.
        InvalidValueError: a name is used twice, or a request is of another form.
    """
    if isinstance(requests, str) or not isinstance(requests, Sequence | Mapping):
        raise InvalidValueError("fields", requests, "a list of texts such as ['hand.pose']")
    if isinstance(requests, Mapping):
        pairs = [(name, request) for name, request in requests.items()]
    else:
        pairs = [(_label(request), request) for request in requests]
    entries: list[Entry] = []
    for name, request in pairs:
        if any(entry.name == name for entry in entries):
            raise InvalidValueError(
                "fields", name, "each name once", "Give a mapping from names to requests."
            )
        if not isinstance(request, str | tuple) and hasattr(request, "entry"):
            entries.append(request.entry(model, name))
            continue
        element, quantity = _resolve(model, request, quantities)
        known = quantities(model, element)
        if quantity not in known:
            where = element.title if element is not None else "the whole scene"
            raise UnknownNameError("quantity", quantity, known, where)
        entries.append(Entry(name, known[quantity]))
    return entries


def _label(request: Request) -> str:
    if isinstance(request, str):
        return request
    if not (isinstance(request, tuple) and len(request) == 2 and isinstance(request[0], Element)):
        raise InvalidValueError("request", request, "'hand.pose' or (element, 'pose')")
    return f"{request[0].name or request[0].path}.{request[1]}"


def _resolve(
    model: SceneModel, request: Request, quantities: Quantities
) -> tuple[Element | None, str]:
    """Element (None: the whole scene) and quantity of a request."""
    if not isinstance(request, str):
        _label(request)
        element, quantity = cast(tuple[Element, str], request)
        if element.model is not model:
            raise InvalidValueError("element", element, f"an element of {model!r}")
        return element, quantity
    whole = quantities(model, None)
    if request in whole:
        return None, request
    name, _, quantity = request.rpartition(".")
    kind, colon, rest = name.partition(":")
    if colon and kind.replace("_", " ") in (*_KINDS, "body"):
        return model.catalog(kind.replace("_", " ")).get(rest), quantity
    if not name:
        raise UnknownNameError("quantity of the whole scene", request, whole, repr(model))
    found = [item for kind in _KINDS for item in _named(model, kind, name)]
    fitting = [item for item in found if quantity in quantities(model, item)] or found[:1]
    if not fitting:
        names = [title for kind in _KINDS for title in model.catalog(kind).names if title]
        raise UnknownNameError("element", name, names, repr(model))
    if len(fitting) > 1:
        kinds = [f"{item.kind.replace(' ', '_')}:{request}" for item in fitting]
        raise UnknownNameError("single element (several kinds have it)", request, kinds)
    return fitting[0], quantity


def _named(model: SceneModel, kind: str, name: str) -> list[Element]:
    try:
        return [model.catalog(kind).get(name)]
    except UnknownNameError:
        return []
