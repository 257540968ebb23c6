"""Application that shows a model while a program's own loop steps it."""

from . import errors
from .application import RenderApp
from .cameras import RenderCamera, SystemCamera
from .errors import *
from .gizmos import RenderGizmos
from .images import CaptureTask, Image
from .panel import Input, RenderOpt, RenderUI
from .values import Color, Layout, RenderSettings
from .widgets import CameraViewport, ImageWidget, RenderWidgets

__all__ = [
    *errors.__all__,
    "CameraViewport",
    "CaptureTask",
    "Color",
    "Image",
    "ImageWidget",
    "Input",
    "Layout",
    "RenderApp",
    "RenderCamera",
    "RenderGizmos",
    "RenderOpt",
    "RenderSettings",
    "RenderUI",
    "RenderWidgets",
    "SystemCamera",
]
