"""Included and attached files of MJCF, checked before MuJoCo opens any of them.

MuJoCo follows a model that attaches itself until the process dies, waits for pipes, reads
whatever a name leads to, and prints the name of an unknown class as if it were a format.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

from usdsim.converters.confinement import AssetRoots
from usdsim.core.boundary import boundary, require_fetched
from usdsim.core.errors import ConversionError

__all__ = ["check_inclusions", "check_text"]

_TOKEN = re.compile(
    r"""<!--.*?-->|<(?!!--)(/?[\w:.-]+)((?:[^"'<>]++|"[^"]*+"|'[^']*+')*+)>""", re.S
)
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_FILES = re.compile(r"file(?:right|left|up|down|front|back)?")
_FOLDERS = ("meshdir", "texturedir", "assetdir")
_COUNTS = ("nkey", "nuserdata", "nuser_body", "nuser_jnt", "nuser_geom", "nuser_site")
_GRIDS = ("flexcomp", "composite")
"""Elements whose ``count`` is one number per direction."""
_MESHES: dict[str, tuple[int, int]] = {
    "supersphere": (1, 2), "supertorus": (1, 2), "cone": (1, 2), "wedge": (2, 1), "plate": (2, 1),
    "grid": (3, 1), "box": (3, 1), "cylinder": (3, 1), "ellipsoid": (3, 1), "square": (3, 1),
    "disc": (3, 1),
}  # fmt: skip
"""Sizes of generated meshes: how many of their first ``params`` are multiplied, to which power."""
_PIXELS = {"hfield": ("nrow", "ncol"), "texture": ("width", "height")}
"""Sizes of images."""
_VERTEX, _PIXEL = 4.0, 0.01
"""Cost of a vertex of a hull, and of a pixel, in copies of an element."""
_DEPTH = 50


@dataclass
class _Tag:
    name: str
    attributes: dict[str, str]
    line: int


@dataclass
class _Check:
    """Facts about a model and everything it includes."""

    source: Path
    roots: AssetRoots
    limit: int
    tags: dict[Path, list[_Tag]] = field(default_factory=dict)
    places: set[Path] = field(default_factory=set)
    """Folders where files were looked for."""

    def folders(self, file: Path) -> list[Path]:
        """Folders that names in a file may start from; compiler settings hold for all files."""
        bases = list(dict.fromkeys((file.parent, self.source.parent)))
        named = (
            tag.attributes[name]
            for tags in self.tags.values()
            for tag in tags
            if tag.name == "compiler"
            for name in _FOLDERS
            if name in tag.attributes
        )
        return [*bases, *(base / inner for inner in dict.fromkeys(named) for base in bases)]


def check_inclusions(source: Path, roots: AssetRoots, limit: int) -> set[Path]:
    """Look at an MJCF file and all it includes, as text.

    Args:
        source: the file.
        roots: what may be read.
        limit: greatest number of copies of one element.

    Returns:
        Every place that something may be read from, whether there is a file or none.

    Raises:
        FileError: a file cannot be read.
        ConversionError: files include each other in a circle, a file lies outside `roots`, is no
            regular file or not in UTF-8, something is repeated too often, or a class whose name has
            a percent sign is not defined.
    """
    return _run(_Check(source, roots, limit), None)


def check_text(text: str, limit: int) -> None:
    """Look at MJCF text and all it includes, from the current folder or anywhere else.

    Raises:
        ConversionError: as for `check_inclusions`, but for places, as who has text has the program.
    """
    source = Path.cwd() / "MJCF text"
    _run(_Check(source, AssetRoots(source, ("/",)), limit), text.encode("utf-8", "surrogatepass"))


def _run(check: _Check, data: bytes | None) -> set[Path]:
    _follow(check.source, (), check, data)
    _check_classes(check.tags)
    for file, tags in check.tags.items():
        folders = check.folders(file)
        for tag in tags:
            for key, value in tag.attributes.items():
                if value and _FILES.fullmatch(key):
                    # MuJoCo can strip the paths of meshes and textures.
                    names = (value, os.path.basename(value.replace("\\", "/")))
                    for found in _existing(names, folders, check.places):
                        _inspect(found, tag, file, check)
    return check.places | set(check.tags)


def _follow(file: Path, above: tuple[Path, ...], check: _Check, data: bytes | None = None) -> None:
    """Collect the tags of a file, whose content may be known, and of the files it includes."""
    real = file.resolve()
    if real in above or len(above) > _DEPTH:
        chain = " -> ".join(path.name for path in (*above, real))
        raise ConversionError(f"{file}: the file includes itself ({chain}). Break the circle.")
    if file in check.tags:
        return
    if data is None:
        with boundary(f"Cannot read {str(file)!r}"):
            data = file.read_bytes()
    tags = check.tags[file] = list(_tags(data, file))
    _check_counts(tags, file, check.limit)
    for tag in tags:
        name = tag.attributes.get("file")
        if name and tag.name in ("include", "model"):
            for found in _existing((name,), check.folders(file), check.places):
                _inspect(found, tag, file, check)
                if _is_model(found):
                    _follow(found, (*above, real), check)


def _inspect(found: Path, tag: _Tag, file: Path, check: _Check) -> None:
    problem = check.roots.problem(found)
    if problem:
        raise ConversionError(f"{file.name}:{tag.line} <{tag.name}>: {problem}.")
    require_fetched(found)


def _existing(names: Sequence[str], folders: list[Path], places: set[Path]) -> Iterator[Path]:
    """Whatever names may be taken for: MuJoCo has a folder per kind, and slashes may be turned.

    Every place that is looked at is added to `places`.
    """
    spelt = [each for name in names if name for each in (name, name.replace("\\", "/"))]
    candidates = dict.fromkeys(folder / name for folder in folders for name in spelt)
    places.update(candidates)
    for candidate in candidates:
        if os.path.exists(candidate) and not candidate.is_dir():
            yield candidate


def _is_model(file: Path) -> bool:
    return file.suffix.lower() not in (".urdf", ".mjb")


def _tags(data: bytes, file: Path) -> Iterator[_Tag]:
    """The tags of XML text, taken as loosely as MuJoCo takes them."""
    text = data.decode("utf-8", "surrogateescape")
    line, position = 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", position, token.start())
        position = token.start()
        if token[1] is None:
            continue
        _require_utf8(token[0], file, line)
        values = {key: html.unescape(a or b) for key, a, b in _ATTRIBUTE.findall(token[2] or "")}
        yield _Tag(token[1], values, line)


def _require_utf8(text: str, file: Path, line: int) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ConversionError(
            f"{file.name}:{line}: the text is not encoded in UTF-8, which names on a stage are. "
            f"Save the file in UTF-8: iconv -f latin1 -t utf8 {file.name}"
        ) from error


def _check_classes(files: dict[Path, list[_Tag]]) -> None:
    """Refuse unknown classes that are formats, of which printing one ends the process."""
    found = [(file, tag) for file, tags in files.items() for tag in tags]
    known = {tag.attributes.get("class") for _, tag in found if tag.name == "default"}
    for file, tag in found:
        name = tag.attributes.get("class", "")
        if "%" in name and name not in known:
            raise ConversionError(
                f"{file.name}:{tag.line} <{tag.name}>: class {name!r} is not defined; allowed: "
                "the class of a <default>."
            )


def _check_counts(tags: list[_Tag], file: Path, limit: int) -> None:
    """Refuse numbers of copies that would take hours; nested ones multiply."""
    nested = [1]
    for tag in tags:
        if tag.name == "/replicate":
            nested = nested[:-1] or [1]
            continue
        counts = [tag.attributes.get("count", "")] if tag.name == "replicate" else []
        counts += [tag.attributes[name] for name in _COUNTS if name in tag.attributes]
        if tag.name in _GRIDS:
            counts.append(tag.attributes.get("count", ""))
        numbers = [nested[-1] * prod(map(_count, text.split())) for text in counts]
        for number in (*numbers, _generated(tag)):
            if number > limit:
                raise ConversionError(
                    f"{file.name}:{tag.line} <{tag.name}>: {number:.3g} copies; allowed: up to "
                    f"{limit}. Ask for fewer, or raise `max_copies`."
                )
        if tag.name == "replicate":
            nested.append(nested[-1] * max(1, int(_count(tag.attributes.get("count", "1")))))


def _generated(tag: _Tag) -> float:
    """Cost of the mesh or image that MuJoCo makes from numbers, in copies of an element."""
    if tag.name == "mesh":
        first, power = _MESHES.get(tag.attributes.get("builtin", ""), (0, 1))
        values = tag.attributes.get("params", "").split()[:first]
        return _VERTEX * prod(map(_count, values * power)) if values else 0.0
    names = _PIXELS.get(tag.name, ())
    return _PIXEL * prod(_count(tag.attributes.get(name, "1")) for name in names)


def _count(text: str) -> float:
    try:
        return max(0.0, float(text))
    except ValueError:
        return 1.0
