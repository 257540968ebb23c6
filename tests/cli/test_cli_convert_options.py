"""Options of ``usdsim convert``: flags, files, many sources, changes, exit codes."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import threading
import time
import zipfile

import pytest

from usdsim.cli.conversion.options import CONFIGURATIONS
from usdsim.cli.conversion.watching import changes
from usdsim.cli.main import build_parser, main
from usdsim.parser import parse_stage

LINK = (
    '<link name="{}"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" '
    'ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>'
    '<limit lower="-1" upper="1" effort="{}" velocity="2"/></joint>'
)


def urdf(path, effort="5", name="bot"):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = LINK.format("base") + LINK.format("arm") + JOINT.format(effort)
    path.write_text(f'<robot name="{name}">{text}</robot>')
    return path


def drive(path):
    joints = parse_stage(path).scene.joints
    return next(joint for joint in joints if joint.dofs).dofs[0].drive


def test_every_option_has_a_flag(capsys):
    with pytest.raises(SystemExit):
        build_parser().parse_args(["convert", "--help"])
    text = capsys.readouterr().out
    own = {"asset_path", "usd_dir", "usd_file_name", "force_usd_conversion", "joint_drive"}
    for configuration in CONFIGURATIONS.values():
        for field in dataclasses.fields(configuration):
            assert field.name in own or f"--{field.name.replace('_', '-')}" in text, field.name


def test_flags_reach_the_conversion(tmp_path):
    source, target = urdf(tmp_path / "bot.urdf"), tmp_path / "bot.usda"
    flags = ["--no-fix-base", "--stiffness", "j=40", "--damping", "2", "--drive-type", "force"]
    assert main(["convert", str(source), str(target), *flags]) == 0
    assert drive(target).stiffness == pytest.approx(40.0)
    assert drive(target).damping == pytest.approx(2.0)
    assert not parse_stage(target).scene.bodies[0].fixed
    assert not any(joint.kind == "fixed" for joint in parse_stage(target).scene.joints)


def test_files_of_options_and_flags_over_them(tmp_path):
    source, target = urdf(tmp_path / "bot.urdf"), tmp_path / "bot.usda"
    config = tmp_path / "options.toml"
    config.write_text(
        "fix_base = false\n[urdf]\nlink_density = 500.0\n"
        "[urdf.joint_drive]\nstiffness = 7.0\ndamping = { j = 0.5 }\n"
    )
    flags = ["--config", str(config)]
    assert main(["convert", str(source), str(target), *flags]) == 0
    assert (drive(target).stiffness, drive(target).damping) == (
        pytest.approx(7.0),
        pytest.approx(0.5),
    )
    assert main(["convert", str(source), str(target), *flags, "--stiffness", "9"]) == 0
    assert drive(target).stiffness == pytest.approx(9.0)
    config.write_text("damping = 3.0\n[urdf]\nstiffness = 6.0\nfix-base = true\nxacro-arg = {}\n")
    assert main(["convert", str(source), str(target), *flags]) == 0
    assert (drive(target).stiffness, drive(target).damping) == (
        pytest.approx(6.0),
        pytest.approx(3.0),
    )
    assert any(joint.kind == "fixed" for joint in parse_stage(target).scene.joints)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("fix_bas = true", "fix_bas"),
        ("[urdf]\nsites = 1", "sites"),
        ("[mjcf]\nstiffness = 1.0", "stiffness"),
        ("joint_drive = 5", "joint_drive"),
        ("fix_base = ", "options.toml"),
    ],
)
def test_wrong_files_of_options_are_named(tmp_path, capsys, text, word):
    source = urdf(tmp_path / "bot.urdf")
    (tmp_path / "options.toml").write_text(text)
    flags = ["--config", str(tmp_path / "options.toml")]
    assert main(["convert", str(source), str(tmp_path / "bot.usda"), *flags]) == 1
    assert word in capsys.readouterr().err
    assert not (tmp_path / "bot.usda").exists()


def test_flags_of_other_kinds_are_refused(tmp_path, capsys):
    source = urdf(tmp_path / "bot.urdf")
    assert main(["convert", str(source), str(tmp_path / "b.usda"), "--no-import-sites"]) == 1
    assert "import_sites" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["convert", str(source), str(tmp_path / "b.usda"), "--package", "nowhere"])


def test_errors_name_options_as_the_flags_that_they_are(tmp_path, capsys):
    (tmp_path / "parts.xml").write_text("<mujoco><worldbody/></mujoco>")
    folder = tmp_path / "bot"
    folder.mkdir()
    source = folder / "bot.xml"
    source.write_text('<mujoco><include file="../parts.xml"/><worldbody/></mujoco>')
    assert main(["convert", str(source), str(tmp_path / "a.usda")]) == 1
    assert "add its folder to `--assets` if it is to be read" in capsys.readouterr().err
    assert main(["compare", str(source), str(source)]) == 1
    assert "`--assets` of `usdsim convert`" in capsys.readouterr().err
    flags = ["--assets", str(tmp_path)]
    assert main(["convert", str(source), str(tmp_path / "a.usda"), *flags]) == 0


def test_exit_codes_follow_the_worst_finding(tmp_path, capsys):
    good, warned = urdf(tmp_path / "good.urdf"), urdf(tmp_path / "zero.urdf", effort="0")
    assert main(["convert", str(good), str(tmp_path / "good.usda")]) == 0
    assert main(["convert", str(warned), str(tmp_path / "zero.usda")]) == 3
    bad = tmp_path / "bad.urdf"
    bad.write_text("<robot><link")
    assert main(["convert", str(bad), str(tmp_path / "bad.usda")]) == 1
    loop = tmp_path / "loop.xml"
    loop.write_text(
        '<mujoco><worldbody><body name="b"><joint/><geom size="1"/></body></worldbody>'
        '<equality><weld body1="b"/></equality></mujoco>'
    )
    assert main(["convert", str(loop), str(tmp_path / "loop.urdf")]) == 3
    assert main(["convert", str(loop), str(tmp_path / "no.urdf"), "--strict"]) == 1
    assert "closes a loop" in capsys.readouterr().err
    assert not (tmp_path / "no.urdf").exists()


def many(tmp_path):
    urdf(tmp_path / "pkg" / "robots" / "a.urdf")
    urdf(tmp_path / "pkg" / "robots" / "b.urdf", effort="0")
    return tmp_path / "pkg"


def test_folders_patterns_and_archives(tmp_path, capsys):
    folder = many(tmp_path)
    archive = tmp_path / "pkg.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name in ("a", "b"):
            file.write(folder / "robots" / f"{name}.urdf", f"pkg/robots/{name}.urdf")
    for number, (source, place) in enumerate(
        [(folder, "robots"), (folder / "**" / "*.urdf", "robots"), (archive, "pkg/robots")]
    ):
        out = tmp_path / f"out{number}"
        assert main(["convert", str(source), "--out", str(out), "--json", "--jobs", "2"]) == 3
        files = json.loads(capsys.readouterr().out)["files"]
        assert {os.path.basename(entry["source"]) for entry in files} == {"a.urdf", "b.urdf"}
        assert all(entry["source"].startswith(str(tmp_path)) for entry in files)
        assert (out / place / "a.usda").is_file()
        assert (out / place / "b.usda").is_file()
    assert main(["convert", str(folder), "--out", str(tmp_path / "o")]) == 3
    text = capsys.readouterr().out
    assert "2 of 2 files converted" in text
    assert "warnings" in text


@pytest.mark.parametrize("data", [b"no archive", b"PK\x03\x04 broken"])
def test_broken_archives_are_named(tmp_path, capsys, data):
    (tmp_path / "bad.zip").write_bytes(data)
    assert main(["convert", str(tmp_path / "bad.zip"), "--out", str(tmp_path / "o")]) == 1
    assert "bad.zip" in capsys.readouterr().err
    assert main(["convert", str(tmp_path / "*.urdf"), "--out", str(tmp_path / "o")]) == 1


def test_info_says_what_convert_says(tmp_path, capsys):
    source = urdf(tmp_path / "bot.urdf", effort="0")
    text = source.read_text().replace("</robot>", "<gadget/><gazebo><plugin/></gazebo></robot>")
    source.write_text(text)
    main(["convert", str(source), str(tmp_path / "bot.usda"), "--json"])
    converted = json.loads(capsys.readouterr().out)["findings"]
    main(["info", str(source), "--json"])
    shown = json.loads(capsys.readouterr().out)["findings"]
    assert {"kept-as-data", "gazebo", "limit-zero"} <= {row["rule"] for row in converted}
    assert [row for row in shown if row in converted] == converted


def test_changes_of_a_source_and_what_it_refers_to_are_seen(tmp_path):
    source = urdf(tmp_path / "bot.urdf")
    mesh = tmp_path / "part.obj"
    mesh.write_text("v 0 0 0\n")
    shape = '<visual><geometry><mesh filename="part.obj"/></geometry></visual></link>'
    source.write_text(source.read_text().replace("</link>", shape, 1))
    found = changes(source, period=0.01)

    def later():
        time.sleep(0.1)
        mesh.write_text("v 0 0 0\nv 1 0 0\n")

    thread = threading.Thread(target=later)
    thread.start()
    assert next(found) == [str(mesh)]
    thread.join()


@pytest.mark.parametrize(
    "flags",
    [
        ["--stiffness", "stiff"],
        ["--stiffness", "j=-1"],
        ["--damping", "nan"],
        ["--natural-frequency", "-1"],
        ["--damping-ratio", "j=inf"],
        ["--link-density", "-1"],
        ["--xacro-time-limit", "nan"],
    ],
)
def test_numbers_that_no_robot_has_are_refused(flags, tmp_path, capsys):
    source, target = urdf(tmp_path / "bot.urdf"), tmp_path / "bot.usda"
    assert main(["convert", str(source), str(target), *flags]) == 1
    said = capsys.readouterr().err
    assert flags[0][2:].replace("-", "_") in said and "finite number" in said, said
    assert "defect" not in said and not target.exists()


@pytest.mark.parametrize("command", ["info", "validate", "simulate", "view"])
def test_commands_that_read_robot_files_take_the_options_without_which_they_cannot(
    tmp_path, capsys, command
):
    more = {"simulate": ["--steps", "2"], "view": ["--seconds", "0.1"]}.get(command, [])
    if command == "view":
        more += ["--export", str(tmp_path / "page.html")]
    part = tmp_path / "elsewhere" / "part.xml"
    part.parent.mkdir()
    part.write_text('<mujocoinclude><body><freejoint/><geom size="0.1"/></body></mujocoinclude>')
    source = tmp_path / "models" / "robot" / "robot.xml"
    source.parent.mkdir(parents=True)
    body = '<include file="../../elsewhere/part.xml"/>'
    source.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    assert main([command, str(source), *more]) == 1
    # The remedy is a flag of this very command.
    assert re.search("add its folder to `--assets` if", " ".join(capsys.readouterr().err.split()))
    assert main([command, str(source), *more, "--assets", str(part.parent)]) == 0
    if command == "info":
        arm = urdf(tmp_path / "bot.urdf")
        assert main([command, str(arm), "--package", f"other={tmp_path}"]) == 0
    capsys.readouterr()
    assert main([command, str(source), *more, "--xacro-arg", "a=1"]) == 1
    assert "xacro_args" in capsys.readouterr().err
