"""Files of YAML, of pickled objects and of TorchScript."""

from __future__ import annotations

import logging
import pickle
from dataclasses import MISSING
from pathlib import Path
from typing import Any

import torch

from usdsim.compat.tables import class_to_dict
from usdsim.core.errors import MissingFileError
from usdsim.core.extras import library
from usdsim.envs.spaces import gymnasium

from .spaces import deserialize_space, serialize_space

yaml: Any = library("yaml")
logger = logging.getLogger("usdsim")

__all__ = ["dump_pickle", "dump_yaml", "load_pickle", "load_torchscript_model", "load_yaml"]


class _Loader(yaml.FullLoader):
    """Reads values that were never set."""


class _Dumper(yaml.Dumper):
    """Writes them."""


_Dumper.add_representer(type(MISSING), lambda d, _: d.represent_scalar("!missing", ""))
_Loader.add_constructor("!missing", lambda *_: MISSING)
_Dumper.add_multi_representer(
    gymnasium.Space, lambda d, space: d.represent_scalar("!space", serialize_space(space))
)
_Loader.add_constructor("!space", lambda _, node: deserialize_space(node.value))
# As PyYAML writes slices, which it does not read again.
_Loader.add_constructor(
    "tag:yaml.org,2002:python/object/apply:builtins.slice",
    lambda loader, node: slice(*loader.construct_sequence(node)),
)


def load_yaml(filename: str) -> dict[str, Any]:
    """Content of a YAML file; tuples, slices and spaces as `dump_yaml` writes them.

    Raises:
        MissingFileError: there is no such file.
    """
    path = Path(filename)
    if not path.is_file():
        raise MissingFileError(f"There is no file {filename}.")
    content: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
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
    path.write_text(yaml.dump(content, Dumper=_Dumper, sort_keys=sort_keys), encoding="utf-8")


def load_pickle(filename: str) -> Any:
    """Object of a file that `dump_pickle` wrote; of files of others it may run any code.

    Raises:
        MissingFileError: there is no such file.
    """
    path = Path(filename)
    if not path.is_file():
        raise MissingFileError(f"There is no file {filename}.")
    return pickle.loads(path.read_bytes())


def dump_pickle(filename: str, data: Any) -> None:
    """Write an object.

    Args:
        filename: where; ``.pkl`` is added where it has no such end, and folders are made.
        data: the object.
    """
    path = Path(filename if filename.endswith(("pkl", "pickle")) else f"{filename}.pkl")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(data))


def load_torchscript_model(model_path: str, device: str = "cpu") -> Any:
    """A TorchScript network in evaluation mode; None if the file has none, and the log says why.

    Raises:
        MissingFileError: there is no such file.
    """
    if not Path(model_path).is_file():
        raise MissingFileError(f"There is no file {model_path}.")
    try:
        return torch.jit.load(model_path, map_location=device).eval()
    except RuntimeError as error:
        logger.error("%s is no TorchScript network: %s", model_path, error)
        return None
