"""Targets, in the simulators they are for: a converted robot moves there as it does here.

PhysX: ``pip install ovphysx`` in an environment of its own, named in ``USDSIM_PHYSX_PYTHON``.
Newton: ``pip install newton[sim] usd-core scipy`` likewise, named in ``USDSIM_NEWTON_PYTHON``.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from pxr import Usd, UsdGeom, UsdPhysics

import usdsim
from usdsim.core.errors import UsdsimError

sys.path.insert(0, str(Path(__file__).parents[1]))
from corpus_files import corpus_models

ASSETS = Path(__file__).parents[2] / "assets"
PHYSX = Path(__file__).parents[1] / "engine" / "physx_reference.py"
NEWTON = Path(__file__).with_name("newton_reference.py")
WITHIN = 1.0
"""Angle [deg] by which links may be turned otherwise in PhysX."""
FAR = 1e-3
"""Distance [m] by which links may be apart in Newton after 100 steps."""

pytestmark = pytest.mark.nightly


def ask(variable: str, script: Path, *arguments: object) -> Any:
    """What another simulator answers."""
    python = os.environ.get(variable)
    if not python:
        pytest.skip(f"no other simulator: name its interpreter in {variable}")
    command = [python, str(script), *map(str, arguments)]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    return json.loads(answer.stdout.strip().splitlines()[-1])


def turned(first: np.ndarray, second: np.ndarray) -> float:
    """Angle between two orientations [deg]."""
    return math.degrees(2.0 * math.acos(min(1.0, abs(float(np.dot(first, second))))))


def in_physx(file: Path, seconds: float) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Poses of links here and there."""
    there = ask("USDSIM_PHYSX_PYTHON", PHYSX, file, seconds, 500)
    model = usdsim.load_model(file)
    data = usdsim.SceneData(model)
    model.step_n(data, round(seconds / model.options.timestep))
    here = {link.path: np.ravel(link.get_pose(data)) for link in model.links}
    return here, {path: np.array(pose) for path, pose in there.items()}


def test_the_quadruped_stands_in_its_keyframe_in_physx(tmp_path):
    file = tmp_path / "quadruped.usda"
    usdsim.convert(ASSETS / "quadruped" / "quadruped.xml", file, target="physx")
    stage = Usd.Stage.Open(str(file))
    ground = UsdGeom.Plane.Define(stage, "/ground")
    ground.CreateAxisAttr("Z")
    UsdPhysics.CollisionAPI.Apply(ground.GetPrim())
    stage.Save()
    here, there = in_physx(file, 2.0)
    trunk = next(path for path in here if path.endswith("/trunk"))
    assert there[trunk][2] == pytest.approx(here[trunk][2], abs=0.005) and there[trunk][2] > 0.3
    assert max(turned(here[path][3:], there[path][3:]) for path in here) < 2.0


FIRM = {"joint_drive": {"natural_frequency": 15.0, "damping_ratio": 1.0}}
ARMS = [
    *[("urdf", name, FIRM | {"fix_base": True}) for name in (
        "drake_panda", "ds_irb6700", "ds_robotiq2f85", "ds_spot_arm", "erd_finger_edu",
        "erd_so100", "erd_ur5_robot", "erd_xarm7", "gs_iiwa", "iiwa_dual", "na_allegro",
        "drake_pr2",
    )],
    *[("mjcf", name, {}) for name in ("mink_allegro", "rs_panda_gripper", "rs_robotiq_140")],
]  # fmt: skip
"""Robots of the corpus with drives: kind, part of the path, options."""


@pytest.mark.parametrize(("kind", "name", "options"), ARMS)
def test_arms_of_the_corpus_follow_their_targets_in_physx(kind, name, options, tmp_path):
    sources = [path for path in corpus_models(kind) if name in str(path)]
    if not sources:
        pytest.skip("no corpus")
    follow(sources[0], tmp_path / "arm.usda", options, collide=False)


