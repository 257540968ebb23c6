"""The cache of compiled models: the same as a fresh load, and only while nothing has changed."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pytest
from pxr import UsdPhysics

import usdsim
from usdsim.core import cache as disk
from usdsim.core.errors import ConversionError
from usdsim.scene import load

INNER = """
<mujoco><worldbody>
  <body name="bob" pos="0 0 1">
    <joint name="pin" axis="0 1 0" limited="true" range="-90 90"/>
    <geom name="weight" type="mesh" mesh="block" mass="2"/>
    <geom name="look" size=".1" contype="0" conaffinity="0" mass="0"/>
  </body>
</worldbody></mujoco>
"""
MAIN = """
<mujoco>
  <compiler meshdir="meshes"/>
  <option timestep="0.002"/>
  <asset><mesh name="block" file="block.obj"/></asset>
  <include file="inner.xml"/>
  <actuator><position name="drive" joint="pin" kp="3"/></actuator>
  <sensor><jointpos joint="pin"/></sensor>
</mujoco>
"""
BLOCK = """
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 {height}
f 1 3 2
f 1 2 4
f 2 3 4
f 3 1 4
"""


@pytest.fixture
def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An MJCF file with an include and a mesh, and a cache of its own."""
    monkeypatch.setenv("USDSIM_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "robot"
    (folder / "meshes").mkdir(parents=True)
    (folder / "inner.xml").write_text(INNER)
    (folder / "meshes" / "block.obj").write_text(BLOCK.format(height=1))
    (folder / "robot.xml").write_text(MAIN)
    return folder / "robot.xml"


@pytest.fixture
def conversions(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were converted, as they are."""
    made: list[Path] = []
    convert = load.convert_file

    def spy(source: Path, **options: object) -> object:
        made.append(source)
        return convert(source, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(load, "convert_file", spy)
    return made


def _bytes(model: mujoco.MjModel) -> bytes:
    data = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, data)
    return data.tobytes()


def _entries(robot: Path) -> list[Path]:
    return sorted((robot.parent.parent / "cache").glob("*"))


@pytest.mark.parametrize("exact", [False, True])
def test_a_cached_model_equals_a_fresh_one(
    robot: Path, conversions: list[Path], exact: bool
) -> None:
    first = usdsim.load_model(robot, exact=exact)
    second = usdsim.load_model(robot, exact=exact)
    assert conversions == [robot]
    assert _bytes(first.low) == _bytes(second.low)
    with np.printoptions(threshold=10**9, floatmode="unique"):
        assert repr(first.description) == repr(second.description)
    assert [*map(str, first.report.findings)] == [*map(str, second.report.findings)]
    assert first.conversion == second.conversion
    assert first.stage.ExportToString() == second.stage.ExportToString()
    assert second.stage is second.stage
    states = []
    for model in (first, second):
        data = usdsim.SceneData(model, batch=2)
        data.actuator_ctrls = [0.4]
        model.step_n(data, 50)
        states.append(data.dof_pos)
    np.testing.assert_array_equal(*states)


def test_an_edit_on_the_stage_of_a_cached_model_acts(robot: Path) -> None:
    usdsim.load_model(robot)
    stage = usdsim.load_model(robot).stage
    [body] = [p for p in stage.Traverse() if p.HasAPI(UsdPhysics.RigidBodyAPI)]
    UsdPhysics.MassAPI(body).GetMassAttr().Set(7.0)
    assert usdsim.load_model(stage).get_link("bob").mass == pytest.approx(7.0)
    assert usdsim.load_model(robot).get_link("bob").mass == pytest.approx(2.0)


def _edit_main(folder: Path) -> None:
    (folder / "robot.xml").write_text(MAIN.replace("0.002", "0.004"))


def _edit_inner(folder: Path) -> None:
    (folder / "inner.xml").write_text(INNER.replace('mass="2"', 'mass="3"'))


def _edit_mesh(folder: Path) -> None:
    before = (folder / "meshes" / "block.obj").stat()
    (folder / "meshes" / "block.obj").write_text(BLOCK.format(height=2))
    # The same size and time do not make it the same file.
    os.utime(folder / "meshes" / "block.obj", ns=(before.st_atime_ns, before.st_mtime_ns))


def _remove_mesh(folder: Path) -> None:
    (folder / "meshes" / "block.obj").unlink()


@pytest.mark.parametrize("edit", [_edit_main, _edit_inner, _edit_mesh, _remove_mesh])
def test_a_changed_file_is_loaded_anew(
    robot: Path, conversions: list[Path], edit: Callable[[Path], None]
) -> None:
    before = _bytes(usdsim.load_model(robot).low)
    edit(robot.parent)
    try:
        assert _bytes(usdsim.load_model(robot).low) != before
    except ConversionError:
        assert edit is _remove_mesh
    assert len(conversions) == 2


def test_a_file_that_appears_where_one_is_looked_for_counts(
    robot: Path, conversions: list[Path]
) -> None:
    usdsim.load_model(robot)
    (robot.parent / "block.obj").write_text(BLOCK.format(height=2))
    usdsim.load_model(robot)
    assert len(conversions) == 2


def test_other_options_are_other_models(robot: Path, conversions: list[Path]) -> None:
    assert usdsim.load_model(robot).low.ngeom == 1
    assert usdsim.load_model(robot, exact=True).low.ngeom == 2
    usdsim.load_model(robot, precedence=("newton", "physics"))
    usdsim.load_model(robot, initial_poses="bodies")
    assert len(conversions) == 4


def test_what_other_folders_allow_is_another_model(robot: Path, conversions: list[Path]) -> None:
    usdsim.load_model(robot, asset_roots=["/"])
    usdsim.load_model(robot)
    usdsim.load_model(robot, asset_roots=["/"])
    assert len(conversions) == 2


def test_what_is_not_cached(
    robot: Path, conversions: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    usdsim.load_model(robot, cache=False)
    monkeypatch.setenv("USDSIM_CACHE_DIR", "")
    usdsim.load_model(robot)
    assert not _entries(robot)
    assert len(conversions) == 2


def test_another_version_reads_no_entry(
    robot: Path, conversions: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    usdsim.load_model(robot)
    monkeypatch.setattr(disk, "_fingerprint", lambda: "another version")
    usdsim.load_model(robot)
    assert len(conversions) == 2
    assert len(_entries(robot)) == 2
    monkeypatch.setattr(disk, "_fingerprint", lambda: None)
    usdsim.load_model(robot)
    assert len(_entries(robot)) == 2


@pytest.mark.parametrize("damage", [b"", b"\0\0\0\0", b"\0\0\0\0garbage"])
def test_damaged_entries_are_no_entries(
    robot: Path, conversions: list[Path], damage: bytes
) -> None:
    usdsim.load_model(robot)
    [entry] = _entries(robot)
    whole = entry.read_bytes()
    for data in (damage, whole[:-9], whole[:200] + b"?" + whole[201:]):
        entry.write_bytes(data)
        usdsim.load_model(robot)
    assert len(conversions) == 4
    usdsim.load_model(robot)
    assert len(conversions) == 4


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no owner here")
def test_folders_of_others_are_not_read(robot: Path, conversions: list[Path]) -> None:
    usdsim.load_model(robot)
    folder = robot.parent.parent / "cache"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o777)
    usdsim.load_model(robot)
    assert len(conversions) == 2


def test_a_place_that_cannot_be_written_does_not_matter(
    robot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("USDSIM_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert usdsim.load_model(robot).num_links == 1
    assert usdsim.load_model(robot).num_links == 1


def test_warnings_are_said_again(robot: Path, caplog: pytest.LogCaptureFixture) -> None:
    robot.write_text(MAIN.replace("mesh name", "mesh acd='1' name"))
    said = []
    for _ in range(2):
        caplog.clear()
        with caplog.at_level(logging.WARNING, "usdsim"):
            usdsim.load_model(robot)
        said.append([record.getMessage() for record in caplog.records])
    assert said[0] == said[1]
    assert any("acd" in text for text in said[0])


def test_the_oldest_entries_go(
    robot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usdsim.load_model(robot)
    [first] = _entries(robot)
    monkeypatch.setattr(disk, "LARGEST", int(1.5 * first.stat().st_size))
    os.utime(first, (1.0, 1.0))
    usdsim.load_model(robot, initial_poses="bodies")
    [second] = _entries(robot)
    assert second != first
