"""Converters that convert only when something changed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from converters_urdf_text import arm, link, robot, write
from pxr import Usd

from usdsim.converters import (
    MeshConverter,
    MeshConverterCfg,
    MjcfConverter,
    MjcfConverterCfg,
    UrdfConverter,
    UrdfConverterCfg,
)
from usdsim.core.errors import ConversionError, FileError


def cfg(folder, **options):
    source = folder / "bot.urdf"
    if not source.exists():
        write(folder, arm())
    return UrdfConverterCfg(asset_path=str(source), usd_dir=str(folder / "usd"), **options)


def test_paths_and_record(tmp_path):
    converter = UrdfConverter(cfg(tmp_path))
    assert converter.usd_path == str(tmp_path / "usd" / "bot.usd")
    assert converter.usd_dir == str(tmp_path / "usd")
    assert converter.usd_file_name == "bot.usd"
    assert Usd.Stage.Open(converter.usd_path).GetDefaultPrim().GetName() == "bot"
    text = (tmp_path / "usd" / "config.yaml").read_text()
    assert "merge_fixed_joints: true\n" in text
    assert converter.report is not None
    named = UrdfConverter(cfg(tmp_path, usd_file_name="other.usda"))
    assert Path(named.usd_path).read_text().startswith("#usda")


def test_nothing_is_done_twice(tmp_path):
    first = UrdfConverter(cfg(tmp_path))
    os.utime(first.usd_path, (1, 1))
    assert UrdfConverter(cfg(tmp_path)).report is None
    assert os.stat(first.usd_path).st_mtime == 1
    assert UrdfConverter(cfg(tmp_path, force_usd_conversion=True)).report is not None


@pytest.mark.parametrize("change", ["content", "option", "result", "mesh"])
def test_a_change_converts_again(tmp_path, change):
    mesh = '<visual><geometry><mesh filename="part.obj"/></geometry></visual>'
    text = robot(link("base", mesh))
    (tmp_path / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    write(tmp_path, text)
    path = UrdfConverter(cfg(tmp_path)).usd_path
    options = {}
    if change == "content":
        write(tmp_path, text + "<!-- -->")
    elif change == "option":
        options = {"fix_base": True}
    elif change == "mesh":
        (tmp_path / "part.obj").write_text("v 0 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n")
    else:
        os.remove(path)
    assert UrdfConverter(cfg(tmp_path, **options)).report is not None
    assert UrdfConverter(cfg(tmp_path, **options)).report is None


def test_a_failure_is_not_remembered(tmp_path):
    UrdfConverter(cfg(tmp_path))
    good = (tmp_path / "usd" / "bot.usd").read_bytes()
    write(tmp_path, robot(link("a"), link("a")))
    for _ in range(2):
        with pytest.raises(ConversionError):
            UrdfConverter(cfg(tmp_path))
    assert (tmp_path / "usd" / "bot.usd").read_bytes() == good
    assert json.loads((tmp_path / "usd" / ".asset_hash").read_text()) == {}


def test_default_folder_is_keyed_by_content(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    source = str(write(tmp_path, arm()))
    one = UrdfConverter(UrdfConverterCfg(asset_path=source))
    two = UrdfConverter(UrdfConverterCfg(asset_path=source, self_collision=True))
    assert one.usd_dir != two.usd_dir
    assert UrdfConverter(UrdfConverterCfg(asset_path=source)).report is None


def test_configurations_are_not_changed(tmp_path):
    given = cfg(tmp_path)
    before = repr(given)
    UrdfConverter(given)
    assert repr(given) == before


def test_wrong_kind_and_missing_file(tmp_path):
    write(tmp_path, arm())
    with pytest.raises(FileError, match="takes mjcf files"):
        MjcfConverter(MjcfConverterCfg(asset_path=str(tmp_path / "bot.urdf")))
    with pytest.raises(FileError, match="takes mesh files"):
        MeshConverter(MeshConverterCfg(asset_path=str(tmp_path / "bot.urdf")))
    with pytest.raises(FileError, match="asset_path=''"):
        UrdfConverter(UrdfConverterCfg())
