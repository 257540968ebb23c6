"""Lazy names of packages: imported when they are first asked for."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .extras import optional

__all__ = ["lazy_names", "listed_names"]


def lazy_names(
    package: str, modules: Sequence[str] = (), *, without: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Names of a package that are imported on first use: those it imports for type checkers.

    They are read from the package's source, where it says ``if TYPE_CHECKING:``.

    Args:
        package: the package's ``__name__``.
        modules: modules of the package that are attributes without being imported first.
        without: names that are left out.

    Returns:
        The package's ``__getattr__``, ``__dir__`` and ``__all__``. Where a name needs an optional
        package that is missing, the first raises an `UnsupportedError` that says how to install it.
    """
    scope = vars(sys.modules[package])
    homes = {name: home for name, home in _imported(scope["__file__"]) if name not in without}

    def find(name: str) -> Any:
        if name in homes:
            with optional(f"{package}.{name}"):
                module = importlib.import_module(homes[name], package)
            scope[name] = getattr(module, name)
            return scope[name]
        if name in modules:
            return importlib.import_module(f".{name}", package)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find, lambda: sorted({*scope, *homes, *modules}), sorted(homes)


def listed_names(file: Path) -> Iterator[str]:
    """Names in the ``__all__`` of a module, which is read from its source and not imported.

    Those of modules beside it are among them where its ``__all__`` unpacks theirs.

    Args:
        file: the module.
    """
    for line in _statements(file):
        if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "__all__":
            for entry in getattr(line.value, "elts", ()):
                if isinstance(entry, ast.Starred):
                    module = ast.unparse(entry.value).removesuffix(".__all__")
                    yield from listed_names(file.parent / f"{module}.py")
                else:
                    yield ast.literal_eval(entry)


def _imported(file: str) -> Iterator[tuple[str, str]]:
    """Names that a package imports for type checkers, and the modules that have them."""
    for block in _statements(Path(file)):
        if not isinstance(block, ast.If) or ast.unparse(block.test) != "TYPE_CHECKING":
            continue
        for line in block.body:
            if isinstance(line, ast.ImportFrom):
                home = "." * line.level + (line.module or "")
                for alias in line.names:
                    if alias.name == "*":
                        listed = listed_names(Path(file).parent / str(line.module) / "__init__.py")
                        yield from ((name, home) for name in listed)
                    else:
                        yield alias.name, home


def _statements(file: Path) -> list[ast.stmt]:
    return ast.parse(file.read_text(encoding="utf-8")).body
