"""Import hook: modules of other names whose contents are those of modules here."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import DistributionFinder
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from usdsim.core import __version__
from usdsim.core.errors import meant
from usdsim.core.shipped import FILE_FINDERS
from usdsim.scene import (
    set_contact_counts,
    set_integrators,
    set_solver_iterations,
    set_unknown_names,
    set_urdf_actuators,
    set_urdf_bases,
)
from usdsim.usd.queries import PASSED_SCOPES

from .absent import AbsentType
from .names import ABSENT, FILES, FORMER, MODULES, PREFIXES, SIMULATORS
from .private_names import add_private_names, remove_private_names
from .server.stand_ins import find_server_file
from .stages import close_stage
from .typed_calls import restore_typed_calls, widen_typed_calls
from .versions import LAB_VERSION, LabDistribution

__all__ = ["install", "uninstall"]

_MOTRIX: tuple[tuple[Callable[[Any], None], str, str], ...] = (
    (set_unknown_names, "none", "raise"),
    (set_contact_counts, "once", "each"),
    (set_urdf_bases, "free", "fixed"),
    (set_urdf_actuators, "motors", "drives"),
    (set_integrators, "implicitfast", "file"),
    (set_solver_iterations, "enough", "told"),
)
"""Settings, their values while MotrixSim is imported, and the others.

Its programs rely on None for names that a model does not have, on the number of contacts standing
once among the values of a contact sensor, on robots from URDF that move freely and have motors, on
servos whose damping is implicit, and on contacts that hold after a few iterations of the solver."""

_SCOPE = "Geometry"
"""Scope in which importers of Isaac Sim 6 put the links of URDF and MJCF, nested as here."""

_TOLD = (
    "; the page 'Names of MotrixSim that are not here' of the documentation says what does the same"
)


class _Adopted(ModuleType):
    """A module whose names are looked up in others when they are asked for."""

    def __init__(self, name: str, sources: Sequence[str]):
        super().__init__(name)
        self.__dict__["_sources"] = tuple(sources)
        self.__dict__["__path__"] = []
        if name == "isaaclab":
            self.__dict__["__version__"] = LAB_VERSION

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return self._public_names()
        if name == "__version__" and self.__name__ == "motrixsim":
            return __version__
        if not name.startswith("__"):
            below = f"{self.__name__}.{name}"
            found = self._found(name, below)
            if found is not None:
                return found
            if _sources(below) is not None:
                return importlib.import_module(below)
        told = _TOLD if self.__name__.partition(".")[0] == "motrixsim" else ""
        question = "" if name.startswith("__") else meant(name, self._public_names())
        message = f"{self.__name__}.{name} has no counterpart in usdsim{told}"
        raise AttributeError(f"{message}. {question}" if question else message)

    def _found(self, name: str, below: str) -> Any:
        """Find a name in the sources; None: none has it.

        What a module says that it has goes before what others import or make when asked.
        """
        for says in (True, False):
            for source in self._sources:
                if source == ABSENT and (says or _path(below) in MODULES):
                    break  # there is more to it than to a name without a counterpart
                module = importlib.import_module(source)
                own = name in getattr(module, "__all__", ())
                found = getattr(module, name, None) if own or not says else None
                # Modules that a module imports, or that are in it, are not among its names.
                if found is not None and (own or not isinstance(found, ModuleType)):
                    return found
        return None

    def __dir__(self) -> list[str]:
        """The module's own names and those of `__all__`."""
        return sorted({*super().__dir__(), *self._public_names()})

    def _public_names(self) -> list[str]:
        """Names that ``from ... import *`` takes."""
        modules = (importlib.import_module(s) for s in self._sources if s != ABSENT)
        names = (name for module in modules for name in getattr(module, "__all__", ()))
        return [*dict.fromkeys(names)]

    def __setattr__(self, name: str, value: Any) -> None:
        # A submodule does not hide the class or function of its name, as in `utils.configclass`.
        if isinstance(value, ModuleType) and name not in self.__dict__:
            known = getattr(self, name, None)
            if known is not None and not isinstance(known, ModuleType | AbsentType):
                return
        super().__setattr__(name, value)


