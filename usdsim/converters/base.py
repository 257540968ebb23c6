"""Converters that convert only when something changed."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any, ClassVar

from usdsim._resources import elsewhere
from usdsim.core.boundary import boundary
from usdsim.core.errors import ConversionError, FileError, MissingFileError
from usdsim.core.transaction import replace_file

from .cfg import AssetConverterBaseCfg, MeshConverterCfg, MjcfConverterCfg, UrdfConverterCfg
from .conversion import convert_file
from .report import ConversionReport
from .sniff import SourceKind, source_kind

__all__ = ["AssetConverterBase", "MeshConverter", "MjcfConverter", "UrdfConverter"]

_HASH_FILE = ".asset_hash"
_FORMAT = "2"
"""Raised whenever converters write something else for the same input."""


class AssetConverterBase:
    """Converts a file on construction, unless an up-to-date result exists.

    A result is up to date if its `.asset_hash` matches the content of the source and every file it
    includes, and the options. The hash is written only after the conversion succeeded.

    Args:
        cfg: options; `asset_path` is required.

    Raises:
        FileError: the source is missing or of another kind.
        ConversionError: it cannot be converted; nothing is written.
    """

    kind: ClassVar[SourceKind | None] = None

    def __init__(self, cfg: AssetConverterBaseCfg):
        source = Path(cfg.asset_path)
        if not cfg.asset_path or not os.path.isfile(source):
            remedy = elsewhere(cfg.asset_path)
            raise MissingFileError(f"No such file: asset_path={cfg.asset_path!r}.{remedy}")
        found = source_kind(source)
        if self.kind is not None and found != self.kind:
            raise FileError(
                f"{cfg.asset_path!r} is a {found} file; {type(self).__name__} takes "
                f"{self.kind} files."
            )
        self.cfg = cfg
        self.report: ConversionReport | None = None
        with boundary(f"Cannot read {str(source)!r} and the files it names"):
            digest = _digest(source, cfg)
        name = cfg.usd_file_name or f"{source.stem}.usd"
        self._file = Path(name) if Path(name).suffix else Path(f"{name}.usd")
        self._dir = Path(cfg.usd_dir) if cfg.usd_dir else _default_dir(source, digest)
        mark = self._dir / _HASH_FILE
        if not cfg.force_usd_conversion and self._is_current(mark, digest):
            return
        with boundary(f"Cannot create folder {str(self._dir)!r}"):
            self._dir.mkdir(parents=True, exist_ok=True)
        self._forget(mark)
        self.report = convert_file(source, self._dir / self._file, cfg).report
        self._remember(mark, digest)

    @property
    def usd_dir(self) -> str:
        """Folder of the result."""
        return str(self._dir.resolve())

    @property
    def usd_file_name(self) -> str:
        """File name of the result."""
        return self._file.name

    @property
    def usd_path(self) -> str:
        """Path of the result."""
        return str(self._dir.resolve() / self._file)

    @property
    def usd_instanceable_meshes_path(self) -> str:
        """File that holds the shared meshes: the result itself."""
        return self.usd_path

    def _is_current(self, mark: Path, digest: str) -> bool:
        return (self._dir / self._file).is_file() and _read(mark).get(self._file.name) == digest

    def _forget(self, mark: Path) -> None:
        entries = _read(mark)
        if entries.pop(self._file.name, None) is not None:
            replace_file(mark, json.dumps(entries, indent=1))

    def _remember(self, mark: Path, digest: str) -> None:
        replace_file(self._dir / "config.yaml", _yaml(_plain(self.cfg)))
        entries = _read(mark)
        entries[self._file.name] = digest
        replace_file(mark, json.dumps(entries, indent=1))


class UrdfConverter(AssetConverterBase):
    """Converts a URDF or xacro file; see `UrdfConverterCfg`."""

    kind: ClassVar[SourceKind | None] = "urdf"
    cfg: UrdfConverterCfg


class MjcfConverter(AssetConverterBase):
    """Converts an MJCF file; see `MjcfConverterCfg`."""

    kind: ClassVar[SourceKind | None] = "mjcf"
    cfg: MjcfConverterCfg


class MeshConverter(AssetConverterBase):
    """Converts a mesh file; see `MeshConverterCfg`."""

    kind: ClassVar[SourceKind | None] = "mesh"
    cfg: MeshConverterCfg


def _read(mark: Path) -> dict[str, str]:
    try:
        entries = json.loads(mark.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return entries if isinstance(entries, dict) else {}


def _digest(source: Path, cfg: AssetConverterBaseCfg) -> str:
    """Hash of the options and of the source with everything it refers to."""
    options = _plain(cfg)
    for name in ("usd_dir", "usd_file_name", "force_usd_conversion"):
        options.pop(name, None)
    total = hashlib.md5(usedforsecurity=False)
    total.update(json.dumps([_FORMAT, type(cfg).__name__, options], sort_keys=True).encode())
    for file in _inputs(source, cfg):
        total.update(str(file).encode())
        total.update(hashlib.md5(file.read_bytes(), usedforsecurity=False).digest())
    return total.hexdigest()


def _inputs(source: Path, cfg: AssetConverterBaseCfg) -> list[Path]:
    """The source and the files it names, as far as they can be found by name."""
    from .inputs import referenced_files

    packages = cfg.packages if isinstance(cfg, UrdfConverterCfg) else {}
    return [source.resolve(), *referenced_files(source.resolve(), packages)]


def _default_dir(source: Path, digest: str) -> Path:
    return Path(tempfile.gettempdir()) / "usdsim" / f"{source.stem}_{digest[:12]}"


def _plain(cfg: AssetConverterBaseCfg) -> dict[str, Any]:
    """Options as JSON values."""
    plain: dict[str, Any] = json.loads(json.dumps(cfg.to_dict(), default=_members))
    return plain


def _members(value: Any) -> dict[str, Any]:
    """Attributes of an option that is no configuration, by name."""
    if hasattr(value, "__dict__"):
        return vars(value)
    raise ConversionError(f"Option value {value!r} cannot be recorded.")


def _yaml(value: Any, depth: int = 0) -> str:
    """Nested mappings of plain values as YAML."""
    lines = []
    for key, entry in value.items():
        head = f"{'  ' * depth}{json.dumps(key) if not str(key).isidentifier() else key}:"
        if isinstance(entry, dict) and entry:
            lines.append(f"{head}\n{_yaml(entry, depth + 1)}")
        else:
            lines.append(f"{head} {json.dumps(entry)}\n")
    return "".join(lines)
