"""HDF5 datasets in the layout of Isaac Lab's demonstrations and of robomimic."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from usdsim.core.extras import library
from usdsim.core.transaction import replacing
from usdsim.envs.demonstrations import EpisodeData, HDF5DatasetFileHandler

from .rows import Rows, subject

__all__ = ["write_hdf5"]


def write_hdf5(path: Path, episodes: Iterable[Rows], job: Mapping[str, Any]) -> None:
    """Write episodes as groups ``data/demo_<n>``.

    A group has ``actions``, ``obs/policy``, ``obs/time``, ``states`` and ``initial_state``, and
    ``rewards`` where there are any; its attributes are ``num_samples``, ``seed`` and ``success``.
    States of a model are ``scene/dof_pos`` and ``scene/dof_vel`` of all degrees of freedom, those
    of a task ``articulation/robot/joint_position`` and the like. The job is the attribute
    ``usdsim`` of ``data``.

    Raises:
        UnsupportedError: h5py is not installed.
        FileError: the file cannot be written.
    """
    library("h5py")
    with replacing(path) as staged, closing(HDF5DatasetFileHandler()) as file:
        file.create(str(staged), env_name=subject(job))
        file.group.attrs["usdsim"] = json.dumps(dict(job))
        for rows in episodes:
            states = _states(rows, job["sizes"])
            episode = EpisodeData()
            episode.data = {
                "actions": rows["action"],
                "obs/policy": rows["observation"],
                "obs/time": rows["time"],
                **{f"states/{name}": values for name, values in states.items()},
                **{f"initial_state/{name}": v[:1] for name, v in states.items()},
                **({"rewards": rows["reward"]} if "reward" in rows else {}),
            }
            episode.seed = int(job["seed"])
            episode.success = bool(rows.get("success", ~rows["failed"])[-1])
            file.write_episode(episode)


def _states(rows: Rows, sizes: Mapping[str, int]) -> Rows:
    if not sizes:
        return {
            name.removeprefix("state.").replace(".", "/"): values
            for name, values in rows.items()
            if name.startswith("state.")
        }
    positions, velocities = sizes["positions"], sizes["velocities"]
    return {
        "scene/dof_pos": rows["observation"][:, :positions],
        "scene/dof_vel": rows["observation"][:, positions : positions + velocities],
    }
