"""The examples, and every block of Python and shell in the README and the documentation, run."""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from forked_programs import run_program
from free_ports import free_port

from usdsim.cli.installation.assets import copy_assets
from usdsim.cli.main import build_parser
from usdsim.core.extras import EXTRA_OF

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(p for p in DOCS.rglob("*.md") if not {"api", "_build"} & set(p.parts)),
]
FEW = "16"  # worlds here, where text and examples have more


def _blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def _environment() -> dict[str, str]:
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    # Pages run side by side: one thread each.
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}


def _run(script: Path, folder: Path, arguments: Sequence[str] = ()) -> str:
    """Run a program with the assets where the text says they are."""
    copy_assets(folder / "assets")  # As `usdsim assets --copy`, of which the text tells.
    return run_program(script, folder, arguments)


# -- examples ------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(example: Path, tmp_path: Path):
    few = [FEW] if "def main(num_envs" in example.read_text() else []
    shown = _run(example, tmp_path, few)
    assert shown.strip()
    for name in re.findall(r"out/examples/\S+?\.(?:usda?|png)\b", shown):
        assert (tmp_path / name).stat().st_size > 0, name


def test_examples_are_documents():
    assert len(EXAMPLES) >= 13
    for number, example in enumerate(EXAMPLES):
        lines = example.read_text().splitlines()
        assert re.fullmatch(r'"""[A-Z].*\.', lines[0]), f"{example.name}: {lines[0]}"
        assert not lines[1] and lines[2], f"{example.name} has no text below its title"
        assert example.name.startswith(f"{number:02d}_")


# -- Python in text ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if _blocks(page, "python")],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_python_on_page_runs(page: Path, tmp_path: Path):
    """The blocks of a page belong together and run in order, with what the page says it needs."""
    script = tmp_path / "page.py"
    absent = f"import sys; sys.modules.update(dict.fromkeys({_not_asked_for(page)}))"
    blocks = [absent, *_blocks(page, "python")]
    script.write_text("\n".join(blocks).replace("1024", FEW))
    _run(script, tmp_path)


