"""Resource folders: the shipped schemas and assets, in a wheel or in a checkout."""

from __future__ import annotations

from pathlib import Path

from .core.errors import UnknownNameError

__all__ = ["example_asset", "resource_dir"]

_MODELS = (".usd", ".usda", ".usdc", ".xml", ".urdf", ".xacro")
_PACKAGE = Path(__file__).resolve().parent


def resource_dir(name: str) -> Path:
    """Folder of shipped data.

    Args:
        name: ``"schemas"`` or ``"assets"``.

    Raises:
        FileNotFoundError: the installation is incomplete.
    """
    for folder in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"usdsim's {name!r} folder is missing; reinstall the package.")


def example_asset(name: str) -> Path:
    """Path of a robot or scene that comes with usdsim, in a wheel or in a checkout.

    Args:
        name: path inside the shipped assets, ``"quadruped/scene.xml"``.

    Raises:
        UnknownNameError: there is no such file; the error lists what there is.
    """
    folder = resource_dir("assets")
    path = folder / name
    if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
        files = (
            found.relative_to(folder).as_posix()
            for found in sorted(folder.rglob("*"))
            if found.suffix in _MODELS
        )
        raise UnknownNameError("shipped asset", name, files)
    return path
