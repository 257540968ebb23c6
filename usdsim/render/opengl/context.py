"""OpenGL contexts for pictures that no window shows."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import mujoco

from usdsim._mujoco_gl import refusal
from usdsim.core.errors import UnsupportedError

__all__ = ["open_context"]

_MODULES = {"egl": "mujoco.egl", "osmesa": "mujoco.osmesa", "glfw": "mujoco.glfw"}
_OFF = ("disable", "disabled", "off", "false", "0")
_ON = ("", "enable", "enabled", "on", "true", "1", "glx", "wgl")


def open_context(model: mujoco.MjModel, width: int, height: int) -> tuple[Any, Any]:
    """An OpenGL context, and MuJoCo's resources for a model in it.

    The environment variable ``MUJOCO_GL`` chooses the kind of context; without it, those that need
    no display come first.

    Raises:
        UnsupportedError: no context can be made on this machine.
    """
    refused = refusal()
    failures = [] if refused is None else [refused]
    for name in _candidates() if refused is None else ():
        context = None
        try:
            made = importlib.import_module(_MODULES.get(name, f"mujoco.{name}"))
            context = made.GLContext(width, height)
            if not getattr(context, "_context", True):
                # GLFW only warns; MuJoCo's resources would crash the process.
                raise OSError("there is no display")
            with context.as_current():
                resources = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
                mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, resources)
            return context, resources
        except Exception as error:  # Each kind fails with exceptions of other libraries.
            failures.append(f"{name}: {error}")
            if context is not None:
                context.free()
    tried = "; ".join(failures) or "MUJOCO_GL says that there is none"
    raise UnsupportedError(
        f"No OpenGL context can be made ({tried}). Use backend='rays', which needs none, or "
        "install the renderer with pip install 'usdsim[viewer]', and set the environment variable "
        "MUJOCO_GL to egl (machines without display), osmesa (without GPU either, if that library "
        "is installed) or glfw (with display)."
    )


def _candidates() -> tuple[str, ...]:
    """Kinds of contexts to try, in order."""
    wanted = os.environ.get("MUJOCO_GL", "").lower().strip()
    if wanted in _OFF:
        return ()
    if wanted not in _ON:
        return (wanted,)
    if sys.platform == "darwin":
        return ("cgl", "glfw")
    return ("egl", "glfw") if sys.platform.startswith("linux") and not wanted else ("glfw",)
