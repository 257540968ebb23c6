"""The benchmark runner and the stage it builds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from pxr import Usd, UsdPhysics

ROOT = Path(__file__).resolve().parent.parent


def test_runner_writes_json(tmp_path: Path):
    target = tmp_path / "benchmarks.json"
    command = [sys.executable, "-m", "benchmarks", "imports", "--quick", "--out", str(target)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    document = json.loads(target.read_text())
    assert document["quick"] is True
    assert document["machine"]["versions"]["numpy"]
    rows = {row["case"]: row for row in document["results"]["imports"]}
    assert rows["import usdsim"]["value"] > 0.0
    assert rows["import usdsim"]["unit"] == "s"


def test_unknown_benchmark_is_wrong_usage():
    command = [sys.executable, "-m", "benchmarks", "flying"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 2
    assert "stepping" in result.stderr


def test_crowd_is_as_large_as_it_says(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.models import crowd

    stage = crowd()
    prims = [prim for prim in stage.Traverse() if prim.GetPath().pathElementCount > 1]
    assert len(prims) == 4032
    assert sum(prim.HasAPI(UsdPhysics.RigidBodyAPI) for prim in prims) == 576
    assert isinstance(stage, Usd.Stage)
