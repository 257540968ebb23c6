"""Tasks by name: packages imported for their registrations, configurations, checkpoints of runs."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from usdsim.compat.tools.files import load_yaml
from usdsim.core.configuration import named
from usdsim.core.errors import UnknownNameError
from usdsim.envs.spaces import gymnasium

from .presets import resolve_presets

__all__ = [
    "get_checkpoint_path",
    "import_packages",
    "load_cfg_from_registry",
    "parse_env_cfg",
]


def import_packages(package_name: str, blacklist_pkgs: Sequence[str] | None = None) -> None:
    """Import a package and the packages in it, which register tasks.

    Args:
        package_name: the package.
        blacklist_pkgs: parts of names; what has one in its name is left out.
    """
    package = importlib.import_module(package_name)
    for found in pkgutil.iter_modules(package.__path__, f"{package_name}."):
        left_out = any(part in found.name for part in blacklist_pkgs or ())
        if found.ispkg and not left_out:
            import_packages(found.name, blacklist_pkgs)


def load_cfg_from_registry(task_name: str, entry_point_key: str) -> Any:
    """Configuration that a task of Gymnasium was registered with.

    Args:
        task_name: name of the task; what comes before a colon is left out.
        entry_point_key: argument of the registration: a class, ``module:Class``, or a YAML file as
            a path or as ``module:file``.

    Returns:
        An instance of the class, or the content of the file.

    Raises:
        UnknownNameError: the task was registered without it.
    """
    arguments = gymnasium.spec(task_name.split(":")[-1]).kwargs
    entry = arguments.get(entry_point_key)
    if entry is None:
        raise UnknownNameError("entry point", entry_point_key, list(arguments), task_name)
    if isinstance(entry, str) and entry.endswith((".yaml", ".yml")):
        return load_yaml(str(_file_of(entry)))
    found = named(entry) if isinstance(entry, str) else entry
    return found() if callable(found) else found


def _file_of(entry: str) -> Path:
    """File of an entry point, beside the module that it names."""
    if Path(entry).is_file():
        return Path(entry)
    module, _, file = entry.partition(":")
    places = importlib.import_module(module).__path__
    return next((p for p in (Path(place) / file for place in places) if p.is_file()), Path(entry))


def parse_env_cfg(
    task_name: str,
    device: str = "cpu",
    num_envs: int | None = None,
    use_fabric: bool | None = None,
    use_gpu: bool | None = None,
) -> Any:
    """Configuration of a task's environment, with the defaults of its presets.

    Args:
        task_name: name of the task.
        device: where to simulate.
        num_envs: number of environments; None: as the task says.
        use_fabric: accepted; there is none.
        use_gpu: whether to simulate on ``cuda:0`` or the CPU, as programs for 1.0 say it; None: on
            `device`.
    """
    cfg = resolve_presets(load_cfg_from_registry(task_name, "env_cfg_entry_point"))
    cfg.sim.device = device if use_gpu is None else ("cuda:0" if use_gpu else "cpu")
    if num_envs is not None:
        cfg.scene.num_envs = num_envs
    return cfg


def get_checkpoint_path(
    log_path: str,
    run_dir: str = ".*",
    checkpoint: str = ".*",
    other_dirs: Sequence[str] | None = None,
    sort_alpha: bool = True,
    preferred_checkpoint: str | None = None,
) -> str:
    """The last checkpoint of the last run in a folder.

    Args:
        log_path: folder of runs.
        run_dir: expression that names of runs begin with.
        checkpoint: expression that names of files begin with; numbers in them count as numbers.
        other_dirs: folders from the run to the file.
        sort_alpha: whether the last run is that of the last name, rather than of the last change.
        preferred_checkpoint: expression of files that go before those of `checkpoint`, if there are
            any; None: none do.

    Raises:
        ValueError: there is no such run or file.
    """
    runs = [p for p in Path(log_path).iterdir() if p.is_dir() and re.match(run_dir, p.name)]
    if not runs:
        raise ValueError(f"No run in {log_path!r} matches {run_dir!r}.")
    run = max(runs) if sort_alpha else max(runs, key=lambda path: path.stat().st_mtime)
    place = run.joinpath(*other_dirs or ())
    wanted = [checkpoint] if preferred_checkpoint is None else [preferred_checkpoint, checkpoint]
    for expression in wanted:
        files = [path for path in place.iterdir() if re.match(expression, path.name)]
        if files:
            return str(max(files, key=_by_numbers))
    raise ValueError(f"No checkpoint in {str(place)!r} matches {' or '.join(map(repr, wanted))}.")


def _by_numbers(path: Path) -> list[tuple[int, str]]:
    """Texts and numbers of a name, in order."""
    parts = re.split(r"(\d+)", path.name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
