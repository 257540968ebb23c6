"""Writes the API pages: one per package, one per exported class or function, one of internals."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path
from types import ModuleType

PACKAGES = (
    "usdsim",
    "usdsim.scene",
    "usdsim.sim",
    "usdsim.assets",
    "usdsim.actuators",
    "usdsim.controllers",
    "usdsim.sensors",
    "usdsim.robots",
    "usdsim.terrains",
    "usdsim.envs",
    "usdsim.tasks",
    "usdsim.learning",
    "usdsim.converters",
    "usdsim.exporters",
    "usdsim.schemas",
    "usdsim.spawners",
    "usdsim.parser",
    "usdsim.views",
    "usdsim.engine",
    "usdsim.cluster",
    "usdsim.testing",
    "usdsim.usd",
    "usdsim.math",
    "usdsim.core",
    "usdsim.cli",
)
"""Public packages, in the order of the documentation's contents."""

PLACES: dict[type, str] = {}
"""Where each documented class is found; filled by `write_pages`."""


def _modules(package: str) -> list[ModuleType]:
    """The package and its public modules; `usdsim` itself stands alone."""
    root = importlib.import_module(package)
    names = (
        []
        if package == "usdsim"
        else sorted(
            info.name
            for info in pkgutil.walk_packages(root.__path__, f"{package}.")
            if not any(part.startswith("_") for part in info.name.split("."))
        )
    )
    return [root, *map(importlib.import_module, names)]


def _directive(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    kind = "autofunction"
    if inspect.isclass(value):
        kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
    return f".. {kind}:: {module.__name__}.{name}\n"


def _title(text: str, underline: str) -> str:
    return f"{text}\n{underline * len(text)}\n"


def _summary(value: object) -> str:
    """First sentence of a docstring, for a table."""
    text = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    return text.replace("*", "\\*").replace("|", "\\|")


def _new(module: ModuleType, seen: set[int]) -> list[str]:
    """Names of the classes and functions that a module exports and no module before it did."""
    names = []
    for name in getattr(module, "__all__", ()):  # A folder that only holds modules lists nothing.
        value = getattr(module, name)
        documented = inspect.isclass(value) or inspect.isroutine(value)
        if name.startswith("__") or not documented or id(value) in seen:
            continue
        seen.add(id(value))
        if inspect.isclass(value):
            PLACES[value] = f"{module.__name__}.{name}"
        names.append(name)
    return names


def _package_pages(package: str, seen: set[int]) -> dict[str, str]:
    """A page for a package, one for each thing it exports, and one for its internal modules.

    Each object appears once, at the shortest path that exports it. Pages of single objects stand in
    no table of contents, whose thousands of lines would be repeated on every page.
    """
    root, *modules = _modules(package)
    names = _new(root, seen)
    rows = [
        f"   * - :doc:`{name} <{package}/{name}>`\n     - {_summary(getattr(root, name))}\n"
        for name in sorted(names, key=str.lower)
    ]
    head = f".. automodule:: {package}\n   :no-members:\n   :no-index:\n"
    table = ".. list-table::\n   :widths: 34 66\n\n" + "".join(rows) if rows else ""
    pages = {f"{package}/{name}.rst": _object_page(root, name) for name in names}
    inside = [part for module in modules for part in _module_parts(module, seen)]
    if inside:
        title = _title(f"Internals of {package}", "=")
        pages[f"internals/{package}.rst"] = ":nosearch:\n\n" + "\n".join([title, *inside])
        head += f"\nModules below the package: :doc:`internals </api/internals/{package}>`.\n"
    pages[f"{package}.rst"] = "\n".join([_title(package, "="), head, table])
    return pages


def _object_page(root: ModuleType, name: str) -> str:
    back = f":doc:`{root.__name__} </api/{root.__name__}>`\n"
    return "\n".join([":orphan:\n", _title(name, "="), back, _directive(root, name)])


def _module_parts(module: ModuleType, seen: set[int]) -> list[str]:
    names = _new(module, seen)
    if not names:
        return []
    head = f".. automodule:: {module.__name__}\n   :no-members:\n   :no-index:\n"
    return [_title(module.__name__, "-"), head, *(_directive(module, name) for name in names)]


def write_pages(folder: Path) -> None:
    """Write ``index.rst`` and the pages of all packages; files that are equal stay untouched."""
    seen: set[int] = set()
    pages: dict[str, str] = {}
    for package in PACKAGES:
        pages |= _package_pages(package, seen)
    internals = sorted(name for name in pages if name.startswith("internals/"))
    pages["internals/index.rst"] = _contents("Internals", [Path(n).stem for n in internals])
    top = ["quantities", "writers", "targets", *PACKAGES, "internals/index"]
    pages["index.rst"] = _contents("API", top)
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    kept = {folder / name for name in pages}
    for place in (folder, folder / "internals", *(folder / package for package in PACKAGES)):
        for stale in set(place.glob("*.rst")) - kept:
            stale.unlink()


def _contents(title: str, entries: list[str]) -> str:
    lines = "\n".join(f"   {entry}" for entry in entries)
    return _title(title, "=") + f"\n.. toctree::\n   :maxdepth: 1\n\n{lines}\n"
