"""HDF5 datasets in the layout of Isaac Lab's demonstrations and of robomimic."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from usdsim.core.transaction import replacing
from usdsim.learning.libraries import library

from .rows import Rows

__all__ = ["write_hdf5"]

_GYM = 2
"""The kind of environment that readers of such files expect."""


def write_hdf5(path: Path, episodes: Iterable[Rows], job: Mapping[str, Any]) -> None:
    """Write episodes as groups ``data/demo_<n>``.

    A group has ``actions``, ``obs/policy``, ``obs/time``, ``states/scene`` and
    ``initial_state/scene`` with ``dof_pos`` and ``dof_vel`` of all degrees of freedom, and
    ``rewards`` where there are any; its attributes are ``num_samples``, ``seed`` and ``success``.
    The job is the attribute ``usdsim`` of ``data``.

    Raises:
        UnsupportedError: h5py is not installed.
        FileError: the file cannot be written.
    """
    h5py = library("h5py")
    num_pos, num_vel = job["sizes"]["positions"], job["sizes"]["velocities"]
    with replacing(path) as staged, h5py.File(staged, "w") as file:
        data = file.create_group("data")
        total = 0
        for number, rows in enumerate(episodes):
            states = {
                "dof_pos": rows["observation"][:, :num_pos],
                "dof_vel": rows["observation"][:, num_pos : num_pos + num_vel],
            }
            columns = {
                "actions": rows["action"],
                "obs/policy": rows["observation"],
                "obs/time": rows["time"],
                **{f"states/scene/{name}": values for name, values in states.items()},
                **{f"initial_state/scene/{name}": v[:1] for name, v in states.items()},
                **({"rewards": rows["reward"]} if "reward" in rows else {}),
            }
            group = data.create_group(f"demo_{number}")
            for name, values in columns.items():
                group.create_dataset(name, data=values, compression="gzip")
            group.attrs["num_samples"] = len(rows["step"])
            group.attrs["seed"] = int(job["seed"])
            group.attrs["success"] = bool(rows.get("success", ~rows["failed"])[-1])
            total += len(rows["step"])
        data.attrs["total"] = total
        data.attrs["env_args"] = json.dumps({"env_name": Path(job["model"]).stem, "type": _GYM})
        data.attrs["usdsim"] = json.dumps(dict(job))
