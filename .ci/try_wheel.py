"""Try the wheel as a stranger would: an environment of its own, an empty folder, no checkout.

Writes the bill of materials of what was installed beside the wheel: ``usdsim.cdx.json``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

COMMANDS = (
    "doctor",
    "demo --envs 16 --seconds 1",
    "convert {asset} robot.usda --check",
    "simulate robot.usda --envs 4 --steps 50 --record run.usd",
    "validate robot.usda",
    "schemas --install schemas",
)
SIZES = """
from importlib.metadata import distributions
sizes = {d.name: sum(f.size or 0 for f in d.files or ()) / 1e6 for d in distributions()}
sizes = {name: size for name, size in sizes.items() if name not in ("pip", "setuptools")}
print(f"-- installed {sum(sizes.values()):.0f} MB:",
      ", ".join(f"{n} {s:.0f}" for n, s in sorted(sizes.items(), key=lambda i: -i[1]) if s >= 1.0))
"""
"""Program that says how much room the wheel and what it needs take."""
LARGEST = 6 * 2**20
"""Size that the wheel must not reach [bytes]."""


def main() -> int:
    """Install the wheel without extras and run the commands; 1 if one fails."""
    folder = Path(sys.argv[1]).resolve()
    (wheel,) = folder.glob("*.whl")
    if wheel.stat().st_size > LARGEST:
        print(f"{wheel.name} has {wheel.stat().st_size} bytes; at most {LARGEST}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "venv"
        venv.create(home, with_pip=True)
        scripts = home / ("Scripts" if sys.platform == "win32" else "bin")
        python = scripts / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
        subprocess.run([python, "-c", SIZES], check=True)
        find = "import usdsim; print(usdsim.example_asset('quadruped/quadruped.xml'))"
        asset = subprocess.check_output([python, "-c", find], text=True, cwd=scratch).strip()
        for command in COMMANDS:
            words = command.format(asset=asset).split()
            print(f"-- usdsim {' '.join(words)}", flush=True)
            code = subprocess.run([scripts / "usdsim", *words], cwd=scratch, check=False).returncode
            if code:
                return 1
        bill = folder / "usdsim.cdx.json"
        words = ["cyclonedx_py", "environment", "--output-reproducible", "-o", bill, python]
        return subprocess.run([sys.executable, "-m", *words], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
