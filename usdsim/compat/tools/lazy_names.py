"""Lazy names of packages: what a stub beside ``__init__.py`` declares, imported when asked for."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import Any

__all__ = ["lazy_export"]


def _public(module: Any) -> Iterable[str]:
    """Names that ``from module import *`` takes."""
    named: Iterable[str] = getattr(module, "__all__", None) or dir(module)
    return (name for name in named if not name.startswith("_"))


def lazy_export(
    *, packages: list[str] | tuple[str, ...] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Give the calling package the names that its ``.pyi`` file imports.

    ``from .module import name`` names one of them, and ``from .module import *`` all of a module;
    names of no module of its own are looked up in the packages that are imported from with ``*``.
    ``from package import *`` takes all of these, as in 2.x; in 3.x, those of other packages are
    found in it and not taken.

    Args:
        packages: more of those packages.

    Returns:
        What the package's ``__getattr__``, ``__dir__`` and ``__all__`` are from now on.
    """
    scope = sys._getframe(1).f_globals
    package, stub = scope["__name__"], Path(scope["__file__"]).with_suffix(".pyi")
    places: dict[str, str] = {}
    fallbacks = list(packages or ())
    wanted: list[ast.ImportFrom] = []
    if stub.is_file():
        body = ast.parse(stub.read_text(encoding="utf-8")).body
        wanted = [node for node in body if isinstance(node, ast.ImportFrom)]
    for node in wanted:
        module = "." * node.level + (node.module or "")
        for name in node.names:
            if name.name == "*":
                fallbacks.append(module)
            elif node.level and not node.module:
                places[name.asname or name.name] = f".{name.name}"
            else:
                places[name.asname or name.name] = f"{module}:{name.name}"

    def get(name: str) -> Any:
        if name in places:
            module, _, attribute = places[name].partition(":")
            found = importlib.import_module(module, package)
            found = getattr(found, attribute) if attribute else found
            scope[name] = found
            return found
        if not name.startswith("_"):
            for module in fallbacks:
                source = importlib.import_module(module, package)
                if hasattr(source, name):
                    return getattr(source, name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted({*scope, *places})

    sources = [importlib.import_module(module, package) for module in fallbacks]
    exported = sorted({*places, *chain.from_iterable(map(_public, sources))})
    scope.update(__getattr__=get, __dir__=names, __all__=exported)
    return get, names, exported
