"""Aliases of attributes: second names that hand on to the first, and the text of both."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["Alias", "AttributeText", "aliases", "attribute_texts"]

C = TypeVar("C", bound=type)


class Alias:
    """Second name of an attribute.

    Args:
        target: the attribute's first name.
    """

    def __init__(self, target: str):
        self.target = target
        self.__doc__ = f"`{target}` under another name."

    def __get__(self, data: Any, owner: type | None = None) -> Any:
        """The attribute's value."""
        return self if data is None else getattr(data, self.target)

    def __set__(self, data: Any, value: Any) -> None:
        """Assign to the attribute.

        Raises:
            AttributeError: it is not assigned.
        """
        setattr(data, self.target, value)


def aliases(names: Mapping[str, str]) -> Callable[[C], C]:
    """Give a class second names of attributes that classes derived from it have.

    Args:
        names: second names, and the first.
    """

    def give(owner: C) -> C:
        for name, target in names.items():
            setattr(owner, name, Alias(target))
        return owner

    return give


@dataclass(frozen=True)
class AttributeText:
    """Documentation of an attribute in the source of its class."""

    annotation: str
    """Type of the attribute, as written."""
    says: str
    """The text after it, in one line."""
    module: str
    """Module in which it is written."""


def attribute_texts(owner: type) -> dict[str, AttributeText]:
    """Documentation of the annotated attributes of a class and its bases, and of their aliases.

    Args:
        owner: the class, of this package.
    """
    found: dict[str, AttributeText] = {}
    bases = [base for base in reversed(owner.__mro__) if base.__module__.startswith("usdsim")]
    for base in bases:
        found.update(_written(base))
    for base in bases:
        for name, value in vars(base).items():
            if isinstance(value, Alias):
                first = found[_first(owner, value.target)]
                says = f"The same as `{value.target}`: {first.says[0].lower()}{first.says[1:]}"
                found[name] = AttributeText(first.annotation, says, first.module)
    return found


def _first(owner: type, name: str) -> str:
    """The attribute behind a name, which may be an alias of an alias."""
    value = getattr(owner, name)
    return _first(owner, value.target) if isinstance(value, Alias) else name


def _written(owner: type) -> dict[str, AttributeText]:
    source = Path(str(sys.modules[owner.__module__].__file__)).read_text(encoding="utf-8")
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and node.name == owner.__name__:
            for this, after in zip(node.body, node.body[1:], strict=False):
                if isinstance(this, ast.AnnAssign) and isinstance(after, ast.Expr):
                    text = " ".join(str(ast.literal_eval(after.value)).split())
                    annotation = ast.unparse(this.annotation)
                    found[ast.unparse(this.target)] = AttributeText(
                        annotation, text, owner.__module__
                    )
    return found
