"""Functions by import path."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from .errors import InvalidValueError

__all__ = ["find_function"]


def find_function(path: str, what: str) -> Callable[..., Any]:
    """The function at ``package.module:function``.

    Raises:
        InvalidValueError: it cannot be imported; the message says what it is for.
    """
    module, _, name = path.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidValueError(
            what, path, "package.module:function", f"It cannot be imported: {error}."
        ) from error
    if not callable(found):
        raise InvalidValueError(what, path, "the path of a function")
    function: Callable[..., Any] = found
    return function
