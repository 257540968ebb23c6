"""MuJoCo's choice of OpenGL: a library that is missing must not keep MuJoCo from being imported.

MuJoCo reads the environment variable ``MUJOCO_GL`` when it is imported, and fails then and there if
what it names is missing or unknown. Simulation needs no OpenGL, so MuJoCo is imported without, and
whoever asks for OpenGL is told what was wrong.
"""

from __future__ import annotations

import importlib
import os

__all__ = ["VARIABLE", "import_mujoco", "refusal"]

VARIABLE = "MUJOCO_GL"
_OFF = ("", "disable", "disabled", "off", "false", "0")

_refusals: list[str] = []


def import_mujoco() -> None:
    """Import MuJoCo, without OpenGL if what ``MUJOCO_GL`` names does not work.

    Nothing is imported where the variable is not set: then MuJoCo takes what there is.
    """
    wanted = os.environ.get(VARIABLE, "")
    if wanted.strip().lower() in _OFF:
        return
    try:
        importlib.import_module("mujoco")
    except Exception as error:  # Exceptions of the libraries that draw are of all kinds.
        os.environ[VARIABLE] = "disable"
        try:
            importlib.import_module("mujoco")
        except ImportError:
            return
        finally:
            os.environ[VARIABLE] = wanted
        _refusals.append(f"{wanted}: {error}")


def refusal() -> str | None:
    """Reason why what ``MUJOCO_GL`` names could not be used; None: it could, or nobody asked."""
    return _refusals[0] if _refusals else None
