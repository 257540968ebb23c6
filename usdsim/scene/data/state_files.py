"""State files: the state of worlds and what they were simulated with."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.core.arguments import of_kind
from usdsim.core.boundary import require_regular
from usdsim.core.errors import FileError, InvalidValueError, MissingFileError, UsdsimError
from usdsim.core.transaction import replacing

from .snapshot import SceneState

if TYPE_CHECKING:
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["StateFile", "check_signature", "read_state_file", "signature", "write_state_file"]

_FORMAT = 1
_HEADER = "usdsim"
_LOOKS = ("cam_", "light_", "mat_", "tex_", "skin_", "name_", "sensor_", "site_rgba", "geom_rgba")
"""Parameters that no motion depends on."""


@dataclass(frozen=True)
class StateFile:
    """Content of a file of states."""

    signature: Mapping[str, Any]
    """Signature of the model, see `signature`."""
    state: SceneState
    """State of all worlds saved."""
    parameters: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """Model parameters set for single worlds, by the engine's name, shape (*B, ...)."""


def signature(model: SceneModel) -> dict[str, Any]:
    """Signature of a model: its sizes and names, a hash of its parameters, and its options."""
    low, names = model.low, model.compiled.names
    digest = hashlib.sha256()
    options: dict[str, Any] = {}
    for name in sorted(mjbatch.MODEL_FIELDS):
        if name.startswith("opt."):
            options[name.removeprefix("opt.")] = np.asarray(getattr(low.opt, name[4:])).tolist()
        elif not name.startswith(_LOOKS):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(getattr(low, name)).tobytes())
    sizes = ("nq", "nv", "na", "nu", "nbody", "ngeom", "neq", "nmocap", "ntendon", "nuserdata")
    return {
        "sizes": {size: int(getattr(low, size)) for size in sizes},
        "names": {kind: [*names.paths(kind)] for kind in ("body", "joint", "actuator")},
        "parameters": digest.hexdigest(),
        "options": options,
    }


def write_state_file(path: str | os.PathLike[str], saved: StateFile) -> None:
    """Write a file; an existing one is replaced only once the new one is complete.

    Raises:
        FileError: the file cannot be written.
    """
    target = _checked(path)
    header = {
        "format": _FORMAT,
        "shape": list(saved.state.shape),
        "pushed": saved.state.pushed,
        "noise_seed": saved.state.noise_seed,
        "signature": saved.signature,
    }
    arrays: dict[str, Any] = {_HEADER: np.array(json.dumps(header))}
    for folder, values in (("state", saved.state.arrays), ("parameter", saved.parameters)):
        arrays |= {f"{folder}/{name}": array for name, array in values.items()}
    if saved.state.noise_steps is not None:
        arrays["noise/steps"] = saved.state.noise_steps
    with replacing(target) as staged, staged.open("wb") as file:
        np.savez(file, **arrays)


def read_state_file(path: str | os.PathLike[str]) -> StateFile:
    """Read a file that `write_state_file` wrote.

    Raises:
        FileError: it is missing, damaged, or something else.
    """
    shown = os.fspath(_checked(path))
    try:
        require_regular(path)
        # NumPy leaves a damaged archive open that it has opened itself.
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            header = json.loads(str(file[_HEADER]))
            if header["format"] == _FORMAT:
                return _content(header, {name: file[name] for name in file.files})
    except FileNotFoundError as error:
        raise MissingFileError(
            f"Cannot load state from {shown!r}: there is no such file."
        ) from error
    except Exception as error:  # The decoders of archives, arrays and headers raise at will.
        raise FileError(
            f"Cannot load state from {shown!r}: it is damaged, or no file that "
            "SceneData.save wrote."
        ) from error
    raise FileError(
        f"Cannot load state from {shown!r}: it has the format {header['format']!r}; "
        f"this version of usdsim reads {_FORMAT}."
    )


def _checked(path: str | os.PathLike[str]) -> Path:
    return Path(of_kind("path", path, str | os.PathLike, "a path"))


def _content(header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> StateFile:
    folders: dict[str, dict[str, NDArray[Any]]] = {"state": {}, "parameter": {}, "noise": {}}
    for name, array in arrays.items():
        folder, _, rest = name.partition("/")
        if folder in folders:
            folders[folder][rest] = array
    saved = header["signature"]
    if not all(isinstance(saved[part], dict) for part in ("names", "sizes", "options")):
        raise ValueError("signature")
    if not isinstance(saved["parameters"], str):
        raise ValueError("parameters")
    for array in arrays.values():
        if array.dtype.kind not in "biufU":
            raise ValueError("dtype")
    state = SceneState(
        folders["state"],
        tuple(header["shape"]),
        bool(header["pushed"]),
        header["noise_seed"],
        folders["noise"].get("steps"),
    )
    return StateFile(saved, state, folders["parameter"])


def check_signature(model: SceneModel, saved: Mapping[str, Any], exact: bool, where: str) -> None:
    """Raise unless a model is the one a state was saved for.

    Args:
        model: the model the state is to be used with.
        saved: signature in the file.
        exact: whether parameters and options must agree too; without, worlds go on from the same
            state but in another way.
        where: the file, for messages.

    Raises:
        UsdsimError: the model has other elements or parameters.
        InvalidValueError: an option has another value.
    """
    mine = signature(model)
    for part in ("names", "sizes"):
        for key, value in mine[part].items():
            other = saved[part].get(key)
            if other != value:
                raise UsdsimError(
                    f"{where} was saved for another model than {model!r}: "
                    f"{_difference(key, other)} there, {_difference(key, value)} here. "
                    "Load the model it was saved for."
                )
    if not exact:
        return
    if mine["parameters"] != saved["parameters"]:
        raise UsdsimError(
            f"{where} was saved for a model with the elements of {model!r} but other parameters, "
            "so the worlds would not go on as they did. Load the model it was saved for, or pass "
            "exact=False."
        )
    for name, value in mine["options"].items():
        if saved["options"].get(name) != value:
            raise InvalidValueError(
                f"option {name} of {model!r}",
                value,
                f"{saved['options'].get(name)!r}, as when {where} was saved",
                "Set it in model.options, or pass exact=False.",
            )


def _difference(key: str, value: Any) -> str:
    if isinstance(value, list):
        first = ", ".join(map(str, value[:3]))
        return f"{len(value)} {key} paths ({first}{', ...' * (len(value) > 3)})"
    return f"{key} is {value}"
