"""Kinds of images by Isaac Lab's names, and layouts of their pixels."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["CameraISPMode", "RenderBufferKind", "RenderBufferSpec"]


class RenderBufferKind(StrEnum):
    """Kinds of images, equal to their names in ``CameraCfg.data_types``."""

    RGB = "rgb"
    RGBA = "rgba"
    RGB_HDR = "rgb_hdr"
    ALBEDO = "albedo"
    DEPTH = "depth"
    DISTANCE_TO_IMAGE_PLANE = "distance_to_image_plane"
    DISTANCE_TO_CAMERA = "distance_to_camera"
    NORMALS = "normals"
    MOTION_VECTORS = "motion_vectors"
    SEMANTIC_SEGMENTATION = "semantic_segmentation"
    INSTANCE_SEGMENTATION_FAST = "instance_segmentation_fast"
    INSTANCE_ID_SEGMENTATION_FAST = "instance_id_segmentation_fast"
    SIMPLE_SHADING_CONSTANT_DIFFUSE = "simple_shading_constant_diffuse"
    SIMPLE_SHADING_DIFFUSE_MDL = "simple_shading_diffuse_mdl"
    SIMPLE_SHADING_FULL_MDL = "simple_shading_full_mdl"


@dataclass(frozen=True)
class RenderBufferSpec:
    """Layout of the pixels of an image."""

    channels: int
    """Numbers of a pixel."""
    dtype: type
    """Type of each, one of Warp's."""


class CameraISPMode(StrEnum):
    """Modes of finding a pipeline of image signals on the stage; there is none here."""

    AUTO_CAMERA = "auto_camera"
    AUTO_ANY = "auto_any"
