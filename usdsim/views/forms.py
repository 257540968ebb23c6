"""Writer forms: a method by index, by keyword and by mask from one that takes what was chosen.

What `usdsim.views.binding` does for rows of the field table, this does for methods that write
several rows or do more than write.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from usdsim.views.binding import ENDINGS, Form, selection_lines
from usdsim.views.fields.table import AXES, ElementAxis
from usdsim.views.selection import Indices, Mask, selected, selected_by_mask
from usdsim.views.view import AssetView

__all__ = [
    "Chosen",
    "MadeForm",
    "chosen_by_ids",
    "chosen_by_masks",
    "forms_of",
    "in_forms",
    "with_forms",
]

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., None])

_MADE = "_made_forms"


@dataclass(frozen=True)
class Chosen:
    """Instances and elements that a call is about."""

    rows: NDArray[np.intp] | None
    """Instances; None: all."""
    ids: NDArray[np.intp] | None
    """Elements; None: all."""
    full: bool = False
    """Whether values are those of all instances and elements."""


def chosen_by_ids(
    view: AssetView, axis: ElementAxis, env_ids: Indices, ids: Indices, full: bool = False
) -> Chosen:
    """Instances and elements by indices, which are checked."""
    rows = selected("env_ids", env_ids, view.layout.num_instances)
    return Chosen(rows, selected(axis.ids, ids, view.count_of(axis.shape)), full)


def chosen_by_masks(view: AssetView, axis: ElementAxis, env_mask: Mask, mask: Mask) -> Chosen:
    """Instances and elements by masks, which are checked; values are those of all."""
    rows = selected_by_mask("env_mask", env_mask, view.layout.num_instances)
    return Chosen(rows, selected_by_mask(axis.mask, mask, view.count_of(axis.shape)), full=True)


def in_forms(name: str, axis: str, *, plain_full_data: bool = False) -> Callable[[F], F]:
    """Mark a method of a part as what the three forms of a writer call.

    Its first argument is what was `Chosen`; those of type ``Values`` come before the choice in the
    forms, the others after it. Its documentation states shapes for all instances.

    Args:
        name: name of the plain form.
        axis: name of the elements among the axes of the field table.
        plain_full_data: whether the plain form takes ``full_data`` too.
    """

    def mark(method: F) -> F:
        method.__dict__["forms"] = (name, AXES[axis], plain_full_data)
        return method

    return mark


@dataclass(frozen=True)
class MadeForm:
    """A method that `with_forms` made."""

    method: str
    """Name without the ending of its form."""
    form: Form
    function: Any


def with_forms(part: C) -> C:
    """Give a class with a ``_view`` the three forms of its methods marked by `in_forms`."""
    made: list[MadeForm] = []
    for core in [value for value in vars(part).values() if hasattr(value, "forms")]:
        name, axis, plain_full_data = core.forms
        for form in ENDINGS:
            function = _FormOf(core, name, axis, plain_full_data, form).function()
            function.__qualname__ = f"{part.__qualname__}.{function.__name__}"
            function.__module__ = part.__module__
            setattr(part, function.__name__, function)
            made.append(MadeForm(name, form, function))
    setattr(part, _MADE, made)
    return part


def forms_of(part: type) -> list[MadeForm]:
    """The methods that `with_forms` gave a class."""
    return list(vars(part).get(_MADE, ()))


@dataclass(frozen=True)
class _FormOf:
    """One form of a marked method."""

    core: Callable[..., None]
    plain_name: str
    axis: ElementAxis
    plain_full_data: bool
    form: Form

    @property
    def name(self) -> str:
        return self.plain_name + ENDINGS[self.form]

    @property
    def choice(self) -> dict[str, str]:
        """Type of each parameter that chooses, in order."""
        masked = self.form == "mask"
        own = self.axis.mask if masked else self.axis.ids
        kind = "Mask" if masked else "Indices"
        return {own: kind, ("env_mask" if masked else "env_ids"): kind}

    @property
    def takes_full_data(self) -> bool:
        """Whether values of all instances and elements may be given to choose from."""
        allowed = {"plain": self.plain_full_data, "index": True, "mask": False}
        return allowed[self.form] and any(self._given(values=True))

    def function(self) -> Any:
        """The method."""
        space: dict[str, Any] = {
            "axis": self.axis,
            "chosen_by_ids": chosen_by_ids,
            "chosen_by_masks": chosen_by_masks,
        }
        source = f"from __future__ import annotations\n{self._source()}"
        exec(compile(source, f"<forms of {self.plain_name}>", "exec", dont_inherit=True), space)
        made = space[self.name]
        made.__doc__ = self._documentation()
        return made

    def _given(self, *, values: bool) -> Iterator[inspect.Parameter]:
        """Parameters of the method that are values, or that are not."""
        for parameter in list(inspect.signature(self.core).parameters.values())[2:]:
            if str(parameter.annotation).startswith("Values") == values:
                yield parameter

    def _source(self) -> str:
        parameters = ["self"] if self.form == "plain" else ["self", "*"]
        parameters += [str(p).replace("'", "") for p in self._given(values=True)]
        parameters += [f"{name}: {kind} = None" for name, kind in self.choice.items()]
        parameters += ["full_data: bool = False"] if self.takes_full_data else []
        parameters += [str(p).replace("'", "") for p in self._given(values=False)]
        ids, rows = self.choice
        way = "chosen_by_masks" if self.form == "mask" else "chosen_by_ids"
        full = ", full_data" if self.takes_full_data else ""
        handed = [f"{way}(self._view, axis, {rows}, {ids}{full})"]
        handed += [p.name for values in (True, False) for p in self._given(values=values)]
        return (
            f"def {self.name}({', '.join(parameters)}) -> None:\n"
            f"    self.{self.core.__name__}({', '.join(handed)})\n"
        )

    def _documentation(self) -> str:
        text = inspect.getdoc(self.core) or ""
        says, _, rest = text.partition("\n\nArgs:\n")
        given, _, raises = rest.partition("\n\nRaises:\n") if rest else text.partition("Raises:\n")
        if self.form != "mask":
            given = given.replace("num_instances", "len(env_ids)")
            given = given.replace(self.axis.count, f"len({self.axis.ids})")
        lines = dict(re.findall(r"^    (\w+): ((?:.|\n(?!    \w))+)", given, re.MULTILINE))
        lines |= selection_lines(self.axis)
        names = [p.name for p in self._given(values=True)] + list(self.choice)
        names += ["full_data"] if self.takes_full_data else []
        names += [p.name for p in self._given(values=False)]
        listed = "\n".join(f"    {name}: {lines[name].rstrip()}" for name in names)
        return f"{says}\n\nArgs:\n{listed}\n\nRaises:\n{raises}\n"
