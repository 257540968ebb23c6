"""Files of YAML and of TorchScript."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from usdsim.compat.tables import class_to_dict
from usdsim.core.errors import StageError
from usdsim.learning.libraries import library

yaml: Any = library("yaml")

__all__ = ["dump_yaml", "load_torchscript_model", "load_yaml"]


def load_yaml(filename: str) -> dict[str, Any]:
    """Content of a YAML file, tuples and sets as `dump_yaml` writes them.

    Raises:
        StageError: there is no such file.
    """
    path = Path(filename)
    if not path.is_file():
        raise StageError(f"There is no file {filename}.")
    content: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.FullLoader)
    return content


def dump_yaml(filename: str, data: Any, sort_keys: bool = False) -> None:
    """Write a mapping or a configuration as YAML.

    Args:
        filename: where; ``.yaml`` is added where it has no such end, and folders are made.
        data: the content.
        sort_keys: whether names are sorted.
    """
    path = Path(filename if filename.endswith((".yaml", ".yml")) else f"{filename}.yaml")
    path.parent.mkdir(parents=True, exist_ok=True)
    content = data if isinstance(data, dict) else class_to_dict(data)
    path.write_text(yaml.dump(content, sort_keys=sort_keys), encoding="utf-8")


def load_torchscript_model(model_path: str, device: str = "cpu") -> Any:
    """A TorchScript network in evaluation mode.

    Raises:
        StageError: there is no such file.
    """
    if not Path(model_path).is_file():
        raise StageError(f"There is no file {model_path}.")
    return torch.jit.load(model_path, map_location=device).eval()