def _not_asked_for(page: Path) -> list[str]:
    """Modules of optional packages that no extra brings which the page names."""
    named = re.findall(r"usdsim\[([\w,]+)\]", page.read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {extra for names in named for extra in names.split(",")} & {*_extras()}
    brought: set[str] = set()
    wanted = [line for extra in extras for line in project["optional-dependencies"][extra]]
    while wanted:
        line = wanted.pop()
        name = re.split(r"[<>=!~\[; (]", line)[0].replace("_", "-").lower()
        if name not in brought and "extra ==" not in line:
            brought.add(name)
            with suppress(importlib.metadata.PackageNotFoundError):
                wanted += importlib.metadata.requires(name) or []
    homes = importlib.metadata.packages_distributions()
    having = {m: {name.replace("_", "-").lower() for name in homes.get(m, ())} for m in EXTRA_OF}
    return sorted(module for module, names in having.items() if not names & brought)


def test_both_sides_of_a_program_that_moves_print_the_same(tmp_path: Path):
    """The layer of names runs the one, nothing but the package the other."""
    (lines,) = _blocks(DOCS / "howto" / "isaaclab.md", "diff")
    sides = ["\n".join(line[1:] for line in lines.splitlines() if line[:1] in (s, " ", ""))
             for s in "-+"]  # fmt: skip
    assert "import isaaclab" in sides[0] and "isaaclab" not in sides[1]
    first = "import sys\nimport usdsim.compat\nusdsim.compat.install()\n"
    options = "sys.argv[1:] = ['--headless', '--frames', '400']\n"
    between = "sim.clear_instance()"
    script = tmp_path / "page.py"
    script.write_text("\n".join([first + options, sides[0], between, sides[1]]))
    shown = _run(script, tmp_path)
    half = len(shown) // 2
    assert "tensor" in shown[:half] and shown[:half] == shown[half:]


def test_pages_have_code():
    assert sum(bool(_blocks(page, "python")) for page in PAGES) >= 12
    assert sum(bool(_blocks(page, "sh")) for page in PAGES) >= 5


# -- shell in text -------------------------------------------------------------------------------


def _commands(page: Path) -> list[str]:
    lines = "\n".join(_blocks(page, "sh")).replace("\\\n", " ").splitlines()
    parts = [part.strip() for line in lines for part in line.split(" && ")]
    return [part for part in parts if part and not part.startswith("#")]


@cache
def _extras() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {"", *project["optional-dependencies"]}


def _prepare(folder: Path) -> None:
    """The files that commands speak of."""
    copy_assets(folder / "assets")
    (folder / "robots").mkdir()
    for name, source in (
        ("robot.xml", "quadruped/quadruped.xml"),
        ("robot.urdf", "arm/arm.urdf"),
        ("robot.usda", "pendulum/pendulum.usda"),
        ("before.usda", "boxes/boxes.usda"),
        ("after.usda", "boxes/boxes.usda"),
        ("robots/finger.xml", "finger/finger.xml"),
        ("robots/arm.urdf", "arm/arm.urdf"),
    ):
        (folder / name).write_bytes((ROOT / "assets" / source).read_bytes())
    with (folder / "robot.usda").open("a") as stage:
        for name in ("front", "side"):
            stage.write(
                f'def Camera "{name}" {{\n  double3 xformOp:translate = (0, 0, 3)\n'
                '  uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n'
            )
    np.save(folder / "commands.npy", np.zeros((4, 12)))
    with zipfile.ZipFile(folder / "my_robot_description.zip", "w") as archive:
        archive.write(ROOT / "assets" / "arm" / "arm.urdf", "my_robot/urdf/arm.urdf")


def _without(arguments: list[str], option: str) -> list[str]:
    """Arguments without an option and its value."""
    if option not in arguments:
        return arguments
    at = arguments.index(option)
    return arguments[:at] + arguments[at + 2 :]


_COMMANDS = """
import json, sys
from usdsim.cli.main import main
for arguments, codes in json.loads(sys.argv[1]):
    print("usdsim", *arguments, flush=True)
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code or 0
    assert code in codes, f"{arguments} ends with {code}"
"""


@cache
def _help(module: str) -> str:
    """What a module says of its options."""
    shown = subprocess.run(
        [sys.executable, "-m", module, "--help"],
        cwd=ROOT,
        env=_environment(),
        capture_output=True,
        text=True,
    )
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


def _check_command(line: str, usdsim: list[tuple[list[str], list[int]]]) -> None:
    """Check a line; what the command of the package is given to do is added to `usdsim`."""
    words = shlex.split(line.replace("1024", FEW), comments=True)
    program, arguments = words[0], words[1:]
    program = program.rpartition("/bin/")[2]  # of an environment that a line before makes
    if program == "eval":  # What a command prints, in the shell that reads the line.
        _check_command(arguments[0].removeprefix("$(").removesuffix(")"), usdsim)
    elif program == "make":
        made = subprocess.run(["make", "-n", *arguments], cwd=ROOT, capture_output=True, text=True)
        assert made.returncode == 0, f"{line}: {made.stderr}"
    elif program == "pip":
        for package in (word for word in arguments[1:] if not word.startswith("-")):
            found = re.fullmatch(r"([\w-]+)(?:\[(\w+)\])?((?:==|<)[\d.]+)?", package)
            assert found, line
            if found[1] == "usdsim":
                assert (found[2] or "") in _extras() and not found[3], line
    elif program == "usdsim":
        if arguments[0] == "view" and "--seconds" not in arguments:
            # It runs until somebody ends it, on a port that another test may have.
            arguments += ["--seconds", "1", "--port", str(free_port())]
        if "--watch" in arguments:  # It runs until somebody ends it.
            arguments.remove("--watch")
        if arguments[0] == "simulate" and {"--video", "--record"} & {*arguments}:
            # A few frames will do.
            arguments = [*_without(arguments, "--seconds"), "--steps", "10"]
        if arguments[0] == "train":  # Learning has tests of its own.
            arguments = [*_without(arguments, "--seconds"), "--seconds", "2"]
        if arguments[0] == "demo":
            arguments += ["--envs", "8", "--seconds", "0.4"]
        if arguments[:2] == ["schemas", "--install"]:  # Not into somebody's home.
            arguments.insert(2, "schemas")
        # A comparison may find differences, a conversion may warn.
        codes = {"compare": [0, 1], "convert": [0, 3]}.get(arguments[0], [0])
        usdsim.append((arguments, codes))
    elif words[:2] == ["python", "-m"]:
        shown = _help(arguments[1])
        for option in arguments[2:]:
            assert not option.startswith("-") or option in shown, f"{line}: {option}"
    elif program == "python":
        assert (ROOT / arguments[0]).is_file(), line
    else:
        raise AssertionError(f"{line}: nothing here knows how to run {program!r}")


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if _blocks(page, "sh")],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_shell_on_page_runs(page: Path, tmp_path: Path):
    _prepare(tmp_path)
    commands = _commands(page)
    assert commands
    usdsim: list[tuple[list[str], list[int]]] = []
    for line in commands:
        _check_command(line, usdsim)
    if usdsim:  # Those of a page follow each other, in one process.
        script = tmp_path / "page.py"
        script.write_text(_COMMANDS)
        _run(script, tmp_path, [json.dumps(usdsim)])


