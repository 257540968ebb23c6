"""What the page about clusters has people copy: Ray's autoscaler, Kubernetes, Slurm."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cluster_jobs import Here, equal, every_episode, rollouts

from usdsim.cluster import run_job

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "cluster.md"
_STUBS = {
    "scontrol": 'printf "$NODE\\n$NODE\\n"',
    "srun": 'shift 4; exec "$@"',  # after --nodes --ntasks -w NODE
}


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)


def test_the_autoscaler_takes_its_file():
    yaml, util = pytest.importorskip("yaml"), pytest.importorskip("ray.autoscaler._private.util")
    config = util.prepare_config(yaml.safe_load(_blocks("yaml")[0]))
    util.validate_config(config)
    assert config["available_node_types"]["head"]["resources"] == {"CPU": 0}


def test_the_job_of_kubernetes_mounts_one_volume_everywhere():
    spec = pytest.importorskip("yaml").safe_load(_blocks("yaml")[1])["spec"]["rayClusterSpec"]
    for group in (spec["headGroupSpec"], *spec["workerGroupSpecs"]):
        pod = group["template"]["spec"]
        (container,), (volume,) = pod["containers"], pod["volumes"]
        (mount,) = container["volumeMounts"]
        assert mount == {"name": volume["name"], "mountPath": "/shared"}


@pytest.mark.nightly
@pytest.mark.skipif(os.name != "posix", reason="a script of bash")
def test_the_script_of_slurm_runs_the_job(folder):
    ray = pytest.importorskip("ray")
    tools = folder / "tools"
    tools.mkdir()
    for name, line in _STUBS.items():
        (tools / name).write_text(f"#!/bin/bash\n{line}\n")
        (tools / name).chmod(0o755)
    (folder / "job.toml").write_text(
        'model = "cart.xml"\nout = "out"\nepisodes = 7\nepisodes_per_block = 4\nsteps = 5\n'
        "substeps = 4\nseed = 3\nposition_noise = 0.1\nvelocity_noise = 0.5\n"
        'policy = "cluster_policies:sway"\n'
    )
    (folder / "job.sh").write_text(_blocks("bash")[0])
    path = os.pathsep.join([str(tools), str(Path(sys.executable).parent), os.environ["PATH"]])
    allocation = {"SLURM_JOB_NODELIST": "two", "SLURM_JOB_ID": "7", "SLURM_CPUS_PER_TASK": "1"}
    script = subprocess.Popen(
        ["bash", "job.sh"], cwd=folder, start_new_session=True,
        env={**os.environ, **allocation, "PATH": path, "NODE": ray.util.get_node_ip_address(),
             "HOME": str(folder)},
    )  # fmt: skip
    try:
        assert script.wait(timeout=200.0) == 0
    finally:
        os.killpg(script.pid, signal.SIGTERM)  # as Slurm ends what a job leaves
    job, plain = rollouts(folder), rollouts(folder, out=str(folder / "plain"))
    run_job(plain, Here())
    assert all(map(equal, every_episode(job), every_episode(plain)))
