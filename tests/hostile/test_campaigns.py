"""Campaigns of damaged inputs and of killed writers, with fixed seeds; `make fuzz` goes further."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).resolve().parents[1] / "fuzz"


def run(*arguments, folder, timeout):
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def test_a_minute_of_damaged_inputs(tmp_path):
    """The same cases on every machine, about a minute of them."""
    out = run(
        FUZZ, "--cases", 800, "--seconds", 600, "--keep", tmp_path, folder=tmp_path, timeout=900
    )
    assert '"cases": 800' in out


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_killed_writers(tmp_path):
    out = run(FUZZ / "kill.py", "--kills", 12, "--seconds", 40, folder=tmp_path, timeout=600)
    assert "'lost': 0" in out


@pytest.mark.nightly
def test_an_hour_of_damaged_inputs(tmp_path):
    run(FUZZ, "--seconds", 3600, "--seed", 1, "--keep", tmp_path, folder=tmp_path, timeout=7200)


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_thousand_killed_writers(tmp_path):
    run(FUZZ / "kill.py", "--kills", 1000, folder=tmp_path, timeout=14400)


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
def test_a_long_life(tmp_path):
    out = run(Path(__file__).with_name("soak.py"), "--cycles", 3000, folder=tmp_path, timeout=14400)
    assert out.count("equal") == 2
