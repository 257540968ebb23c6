"""Cache of compiled models: an MJCF file is not converted, parsed and compiled a second time.

What is kept is what the whole way from file to model made, so a cached model equals one that was
just made; the stage between them is kept too, and opened when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import usdsim.core.cache as disk
from usdsim.converters.cfg import MjcfConverterCfg
from usdsim.converters.confinement import AssetRoots
from usdsim.converters.mjcf.inclusions import check_inclusions
from usdsim.converters.report import ConversionReport
from usdsim.core.errors import UsdsimError
from usdsim.engine import CompiledModel
from usdsim.parser.report import Report
from usdsim.usd.stored import StoredStage

from .model.scene_model import SceneModel
from .model.visuals import Visuals

__all__ = ["CompiledCache"]

_SELF_CONTAINED = (
    *(".xml", ".mjcf", ".stl", ".obj", ".msh", ".skn", ".bin", ".mjb", ".txt"),
    *(".png", ".ktx", ".hdr", ".jpg", ".jpeg", ".webp", ".exr", ".tga", ".bmp"),
)
"""Files that either refer to no others, or whose references `check_inclusions` follows."""


@dataclass(frozen=True)
class _Kept:
    compiled: CompiledModel
    report: Report
    conversion: ConversionReport
    stage: StoredStage
    visuals: Visuals


class CompiledCache:
    """The cached model of one MJCF file, loaded in one way.

    It holds as long as the file, all it includes and all assets that it names have the content they
    had, wherever one of them may be looked for.

    Args:
        file: the file.
        asset_roots: folders that it may have read besides its own, see `AssetRoots`.
        options: how it is loaded.
    """

    def __init__(self, file: Path, asset_roots: Sequence[str] | None, options: Mapping[str, Any]):
        self._file = file
        folders = [str(folder) for folder in AssetRoots(file, asset_roots).folders]
        self._key = str(file), str(file.resolve()), folders, sorted(options.items())
        self._disk = disk.DiskCache("model")
        self._files: dict[str, str | None] | None = None

    def load(self) -> SceneModel | None:
        """The model, if there is one that holds; else what `store` will need is noted."""
        kept = self._disk.load(self._key)
        if isinstance(kept, _Kept):
            made = kept.compiled, kept.stage, kept.report, kept.conversion, kept.visuals
            return SceneModel(*made)
        if disk.cache_folder() is not None:
            self._files = _dependencies(self._file)
        return None

    def store(self, model: SceneModel) -> None:
        """Keep the model that was made after `load` found none."""
        # Plugins are code that the engine may not have in the next process.
        if self._files is None or model.conversion is None or model.low.nplugin:
            return
        stage = StoredStage.of(model.stage)
        kept = _Kept(model.compiled, model.report, model.conversion, stage, model.visuals)
        self._disk.store(self._key, kept, self._files)


def _dependencies(file: Path) -> dict[str, str | None] | None:
    """Content of every place a model may be read from; None: they are not all known."""
    file = file.resolve()
    try:
        places = check_inclusions(file, AssetRoots(file, ("/",)), MjcfConverterCfg().max_copies)
    except UsdsimError:
        return None
    if any(place.suffix.lower() not in _SELF_CONTAINED for place in places):
        return None
    return disk.contents(places)
