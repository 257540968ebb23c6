"""Errors of applications that show a model."""

from __future__ import annotations

from usdsim.core.errors import FileError, InvalidValueError, UsdsimError

__all__ = [
    "InvalidArgumentError",
    "InvalidFileError",
    "OtherRenderError",
    "RenderClosedError",
    "RenderError",
]


class RenderError(UsdsimError):
    """Error of an application that shows a model."""


class InvalidArgumentError(RenderError, InvalidValueError):
    """Argument that is not allowed."""


class InvalidFileError(RenderError, FileError):
    """File that cannot be read or written."""


class RenderClosedError(RenderError):
    """Use of an application that is closed."""


class OtherRenderError(RenderError):
    """Use in the wrong order, such as before `RenderApp.launch`."""
