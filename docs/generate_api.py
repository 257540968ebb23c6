"""Writes one API page per public package from what its modules list in ``__all__``."""

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
    "usdsim.converters",
    "usdsim.exporters",
    "usdsim.schemas",
    "usdsim.spawners",
    "usdsim.parser",
    "usdsim.views",
    "usdsim.engine",
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


def _page(package: str, seen: set[int]) -> str:
    """Each object appears once, at the shortest path that exports it."""
    parts = [_title(package, "=")]
    for module in _modules(package):
        entries = []
        for name in module.__all__:
            value = getattr(module, name)
            documented = inspect.isclass(value) or inspect.isroutine(value)
            if name.startswith("__") or inspect.ismodule(value) or id(value) in seen:
                continue
            if documented:
                seen.add(id(value))
                if inspect.isclass(value):
                    PLACES[value] = f"{module.__name__}.{name}"
                entries.append(_directive(module, name))
        if module.__name__ == package:
            parts.append(f".. automodule:: {package}\n   :no-members:\n   :no-index:\n")
        elif entries:
            parts.append(_title(module.__name__, "-"))
            parts.append(f".. automodule:: {module.__name__}\n   :no-members:\n   :no-index:\n")
        parts += entries
    return "\n".join(parts)


def write_pages(folder: Path) -> None:
    """Write ``index.rst`` and one page per package into `folder`, leaving equal files alone."""
    folder.mkdir(exist_ok=True)
    seen: set[int] = set()
    pages = {f"{package}.rst": _page(package, seen) for package in PACKAGES}
    entries = "\n".join(f"   {package}" for package in PACKAGES)
    entries = f"   quantities\n   writers\n{entries}"
    pages["index.rst"] = _title("API", "=") + f"\n.. toctree::\n   :maxdepth: 1\n\n{entries}\n"
    for name, text in pages.items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for stale in set(folder.glob("*.rst")) - {folder / name for name in pages}:
        stale.unlink()