# -- links ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_named_in_text_exist(page: Path):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for name in re.findall(
        r"`((?:usdsim|assets|examples|tests|docs|schemas|benchmarks)/[^`*<> ]+)`", text
    ):
        generated = name.startswith(("docs/api", "docs/_build"))
        assert generated or (ROOT / name).exists(), f"{page.name} names {name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_names_in_text_exist(page: Path):
    for name in set(re.findall(r"`(usdsim(?:\.\w+)+)", page.read_text())):
        parts = name.split(".")
        found = importlib.import_module("usdsim")
        for end, part in enumerate(parts[1:], start=2):
            if hasattr(found, part):
                found = getattr(found, part)
            else:
                found = importlib.import_module(".".join(parts[:end]))


def test_commands_in_text_exist():
    """Commands within sentences and in blocks of text: their names, options, modules and extras."""
    parser = build_parser()
    (choices,) = (a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    found: dict[str, str] = {}
    for page in PAGES:
        text = page.read_text()
        lines = "\n".join(_blocks(page, "text") + _blocks(page, "bash")).splitlines()
        for line in (*lines, *re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)):
            words = line.split()
            if len(words) > 1 and words[0] in ("usdsim", "make", "pip", "python"):
                found[line] = page.name
    assert len(found) > 40
    for line, page in found.items():
        program, *words = line.split()
        where = f"{page} says {line!r}"
        if program == "make":
            assert words[0] in targets, where
        elif program == "pip":
            for extra in re.findall(r"usdsim\[([\w,]+)\]", line):
                assert _extras() >= {*extra.split(",")}, where
        elif program == "python" and words[0] == "-m":
            assert importlib.util.find_spec(words[1]), where
        elif program == "python" and words[0] != "-c":
            assert words[0] == "program.py" or (ROOT / words[0]).is_file(), where
        elif words[0].islower() and words[0].isalpha():
            assert words[0] in choices, where
            options = choices[words[0]].format_help() + _subcommands(choices[words[0]])
            for option in (word for word in words if re.fullmatch(r"--[a-z-]+", word)):
                assert option in options, where


def _subcommands(parser: argparse.ArgumentParser) -> str:
    """Help of the commands of a command."""
    inner = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return "".join(sub.format_help() for a in inner for sub in a.choices.values())


def test_writers_in_text_exist():
    from usdsim import actuators, assets, engine, scene, sensors, sim
    from usdsim.math import quaternion_order

    modules = (actuators, assets, engine, scene, sensors, sim, quaternion_order)
    public = [getattr(module, name) for module in modules for name in module.__all__]
    known = {name for value in public for name in dir(value)}
    known.update(name for module in modules for name in module.__all__)
    for page in (p for p in PAGES if p.parent.name in ("concepts", "howto")):
        text = page.read_text()
        if page.stem in ("isaaclab", "motrixsim"):
            # The first column of their tables has the names of the others.
            text = re.sub(r"^\|[^|]*\|", "|", text, flags=re.MULTILINE)
        for name in re.findall(r"`(?:\w+\.)*((?:write|set)_[a-z_]+)\b(?![*])", text):
            assert name.endswith("_") or name in known, f"{page.name} names {name}"
