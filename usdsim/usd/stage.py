"""Creating, opening, saving stages, and the current one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pxr import Pcp, Sdf, Tf, Usd, UsdGeom, UsdPhysics, UsdUtils

from usdsim._resources import elsewhere
from usdsim.core.arguments import choice
from usdsim.core.boundary import boundary
from usdsim.core.errors import FileError, InvalidValueError, MissingFileError, StageError
from usdsim.core.transaction import Transaction

from .bundle import commit_layer
from .layers import USD_SUFFIXES, open_layers

__all__ = [
    "USD_SUFFIXES",
    "composition_errors",
    "create_stage",
    "current_stage",
    "has_current_stage",
    "is_unsaved",
    "open_stage",
    "overlay_stage",
    "require_utf8",
    "save_layer",
    "save_stage",
    "stage_or_current",
    "use_stage",
    "uses_file",
]

_LOOKS = re.compile(r"@[^@]*\.mtlx(:[^@]*)?@")
"""Messages on MaterialX documents, which hold looks alone; few builds of OpenUSD read them."""

_current: list[Usd.Stage] = []


def create_stage(
    path: str | os.PathLike[str] | None = None,
    *,
    up_axis: Literal["Y", "Z"] = "Z",
    meters_per_unit: float = 1.0,
    kilograms_per_unit: float = 1.0,
) -> Usd.Stage:
    """Start an empty stage.

    Args:
        path: file the stage is saved to by ``stage.Save()``; None keeps it in memory.
        up_axis: the stage's up direction.
        meters_per_unit: length of one stage unit [m].
        kilograms_per_unit: mass of one stage unit [kg].

    Raises:
        FileError: the file cannot be created.
        InvalidValueError: a unit is not positive, or the up axis is neither Y nor Z.
    """
    choice("up_axis", up_axis, ("Y", "Z"))
    for name, unit in (
        ("meters_per_unit", meters_per_unit),
        ("kilograms_per_unit", kilograms_per_unit),
    ):
        if not 0.0 < unit < float("inf"):
            raise InvalidValueError(name, unit, "a positive finite number")
    if path is None:
        stage = _stage_of(Sdf.Layer.CreateAnonymous("tmp.usda"))
    else:
        file = _writable_file(path)
        with boundary(f"Cannot create {str(file)!r}"):
            stage = _stage_of(Sdf.Layer.CreateNew(str(file)))
    UsdGeom.SetStageUpAxis(stage, up_axis)
    UsdGeom.SetStageMetersPerUnit(stage, meters_per_unit)
    UsdPhysics.SetStageKilogramsPerUnit(stage, kilograms_per_unit)
    return stage


def open_stage(
    source: str | os.PathLike[str] | Usd.Stage,
    *,
    allow_unresolved: bool = False,
    problem: Callable[[Path], str] | None = None,
) -> Usd.Stage:
    """Open a stage with all payloads loaded; a stage that is already open is returned as it is.

    Args:
        source: file, or an open stage.
        allow_unresolved: accept references, payloads and sublayers that cannot be found, which
            leaves out what they would have brought.
        problem: says why a file that is composed must not be read, empty if it may; see
            `AssetRoots.problem`. None: all are read.

    Raises:
        FileError: the file, or one that it is composed of, is unreadable, malformed, or must not be
            read.
        StageError: something the stage refers to cannot be found; every such place is named. An
            instance of a prim that its file does not have is an empty one.
    """
    if isinstance(source, Usd.Stage):
        return source
    if not isinstance(source, str | os.PathLike) or isinstance(os.fspath(source), bytes):
        raise InvalidValueError("stage", source, "a file name or an open Usd.Stage")
    file = Path(source)
    if not os.path.exists(file):
        raise MissingFileError(f"No such file: {os.fspath(source)!r}.{elsewhere(source)}")
    if not file.is_file():
        raise FileError(f"{str(file)!r} is not a file; give a {', '.join(USD_SUFFIXES)} file.")
    require_utf8(file)
    # What does not compose is raised below; OpenUSD would print it as well.
    quiet = UsdUtils.CoalescingDiagnosticDelegate()
    try:
        with boundary(f"Cannot open {str(file)!r}"):
            layers = open_layers(str(file), problem)
            stage = _stage_of(layers[0])
    finally:
        quiet.TakeUncoalescedDiagnostics()
    errors = [error for error in stage.GetCompositionErrors() if not _is_bare(stage, error)]
    problems = sorted({text for text in map(_text, errors) if not is_look(text)})
    if problems and not allow_unresolved:
        raise StageError(
            f"Stage {str(file)!r} does not compose:\n  "
            + "\n  ".join(problems)
            + "\nProvide the missing files, correct the paths, or give the stage that "
            "usdsim.usd.open_stage(file, allow_unresolved=True) opens without them."
        )
    return stage


def _stage_of(layer: Sdf.Layer) -> Usd.Stage:
    """A stage of a layer and an empty session layer.

    Both are made here: OpenUSD never frees what Python holds of layers that a stage made itself.

    Units that the file has as single precision numbers are stated in the session layer again:
    crates of Blender 2 have them, and OpenUSD refuses to read them.
    """
    session = Sdf.Layer.CreateAnonymous("session.usda")
    stage = Usd.Stage.Open(layer, session)
    units = {
        "metersPerUnit": UsdGeom.GetStageMetersPerUnit,
        "kilogramsPerUnit": UsdPhysics.GetStageKilogramsPerUnit,
    }
    for name, read in units.items():
        try:
            read(stage)
        except Tf.ErrorException:
            value = layer.pseudoRoot.GetInfo(name)
            if isinstance(value, float):
                session.pseudoRoot.SetInfo(name, value)
    return stage


def overlay_stage(
    stage: Usd.Stage,
    mask: Usd.StagePopulationMask | None = None,
    layer: Sdf.Layer | None = None,
) -> tuple[Usd.Stage, Sdf.Layer]:
    """A second stage of the same layers, and a layer over them that is its own.

    What is authored in that layer changes the second stage alone. Muted layers and what is loaded
    are those of the first, and so is the mask unless one is given.

    Args:
        stage: the first stage; it stays as it is.
        mask: what is composed; None: what the first stage has.
        layer: its own layer, for this stage and those opened of it later; None: an empty one.
    """
    if layer is None:
        layer = Sdf.Layer.CreateAnonymous(".usda")
    session = stage.GetSessionLayer()
    if session is not None and session.identifier not in layer.subLayerPaths:
        layer.subLayerPaths.append(session.identifier)
    rules = stage.GetLoadRules()
    everything = rules == Usd.StageLoadRules.LoadAll()
    second = Usd.Stage.OpenMasked(
        stage.GetRootLayer(),
        layer,
        stage.GetPathResolverContext(),
        stage.GetPopulationMask() if mask is None else mask,
        Usd.Stage.LoadAll if everything else Usd.Stage.LoadNone,
    )
    if not everything:
        second.SetLoadRules(rules)
    muted = stage.GetMutedLayers()
    if muted:
        second.MuteAndUnmuteLayers(muted, [])
    second.SetEditTarget(layer)
    return second, layer


def stage_name(stage: Usd.Stage) -> str:
    """Name of a stage for people: its file, or that it has none.

    The identifier of a layer in memory is an address, which nobody can look up.
    """
    layer = stage.GetRootLayer()
    return "the stage in memory" if layer.anonymous else str(layer.identifier)


def composition_errors(stage: Usd.Stage) -> list[str]:
    """References, payloads and sublayers that were not found, and other composition problems."""
    return sorted({message for _, message in unresolved(stage)})


def unresolved(stage: Usd.Stage) -> Iterator[tuple[Sdf.Path, str]]:
    """Composition errors with the prims they are on."""
    for error in stage.GetCompositionErrors():
        yield error.rootSite.path, _text(error)


def _text(error: Pcp.ErrorBase) -> str:
    return str(error).strip()


def _is_bare(stage: Usd.Stage, error: Pcp.ErrorBase) -> bool:
    """Whether an error is an instance of a prim that a file, which is there, does not have.

    Isaac Sim's importers refer so to the shapes of every link, also of links without any.
    """
    if not isinstance(error, Pcp.ErrorUnresolvedPrimPath):
        return False
    prim = stage.GetPrimAtPath(error.rootSite.path)
    return bool(prim) and prim.IsInstanceable()


def is_look(message: str) -> bool:
    """Whether a composition error leaves out nothing but materials."""
    return _LOOKS.search(message) is not None


def save_stage(
    stage: Usd.Stage, path: str | os.PathLike[str], *, flatten: bool | None = None
) -> Path:
    """Write a stage to a file, completely or not at all.

    The stage is written beside the target under another name and renamed when complete.

    Args:
        stage: the stage; it stays as it is.
        path: target file, overwritten if it exists.
        flatten: write one self-contained layer instead of the root layer. None: only where the
            root layer depends on layers that exist in memory alone.

    Returns:
        The file.

    Raises:
        FileError: the file cannot be written; nothing is left behind.
    """
    file = _writable_file(path)
    root = stage.GetRootLayer()
    if flatten is None:
        own = (root, stage.GetSessionLayer())
        flatten = any(layer.anonymous and layer not in own for layer in stage.GetUsedLayers())
    if flatten:
        with boundary(f"Cannot write {str(file)!r}"):
            root = stage.Flatten(addSourceFileComment=False)
    return save_layer(root, file)


def save_layer(layer: Sdf.Layer, path: str | os.PathLike[str]) -> Path:
    """Write a copy of one layer to a file, completely or not at all; see `save_stage`."""
    with Transaction(_writable_file(path)) as transaction:
        return commit_layer(layer, transaction)


def is_unsaved(layer: Sdf.Layer) -> bool:
    """Whether a layer says something else than its file.

    OpenUSD takes a layer for changed until it saves it itself; `save_layer` writes a copy.
    """
    if not layer.dirty:
        return False
    kept = Sdf.Layer.OpenAsAnonymous(layer.realPath) if layer.realPath else None
    return kept is None or kept.ExportToString() != layer.ExportToString()


def uses_file(stage: Usd.Stage, path: str | os.PathLike[str]) -> bool:
    """Whether a stage is made of a file: whether that is one of its layers."""
    file = Path(path).resolve()
    used = (layer.realPath for layer in stage.GetUsedLayers())
    return any(Path(layer).resolve() == file for layer in used if layer)


def current_stage() -> Usd.Stage:
    """The stage that functions without a ``stage`` argument work on.

    Raises:
        StageError: none was set.
    """
    if not _current:
        raise StageError(
            "There is no current stage. Pass `stage=`, or work inside `with use_stage(stage):`."
        )
    return _current[-1]


def has_current_stage() -> bool:
    """Whether there is a current stage."""
    return bool(_current)


def stage_or_current(stage: Usd.Stage | None) -> Usd.Stage:
    """A stage that a function was given, or the current one where it is None.

    Raises:
        StageError: it is None, and no stage is current.
    """
    return current_stage() if stage is None else stage


@contextmanager
def use_stage(stage: Usd.Stage) -> Iterator[Usd.Stage]:
    """Make a stage the current one inside a ``with`` block."""
    _current.append(stage)
    try:
        yield stage
    finally:
        # Another one that was made current inside and lasts longer stays so.
        del _current[max(i for i, other in enumerate(_current) if other is stage)]


def _writable_file(path: str | os.PathLike[str]) -> Path:
    if not isinstance(path, str | os.PathLike) or "\0" in str(path):
        raise InvalidValueError("path", path, f"a file name ending with {', '.join(USD_SUFFIXES)}")
    file = Path(path)
    if file.suffix not in USD_SUFFIXES:
        raise FileError(
            f"{str(file)!r} does not name a stage; end it with {', '.join(USD_SUFFIXES)}."
        )
    require_utf8(file)
    if not os.path.isdir(file.parent):
        raise FileError(f"No such folder: {str(file.parent)!r} (for {file.name!r}).")
    return file


def require_utf8(file: str | os.PathLike[str], what: str = "") -> None:
    """Raise for a name that the system allows and OpenUSD cannot take.

    Args:
        file: the name.
        what: the argument that it is, for the message.

    Raises:
        FileError: it is no UTF-8.
    """
    try:
        os.fspath(file).encode()
    except UnicodeEncodeError as error:
        name = f"{what} {os.fspath(file)!r}".lstrip()
        raise FileError(
            f"{name} is not a name in UTF-8, which OpenUSD needs; rename the file."
        ) from error
