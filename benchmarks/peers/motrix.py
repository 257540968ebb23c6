"""Steps per second against another simulator for robots, in the same process, in turn."""

from __future__ import annotations

import importlib
import importlib.util
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import usdsim
from benchmarks.measure import Contender, alternate
from benchmarks.models import model_file
from benchmarks.registry import Row, Settings, Skip, benchmark

__all__ = ["against_motrixsim"]

_HOLD = 10
"""Steps between new controls, as in learning, where both simulators run on their own."""
_ENV_STEPS = 16_384


@benchmark
def against_motrixsim(settings: Settings) -> Iterator[Row | Skip]:
    """`SceneModel.step_n` against motrixsim's on the same file."""
    if importlib.util.find_spec("motrixsim") is None:
        yield Skip("step_n", "motrixsim is not installed")
        return
    peer = importlib.import_module("motrixsim")
    for name in ("gym_humanoid", "mjlab_go1"):
        case, source = model_file(settings, name)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "explicit.xml"
            write_explicit(source, path)
            ours = usdsim.load_model(path, asset_roots=[source.parents[1]])
            theirs = peer.load_model(str(path))
            for envs in (1, 64) if settings.quick else (1, 64, 1024, 4096):
                actions = max(5, _ENV_STEPS // (_HOLD * max(envs, 8)))
                result = alternate(
                    _loop(ours, usdsim.SceneData(ours, (envs,)), actions),
                    _loop(theirs, peer.SceneData(theirs, batch=(envs,)), actions),
                    settings.rounds(15 if envs < 1024 else 7),
                )
                env_steps = envs * actions * _HOLD
                detail = {
                    "env_steps_per_s": env_steps / result.first,
                    "peer_env_steps_per_s": env_steps / result.second,
                    "versions": {"motrixsim": version("motrixsim")},
                }
                label = f"{case}, {envs} worlds, ratio to motrixsim"
                yield Row(label, result.ratio, "x", 1.4, at_least=True, detail=detail)


def _loop(model: Any, data: Any, actions: int) -> Contender:
    rng = np.random.default_rng(0)
    shape = (*data.shape, model.num_actuators)
    controls = (0.1 * rng.standard_normal((16, *shape))).astype(np.float32)

    def run() -> None:
        for action in range(actions):
            if controls.size:
                data.actuator_ctrls = controls[action % 16]
            model.step_n(data, _HOLD)

    return Contender(lambda: data.reset(model), run)


def write_explicit(source: Path, target: Path) -> None:
    """Copy an MJCF file so that both simulators do the same work.

    The inertia of every body is written out, as they disagree about that of capsules. Integrator
    and solver are left to each, as the peer ignores what the file says (four evaluations per step
    for one of them), and sensors are left out, as it refuses some.
    """
    model = mujoco.MjModel.from_xml_path(str(source))
    tree = ET.parse(source)
    root = tree.getroot()
    compiler = root.find("compiler")
    if compiler is None:
        compiler = ET.SubElement(root, "compiler")
    folder = compiler.get("meshdir") or compiler.get("assetdir") or ""
    compiler.set("meshdir", str((source.parent / folder).resolve()))
    compiler.attrib.pop("settotalmass", None)
    for option in root.findall("option"):
        option.attrib.pop("integrator", None)
        option.attrib.pop("solver", None)
    for sensors in root.findall("sensor"):
        root.remove(sensors)
    bodies = root.find("worldbody")
    for index, body in enumerate(bodies.iter("body") if bodies is not None else (), start=1):
        for old in body.findall("inertial"):
            body.remove(old)
        values = {
            "pos": _numbers(model.body_ipos[index]),
            "quat": _numbers(model.body_iquat[index]),
            "mass": repr(float(model.body_mass[index])),
            "diaginertia": _numbers(model.body_inertia[index]),
        }
        body.insert(0, ET.Element("inertial", values))
    tree.write(target)


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)
