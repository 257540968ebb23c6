"""Everything in assets/ validates, converts without loss, and does what its page says."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pytest

import usdsim
from usdsim.cli.main import main
from usdsim.parser import parse_stage
from usdsim.schemas import validate_stage
from usdsim.testing import check_conversion
from usdsim.usd import open_stage

ASSETS = Path(__file__).resolve().parent.parent / "assets"
FILES = sorted(p for p in ASSETS.rglob("*") if p.suffix in (".xml", ".urdf", ".usda"))
SOURCES = [file for file in FILES if file.suffix != ".usda"]
G = 9.81


def _name(path: Path) -> str:
    return str(path.relative_to(ASSETS))


@cache
def _model(name: str) -> usdsim.SceneModel:
    return usdsim.load_model(ASSETS / name)


# -- all of them ---------------------------------------------------------------------------------


def test_every_folder_has_a_page_and_a_row():
    table = (ASSETS / "README.md").read_text()
    for folder in (path for path in ASSETS.iterdir() if path.is_dir()):
        assert (folder / "README.md").is_file(), folder.name
        assert f"`{folder.name}/`" in table, folder.name


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_asset_has_no_findings(file: Path):
    stage = open_stage(file) if file.suffix == ".usda" else usdsim.convert(file)
    bad = [str(f) for f in validate_stage(stage) if f.severity != "info"]
    assert not bad
    assert not parse_stage(stage).report.warnings


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_command_line_finds_nothing(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture):
    """In the file and in what it converts to."""
    checked = [file]
    if file in SOURCES:
        checked.append(tmp_path / f"{file.stem}.usda")
        usdsim.convert(file, checked[1])
    for path in checked:
        assert main(["validate", str(path), "--strict", "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert report["valid"]
        # Knees start straight, which no knee can be.
        assert {finding["rule"] for finding in report["findings"]} <= {"outside-limits"}


@pytest.mark.parametrize("file", SOURCES, ids=_name)
def test_asset_converts_without_loss(file: Path):
    assert check_conversion(file) == []


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_asset_runs(file: Path):
    model = usdsim.load_model(file)
    data = usdsim.SceneData(model, batch=(2,))
    model.step_n(data, 50)
    assert np.isfinite(data.dof_pos).all()
    assert not data.failures


# -- cart and pole -------------------------------------------------------------------------------


def test_hanging_pole_swings_with_its_period():
    """With the cart held by a great mass, the pole is a physical pendulum."""
    model = _model("cartpole/cartpole.usda")
    data = usdsim.SceneData(model)
    model.get_link("cart").set_mass_override(data, 1e6)
    pole = model.get_joint("cart_to_pole")
    pole.set_dof_pos(data, [math.pi - 0.05])
    times, before = [], 0.05
    while len(times) < 3:
        model.step(data)
        angle = math.pi - float(pole.get_dof_pos(data)[0])
        if before * angle < 0.0:
            times.append(float(data.time))
        before = angle
    expected = 2.0 * math.pi * math.sqrt((0.025 + 0.3 * 0.25) / (0.3 * G * 0.5))
    assert times[2] - times[0] == pytest.approx(expected, rel=0.01)
    assert expected == pytest.approx(1.64, abs=0.01)


def test_cart_follows_its_force():
    model = _model("cartpole/cartpole.usda")
    data = usdsim.SceneData(model)
    model.get_link("pole").set_mass_override(data, 1e-6)
    model.get_link("pole").set_inertia_override(data, [1e-8, 1e-8, 1e-8, 0.0, 0.0, 0.0])
    model.get_actuator("rail_to_cart").set_targets(data, feedforward=3.0)
    steps = round(0.5 / model.options.timestep)
    model.step_n(data, steps)
    assert model.get_joint("rail_to_cart").get_dof_vel(data)[0] == pytest.approx(1.5, rel=1e-3)


# -- boxes ---------------------------------------------------------------------------------------


def test_boxes_stand_until_pushed():
    model = _model("boxes/boxes.usda")
    data = usdsim.SceneData(model, batch=(2,))
    assert model.num_links == 10
    start = model.get_link_positions(data).copy()
    model.get_link("box_0_0").add_external_force(data[1], [0.0, 4000.0, 0.0], local=False)
    model.step_n(data, 1000)
    moved = np.linalg.norm(model.get_link_positions(data) - start, axis=-1).max(axis=1)
    assert moved[0] < 1e-3
    assert moved[1] > 1e-2
    weight = model.get_contact_query(data).get_force(model.get_geom("Floor"))[0]
    assert abs(weight[2]) == pytest.approx(10 * 2.0 * G, rel=1e-3)


# -- terrain -------------------------------------------------------------------------------------


def test_terrain_is_as_its_table_says():
    terrain = mujoco.MjModel.from_xml_path(str(ASSETS / "terrain" / "terrain.xml"))
    heights = terrain.hfield_data.reshape(terrain.hfield_nrow[0], terrain.hfield_ncol[0])
    heights = heights * terrain.hfield_size[0, 2]
    x = np.linspace(-8.0, 8.0, heights.shape[1])
    y = np.linspace(-8.0, 8.0, heights.shape[0])
    assert heights.shape == (65, 65)
    step = 0.72 / 255
    flat = heights[np.ix_(np.abs(y) < 1.0, np.abs(x) < 1.0)]
    assert (flat == 0.0).all()
    stairs = heights[:, x > 1.0]
    assert (stairs == stairs[:1]).all()
    expected = 0.12 * np.clip(np.floor((x[x > 1.0] - 1.5) / 0.75 + 1e-9), 0, 6)
    np.testing.assert_allclose(stairs[0], expected, atol=step)
    assert heights[:, x < 1.0].max() == pytest.approx(0.5, abs=step)


# -- finger --------------------------------------------------------------------------------------


def test_tendon_force_is_in_balance_with_the_springs():
    """Virtual work: at rest the tendon's force times its moment arm is each spring's torque."""
    model = _model("finger/finger.xml")
    low = mujoco.MjModel.from_xml_path(str(ASSETS / "finger" / "finger.xml"))
    data = usdsim.SceneData(model)
    force = 2.0
    data.actuator_ctrls = [force]
    model.step_n(data, 3000)
    state = mujoco.MjData(low)
    for name in ("mcp", "pip", "dip"):
        state.joint(name).qpos = model.get_joint(name).get_dof_pos(data)
    mujoco.mj_forward(low, state)
    arms = state.ten_J.reshape(-1)[:3]
    gravity = state.qfrc_bias
    springs = low.jnt_stiffness * state.qpos
    np.testing.assert_allclose(-force * arms, springs + gravity, atol=1e-5)
    assert (np.abs(arms) > 0.005).all()


def test_finger_straightens_without_force():
    model = _model("finger/finger.xml")
    data = usdsim.SceneData(model)
    data.actuator_ctrls = [6.0]
    model.step_n(data, 1000)
    assert model.get_joint("mcp").get_dof_pos(data)[0] > 0.5
    data.actuator_ctrls = [0.0]
    model.step_n(data, 3000)
    assert np.abs(data.dof_pos).max() < 0.02


# -- humanoid ------------------------------------------------------------------------------------


def test_humanoid_is_what_its_table_says():
    low = mujoco.MjModel.from_xml_path(str(ASSETS / "humanoid" / "humanoid.xml"))
    assert low.nu == 21 and low.nv == 27
    assert low.body_subtreemass[1] == pytest.approx(62.0)
    table = {
        "knee": (700, 250),
        "ankle_roll": (600, 120),
        "waist_yaw": (500, 200),
        "elbow": (60, 50),
    }
    for actuator in range(low.nu):
        for ending, (stiffness, torque) in table.items():
            if low.actuator(actuator).name.endswith(ending):
                assert low.actuator_gainprm[actuator, 0] == stiffness
                assert low.actuator_forcerange[actuator, 1] == torque


def test_humanoid_stands_on_its_keyframe():
    low = mujoco.MjModel.from_xml_path(str(ASSETS / "humanoid" / "humanoid.xml"))
    data = mujoco.MjData(low)
    mujoco.mj_resetDataKeyframe(low, data, 0)
    start = data.qpos[2]
    for _ in range(round(5.0 / low.opt.timestep)):
        mujoco.mj_step(low, data)
    assert data.qpos[2] == pytest.approx(start, abs=0.02)
    assert 1.0 - 2.0 * (data.qpos[4] ** 2 + data.qpos[5] ** 2) > 0.99
    load = data.sensor("left_foot").data[0] + data.sensor("right_foot").data[0]
    assert load == pytest.approx(62.0 * G, rel=0.02)
