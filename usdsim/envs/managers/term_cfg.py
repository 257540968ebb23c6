"""Term configurations: what a manager computes, and with which parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING
from enum import IntEnum
from typing import Any

from usdsim.core.declared import DeclaredConfiguration
from usdsim.envs.demonstrations import DatasetFileHandlerBase, NpzDatasetFileHandler

__all__ = [
    "ActionTermCfg",
    "CommandTermCfg",
    "CurriculumTermCfg",
    "DatasetExportMode",
    "EventTermCfg",
    "ManagerTermBaseCfg",
    "ObservationGroupCfg",
    "ObservationTermCfg",
    "RecorderManagerBaseCfg",
    "RecorderTermCfg",
    "RewardTermCfg",
    "TerminationTermCfg",
]


class ManagerTermBaseCfg(DeclaredConfiguration):
    """A term that is a function of the environment, or a class derived from `ManagerTermBase`."""

    func: Callable[..., Any] = MISSING  # type: ignore[assignment]
    """The function, called with the environment and the parameters, or a class whose instances
    are."""
    params: dict[str, Any] = {}  # noqa: RUF012
    """Parameters by name; a `SceneEntityCfg` among them is looked up in the scene."""


class ObservationTermCfg(ManagerTermBaseCfg):
    """A term of observations; what it returns is modified, disturbed, clipped, scaled and delayed.

    The order is: modifiers, noise, clip, scale, delay, history.
    """

    modifiers: Sequence[Any] | None = None
    """`ModifierCfg` in the order in which they act."""
    noise: Any = None
    """A `NoiseCfg` or `NoiseModelCfg`, which acts in groups with `enable_corruption`."""
    clip: tuple[float, float] | None = None
    """Smallest and largest value."""
    scale: float | Sequence[float] | None = None
    """Factor, or one for each number."""
    history_length: int = 0
    """Number of the last values that are observed, oldest first; 0: the current one."""
    flatten_history_dim: bool = True
    """Whether a history is one row of numbers rather than an axis of its own."""
    delay_min_lag: int = 0
    """Smallest delay [decisions]."""
    delay_max_lag: int = 0
    """Largest delay [decisions]; every environment draws its own at each reset."""
    delay_hold_prob: float = 1.0
    """Probability that an environment keeps its delay in a decision, rather than drawing anew."""


class ObservationGroupCfg(DeclaredConfiguration):
    """Base of groups of observations: terms are attributes of derived classes."""

    concatenate_terms: bool = True
    """Whether the group is one tensor, rather than one by name of the term."""
    concatenate_dim: int = -1
    """Axis along which terms are joined, that of environments not counted unless negative."""
    enable_corruption: bool = False
    """Whether noise acts."""
    history_length: int | None = None
    """History of all terms; None: as each of them says."""
    flatten_history_dim: bool = True
    """Whether histories are rows of numbers, where `history_length` is set."""
    history_order: str = "term"
    """``term``: each term's history in turn. ``time``: each moment's terms in turn, where
    `history_length` is set and terms are joined along the last axis as rows of numbers."""


class RewardTermCfg(ManagerTermBaseCfg):
    """A term of rewards: its function returns one number for each environment."""

    weight: float = MISSING  # type: ignore[assignment]
    """Weight per second of an episode."""


class TerminationTermCfg(ManagerTermBaseCfg):
    """A term that ends episodes: its function returns a truth value for each environment."""

    time_out: bool = False
    """Whether it cuts an episode off, instead of ending it for a reason that belongs to the
    task."""


class EventTermCfg(ManagerTermBaseCfg):
    """A term that changes environments: its function takes the environment and indices."""

    mode: str = MISSING  # type: ignore[assignment]
    """When: ``prestartup``, ``startup``, ``reset``, ``interval``, or a name of your own."""
    interval_range_s: tuple[float, float] | None = None
    """Shortest and longest time from one to the next, in mode ``interval`` [s]."""
    is_global_time: bool = False
    """Whether the interval is that of all environments together."""
    min_step_count_between_reset: int = 0
    """In mode ``reset``: number of decisions from one to the next, at least."""


class CurriculumTermCfg(ManagerTermBaseCfg):
    """A term that changes the task; its function takes the environment and indices."""


class ActionTermCfg(DeclaredConfiguration):
    """Base of the configurations of terms of actions."""

    class_type: type[Any] = MISSING  # type: ignore[assignment]
    """Class of the term."""
    asset_name: str = MISSING  # type: ignore[assignment]
    """Name of the asset in the scene."""
    debug_vis: bool = False
    """Accepted for programs that set it; nothing is drawn."""
    clip: dict[str, tuple[float, float]] | None = None
    """Smallest and largest processed action by expression for names of joints."""
    delay_min_lag: int = 0
    """Smallest delay of actions [decisions]."""
    delay_max_lag: int = 0
    """Largest delay of actions [decisions]; every environment draws its own at each reset."""


class CommandTermCfg(DeclaredConfiguration):
    """Base of the configurations of terms of commands."""

    class_type: type[Any] = MISSING  # type: ignore[assignment]
    """Class of the term."""
    resampling_time_range: tuple[float, float] = MISSING  # type: ignore[assignment]
    """Shortest and longest time from one command to the next [s]."""
    debug_vis: bool = False
    """Accepted for programs that set it; nothing is drawn."""
    cmd_kind: str | None = None
    """Kind of command in descriptions of policies, which terms may set and read."""
    element_names: list[Any] | None = None
    """Names of the numbers of a command there, likewise."""


class RecorderTermCfg(DeclaredConfiguration):
    """Base of the configurations of terms of the recorder."""

    class_type: type[Any] = MISSING  # type: ignore[assignment]
    """Class of the term."""


class DatasetExportMode(IntEnum):
    """Choice of the episodes that are written, and of their files."""

    EXPORT_NONE = 0
    """None."""
    EXPORT_ALL = 1
    """All, to one file."""
    EXPORT_SUCCEEDED_FAILED_IN_SEPARATE_FILES = 2
    """All; those that failed to a file of their own, whose name ends with ``_failed``."""
    EXPORT_SUCCEEDED_ONLY = 3
    """Episodes that succeeded."""


class RecorderManagerBaseCfg(DeclaredConfiguration):
    """Base of the configurations of recorders: terms are attributes of derived classes."""

    dataset_file_handler_class_type: type[DatasetFileHandlerBase] = NpzDatasetFileHandler
    """The kind of file: `NpzDatasetFileHandler`, `HDF5DatasetFileHandler`, or one of your own."""
    dataset_export_dir_path: str = "recordings"
    """Folder of the file of episodes."""
    dataset_filename: str = "dataset"
    """Name of the file, without suffix."""
    dataset_export_mode: DatasetExportMode = DatasetExportMode.EXPORT_ALL
    """Choice of the episodes that are written."""
    export_in_record_pre_reset: bool = True
    """Whether episodes are exported when environments are reset; otherwise `export_episodes` is
    called by the program, and those that it was not called for are forgotten."""
    export_in_close: bool = True
    """Whether episodes that still run are exported when the environment is closed."""
    dataset_compression: bool = True
    """Whether values are compressed in the file."""
