"""Writer binding: a row of the field table gives a signature its behaviour and documentation.

The method's name and parameters are real source, so that editors, type checkers and readers see
them; what it does and what its arguments mean follows from the row. A stub whose parameters do not
fit its row is an error on import.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from usdsim.views.fields.table import FIELDS, FieldSpec

__all__ = ["WRITERS", "Form", "writes"]

F = TypeVar("F", bound=Callable[..., None])

Form = str
"""``plain``: indices, positions allowed; ``index``: indices by keyword; ``mask``: masks."""

WRITERS: list[tuple[str, Form, str]] = []
"""Every bound method: row, form and qualified name."""

_ENV = "instances, as indices or a slice; None: all"
_FULL = "whether the values are those of all instances and elements rather than of the selected"


def writes(field: str) -> Callable[[F], F]:
    """Bind a method of a class that has a ``_view`` to a row.

    Args:
        field: name of the row.

    Raises:
        TypeError: the parameters of the method are not those of the row.
    """
    spec = FIELDS[field]

    def bind(stub: F) -> F:
        names = list(inspect.signature(stub).parameters)[1:]
        form = _form(stub, spec, names)
        method = _masked(stub, spec, names) if form == "mask" else _indexed(stub, spec, names)
        method.__doc__ = _documentation(stub, spec, names)
        WRITERS.append((field, form, stub.__qualname__))
        return method  # type: ignore[return-value]

    return bind


def _form(stub: Callable[..., None], spec: FieldSpec, names: list[str]) -> Form:
    parameters = inspect.signature(stub).parameters
    keywords = all(parameters[n].kind is inspect.Parameter.KEYWORD_ONLY for n in names)
    axis = spec.axis
    masks = [spec.arg, *([axis.mask] if axis.mask else []), "env_mask"]
    indices = [spec.arg, *([axis.ids] if axis.ids else []), "env_ids"]
    if keywords and names and names[0] == spec.arg and sorted(names) == sorted(masks):
        return "mask"
    if names and names[0] == spec.arg and sorted(set(names) - {"full_data"}) == sorted(indices):
        return "index" if keywords else "plain"
    raise TypeError(
        f"{stub.__qualname__} declares {names}; the row {spec.name} requires {indices}, with "
        f"full_data if wanted, or {masks} by keyword."
    )


def _indexed(stub: Callable[..., None], spec: FieldSpec, names: list[str]) -> Callable[..., None]:
    field, arg, ids = spec.name, spec.arg, spec.axis.ids
    positional = not _keyword_only(stub)
    allowed = frozenset(names)

    @functools.wraps(stub)
    def method(self: Any, *args: Any, **given: Any) -> None:
        if args:
            if not positional or len(args) > len(names) or given.keys() & set(names[: len(args)]):
                raise _mistake(stub, names, args, given)
            given.update(zip(names, args, strict=False))
        if arg not in given or not given.keys() <= allowed:
            raise _mistake(stub, names, args, given)
        self._view.write(
            field,
            given[arg],
            given.get("env_ids"),
            given.get(ids) if ids else None,
            full_data=given.get("full_data", False),
        )

    return method


def _masked(stub: Callable[..., None], spec: FieldSpec, names: list[str]) -> Callable[..., None]:
    field, arg, mask = spec.name, spec.arg, spec.axis.mask
    allowed = frozenset(names)

    @functools.wraps(stub)
    def method(self: Any, **given: Any) -> None:
        if arg not in given or not given.keys() <= allowed:
            raise _mistake(stub, names, (), given)
        self._view.write_masked(
            field, given[arg], given.get("env_mask"), given.get(mask) if mask else None
        )

    return method


def _keyword_only(stub: Callable[..., None]) -> bool:
    kinds = [p.kind for p in inspect.signature(stub).parameters.values()]
    return inspect.Parameter.KEYWORD_ONLY in kinds


def _mistake(
    stub: Callable[..., None], names: list[str], args: tuple[Any, ...], given: dict[str, Any]
) -> TypeError:
    how = "by keyword " if _keyword_only(stub) else ""
    return TypeError(
        f"{stub.__name__}() takes {how}{', '.join(names)}; got {len(args)} by position and "
        f"{sorted(given)} by keyword."
    )


def _documentation(stub: Callable[..., None], spec: FieldSpec, names: list[str]) -> str:
    masked = "env_mask" in names
    total = spec.shape
    selected = total.replace("num_instances", "len(env_ids)")
    if spec.axis.ids:
        selected = selected.replace(spec.axis.count, f"len({spec.axis.ids})")
    shape = total if masked else selected
    lines = {
        spec.arg: f"{spec.doc} [{spec.unit}], shape {shape} or what broadcasts to it.",
        "env_ids": f"{_ENV}.",
        "env_mask": "which instances, shape (num_instances,); None: all.",
        "full_data": f"{_FULL}.",
    }
    if spec.axis.ids:
        noun = spec.axis.ids.removesuffix("_ids").replace("_", " ") + "s"
        lines[spec.axis.ids] = f"{noun}, as indices or a slice; None: all."
        lines[spec.axis.mask] = f"which {noun}, shape ({spec.axis.count},); None: all."
    given = "\n".join(f"    {name}: {lines[name]}" for name in names)
    return (
        f"{inspect.getdoc(stub)}\n\nArgs:\n{given}\n\nRaises:\n"
        "    InvalidValueError: a value or an index is not allowed; nothing is written then.\n"
        "    ShapeError: the values do not fit.\n"
    )
