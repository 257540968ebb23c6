"""MJCF as other engines write it: what MuJoCo's own reader refuses, taken out of a copy and told.

Only a file that MuJoCo refuses comes here. Its includes are put in place, files get absolute paths,
and what the tables below list is left out; what is no known extension stays for MuJoCo to refuse.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from usdsim.converters.report import ConversionReport
from usdsim.core.errors import ConversionError

from .composites import cables_as_rods, take_masses
from .corrections import corrections
from .lidars import replace_lidars
from .versions import in_present_words
from .world_frames import placed_in_world

__all__ = ["Adapted", "Omission", "adapt", "report_omissions"]

ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "option": ("apirate",),
    "compiler": ("compress",),
    "map": ("envmapintensity",),
    "quality": ("shadowsize_dir", "shadowsize_point"),
    "material": ("emissionintensity",),
    "texture": ("compress",),
    "mesh": ("acd",),
    "joint": ("hardlimit",),
    "geom": ("hard", "bounciness", "erp"),
    "camera": ("trackposspeed", "trackrotspeed", "depth", "znear", "zfar"),
    "light": ("innerangle", "nearz"),
    "connect": ("stiffness", "damping"),
    "weld": ("stiffness", "damping"),
    "fixed": ("material", "rgba", "width"),
}
"""Attributes that only other engines know, or MuJoCo did until version 2, by element; without
influence on a model here. Those that begin with an underscore are of others too, whatever the
element."""
ELEMENTS = ("gsplat", "probe", "shadowsize", "ssao", "ssgi", "tonemapping")
"""Elements that only other engines know."""
FILES = {"mesh": "meshdir", "hfield": "meshdir", "skin": "meshdir", "texture": "texturedir"}
"""Elements that name files, and the setting that says in which folder they are."""
_SIDES = ("fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")


@dataclass(frozen=True)
class Omission:
    """Element or attribute that was left out of the copy."""

    tag: str
    """Kind of element."""
    what: str
    """Description of what was left out or changed."""
    where: str
    """File and element."""


@dataclass
class Adapted:
    """The text of a model that MuJoCo may read, and what it lost."""

    text: str = ""
    omissions: list[Omission] = field(default_factory=list)
    moved: bool = False
    """Whether MuJoCo may read it with nothing lost: a file was found where MuJoCo does not look, a
    lidar or an earlier version is written in its words, or it knows models by another ending of
    their names."""
    placed: list[bool] | None = None
    """Result of `placed_in_world`; None where frames are those of parents."""
    masses: dict[str, float] = field(default_factory=dict)
    """Masses of the points of cables [kg], see `take_masses`."""


def adapt(source: Path | str, place: Callable[[str], Path], folder: Path | None = None) -> Adapted:
    """Flatten a model and take out what only other engines know.

    Args:
        source: the file, or XML text.
        place: keeps the text of a model that this one refers to, and says where.
        folder: where the files of a text are looked up; None: in the current folder.

    Raises:
        OSError: the file or one it includes cannot be read.
        ParseError: one of them is no XML.
        ConversionError: a model that is attached has frames of the world.
    """
    found = Adapted(moved=isinstance(source, Path) and source.suffix != ".xml")
    path = source.resolve() if isinstance(source, Path) else (folder or Path()).resolve() / "model"
    text = source if isinstance(source, str) else path.read_text(encoding="utf-8")
    root = _flat(text, path.parent, path.parent, found)
    folders = _folders(root)
    found.placed = placed_in_world(root)
    for element, lost in itertools.chain(in_present_words(root), cables_as_rods(root)):
        found.moved = True
        if lost:
            found.omissions.append(Omission(element.tag, lost, _where(path, element)))
    found.masses = take_masses(root)
    for element, change in corrections(root):
        found.omissions.append(Omission(element.tag, change, _where(path, element)))
    for element in root.iter():
        _strip(element, found, path)
        _locate(element, folders, path.parent, found)
        if element.tag == "model" and element.get("file"):
            inner = adapt(Path(element.attrib["file"]), place)
            if inner.placed is not None:
                raise ConversionError(
                    f"{_where(path, element)}: {element.attrib['file']!r} has coordinate='global', "
                    "which what is attached cannot have. Attach what MuJoCo 2.3.3 saves of it."
                )
            found.omissions += inner.omissions
            found.moved |= inner.moved
            element.set("file", str(place(inner.text)))
    _rename(root, found, path)
    found.moved |= next(root.iter("lidar"), None) is not None
    for sensor, note in replace_lidars(root, lambda element: _where(path, element)):
        found.omissions.append(Omission("lidar", note, _where(path, sensor)))
    for holder in list(root.iter()):
        for child in [child for child in holder if _is_foreign(child)]:
            found.omissions.append(Omission(child.tag, "the element", _where(path, child)))
            holder.remove(child)
    for element in root.iter():
        element.attrib.pop(_FOLDER, None)
    found.text = ElementTree.tostring(root, encoding="unicode")
    return found


_FOLDER = "_folder"
"""Attribute of the copy in the making: the folder of the file that an element was read from."""


def _flat(text: str, own: Path, main: Path, found: Adapted) -> Element:
    """The tree of a text from the folder `own` with the files it includes in place."""
    root = ElementTree.fromstring(text)
    for element in root.iter():
        element.set(_FOLDER, str(own))
    for holder in list(root.iter()):
        for index in range(len(holder) - 1, -1, -1):
            child = holder[index]
            if child.tag == "include" and child.get("file"):
                file = _first(child.attrib["file"], [own, main])
                found.moved |= not (main / child.attrib["file"]).is_file()
                inner = _flat(file.read_text(encoding="utf-8"), file.parent, main, found)
                holder[index : index + 1] = list(inner)
    return root


def _first(name: str, folders: list[Path]) -> Path:
    """The file in the first folder that has it; where it was expected first if none has.

    Names are also looked up with the slashes of Windows turned.
    """
    places = [folder / each for each in (name, name.replace("\\", "/")) for folder in folders]
    return next((place for place in places if place.is_file()), places[0])


def _folders(root: Element) -> dict[str, str]:
    """Folders of meshes and textures, as the compiler settings say."""
    settings = {name: "" for name in ("meshdir", "texturedir")}
    for compiler in root.iter("compiler"):
        both = compiler.get("assetdir")
        for name in settings:
            settings[name] = compiler.get(name, both if both is not None else settings[name])
            compiler.attrib.pop(name, None)
        compiler.attrib.pop("assetdir", None)
    return settings


def _locate(element: Element, folders: dict[str, str], main: Path, found: Adapted) -> None:
    """Make the file names of an element absolute."""
    setting = FILES.get(element.tag)
    if setting is None and element.tag != "model":
        return
    own = Path(element.get(_FOLDER, str(main)))
    inside = folders[setting] if setting else ""
    for name in ("file", *(_SIDES if element.tag == "texture" else ())):
        value = element.get(name)
        if value:
            place = _first(value, [main / inside, own / inside, main, own]).resolve()
            found.moved |= place.is_file() and not (main / inside / value).is_file()
            element.set(name, str(place))


def _strip(element: Element, found: Adapted, path: Path) -> None:
    """Take known extensions out of an element."""
    own = [name for name in element.attrib if name.startswith("_") and name != _FOLDER]
    for name in (*ATTRIBUTES.get(element.tag, ()), *own):
        if name in element.attrib:
            del element.attrib[name]
            found.omissions.append(Omission(element.tag, f"{name}=...", _where(path, element)))


def _is_foreign(element: Element) -> bool:
    """Whether an element means something to other engines only."""
    lit = element.tag == "texture" and element.get("type", "").startswith("env")
    return element.tag in ELEMENTS or lit


def _rename(root: Element, found: Adapted, path: Path) -> None:
    """Number the names that several elements of a kind have: which is meant is not known."""
    taken: set[tuple[str, str]] = set()
    for element in (element for body in root.iter("worldbody") for element in body.iter()):
        name = element.get("name")
        kind = "joint" if element.tag == "freejoint" else element.tag
        if not name:
            continue
        free = (kind, name)
        for number in itertools.count(1):
            if free not in taken:
                break
            free = (kind, f"{name}_{number}")
        taken.add(free)
        if free[1] != name:
            element.set("name", free[1])
            where = _where(path, element)
            found.omissions.append(Omission(element.tag, "a name that another one has", where))


def report_omissions(omissions: Sequence[Omission], report: ConversionReport) -> None:
    """Report what was left out: one warning for all elements of a kind."""
    places: dict[tuple[str, str], list[str]] = {}
    for omission in omissions:
        places.setdefault((omission.tag, omission.what), []).append(omission.where)
    for (tag, what), where in places.items():
        more = f" and {len(where) - 1} more" if len(where) > 1 else ""
        report.warn("other-engine", where[0] + more, f"of <{tag}>, {what} was left out.")


def _where(path: Path, element: Element) -> str:
    name = element.get("name")
    return f"{path.name} <{element.tag}{f' name={name!r}' if name else ''}>"
