"""Robots by name: ``rd:go2_description`` is a file of the package robot_descriptions.

The package fetches a robot's repository when it is first asked for it, and then uses its copy; the
environment variable ``ROBOT_DESCRIPTIONS_CACHE`` names the folder of the copies.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from pathlib import Path

from usdsim.core.errors import FileError, InvalidValueError, UnknownNameError, UnsupportedError

__all__ = ["PREFIX", "find_description", "is_description"]

PREFIX = "rd:"
"""Prefix of a robot's name where a file is expected."""

_PACKAGE = "robot_descriptions"
_FORMATS = {"mjcf": "MJCF_PATH", "urdf": "URDF_PATH", "xacro": "XACRO_PATH"}


def is_description(source: object) -> bool:
    """Whether a source is a robot's name instead of a file."""
    return isinstance(source, str) and source.startswith(PREFIX)


def find_description(source: str) -> Path:
    """The robot file of a name, ``rd:panda_description`` or ``rd:panda_description:urdf``.

    Args:
        source: the name, and after a colon the format where there are several: ``mjcf``, ``urdf``
            or ``xacro``; without it the first of these that exists.

    Raises:
        UnsupportedError: the package robot_descriptions is missing.
        UnknownNameError: it has no such robot.
        InvalidValueError: it does not have the robot in that format.
        FileError: the robot's repository cannot be fetched.
    """
    name, _, wanted = source.removeprefix(PREFIX).partition(":")
    if wanted and wanted not in _FORMATS:
        raise InvalidValueError(f"format of {source!r}", wanted, ", ".join(_FORMATS))
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None:
        raise UnsupportedError(
            f"{source!r} needs the package robot_descriptions: pip install 'usdsim[robots]'."
        )
    known = [
        module.name
        for module in pkgutil.iter_modules(spec.submodule_search_locations)
        if module.name.endswith("_description")
    ]
    if name not in known:
        raise UnknownNameError("robot", name, known, "robot_descriptions")
    try:
        module = importlib.import_module(f"{_PACKAGE}.{name}")
    except Exception as error:  # Git and the network fail with exceptions of other libraries.
        raise FileError(f"Cannot fetch {source!r}: {error}".rstrip(".") + ".") from error
    found = {key: str(getattr(module, a)) for key, a in _FORMATS.items() if hasattr(module, a)}
    if not found or (wanted and wanted not in found):
        raise InvalidValueError(
            f"format of {source!r}", wanted or "any", ", ".join(found) or "none of usdsim's"
        )
    return Path(found[wanted] if wanted else next(iter(found.values())))
