"""The benchmark runner and the stage it builds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import warp as wp
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


@pytest.fixture
def benches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets tests import the benchmarks."""
    monkeypatch.syspath_prepend(str(ROOT))


def _rows(target: Path, *arguments: str) -> dict[str, Any]:
    """Results of a run in this process, by benchmark."""
    from benchmarks.__main__ import main

    assert main([*arguments, "--quick", "--out", str(target)]) == 0
    document = json.loads(target.read_text())
    assert document["machine"]["device"]
    return document["results"]


@pytest.fixture
def empty_corpus(tmp_path: Path) -> str:
    """A corpus without robots."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "manifest.json").write_text("[]")
    return str(folder)


def test_peers_that_are_absent_are_skipped(
    benches: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    empty_corpus: str,
):
    monkeypatch.setenv("USDSIM_PEER_NEWTON", "no-such-python")
    monkeypatch.delenv("USDSIM_PEER_CONVERTERS", raising=False)
    names = ("peer_reading", "peer_stepping", "peer_conversion")
    rows = _rows(tmp_path / "peers.json", *names, "--corpus", empty_corpus)
    assert "skipped: no interpreter with it: --peer newton=PYTHON" in capsys.readouterr().out
    assert [row["case"] for row in rows["peer_stepping"] if "reason" in row] == ["quadruped"]
    conversion = {row["case"]: row for row in rows["peer_conversion"]}
    assert conversion["mjcf, usdsim, files"]["value"] == 1
    assert "reason" in conversion["mjcf, mujoco-usd-converter"]
    assert "reason" in conversion["urdf, usdsim"]


LAB_TESTS = {
    "test_few.py": """
import os
import pytest
from isaaclab.sim import SimulationCfg

def test_passes():
    assert SimulationCfg(dt=0.5).dt == 0.5

@pytest.mark.parametrize("device", ["cpu"])
def test_fails(device):
    assert device == "gpu"

@pytest.mark.skip
def test_is_skipped(): ...

def test_ends():
    os._exit(3)

def test_never(): ...
""",
    "test_broken.py": "import no_such_module",
    "sub/test_slow.py": "import time; time.sleep(1000.0)",
}


def test_unit_tests_of_isaac_lab_are_counted_by_file(tmp_path: Path, capsys):
    pytest.importorskip("torch")
    from benchmarks.peers.isaac_lab_tests import main as run
    from benchmarks.peers.isaac_lab_tests import run_file

    folder = tmp_path / "source" / "isaaclab" / "test"
    for name, text in LAB_TESTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    slow = run_file(tmp_path, folder / "sub" / "test_slow.py", limit=0.5)
    assert (slow.ended, slow.counts["not started"]) == ("after 0.5 s", 1)
    out = tmp_path / "found.json"
    assert run([str(tmp_path), "test_few", "test_broken", "--out", str(out)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[-1] == "2 files: 1 passed, 1 failed, 1 skipped, 3 not started"
    broken, few = json.loads(out.read_text())
    assert broken["ended"] == "it could not be read"
    assert "no_such_module" in next(iter(broken["failures"].values()))
    assert few["counts"] == {"passed": 1, "failed": 1, "skipped": 1, "not started": 2}
    assert few["ended"].startswith("code 3")
    assert [*few["failures"]] == ["source/isaaclab/test/test_few.py::test_fails[cpu]"]
    with pytest.raises(SystemExit):
        run([str(tmp_path), "nothing_of_this_name"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("imports", "--peer", "unity=python"), "newton"),
        (("imports", "--peer", "newton"), "NAME=PYTHON"),
        (("device_step", "--device", "tpu"), "warp:cpu"),
    ],
)
def test_wrong_usage_is_named(
    benches: None, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
):
    from benchmarks.__main__ import main

    with pytest.raises(SystemExit, match="2"):
        main([*arguments, "--quick"])
    assert said in capsys.readouterr().err


def test_interpreter_without_the_peer_is_none(benches: None, monkeypatch: pytest.MonkeyPatch):
    from benchmarks.peers import interpreters
    from benchmarks.registry import Settings

    kinds = {"present": "json", "absent": "no_such_module"}
    peers = {name: interpreters.Kind("", module) for name, module in kinds.items()}
    monkeypatch.setattr(interpreters, "PEERS", peers)
    found = Settings(True, None, interpreters=dict.fromkeys(peers, sys.executable))
    assert interpreters.python_of(found, "present") == sys.executable
    assert interpreters.python_of(found, "absent") is None
    assert interpreters.python_of(Settings(True, None), "present") is None


def test_peer_answers_until_it_ends(benches: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    from benchmarks.peers import interpreters

    script = tmp_path / "echo.py"
    script.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    request = json.loads(line)\n"
        "    if request['what'] == 'end':\n"
        "        break\n"
        "    print(json.dumps({'got': request}), flush=True)\n"
    )
    monkeypatch.setattr(interpreters, "PEERS", {"echo": interpreters.Kind(str(script), "json")})
    with interpreters.open_peer(sys.executable, "echo") as peer:
        assert peer.versions == {"got": {"what": "versions"}}
        assert peer.ask(what="load", file="a.usd")["got"]["file"] == "a.usd"
        with pytest.raises(RuntimeError, match="the peer ended"):
            peer.ask(what="end")


_FINGER = """
<mujoco>
  <worldbody>
    <camera name="eye" pos="0 -1 0"/>
    <body name="a"><joint name="j" axis="0 1 0"/><geom size="0.1" mass="1" pos="0.2 0 0"/></body>
    <body name="b"><joint name="k" axis="0 1 0"/><geom size="0.1" mass="1" pos="0.2 0 0"/></body>
  </worldbody>
  <tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>
  <equality><joint joint1="k" joint2="j"/></equality>
  <actuator><motor joint="j"/><motor tendon="t"/></actuator>
  <sensor><jointpos joint="j"/><jointvel joint="k"/><clock/></sensor>
  <keyframe><key qpos="1 1"/></keyframe>
