"""Application that shows a model while a program's own loop steps it."""

from .application import RenderApp
from .cameras import RenderCamera, SystemCamera
from .errors import (
    InvalidArgumentError,
    InvalidFileError,
    OtherRenderError,
    RenderClosedError,
    RenderError,
)
from .gizmos import RenderGizmos
from .images import CaptureTask, Image
from .panel import Input, RenderOpt, RenderUI
from .values import Color, Layout, RenderSettings
from .widgets import CameraViewport, ImageWidget, RenderWidgets

__all__ = [
    "CameraViewport",
    "CaptureTask",
    "Color",
    "Image",
    "ImageWidget",
    "Input",
    "InvalidArgumentError",
    "InvalidFileError",
    "Layout",
    "OtherRenderError",
    "RenderApp",
    "RenderCamera",
    "RenderClosedError",
    "RenderError",
    "RenderGizmos",
    "RenderOpt",
    "RenderSettings",
    "RenderUI",
    "RenderWidgets",
    "SystemCamera",
]
