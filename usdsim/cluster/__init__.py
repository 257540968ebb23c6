"""Jobs over many files or episodes: on the processes of one machine, or on a Ray cluster.

A job is cut into blocks. What a block gives depends on the job and the block's number, never on how
many workers there are, in which order they run, or how often a block is tried, so both executors
give the same files to the bit.
"""

from .convert import ConvertJob
from .executors import Executor, LocalProcesses, RayCluster
from .job import Job, job_from_file
from .rollout import RolloutJob, read_episode, replay_episode
from .run import BlockResult, JobReport, run_job

__all__ = [
    "BlockResult",
    "ConvertJob",
    "Executor",
    "Job",
    "JobReport",
    "LocalProcesses",
    "RayCluster",
    "RolloutJob",
    "job_from_file",
    "read_episode",
    "replay_episode",
    "run_job",
]