</mujoco>
"""


def test_elements_and_motion_of_conversions_are_compared(benches: None, tmp_path: Path):
    import usdsim
    from benchmarks.peers import conversion

    source, stage = tmp_path / "finger.xml", tmp_path / "finger.usda"
    source.write_text(_FINGER)
    usdsim.convert(source, stage)
    expected = {
        "actuators": 2,
        "tendons": 1,
        "equality constraints": 1,
        "sensors": 3,
        "keyframes": 1,
        "cameras": 1,
    }
    assert dict(conversion.elements_of(source)) == expected
    assert dict(conversion.elements_on(str(stage))) == expected
    assert conversion.motion_difference(source, str(stage)) == ""
    opened = Usd.Stage.Open(str(stage))
    for prim in list(opened.Traverse()):
        if prim.HasAPI(UsdPhysics.MassAPI):
            UsdPhysics.MassAPI(prim).GetMassAttr().Set(1.5)
        if prim.GetTypeName() == "MjcKeyframe":
            prim.SetActive(False)
    opened.Save()
    assert conversion.elements_on(str(stage))["keyframes"] == 0
    assert "positions are" in conversion.motion_difference(source, str(stage))


def test_loop_and_bare_graph_move_the_robot_alike(benches: None, tmp_path: Path):
    pytest.importorskip("mujoco_warp")
    import usdsim
    from benchmarks import device_loop
    from benchmarks.models import ARM

    usdsim.convert(ARM, tmp_path / "arm.usda")
    with device_loop.scene_of(tmp_path / "arm.usda", 2, "warp:cpu") as running:
        engine = running.sim.engine
        columns = running.robot.root_view.layout.joint_qpos[0]
        before = np.array(engine.read("qpos"))
        bare = device_loop.BareGraph(running)
        target = wp.full((2, len(columns)), 0.1, dtype=wp.float32, device=engine.device)
        engine.write("qpos", before)
        engine.write("qvel", 0.0)
        for _ in range(2):
            device_loop.control_step(running, target)
            bare.control_step(target)
        after = engine.read("qpos")
        assert np.abs(after - before).max() > 0.01
        np.testing.assert_allclose(bare.d.qpos.numpy(), after, atol=1e-4)
    times = device_loop.start_up(tmp_path / "arm.usda", 2, "warp:cpu", 1)
    assert times["first_step_s"] > times["reset_s"] > 0.0
    assert times["record_s"] == pytest.approx(
        times["first_step_s"] - times["reset_s"] - times["control_step_s"]
    )


def test_device_benchmark_says_what_it_leaves_out(benches: None, tmp_path: Path, empty_corpus: str):
    pytest.importorskip("mujoco_warp")
    names = ("device_step", "--envs", "2", "--corpus", empty_corpus)
    left_out, measured = _rows(tmp_path / "device.json", *names)["device_step"]
    assert left_out == {"case": "mjlab_go1", "reason": "not without the corpus"}
    assert measured["case"] == "arm, 2 worlds, ratio to the bare graph"
    assert measured["value"] > 0.0
    assert measured["target"] == 0.9


def test_kept_results_name_no_folders_of_a_machine(benches: None):
    from benchmarks.peers.conversion import brief

    assert brief("in /a/lib/site-packages/peer/mesh.py") == "in peer/mesh.py"
    assert brief("/tmp/tmpa1b2/1/x.usda: /robot/arm") == "x.usda: /robot/arm"
    kept = sorted((ROOT / "benchmarks" / "results").glob("*.json"))
    assert len(kept) >= 3
    for results in kept:
        assert "/tmp/" not in results.read_text(), results


def test_readme_says_what_the_kept_results_say(benches: None):
    from benchmarks.readme import README, Figures, renewed

    figures = Figures()
    text = README.read_text()
    assert renewed(text, figures) == text
    assert f"newton {figures.version('newton')}" in text
    with pytest.raises(ValueError, match="lacks the marks of the table 'speeds'"):
        renewed(text.replace("<!-- start: speeds -->", ""), figures)
    with pytest.raises(KeyError):
        figures.show("stepping: no such case", ".2f")


def test_soft_cube_is_timed_against_the_bare_engine(benches: None, tmp_path: Path):
    rows = {row["case"]: row for row in _rows(tmp_path / "soft.json", "soft")["soft_bodies"]}
    assert rows["cube of 35 vertices, 1 world, one step"]["value"] > 0.0
    assert rows["cube of 35 vertices, 1 world, ratio to the bare engine"]["value"] > 0.0


@pytest.mark.nightly
def test_environments_are_timed_against_their_scene(benches: None, tmp_path: Path):
    found = _rows(tmp_path / "environments.json", "environments")
    (decision,) = found["environment_overhead"]
    assert decision["unit"] == "%" and decision["detail"]["ms"] > 0.0
    assert all(row["value"] > 0.0 for row in found["terrain_contacts"])