class _Finder(MetaPathFinder, Loader):
    """Finds the modules of `MODULES` under all of `PREFIXES`, and the packages above them."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder.find_spec`."""
        return ModuleSpec(name, self, is_package=True) if _sources(name) is not None else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """See `importlib.abc.Loader.create_module`."""
        return _Adopted(spec.name, _sources(spec.name) or ())

    def exec_module(self, module: ModuleType) -> None:
        """Let MotrixSim's conventions hold; names are looked up when they are asked for."""
        if module.__name__ == "motrixsim":
            for choose, theirs, _ in _MOTRIX:
                choose(theirs)


class _FirstFinder(_Finder, DistributionFinder):
    """Finds the `SIMULATORS` before the packages of these names that are installed.

    Packages that are installed are found under their `FORMER` names, too, each module once.
    """

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder.find_spec`."""
        if _present(name) is not None:
            return ModuleSpec(name, self, is_package=True)
        return super().find_spec(name) if name.partition(".")[0] in SIMULATORS else None

    def exec_module(self, module: ModuleType) -> None:
        """See `_Finder.exec_module`; a former name is one of the module that has another now."""
        super().exec_module(module)
        present = _present(module.__name__)
        if present is not None:
            sys.modules[module.__name__] = importlib.import_module(present)

    def find_distributions(self, context: Any = None) -> list[LabDistribution]:
        """See `importlib.metadata.DistributionFinder.find_distributions`."""
        return [LabDistribution()] if getattr(context, "name", None) == "isaaclab" else []


_FINDER = _Finder()
_FIRST = _FirstFinder()


def _path(name: str) -> str | None:
    """Path in `MODULES` of a module; None: it is in none of the `PREFIXES`."""
    for prefix, base in PREFIXES.items():
        if name == prefix or name.startswith(f"{prefix}."):
            return ".".join(part for part in (base, name[len(prefix) + 1 :]) if part)
    return None


def _present(name: str) -> str | None:
    """Installed module that has another name now; None: there is none."""
    for former, package in FORMER.items():
        if name == former or name.startswith(f"{former}."):
            present = package + name[len(former) :]
            spec = find_spec(present)
            return None if spec is None or isinstance(spec.loader, _Finder) else present
    return None


def _sources(name: str) -> tuple[str, ...] | None:
    """Modules with the contents of a module; None: it is none of those resolved here."""
    path = _path(name)
    if path is not None:
        return _entry(path)
    return () if any(prefix.startswith(f"{name}.") for prefix in PREFIXES) else None


def _entry(path: str) -> tuple[str, ...] | None:
    """Sources that `MODULES` has for a path, or for that of which the path is a file."""
    known = path
    while known not in MODULES:
        known = known.rpartition(".")[0]
    files = path[len(known) :].strip(".")
    sources = MODULES[known]
    parts = [part.removeprefix("base_") for part in files.split(".") if part]
    if all(part in FILES for part in parts) or ABSENT in sources:
        return sources if files == files.lower() else None
    return None


def install() -> None:
    """Let the import names of `PREFIXES` resolve to usdsim.

    Packages that are installed keep theirs, but for the `SIMULATORS` themselves: a program that is
    to run here would run there. Installing twice is installing once.
    """
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FIRST)
        sys.meta_path.append(_FINDER)
        widen_typed_calls()
        add_private_names()
        FILE_FINDERS.append(find_server_file)
        PASSED_SCOPES.add(_SCOPE)


def uninstall() -> None:
    """Let them resolve no more, and forget the modules that were imported under them."""
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FIRST)
        sys.meta_path.remove(_FINDER)
        restore_typed_calls()
        remove_private_names()
        close_stage()
        FILE_FINDERS.remove(find_server_file)
        PASSED_SCOPES.discard(_SCOPE)
    if isinstance(sys.modules.get("motrixsim"), _Adopted):
        for choose, _, ours in _MOTRIX:
            choose(ours)
    former = tuple(FORMER)
    for name, module in list(sys.modules.items()):
        if isinstance(module, _Adopted) or name.startswith(former):
            del sys.modules[name]
