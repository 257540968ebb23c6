"""Jobs over many files or episodes: on the processes of one machine, or on a Ray cluster.

A job is cut into blocks. What a block gives depends on the job and the block's number, never on how
many workers there are, in which order they run, or how often a block is tried, so both executors
give the same files to the bit.
"""

from .convert import ConvertJob
from .datasets.export import export_dataset
from .datasets.rows import read_episode
from .executors import Executor, LocalProcesses, RayCluster
from .functions import Policy
from .intervals import wilson_interval
from .job import Job, job_from_file
from .randomization import Randomization
from .replay import record_episode, replay_episode
from .report import BlockResult, JobReport
from .rollout import RolloutJob
from .run import run_job
from .streams import rollout_stream
from .sweep import SweepJob
from .tune import tune_sweep

__all__ = [
    "BlockResult",
    "ConvertJob",
    "Executor",
    "Job",
    "JobReport",
    "LocalProcesses",
    "Policy",
    "Randomization",
    "RayCluster",
    "RolloutJob",
    "SweepJob",
    "export_dataset",
    "job_from_file",
    "read_episode",
    "record_episode",
    "replay_episode",
    "rollout_stream",
    "run_job",
    "tune_sweep",
    "wilson_interval",
]
