"""Strings: cases, slices and callables written as text and read again."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import chain, count
from typing import Any

from usdsim.core.errors import InvalidValueError
from usdsim.core.functions import find_function

__all__ = [
    "ResolvableString",
    "callable_to_string",
    "find_root_prim_path_from_regex",
    "find_unique_string_name",
    "is_lambda_expression",
    "list_intersection",
    "replace_slices_with_strings",
    "replace_strings_with_slices",
    "string_to_callable",
    "string_to_slice",
    "to_camel_case",
    "to_snake_case",
]

_UNSAFE = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


def is_lambda_expression(name: str) -> bool:
    """Whether a text is a lambda expression."""
    try:
        return isinstance(ast.parse(name, mode="eval").body, ast.Lambda)
    except SyntaxError:
        return False


def to_camel_case(snake_str: str, to: str = "cC") -> str:
    """``one_word`` as ``oneWord``, or as ``OneWord`` if `to` is ``CC``.

    Raises:
        InvalidValueError: `to` is another.
    """
    if to not in ("cC", "CC"):
        raise InvalidValueError("to", to, "'cC' or 'CC'")
    words = [word.capitalize() for word in snake_str.split("_") if word]
    return "".join(words if to == "CC" else [words[0].lower(), *words[1:]])


def to_snake_case(camel_str: str) -> str:
    """``OneWord`` as ``one_word``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", camel_str).lower()


def find_unique_string_name(initial_name: str, is_unique_fn: Callable[[str], bool]) -> str:
    """The first of ``name``, ``name_1``, ``name_2`` and so on that a function takes for unique."""
    names = (f"{initial_name}_{number}" for number in count(1))
    return next(name for name in chain([initial_name], names) if is_unique_fn(name))


def find_root_prim_path_from_regex(prim_path_regex: str) -> tuple[str | None, int | None]:
    """Path above the first pattern in a path, and the level of that pattern in the stage's tree.

    Both are None where there is no pattern; ``/World/env_.*/Robot`` has ``/World`` and 2.
    """
    parts = prim_path_regex.split("/")
    level = next((i for i, part in enumerate(parts) if set(part) & set("[]*|^")), None)
    return (None, None) if level is None else ("/".join(parts[:level]), level)


def list_intersection(list1: list[Any], list2: list[Any] | None) -> list[Any]:
    """List of what of one list is in another, too; all of it where there is no other."""
    return list1 if list2 is None else [entry for entry in list1 if entry in list2]


def string_to_slice(s: str) -> slice:
    """The slice whose text is ``slice(start,stop,step)``.

    Raises:
        InvalidValueError: it is not such a text.
    """
    match = re.fullmatch(r"slice\((.*),(.*),(.*)\)", s.strip())
    if match is None:
        raise InvalidValueError("slice", s, "slice(start,stop,step)")
    return slice(*(None if part.strip() == "None" else int(part) for part in match.groups()))


def replace_slices_with_strings(data: Any) -> Any:
    """Mappings and lists whose slices are texts."""
    return _replaced(data, slice, lambda v: f"slice({v.start},{v.stop},{v.step})")


def replace_strings_with_slices(data: Any) -> Any:
    """Mappings and lists whose texts of slices are slices."""
    return _replaced(data, str, lambda v: string_to_slice(v) if v.startswith("slice(") else v)


def _replaced(data: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    if isinstance(data, Mapping):
        return {name: _replaced(value, kind, change) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return type(data)(_replaced(value, kind, change) for value in data)
    return change(data) if isinstance(data, kind) else data


def callable_to_string(value: Callable[..., Any], separator: str = ":") -> str:
    """``module:name`` of a function or class, or the text of a lambda.

    Raises:
        InvalidValueError: it cannot be called.
    """
    if not callable(value):
        raise InvalidValueError("value", value, "something that can be called")
    if value.__name__ != "<lambda>":
        return f"{value.__module__}{separator}{value.__qualname__}"
    source = inspect.getsource(value).strip()
    text = source[source.index("lambda") :]
    for end in range(len(text), 0, -1):  # what follows the lambda on its line is not part of it
        try:
            tree = ast.parse(text[:end], mode="eval")
        except SyntaxError:
            continue
        if isinstance(tree.body, ast.Lambda):
            return text[:end].split("#")[0].strip().rstrip(",")
    raise InvalidValueError("value", source, "a lambda of one line")


def string_to_callable(name: str, separator: str = ":") -> Callable[..., Any]:
    """Resolve the callable that ``module:name`` names, or the lambda of a text.

    Args:
        name: the text. Lambdas may calculate with their arguments, and call and reach nothing.
        separator: what parts module and name.

    Raises:
        InvalidValueError: there is nothing of that name, or the lambda does more.
    """
    if name.lstrip().startswith("lambda"):
        return _lambda(name.strip())
    return find_function(name, "name", separator)


def _lambda(text: str) -> Callable[..., Any]:
    tree = ast.parse(text, mode="eval")
    body = tree.body
    arguments = {arg.arg for arg in body.args.args} if isinstance(body, ast.Lambda) else set()
    for node in ast.walk(body):
        unknown = isinstance(node, ast.Name) and node.id not in arguments
        reaching = isinstance(node, ast.Call | ast.Attribute)
        if (
            not isinstance(body, ast.Lambda)
            or unknown
            or reaching
            or (isinstance(node, _UNSAFE) and node is not body)
        ):
            raise InvalidValueError(
                "Unsafe lambda expression: it", text, "calculations with its arguments"
            )
    made: Callable[..., Any] = eval(compile(tree, "<lambda>", "eval"), {"__builtins__": {}})
    return made


class ResolvableString(str):
    """The text ``module:name``, which is called as what it names, imported then."""

    def __new__(cls, text: str) -> ResolvableString:
        """The text, with the attributes of what it names that can be read off it."""
        made = super().__new__(cls, text)
        made.__module__, _, path = text.partition(":")
        made.__dict__.update(__qualname__=path, __name__=path.rpartition(".")[2])
        return made

    @cached_property
    def resolved(self) -> Callable[..., Any]:
        """Callable that the text names.

        Raises:
            InvalidValueError: there is nothing of that name.
        """
        return string_to_callable(str(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call what it names."""
        return self.resolved(*args, **kwargs)
