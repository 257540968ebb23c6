"""Network files that know how they are used: inputs, and their scales."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from usdsim.core.errors import FileError, InvalidValueError, MissingFileError

from .actuators import ActuatorNetLSTMCfg, ActuatorNetMLPCfg
from .network import load_npz, save_network
from .torchscript import TorchScriptFile, save_torchscript

__all__ = ["read_settings", "save_settings", "settings_of"]

_MLP_SETTINGS = ("pos_scale", "vel_scale", "torque_scale", "input_order", "input_idx")

NetworkCfg = ActuatorNetMLPCfg | ActuatorNetLSTMCfg


def settings_of(cfg: NetworkCfg) -> dict[str, Any]:
    """Metadata of a network file that state a configuration."""
    if isinstance(cfg, ActuatorNetLSTMCfg):
        return {"model_type": "lstm"}
    values = {name: getattr(cfg, name) for name in _MLP_SETTINGS}
    return {"model_type": "mlp", **values, "input_idx": [int(i) for i in cfg.input_idx]}


def read_settings(path: str | Path) -> tuple[str, dict[str, Any]]:
    """Kind of a network (``mlp`` or ``lstm``), and the fields of its configuration.

    Raises:
        FileError: there is no such file, or its metadata do not say.
        UnsupportedError: it needs torch, which is not installed.
    """
    metadata = _metadata(path)
    kind = metadata.get("model_type")
    needed = {"mlp": _MLP_SETTINGS, "lstm": ()}.get(str(kind))
    missing = ["model_type"] if needed is None else [n for n in needed if n not in metadata]
    if needed is None or missing:
        raise FileError(
            f"The metadata of network file {path} lack {', '.join(missing)}. "
            "Write them with save_settings."
        )
    return str(kind), {name: metadata[name] for name in needed}


def save_settings(cfg: NetworkCfg, path: str | Path) -> None:
    """Copy a configuration's network to a file that says how it is used.

    Args:
        cfg: the configuration.
        path: the new file, with the suffix of the one that is configured.

    Raises:
        InvalidValueError: the suffix is another one.
        FileError: the configured file cannot be read.
        UnsupportedError: it needs torch, which is not installed.
    """
    source = Path(cfg.network_file)
    if Path(path).suffix != source.suffix:
        raise InvalidValueError("network file", str(path), f"a name that ends in {source.suffix}")
    if source.suffix == ".npz":
        save_network(path, dataclasses.replace(load_npz(source), metadata=settings_of(cfg)))
    else:
        recurrent = isinstance(cfg, ActuatorNetLSTMCfg)
        save_torchscript(TorchScriptFile(source, recurrent=recurrent), path, settings_of(cfg))


def _metadata(path: str | Path) -> Mapping[str, Any]:
    if not Path(path).is_file():
        raise MissingFileError(f"There is no network file {path}.")
    if Path(path).suffix == ".npz":
        return load_npz(path).metadata
    return TorchScriptFile(path, recurrent=False).metadata
