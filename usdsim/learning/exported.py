"""Exported policies: networks of any make in TorchScript and ONNX files, which others run."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import on_host
from usdsim.core.boundary import boundary, require_regular
from usdsim.core.errors import InvalidValueError, UnknownNameError, UnsupportedError
from usdsim.core.extras import library

__all__ = ["METADATA", "READERS", "ExportedPolicy", "Observations", "rows_of"]

Array = NDArray[np.float32]
Run = Callable[[Array], Any]
Observations = ArrayLike | Mapping[str, ArrayLike]
"""Rows for a policy, or the groups that an environment gives, of which ``policy`` has them."""
METADATA = "metadata.json"
"""Name of the metadata in a TorchScript file."""


class ExportedPolicy:
    """A policy in a TorchScript (``.pt``) or ONNX (``.onnx``) file.

    Args:
        path: the file.

    Raises:
        FileError: it is missing, or is of another format.
        InvalidValueError: the network has other inputs than observations.
        UnsupportedError: what runs it is not installed.

    Attributes:
        metadata: what the file says besides; of ONNX, texts.
    """

    def __init__(self, path: str | Path):
        self._path = Path(path)
        self._run, self.metadata = READERS[self._path.suffix](self._path)

    def __call__(self, observations: Observations) -> Array:
        """Actions, float32, shape (rows, actions).

        Args:
            observations: shape (rows, inputs); an array, a tensor on any device, or groups of
                which ``policy`` is one.

        Raises:
            UnsupportedError: the network does not take them.
            UnknownNameError: there is no group ``policy``.
        """
        values = np.ascontiguousarray(rows_of(observations))
        doing = f"Policy {self._path} cannot act on observations of shape {values.shape}"
        with boundary(doing, UnsupportedError):
            return np.asarray(self._run(values), dtype=np.float32)


def rows_of(observations: Observations) -> Array:
    """Rows for a policy, float32, shape (..., inputs): those given, or those of its group.

    Raises:
        UnknownNameError: there is no group ``policy``.
    """
    if isinstance(observations, Mapping):
        if "policy" not in observations:
            raise UnknownNameError("group of observations", "policy", observations)
        observations = observations["policy"]
    return np.asarray(on_host(observations), dtype=np.float32)


def _torch_script(path: Path) -> tuple[Run, dict[str, Any]]:
    torch = library("torch", str(path))
    remedy = "Write one with save_policy or torch.jit.save; train() resumes from checkpoints."
    extra = {METADATA: ""}
    with boundary(f"Policy {path} is not TorchScript", remedy=remedy), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it is what people have
        require_regular(path)
        module = torch.jit.load(str(path), map_location="cpu", _extra_files=extra).eval()
        metadata = dict(json.loads(extra[METADATA] or "{}"))

    def run(observations: Array) -> Any:
        with torch.inference_mode():
            return module(torch.from_numpy(observations))

    return run, metadata


def _onnx(path: Path) -> tuple[Run, dict[str, Any]]:
    runtime = library("onnxruntime", str(path))
    with boundary(f"Policy {path} is not ONNX", remedy="Write one with save_policy."):
        require_regular(path)
        session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    inputs = session.get_inputs()
    if len(inputs) != 1:
        names = ", ".join(each.name for each in inputs)
        raise InvalidValueError(f"inputs of policy {path}", names, "one: the observations")
    name, output = inputs[0].name, session.get_outputs()[0].name
    alone = inputs[0].shape[:1] == [1]  # some exporters fix the rows at those of their sample

    def run(observations: Array) -> Any:
        batches = observations[:, None] if alone else [observations]
        return np.concatenate([session.run([output], {name: batch})[0] for batch in batches])

    return run, dict(session.get_modelmeta().custom_metadata_map)


READERS: Mapping[str, Callable[[Path], tuple[Run, dict[str, Any]]]] = {
    ".pt": _torch_script,
    ".onnx": _onnx,
}
"""Readers of files by their suffixes."""
