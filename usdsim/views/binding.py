"""Writer binding: methods of asset classes that follow from rows of the field table.

A row gets three methods: ``name``, by index, positions allowed; ``name_index``, whose indices are
given by keyword; and ``name_mask``, by mask. They are ordinary functions, made from the same source
that `usdsim.views.stubs` writes for editors and type checkers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from usdsim.views.fields.table import FIELDS, ElementAxis, FieldSpec
from usdsim.views.selection import Indices, Mask
from usdsim.views.values import Values

__all__ = ["ENDINGS", "WRITERS", "Form", "Writer", "selection_lines", "writers"]

C = TypeVar("C", bound=type)

Form = Literal["plain", "index", "mask"]
"""``plain``: indices, positions allowed; ``index``: indices by keyword; ``mask``: masks."""

ENDINGS: dict[Form, str] = {"plain": "", "index": "_index", "mask": "_mask"}
"""Ending of the name of each form."""
_TYPES = {"Indices": Indices, "Mask": Mask, "Values": Values}


@dataclass(frozen=True)
class Writer:
    """One method that writes one row."""

    owner: str
    """Name of its class."""
    method: str
    """Name without the ending of its form."""
    row: FieldSpec
    form: Form
    says: str
    """First line of its documentation."""
    full_data: bool
    """Whether values of all instances and elements may be given."""

    @property
    def name(self) -> str:
        """Name of the method."""
        return self.method + ENDINGS[self.form]

    @property
    def parameters(self) -> dict[str, tuple[str, str]]:
        """Type and default of each parameter, in order; an empty default is none."""
        axis, masked = self.row.axis, self.form == "mask"
        ids, kind = (axis.mask, "Mask") if masked else (axis.ids, "Indices")
        own = {ids: (kind, "None")} if ids else {}
        env = {"env_mask" if masked else "env_ids": (kind, "None")}
        chosen = {**env, **own} if axis.instances_first else {**own, **env}
        full = {"full_data": ("bool", "False")} if self.full_data else {}
        return {self.row.arg: ("Values", ""), **chosen, **full}

    @property
    def source(self) -> str:
        """Definition of the method in Python, without documentation."""
        own, view = self.row.axis, "self._view"
        if self.form == "mask":
            chosen = f"env_mask, {own.mask or None}"
            call = f"{view}.write_masked({self.row.name!r}, {self.row.arg}, {chosen})"
        else:
            chosen = f"env_ids, {own.ids or None}"
            full = ", full_data=full_data" if self.full_data else ""
            call = f"{view}.write({self.row.name!r}, {self.row.arg}, {chosen}{full})"
        return f"def {self.name}({', '.join(self.given)}) -> None:\n    {call}\n"

    @property
    def given(self) -> list[str]:
        """Parameters of its signature in Python."""
        given = ["self"]
        for name, (kind, default) in self.parameters.items():
            given.append(f"{name}: {kind}" + (f" = {default}" if default else ""))
        if self.form != "plain":
            given.insert(2, "*")
        return given

    @property
    def values(self) -> str:
        """Meaning, unit and shape of the values."""
        axis, shape = self.row.axis, self.row.shape
        if self.form != "mask":
            shape = shape.replace("num_instances", "len(env_ids)")
            shape = shape.replace(axis.count, f"len({axis.ids})") if axis.ids else shape
        text = f"{self.row.doc} [{self.row.unit}], shape {shape} or what broadcasts to it"
        return text + ("; with one axis, one for each instance." if self.row.one_each else ".")

    @property
    def documentation(self) -> str:
        """Docstring of the method."""
        lines = {self.row.arg: self.values, **selection_lines(self.row.axis)}
        given = "\n".join(f"    {name}: {lines[name]}" for name in self.parameters)
        return (
            f"{self.says}\n\nArgs:\n{given}\n\nRaises:\n"
            "    InvalidValueError: a value or an index is not allowed; nothing is written then.\n"
            "    ShapeError: the values do not fit.\n"
        )


def selection_lines(axis: ElementAxis) -> dict[str, str]:
    """Documentation of the parameters that choose instances and elements."""
    lines = {
        "env_ids": "instances, as indices or a slice; None: all.",
        "env_mask": "which instances, shape (num_instances,); None: all.",
        "full_data": "whether the values are those of all instances and elements.",
    }
    if axis.ids:
        noun = axis.count.removeprefix("num_").replace("_", " ")
        lines[axis.ids] = f"{noun}, as indices or a slice; None: all."
        lines[axis.mask] = f"which {noun}, shape ({axis.count},); None: all."
    return lines


WRITERS: list[Writer] = []
"""Every method that writes a row."""


def writers(
    pattern: str, rows: Mapping[str, str], *, plain_full_data: bool = False
) -> Callable[[C], C]:
    """Give a class with a ``_view`` the methods that write some rows.

    Args:
        pattern: name of the methods, with ``{}`` for that of the row.
        rows: what the methods of each row do, by its name.
        plain_full_data: whether the plain form takes ``full_data`` too.

    Raises:
        UnknownNameError: the field table has no such row.
    """
    forms: tuple[tuple[Form, bool], ...] = (
        ("plain", plain_full_data),
        ("index", True),
        ("mask", False),
    )

    def bind(owner: C) -> C:
        made = [
            Writer(owner.__name__, pattern.format(name), FIELDS[name], form, says, full)
            for name, says in rows.items()
            for form, full in forms
        ]
        space: dict[str, Any] = {"__name__": owner.__module__, **_TYPES}
        source = "\n".join(writer.source for writer in made)
        # Annotations are types, not their names: what makes them strings here is not inherited.
        exec(compile(source, f"<writers of {owner.__name__}>", "exec", dont_inherit=True), space)
        for writer in made:
            method = space[writer.name]
            method.__doc__ = writer.documentation
            method.__qualname__ = f"{owner.__qualname__}.{writer.name}"
            setattr(owner, writer.name, method)
        WRITERS.extend(made)
        return owner

    return bind