@pytest.mark.parametrize(
    ("name", "options"), [("arm7/arm7.xml", {}), ("hand/hand.xml", {}), ("arm/arm.urdf", FIRM)]
)
def test_arms_follow_their_targets_in_physx_as_they_do_here(name, options, tmp_path):
    follow(ASSETS / name, tmp_path / "arm.usda", options, collide=True)


def follow(source: Path, file: Path, options: dict[str, Any], *, collide: bool) -> None:
    """Compare where drives bring the links of an arm."""
    usdsim.convert(source, file, target="physx", **options)
    stage = Usd.Stage.Open(str(file))
    drives = 0
    for prim in stage.Traverse():
        if prim.HasAPI(UsdPhysics.CollisionAPI) and not collide:
            UsdPhysics.CollisionAPI(prim).GetCollisionEnabledAttr().Set(False)
        for axis, reach in (("angular", 40.0), ("linear", 0.05)):
            if prim.HasAPI(UsdPhysics.DriveAPI, axis):
                ends = [
                    prim.GetAttribute(f"physics:{end}Limit").Get() for end in ("lower", "upper")
                ]
                low, high = max(ends[0], -reach), min(ends[1], reach)
                share = (0.3, 0.7, 0.45, 0.6, 0.8, 0.25)[drives % 6]
                aim = UsdPhysics.DriveAPI(prim, axis).GetTargetPositionAttr()
                aim.Set(low + share * (high - low))
                drives += 1
    stage.Save()
    here, there = in_physx(file, 2.0)
    assert drives >= 1 and set(here) & set(there)
    for path in set(here) & set(there):
        assert turned(here[path][3:], there[path][3:]) < WITHIN, path


def in_newton(folder: Path, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a hundred steps without contacts make of the corpus, here and there."""
    here, jobs = {}, []
    for number, source in enumerate(corpus_models(kind)):
        file = folder / f"{number}_{source.stem}.usdc"
        try:
            usdsim.convert(source, file, target="newton")
            model = usdsim.load_model(file, exact=True)
            model.low.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
            data = usdsim.SceneData(model)
            model.step_n(data, 100)
        except UsdsimError:
            continue
        links = {link.path: np.ravel(link.get_pose(data))[:3] for link in model.links}
        here[str(file)] = {"dofs": int(model.low.nv), "links": links}
        jobs.append((str(file), float(model.low.opt.timestep), targets(file)))
    (folder / "jobs.json").write_text(json.dumps(jobs))
    return here, ask("USDSIM_NEWTON_PYTHON", NEWTON, folder / "jobs.json")


def targets(file: Path) -> dict[str, float]:
    """Targets of drives [rad or m] by joint: Newton replaces those out of range."""
    found = {}
    stage = Usd.Stage.Open(str(file))
    for prim in stage.Traverse():
        for axis, unit in (("angular", math.radians(1.0)), ("linear", 1.0)):
            if prim.HasAPI(UsdPhysics.DriveAPI, axis):
                aim = UsdPhysics.DriveAPI(prim, axis).GetTargetPositionAttr().Get()
                found[str(prim.GetPath())] = float(aim or 0.0) * unit
    return found


@pytest.mark.parametrize(("kind", "least"), [("mjcf", 32), ("urdf", 30)])
def test_robots_of_the_corpus_move_in_newton_as_they_do_here(kind, least, tmp_path):
    if not corpus_models(kind):
        pytest.skip("no corpus")
    here, there = in_newton(tmp_path, kind)
    alike = []
    for file, ours in here.items():
        theirs = there[file]
        common = set(theirs.get("links", ())) & set(ours["links"])
        apart = [np.abs(ours["links"][path] - theirs["links"][path]).max() for path in common]
        if common and max(apart) < FAR and theirs["dofs"] == ours["dofs"]:
            alike.append(Path(file).stem)
    assert len(alike) >= least, sorted({Path(file).stem for file in here} - set(alike))
