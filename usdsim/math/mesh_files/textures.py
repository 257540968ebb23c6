"""Textures of mesh files, as PNG."""

from __future__ import annotations

import io
from typing import Any

from usdsim.core.png import SIGNATURE

__all__ = ["PngTextures"]


class PngTextures:
    """Textures of a file as PNG, each written once however many meshes share it."""

    def __init__(self) -> None:
        self._written: dict[int, tuple[Any, bytes]] = {}

    def png(self, image: Any) -> bytes | None:
        """Content of a PNG file: the image's own where it was read from one."""
        if image is None or not hasattr(image, "save"):
            return None
        known = self._written.get(id(image))
        if known is None:
            known = self._written[id(image)] = image, _png(image)
        return known[1]


def _png(image: Any) -> bytes:
    source = getattr(image, "fp", None)
    if image.format == "PNG" and source is not None and source.seekable():
        source.seek(0)
        content = bytes(source.read())
        if content.startswith(SIGNATURE):
            return content
    buffer = io.BytesIO()
    # More compression takes ten times as long and makes a tenth less.
    image.save(buffer, format="PNG", compress_level=1)
    return buffer.getvalue()
