"""Model parameters that differ from world to world: one way to read them, one way to set them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import choice
from usdsim.core.errors import InvalidValueError, UnsupportedError, UsdsimError
from usdsim.scene.arrays import FloatArray
from usdsim.scene.checks import as_they_are, numbers
from usdsim.scene.data.given import check_data

from .engine_fields import FieldShapes, FieldWrite, PhysicalParameter

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.elements.element import Element

__all__ = [
    "InvalidPolicy",
    "accessors",
    "check_override",
    "checked_policy",
    "read_override",
    "shared_parameter",
    "write_override",
]

Floats = NDArray[np.float64]

InvalidPolicy = Literal["raise", "ignore"]
"""Treatment of values that are not allowed: an error and no change at all, or no change in the
worlds that have such values."""

_POLICIES = get_args(InvalidPolicy)


def checked_policy(invalid: InvalidPolicy) -> InvalidPolicy:
    """The policy, if there is one of this name."""
    choice("invalid", invalid, _POLICIES)
    return invalid


def read_override(parameter: PhysicalParameter, element: Element, data: SceneData) -> FloatArray:
    """The effective parameter of each world, float32, shape (*B, *tail)."""
    check_data(data, element.model)
    values = parameter.read([element], data)
    return np.array(values[(slice(None),) * len(data.shape) + (0,)], dtype=np.float32)


def write_override(
    parameter: PhysicalParameter,
    elements: Element | Sequence[Element],
    data: SceneData,
    values: ArrayLike,
    invalid: InvalidPolicy = "raise",
) -> None:
    """Set a parameter of one or several elements in each world.

    Args:
        parameter: what to set.
        elements: one element, or several with a value each.
        data: the worlds.
        values: for all worlds, shape `tail` or (n, *tail), or with one per world in front.
        invalid: see `InvalidPolicy`.

    Raises:
        ShapeError: the values have another shape.
        InvalidValueError: a value is not allowed; nothing is set then.
    """
    checked_policy(invalid)
    chosen: list[Element] = [*elements] if isinstance(elements, Sequence) else [elements]
    if not chosen:
        return
    several = chosen[0] is not elements
    for element in chosen:
        check_data(data, element.model)
    tail = parameter.tail(chosen[0].model.parameter_shapes)
    shape = (len(chosen), *tail) if several else tail
    array = as_they_are(values, data.shape, shape)
    if array is None:
        title = f"{len(chosen)} {chosen[0].kind}s" if several else chosen[0].title
        array = numbers(values, data.shape, shape, f"{parameter.words} of {title}")
    if not several:
        array = array.reshape(*array.shape[: array.ndim - len(tail)], 1, *tail)
    good = _allowed(parameter, chosen, data, array)
    if np.count_nonzero(good) == good.size:
        _apply(data, parameter.writes(chosen, data, array))
        return
    if invalid == "raise":
        raise _refusal(parameter, chosen, data, array, good)
    worlds = good.all(axis=tuple(range(array.ndim - 1 - len(tail), array.ndim)))
    if worlds.ndim:
        rest = data[np.flatnonzero(worlds)]
        _apply(rest, parameter.writes(chosen, rest, array[worlds]))


def check_override(
    parameter: PhysicalParameter, elements: Sequence[Element], data: SceneData, values: Floats
) -> None:
    """Raise an `InvalidValueError` unless all values, shape (n, *tail) or (*B, n, *tail), fit."""
    good = _allowed(parameter, elements, data, values)
    if not good.all():
        raise _refusal(parameter, elements, data, values, good)


def _allowed(
    parameter: PhysicalParameter, elements: Sequence[Element], data: SceneData, values: Floats
) -> NDArray[np.bool_]:
    """Whether each value is in the domain or stands already, as the zero mass of a link without."""
    good = np.asarray(parameter.domain.test(values))
    if np.count_nonzero(good) == good.size:
        return good
    standing = parameter.read(elements, data)
    # Programs write back what they read, which is in single precision.
    same = (values == standing) | (values == standing.astype(np.float32))
    if not parameter.domain.single:
        same = np.broadcast_to(same.all(axis=-1, keepdims=True), same.shape)
    worlds_of_all = tuple(range(same.ndim - values.ndim))
    return good | same.all(axis=worlds_of_all)


def _refusal(
    parameter: PhysicalParameter,
    elements: Sequence[Element],
    data: SceneData,
    values: Floats,
    good: NDArray[np.bool_],
) -> InvalidValueError:
    """The error for values of which some are not `good`."""
    first = tuple(np.argwhere(~good)[0])
    tail = parameter.tail(elements[0].model.parameter_shapes)
    axis = values.ndim - 1 - len(tail)
    element = elements[int(first[axis])]
    what = f"{parameter.words} of {element.title}"
    if axis:
        bad = np.flatnonzero(~good.reshape(len(good), -1).all(axis=1))
        worlds = bad if data.world_ids is None else data.world_ids[bad]
        shown = ", ".join(str(world) for world in worlds[:5])
        more = f" and {len(worlds) - 5} more" if len(worlds) > 5 else ""
        what += f" in world{'s' if len(worlds) > 1 else ''} {shown}{more}"
    value = values[first] if parameter.domain.single else values[first[: axis + 1]]
    shown_value = float(value) if np.ndim(value) == 0 else np.asarray(value).tolist()
    return element.override_error(what, shown_value, parameter.domain.words, "Nothing was changed.")


def _apply(data: SceneData, writes: Sequence[FieldWrite]) -> None:
    """Make all writes or, when the engine refuses one, none."""
    before: list[FieldWrite] = []
    done = 0
    try:
        for write in writes:
            # The engine takes back what it refuses itself; earlier writes are taken back here.
            if write is not writes[-1]:
                here = np.take(data.param(write.field), write.rows, axis=len(data.shape))
                before.append(FieldWrite(write.field, write.rows, here.astype(np.float64)))
            data.set_param(write.field, write.rows, write.values)
            done = len(before)
    except UsdsimError:
        for write in reversed(before[:done]):
            data.set_param(write.field, write.rows, write.values)
        raise


def accessors(parameter: PhysicalParameter, argument: str = "") -> tuple[Any, Any]:
    """Methods ``get_<name>_override`` and ``set_<name>_override`` for a class of elements.

    Args:
        parameter: what they read and set.
        argument: name of the setter's argument, if not the parameter's.
    """

    def get(self: Element, data: SceneData) -> FloatArray:
        return read_override(parameter, self, data)

    def put(
        self: Element, data: SceneData, values: ArrayLike, invalid: InvalidPolicy = "raise"
    ) -> None:
        write_override(parameter, self, data, values, invalid)

    argument = argument or parameter.name
    # Only the name callers may use for the value differs from parameter to parameter.
    put.__code__ = put.__code__.replace(co_varnames=("self", "data", argument, "invalid"))
    put.__annotations__[argument] = put.__annotations__.pop("values")
    unit = f" [{parameter.unit}]" if parameter.unit else ""
    note = f" {parameter.note}" if parameter.note else ""
    words = parameter.words
    for function, verb in ((get, "get"), (put, "set")):
        function.__name__ = function.__qualname__ = f"{verb}_{parameter.name}_override"
    tail = parameter.tail(_any_shapes())
    per_world = ", ".join(["*B", *map(str, tail)]) + ("" if tail else ",")
    get.__doc__ = f"{words[0].upper()}{words[1:]} in each world{unit}, shape ({per_world}).{note}"
    put.__doc__ = (
        f"Set the {words} in each world{unit}.{note}\n\n"
        "        Args:\n"
        "            data: the worlds.\n"
        f"            {argument}: {parameter.domain.words};\n"
        f"                shape {tail} for all worlds, or ({per_world}).\n"
        '            invalid: ``"ignore"`` leaves worlds with values that are not allowed as they\n'
        '                are; ``"raise"`` refuses the call.\n\n'
        "        Raises:\n"
        "            ShapeError: the values have another shape.\n"
        "            InvalidValueError: a value is not allowed; nothing is changed then.\n"
    )
    for function in (get, put):
        function.__dict__["parameter"] = parameter
    return get, put


@cache
def _any_shapes() -> FieldShapes:
    """Shapes of the arrays of a model without elements: but for their number, those of all."""
    return FieldShapes(mujoco.MjSpec().compile())


def shared_parameter(elements: Sequence[Element], name: str) -> PhysicalParameter:
    """The parameter of this name that all elements have.

    Raises:
        UnknownNameError: an element has no such parameter.
        UnsupportedError: they do not share one, so each has to be set by itself.
    """
    found = [element.parameter(name) for element in elements]
    for parameter, element in zip(found, elements, strict=True):
        if parameter is None or parameter != found[0]:
            raise UnsupportedError(
                f"{name!r} of {element.title} is of another kind than that of {elements[0].title}. "
                "Set those apart."
            )
    return found[0]
