"""What the package needs of its surroundings: it runs without POSIX, and steps without Warp."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

_WITHOUT_POSIX = """
import os, signal, sys
# What others do on this system is theirs: their modules are there before.
import asyncio, concurrent.futures, ctypes.util, importlib, multiprocessing, subprocess, tempfile
for name in ("numpy", "pxr.UsdPhysics", "mujoco.batch", "warp", "trimesh", "scipy.spatial",
             "torch", "gymnasium", "matplotlib.pyplot", "PIL.Image"):
    try:
        importlib.import_module(name)
    except ImportError:
        pass
# Modules and functions that Windows has not.
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog"):
    sys.modules[name] = None
for name in ("fork", "forkpty", "register_at_fork", "O_DIRECTORY", "O_NOFOLLOW", "geteuid",
             "getuid", "getgid", "sched_getaffinity", "sched_setaffinity", "killpg", "setsid",
             "mkfifo", "getloadavg", "statvfs", "chown", "pread", "wait4"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGALRM", "SIGUSR1", "SIGHUP", "alarm", "setitimer"):
    if hasattr(signal, name):
        delattr(signal, name)
"""


def _run(code: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], cwd=folder, capture_output=True, text=True
    )
    assert not done.returncode, done.stderr[-3000:]
    return done.stdout + done.stderr


def test_every_module_is_imported_without_posix(tmp_path):
    """Only what needs a library that is not installed may refuse, in words of ours."""
    code = """
    import importlib, pkgutil
    import usdsim
    from usdsim.core.errors import UnsupportedError
    refused, count = [], 0
    for module in pkgutil.walk_packages(usdsim.__path__, "usdsim.", onerror=lambda name: None):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
            count += 1
        except UnsupportedError:
            refused.append(module.name)
        except ImportError as error:
            if (error.name or "").startswith("usdsim") or "pip install" not in str(error):
                if error.name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"):
                    raise
                refused.append(module.name)
    print(count, refused)
    """
    shown = _run(_WITHOUT_POSIX + textwrap.dedent(code), tmp_path)
    assert int(shown.split()[0]) > 700, shown


def test_conversion_simulation_and_jobs_run_without_posix(tmp_path):
    """Files are written completely or not at all, workers answer, and worlds are stepped."""
    code = """
    import usdsim
    from usdsim.cli.main import main
    usdsim.convert(usdsim.example_asset("arm/arm.urdf"), "arm.usda")
    usdsim.convert(usdsim.example_asset("arm/arm.urdf"), "arm.usda")
    model = usdsim.load_model("arm.usda")
    data = usdsim.SceneData(model, batch=(3,))
    model.step_n(data, 10)
    assert main(["validate", "arm.usda"]) == 0
    from usdsim.converters import convert_many
    report = convert_many([usdsim.example_asset("pendulum/../finger/finger.xml")], "many")
    assert not report.failed, str(report)
    from usdsim.core.transaction import new_folder
    with new_folder("made") as folder:
        (folder / "x").write_text("1")
    """
    _run(_WITHOUT_POSIX + textwrap.dedent(code), tmp_path)
    assert (tmp_path / "made" / "x").read_text() == "1"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".usdsim")]


def test_conversion_checks_exports_and_steps_on_the_cpu_need_no_warp(tmp_path):
    """The base install's largest part, 408 MB, is for assets, sensors and devices."""
    code = """
    import sys
    sys.modules["warp"] = None
    import usdsim
    from usdsim.cli.main import main
    for number, name in enumerate(("arm/arm.urdf", "quadruped/quadruped.xml")):
        stage = f"{number}.usda"
        assert main(["convert", str(usdsim.example_asset(name)), stage, "--check"]) == 0
        assert main(["validate", stage]) == main(["info", stage]) == 0
        # MJCF has no largest speeds, which joints of URDF have.
        assert main(["convert", stage, f"{number}.xml"]) == (3 if "urdf" in name else 0)
        assert main(["convert", stage, f"{number}_back.urdf"]) in (0, 3)
        assert main(["compare", stage, f"{number}.xml"]) == 0
        assert main(["simulate", stage, "--steps", "10"]) == 0
    assert not [name for name in sys.modules if name.split(".")[0] == "warp" and sys.modules[name]]
    assert main(["simulate", stage, "--device", "warp:cpu"]) == 1
    """
    done = _run(code, tmp_path)
    assert (tmp_path / "1_back.urdf").is_file()
    assert "pip install warp-lang" in done
