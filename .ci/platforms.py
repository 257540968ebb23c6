"""Resolve the wheels of all dependencies for each platform and Python: ``make platforms``.

Nothing is installed. What cannot be resolved although it is expected to be is an error, and so is
the reverse, so that the table of the documentation stays true.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
EXTRAS = ("", "gpu", "view", "video", "plot", "decomposition", "xacro")
PLATFORMS = {
    "x86_64-manylinux_2_28": True,
    "aarch64-manylinux_2_34": True,
    "aarch64-apple-darwin": True,
    "x86_64-pc-windows-msvc": True,
    "x86_64-apple-darwin": False,  # MuJoCo's core library has no wheel for Intel Macs.
}
"""Platforms, and whether all dependencies are expected to have wheels there."""


def resolves(requirements: list[str], platform: str, python: str) -> tuple[bool, str]:
    """Whether wheels of these requirements exist, and what stands in the way."""
    command = ["uv", "pip", "compile", "--only-binary", ":all:", "--quiet", "--no-header"]
    command += ["--python-platform", platform, "--python-version", python, "-"]
    result = subprocess.run(
        command, input="\n".join(requirements), capture_output=True, text=True, check=False
    )
    reasons = [line.strip() for line in result.stderr.splitlines() if line.strip()]
    return result.returncode == 0, " ".join(reasons)[:300]


def main() -> int:
    """Print a line for each platform and Python; 1 if anything differs from the table."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wrong = 0
    for platform, expected in PLATFORMS.items():
        for python in PYTHONS:
            marks = []
            for extra in EXTRAS:
                more = project["optional-dependencies"][extra] if extra else []
                found, reason = resolves([*project["dependencies"], *more], platform, python)
                marks.append(f"{extra or 'base'} {'yes' if found else 'no'}")
                if found != expected:
                    wrong += 1
                    marks[-1] += f" (expected {'yes' if expected else 'no'}: {reason})"
            print(f"{platform:24} {python}  {', '.join(marks)}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
